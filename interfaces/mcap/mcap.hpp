#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// MCAP files (version 0, little endian): records, each an opcode, a length of 64 bits and its content. Messages lie in
/// chunks, behind each chunk the times and places of its messages, at the end a summary by which readers find them.
namespace interfaces::mcap {

using Bytes = std::vector<std::uint8_t>;

enum class Op : std::uint8_t {
    header = 0x01,
    footer = 0x02,
    schema = 0x03,
    channel = 0x04,
    message = 0x05,
    chunk = 0x06,
    message_index = 0x07,
    chunk_index = 0x08,
    statistics = 0x0b,
    summary_offset = 0x0e,
    data_end = 0x0f,
};

struct Schema {
    std::uint16_t id = 0;  // not 0
    std::string name, encoding, data;
};
struct Channel {
    std::uint16_t id = 0, schema = 0;  // ids from 0 on, without many gaps
    std::string topic, encoding;
    std::vector<std::pair<std::string, std::string>> metadata = {};
};
struct MessageHead {
    std::uint16_t channel = 0;
    std::uint32_t sequence = 0;
    std::uint64_t time = 0;  // ns: recorded, and published
};

/// Appends a message as chunks hold it.
void put_message(Bytes& out, const MessageHead& head, std::span<const std::uint8_t> content);
/// Its size.
[[nodiscard]] constexpr std::size_t size_of_message(std::size_t content) { return 9 + 22 + content; }

/// Makes a file piece by piece: whoever has it writes the pieces one after the other. Chunks of usual sizes allocate
/// nothing.
class Writer {
public:
    Writer();
    void begin(Bytes& out, std::string_view library);
    void add(Bytes& out, const Schema& schema);
    void add(Bytes& out, const Channel& channel);

    /// What stands before messages in a chunk, and what behind it; valid until the next call.
    struct Chunk {
        Bytes before, behind;
    };
    /// `messages`: whole message records, one after the other.
    [[nodiscard]] const Chunk& chunk(std::span<const std::uint8_t> messages);

    /// The end of the data, the summary, the end of the file.
    void end(Bytes& out);

    /// What a file holds that somebody began with a `Writer`.
    struct Held {
        std::uint64_t bytes = 0;          // of the file, up to the end of its last whole chunk
        std::uint64_t message_bytes = 0;  // in its chunks
        Bytes missing;                    // what stands behind that chunk
    };
    /// Goes on with it; nothing where it has no whole beginning.
    [[nodiscard]] std::optional<Held> resume(std::span<const std::uint8_t> file);

private:
    /// What there is of a channel.
    struct Track {
        std::uint64_t messages = 0;
        std::uint32_t in_chunk = 0;
        std::size_t next = 0;  // place of its next entry behind the chunk
    };
    void count(std::span<const std::uint8_t> messages);
    void put_message_indices(std::span<const std::uint8_t> messages);
    void put_chunk_index(std::uint64_t offset, std::size_t messages_size);
    void put_summary(Bytes& out);

    std::uint64_t position_ = 0;
    Bytes schemas_, channels_, chunk_indices_;  // their records, for the summary
    std::uint16_t schema_count_ = 0;
    std::uint32_t channel_count_ = 0, chunk_count_ = 0;
    std::vector<Track> tracks_;  // by the id of the channel
    struct Times {
        std::uint64_t first = 0, last = 0;
    } chunk_times_, times_;
    Chunk chunk_;
};

struct Record {
    Op op = Op::header;
    std::span<const std::uint8_t> content;
};

/// The records in somebody's bytes: of a file behind its magic, or of a chunk.
class Records {
public:
    /// Nothing for a file that does not begin as one.
    [[nodiscard]] static std::optional<Records> of_file(std::span<const std::uint8_t> file);
    explicit Records(std::span<const std::uint8_t> bytes, std::size_t position = 0)
        : bytes_(bytes), position_(position) {}

    /// Nothing at the end, and where no whole record follows.
    [[nodiscard]] std::optional<Record> next();
    [[nodiscard]] std::size_t position() const { return position_; }

private:
    std::span<const std::uint8_t> bytes_;
    std::size_t position_ = 0;
};

struct Message {
    MessageHead head;
    std::span<const std::uint8_t> content;
};
[[nodiscard]] std::optional<Message> parse_message(std::span<const std::uint8_t> content);
[[nodiscard]] std::optional<Channel> parse_channel(std::span<const std::uint8_t> content);
/// The records of a chunk; nothing also where they are compressed.
[[nodiscard]] std::optional<std::span<const std::uint8_t>> parse_chunk(std::span<const std::uint8_t> content);

}  // namespace interfaces::mcap
