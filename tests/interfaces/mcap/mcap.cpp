#include "interfaces/mcap/mcap.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>

using namespace interfaces::mcap;

namespace {

constexpr std::uint32_t chunks = 4, per_chunk = 5;

struct Made {
    Bytes file;                     // whole
    std::vector<std::size_t> ends;  // of the file after its beginning and after each chunk, without its index
    std::vector<Bytes> chunk_messages;
};

void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }

Made make_file() {
    Made made;
    Writer writer;
    writer.begin(made.file, "test");
    writer.add(made.file, Schema{1, "a", "protobuf", "data"});
    writer.add(made.file, Channel{1, 1, "/a", "protobuf", {{"columns", "[]"}}});
    writer.add(made.file, Channel{2, 1, "/b", "protobuf"});
    made.ends.push_back(made.file.size());
    for (std::uint32_t i = 0; i < chunks; ++i) {
        Bytes messages;
        for (std::uint32_t k = 0; k < per_chunk; ++k)
            put_message(messages,
                        {static_cast<std::uint16_t>(1 + k % 2), i * per_chunk + k, 1000 * (i * per_chunk + k)},
                        Bytes{1, 2, static_cast<std::uint8_t>(k)});
        const Writer::Chunk& chunk = writer.chunk(messages);
        append(made.file, chunk.before);
        append(made.file, messages);
        made.ends.push_back(made.file.size());
        append(made.file, chunk.behind);
        made.chunk_messages.push_back(std::move(messages));
    }
    writer.end(made.file);
    return made;
}

std::vector<std::uint32_t> sequences_in(std::span<const std::uint8_t> file) {
    std::vector<std::uint32_t> found;
    auto records = Records::of_file(file);
    REQUIRE(records);
    while (const auto record = records->next()) {
        if (record->op != Op::chunk) continue;
        const auto messages = parse_chunk(record->content);
        REQUIRE(messages);
        Records inner(*messages);
        while (const auto each = inner.next()) found.push_back(parse_message(each->content)->head.sequence);
    }
    return found;
}

}  // namespace

TEST_CASE("an MCAP file is read back message by message") {
    const Made made = make_file();
    const std::vector<std::uint32_t> found = sequences_in(made.file);
    REQUIRE(found.size() == chunks * per_chunk);
    for (std::uint32_t i = 0; i < found.size(); ++i) CHECK(found[i] == i);
    auto records = Records::of_file(made.file);
    std::vector<Channel> channels;
    while (const auto record = records->next())
        if (record->op == Op::channel) channels.push_back(*parse_channel(record->content));
    REQUIRE(channels.size() == 4);  // and once more in the summary
    CHECK(channels[0].topic == "/a");
    CHECK(channels[0].metadata == std::vector<std::pair<std::string, std::string>>{{"columns", "[]"}});
}

TEST_CASE("a file that was cut anywhere goes on from its last whole chunk and becomes the same file") {
    const Made made = make_file();
    for (std::size_t size = 0; size <= made.file.size(); ++size) {
        Writer writer;
        const auto held = writer.resume(std::span(made.file).first(size));
        // Nothing without a header behind the magic.
        if (!held) {
            CHECK(size < made.ends.front());
            continue;
        }
        if (size < made.ends.front()) continue;
        std::size_t whole = 0;
        while (whole + 1 < made.ends.size() && made.ends[whole + 1] <= size) ++whole;
        CHECK(held->bytes == made.ends[whole]);
        CHECK(held->message_bytes == whole * made.chunk_messages.front().size());
        Bytes again(made.file.begin(), made.file.begin() + static_cast<std::ptrdiff_t>(held->bytes));
        append(again, held->missing);
        for (std::size_t i = whole; i < chunks; ++i) {
            const Writer::Chunk& chunk = writer.chunk(made.chunk_messages[i]);
            append(again, chunk.before);
            append(again, made.chunk_messages[i]);
            append(again, chunk.behind);
        }
        writer.end(again);
        REQUIRE(again == made.file);
    }
}

TEST_CASE("a damaged chunk is refused, and rubbish is never believed") {
    const Made made = make_file();
    Bytes damaged = made.file;
    damaged[made.ends[1] - 3] ^= 1;
    Writer writer;
    const auto held = writer.resume(damaged);
    REQUIRE(held);
    CHECK(held->bytes == made.ends.front());
    std::mt19937 random(1);
    for (int i = 0; i < 3000; ++i) {
        Bytes bytes = made.file;
        for (int k = 0; k < 4; ++k) bytes[8 + random() % (bytes.size() - 8)] = static_cast<std::uint8_t>(random());
        auto records = Records::of_file(bytes);
        while (const auto record = records->next()) {
            static_cast<void>(parse_message(record->content));
            static_cast<void>(parse_channel(record->content));
            static_cast<void>(parse_chunk(record->content));
        }
        Writer other;
        static_cast<void>(other.resume(bytes));
    }
    CHECK_FALSE(Records::of_file(Bytes{1, 2, 3}));
}
