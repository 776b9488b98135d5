#include "interfaces/mcap/mcap.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <algorithm>
#include <array>
#include <boost/crc.hpp>
#include <limits>

namespace interfaces::mcap {
namespace {

constexpr std::array<std::uint8_t, 8> magic{0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};
constexpr std::size_t record_head = 9;
constexpr std::size_t footer_size = 8 + 8 + 4;
constexpr std::size_t chunk_head = 8 + 8 + 8 + 4 + 4 + 8;  // without compression

template <class Bits>
void put(Bytes& out, Bits bits) {
    const std::size_t at = out.size();
    out.resize(at + sizeof bits);
    bytes::put(out.data() + at, bits);
}

void put_text(Bytes& out, std::string_view text) {
    put(out, static_cast<std::uint32_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
}

/// A record, with the content that `fill` appends.
template <class Fill>
void put_record(Bytes& out, Op op, Fill fill) {
    put(out, static_cast<std::uint8_t>(op));
    const std::size_t length = out.size();
    put(out, std::uint64_t{0});
    fill();
    bytes::put(out.data() + length, std::uint64_t{out.size() - length - 8});
}

/// A list or a map with its size in bytes before it.
template <class Fill>
void put_sized(Bytes& out, Fill fill) {
    const std::size_t length = out.size();
    put(out, std::uint32_t{0});
    fill();
    bytes::put(out.data() + length, static_cast<std::uint32_t>(out.size() - length - 4));
}

std::uint32_t checksum(std::span<const std::uint8_t> bytes) {
    boost::crc_32_type crc;
    crc.process_bytes(bytes.data(), bytes.size());
    return crc.checksum();
}

/// Numbers and texts from the front of somebody's bytes; once something is missing, everything is.
class Parser {
public:
    explicit Parser(std::span<const std::uint8_t> bytes) : rest_(bytes) {}

    template <class Bits>
    [[nodiscard]] Bits number() {
        const auto bytes = take(sizeof(Bits));
        return bytes.empty() ? Bits{0} : bytes::take<Bits>(bytes.data());
    }
    [[nodiscard]] std::string text() {
        const auto bytes = take(number<std::uint32_t>());
        return {bytes.begin(), bytes.end()};
    }
    [[nodiscard]] std::span<const std::uint8_t> take(std::uint64_t size) {
        ok_ = ok_ && size <= rest_.size();
        if (!ok_) return {};
        const auto taken = rest_.first(static_cast<std::size_t>(size));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::span<const std::uint8_t> rest() const { return rest_; }

private:
    std::span<const std::uint8_t> rest_;
    bool ok_ = true;
};

/// Calls `use` with every message and its place.
template <class Use>
void for_each_message(std::span<const std::uint8_t> messages, Use use) {
    Records records(messages);
    for (std::size_t offset = 0; const auto record = records.next(); offset = records.position())
        if (const auto message = parse_message(record->content); record->op == Op::message && message)
            use(*message, offset);
}

}  // namespace

void put_message(Bytes& out, const MessageHead& head, std::span<const std::uint8_t> content) {
    put_record(out, Op::message, [&] {
        put(out, head.channel);
        put(out, head.sequence);
        put(out, head.time);
        put(out, head.time);
        out.insert(out.end(), content.begin(), content.end());
    });
}

Writer::Writer() {
    constexpr std::size_t usual = 1 << 20;  // not touched, it costs nothing
    chunk_.before.reserve(record_head + chunk_head);
    chunk_.behind.reserve(usual);
    chunk_indices_.reserve(usual);
}

void Writer::begin(Bytes& out, std::string_view library) {
    const std::size_t before = out.size();
    out.insert(out.end(), magic.begin(), magic.end());
    put_record(out, Op::header, [&] {
        put_text(out, "");  // no profile
        put_text(out, library);
    });
    position_ += out.size() - before;
}

void Writer::add(Bytes& out, const Schema& schema) {
    const std::size_t before = out.size();
    put_record(out, Op::schema, [&] {
        put(out, schema.id);
        put_text(out, schema.name);
        put_text(out, schema.encoding);
        put_text(out, schema.data);
    });
    schemas_.insert(schemas_.end(), out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    ++schema_count_;
    position_ += out.size() - before;
}

void Writer::add(Bytes& out, const Channel& channel) {
    const std::size_t before = out.size();
    put_record(out, Op::channel, [&] {
        put(out, channel.id);
        put(out, channel.schema);
        put_text(out, channel.topic);
        put_text(out, channel.encoding);
        put_sized(out, [&] {
            for (const auto& [key, value] : channel.metadata) {
                put_text(out, key);
                put_text(out, value);
            }
        });
    });
    channels_.insert(channels_.end(), out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
    ++channel_count_;
    if (channel.id >= tracks_.size()) tracks_.resize(std::size_t{channel.id} + 1);
    position_ += out.size() - before;
}

const Writer::Chunk& Writer::chunk(std::span<const std::uint8_t> messages) {
    count(messages);
    Bytes& before = chunk_.before;
    before.clear();
    put(before, static_cast<std::uint8_t>(Op::chunk));
    put(before, std::uint64_t{chunk_head + messages.size()});
    put(before, chunk_times_.first);
    put(before, chunk_times_.last);
    put(before, std::uint64_t{messages.size()});
    put(before, checksum(messages));
    put_text(before, "");  // no compression
    put(before, std::uint64_t{messages.size()});
    const std::uint64_t offset = position_;
    position_ += before.size() + messages.size();
    put_message_indices(messages);
    put_chunk_index(offset, messages.size());
    position_ += chunk_.behind.size();
    times_ = chunk_count_ == 0
                 ? chunk_times_
                 : Times{std::min(times_.first, chunk_times_.first), std::max(times_.last, chunk_times_.last)};
    ++chunk_count_;
    return chunk_;
}

void Writer::count(std::span<const std::uint8_t> messages) {
    for (Track& track : tracks_) track.in_chunk = 0;
    chunk_times_ = {std::numeric_limits<std::uint64_t>::max(), 0};
    for_each_message(messages, [&](const Message& message, std::size_t) {
        if (message.head.channel >= tracks_.size()) tracks_.resize(std::size_t{message.head.channel} + 1);
        ++tracks_[message.head.channel].in_chunk;
        ++tracks_[message.head.channel].messages;
        chunk_times_.first = std::min(chunk_times_.first, message.head.time);
        chunk_times_.last = std::max(chunk_times_.last, message.head.time);
    });
    chunk_times_.first = std::min(chunk_times_.first, chunk_times_.last);
}

void Writer::put_message_indices(std::span<const std::uint8_t> messages) {
    constexpr std::size_t entry = 8 + 8;
    Bytes& behind = chunk_.behind;
    behind.clear();
    for (std::size_t channel = 0; channel < tracks_.size(); ++channel) {
        Track& track = tracks_[channel];
        if (track.in_chunk == 0) continue;
        put_record(behind, Op::message_index, [&] {
            put(behind, static_cast<std::uint16_t>(channel));
            put(behind, static_cast<std::uint32_t>(entry * track.in_chunk));
            track.next = behind.size();
            behind.resize(behind.size() + entry * track.in_chunk);
        });
    }
    for_each_message(messages, [&](const Message& message, std::size_t offset) {
        std::size_t& next = tracks_[message.head.channel].next;
        bytes::put(behind.data() + next, message.head.time);
        bytes::put(behind.data() + next + 8, std::uint64_t{offset});
        next += entry;
    });
}

void Writer::put_chunk_index(std::uint64_t offset, std::size_t messages_size) {
    Bytes& out = chunk_indices_;
    put_record(out, Op::chunk_index, [&] {
        put(out, chunk_times_.first);
        put(out, chunk_times_.last);
        put(out, offset);
        put(out, position_ - offset);
        put_sized(out, [&] {
            Records indices(chunk_.behind);
            for (std::size_t at = 0; const auto index = indices.next(); at = indices.position()) {
                put(out, bytes::take<std::uint16_t>(index->content.data()));
                put(out, position_ + at);
            }
        });
        put(out, std::uint64_t{chunk_.behind.size()});
        put_text(out, "");
        put(out, std::uint64_t{messages_size});
        put(out, std::uint64_t{messages_size});
    });
}

void Writer::end(Bytes& out) {
    const std::size_t before = out.size();
    put_record(out, Op::data_end, [&] { put(out, std::uint32_t{0}); });  // no checksum of all the data
    position_ += out.size() - before;
    put_summary(out);
    out.insert(out.end(), magic.begin(), magic.end());
}

void Writer::put_summary(Bytes& out) {
    const std::size_t begin = out.size();
    Bytes offsets;
    const auto put_group = [&](Op op, auto fill) {
        const std::size_t before = out.size();
        fill();
        if (out.size() == before) return;
        put_record(offsets, Op::summary_offset, [&] {
            put(offsets, static_cast<std::uint8_t>(op));
            put(offsets, std::uint64_t{position_ + before - begin});
            put(offsets, std::uint64_t{out.size() - before});
        });
    };
    put_group(Op::schema, [&] { out.insert(out.end(), schemas_.begin(), schemas_.end()); });
    put_group(Op::channel, [&] { out.insert(out.end(), channels_.begin(), channels_.end()); });
    put_group(Op::statistics, [&] {
        std::uint64_t messages = 0;
        for (const Track& track : tracks_) messages += track.messages;
        put_record(out, Op::statistics, [&] {
            put(out, messages);
            put(out, schema_count_);
            put(out, channel_count_);
            put(out, std::uint32_t{0});  // attachments
            put(out, std::uint32_t{0});  // metadata
            put(out, chunk_count_);
            put(out, times_.first);
            put(out, times_.last);
            put_sized(out, [&] {
                for (std::size_t channel = 0; channel < tracks_.size(); ++channel) {
                    if (tracks_[channel].messages == 0) continue;
                    put(out, static_cast<std::uint16_t>(channel));
                    put(out, tracks_[channel].messages);
                }
            });
        });
    });
    put_group(Op::chunk_index, [&] { out.insert(out.end(), chunk_indices_.begin(), chunk_indices_.end()); });
    const std::uint64_t summary = position_, summary_offsets = position_ + out.size() - begin;
    out.insert(out.end(), offsets.begin(), offsets.end());
    // Not by put_record: the checksum is that of everything from the summary to here, the length included.
    put(out, static_cast<std::uint8_t>(Op::footer));
    put(out, std::uint64_t{footer_size});
    put(out, summary);
    put(out, summary_offsets);
    put(out, checksum(std::span(out).subspan(begin)));
}

std::optional<Writer::Held> Writer::resume(std::span<const std::uint8_t> file) {
    std::optional<Records> records = Records::of_file(file);
    if (!records) return std::nullopt;
    *this = Writer();
    Held held;
    for (std::size_t begin = records->position(); const auto record = records->next(); begin = records->position()) {
        const auto whole = file.subspan(begin, records->position() - begin);
        if (record->op == Op::data_end) break;
        if (record->op == Op::message_index) continue;
        if (record->op == Op::schema) {
            schemas_.insert(schemas_.end(), whole.begin(), whole.end());
            ++schema_count_;
        } else if (record->op == Op::channel) {
            channels_.insert(channels_.end(), whole.begin(), whole.end());
            ++channel_count_;
        } else if (record->op == Op::chunk) {
            const auto messages = parse_chunk(record->content);
            if (!messages) break;
            position_ = begin;
            held.missing = chunk(*messages).behind;
            held.message_bytes += messages->size();
        }
        held.bytes = records->position();
    }
    if (held.bytes == 0) return std::nullopt;
    position_ = held.bytes + held.missing.size();
    return held;
}

std::optional<Records> Records::of_file(std::span<const std::uint8_t> file) {
    if (file.size() < magic.size() || !std::ranges::equal(file.first(magic.size()), magic)) return std::nullopt;
    return Records(file, magic.size());
}

std::optional<Record> Records::next() {
    const auto rest = bytes_.subspan(position_);
    if (rest.size() < record_head) return std::nullopt;
    const auto size = bytes::take<std::uint64_t>(rest.data() + 1);
    if (size > rest.size() - record_head) return std::nullopt;
    position_ += record_head + static_cast<std::size_t>(size);
    return Record{static_cast<Op>(rest[0]), rest.subspan(record_head, static_cast<std::size_t>(size))};
}

std::optional<Message> parse_message(std::span<const std::uint8_t> content) {
    Parser parser(content);
    Message message;
    message.head.channel = parser.number<std::uint16_t>();
    message.head.sequence = parser.number<std::uint32_t>();
    message.head.time = parser.number<std::uint64_t>();
    static_cast<void>(parser.number<std::uint64_t>());
    if (!parser.ok()) return std::nullopt;
    message.content = parser.rest();
    return message;
}

std::optional<Channel> parse_channel(std::span<const std::uint8_t> content) {
    Parser parser(content);
    Channel channel;
    channel.id = parser.number<std::uint16_t>();
    channel.schema = parser.number<std::uint16_t>();
    channel.topic = parser.text();
    channel.encoding = parser.text();
    Parser metadata(parser.take(parser.number<std::uint32_t>()));
    while (parser.ok() && metadata.ok() && !metadata.rest().empty()) {
        std::string key = metadata.text();
        channel.metadata.emplace_back(std::move(key), metadata.text());
    }
    if (!parser.ok() || !metadata.ok()) return std::nullopt;
    return channel;
}

std::optional<std::span<const std::uint8_t>> parse_chunk(std::span<const std::uint8_t> content) {
    Parser parser(content);
    for (int i = 0; i < 3; ++i) static_cast<void>(parser.number<std::uint64_t>());  // times, size
    const auto stated = parser.number<std::uint32_t>();
    const std::string compression = parser.text();
    const auto messages = parser.take(parser.number<std::uint64_t>());
    if (!parser.ok() || !compression.empty()) return std::nullopt;
    if (stated != 0 && stated != checksum(messages)) return std::nullopt;
    return messages;
}

}  // namespace interfaces::mcap
