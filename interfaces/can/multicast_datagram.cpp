#include "interfaces/can/multicast_datagram.hpp"

#include "interfaces/can/transport.hpp"

#include <algorithm>
#include <bit>
#include <string_view>

namespace interfaces::can {

namespace {

/// Writes the few kinds of msgpack that a frame needs, each in its shortest form.
class Packer {
public:
    explicit Packer(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

    void key(std::string_view text) {  // shorter than 32 letters
        put(static_cast<std::uint8_t>(0xA0 | text.size()));
        bytes_.insert(bytes_.end(), text.begin(), text.end());
    }
    void put(std::uint8_t byte) { bytes_.push_back(byte); }
    void flag(std::string_view name, bool value) {
        key(name);
        put(value ? 0xC3 : 0xC2);
    }
    void number(std::uint32_t value) {
        if (value < 0x80) return put(static_cast<std::uint8_t>(value));
        const int size = value < 0x100 ? 1 : value < 0x10000 ? 2 : 4;
        put(static_cast<std::uint8_t>(size == 1 ? 0xCC : size == 2 ? 0xCD : 0xCE));
        for (int i = size; i-- > 0;) put(static_cast<std::uint8_t>(value >> 8 * i));
    }

private:
    std::vector<std::uint8_t>& bytes_;
};

/// One value of a datagram; what a frame never holds (arrays, maps, extensions) is none.
struct Value {
    enum class Kind : std::uint8_t { nil, boolean, number, text, bytes } kind = Kind::nil;
    bool boolean = false;
    double number = 0;
    std::span<const std::uint8_t> bytes{};
};

class Unpacker {
public:
    explicit Unpacker(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

    [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }

    [[nodiscard]] std::optional<std::size_t> map_size() {
        const auto type = number_of(1);
        if (!type) return std::nullopt;
        if ((*type & 0xF0) == 0x80) return *type & 0x0F;
        if (*type == 0xDE) return number_of(2);
        return std::nullopt;
    }

    [[nodiscard]] std::optional<Value> value() {
        const auto first = number_of(1);
        if (!first) return std::nullopt;
        const auto type = static_cast<std::uint8_t>(*first);
        if (type < 0x80) return Value{.kind = Value::Kind::number, .number = static_cast<double>(type)};
        if (type >= 0xE0)
            return Value{.kind = Value::Kind::number, .number = static_cast<double>(static_cast<std::int8_t>(type))};
        if ((type & 0xE0) == 0xA0) return block(Value::Kind::text, type & 0x1F);
        switch (type) {
            case 0xC0:
                return Value{};
            case 0xC2:
                return Value{.kind = Value::Kind::boolean, .boolean = false};
            case 0xC3:
                return Value{.kind = Value::Kind::boolean, .boolean = true};
            case 0xC4:
                return block(Value::Kind::bytes, number_of(1));
            case 0xC5:
                return block(Value::Kind::bytes, number_of(2));
            case 0xD9:
                return block(Value::Kind::text, number_of(1));
            case 0xDA:
                return block(Value::Kind::text, number_of(2));
            case 0xCA:
                return real(4);
            case 0xCB:
                return real(8);
            case 0xCC:
            case 0xCD:
            case 0xCE:
            case 0xCF:
                return whole(std::size_t{1} << (type - 0xCC), false);
            case 0xD0:
            case 0xD1:
            case 0xD2:
            case 0xD3:
                return whole(std::size_t{1} << (type - 0xD0), true);
            default:
                return std::nullopt;
        }
    }

private:
    [[nodiscard]] std::optional<std::uint64_t> number_of(std::size_t size) {
        if (bytes_.size() - at_ < size) return std::nullopt;
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < size; ++i) value = value << 8 | bytes_[at_++];
        return value;
    }
    [[nodiscard]] std::optional<Value> block(Value::Kind kind, std::optional<std::uint64_t> size) {
        if (!size || bytes_.size() - at_ < *size) return std::nullopt;
        const auto part = bytes_.subspan(at_, static_cast<std::size_t>(*size));
        at_ += part.size();
        return Value{.kind = kind, .bytes = part};
    }
    [[nodiscard]] std::optional<Value> whole(std::size_t size, bool is_signed) {
        const auto bits = number_of(size);
        if (!bits) return std::nullopt;
        const auto shift = static_cast<unsigned>(64 - 8 * size);
        const double value = is_signed ? static_cast<double>(static_cast<std::int64_t>(*bits << shift) >> shift)
                                       : static_cast<double>(*bits);
        return Value{.kind = Value::Kind::number, .number = value};
    }
    [[nodiscard]] std::optional<Value> real(std::size_t size) {
        const auto bits = number_of(size);
        if (!bits) return std::nullopt;
        const double value = size == 4 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(*bits)))
                                       : std::bit_cast<double>(*bits);
        return Value{.kind = Value::Kind::number, .number = value};
    }

    std::span<const std::uint8_t> bytes_;
    std::size_t at_ = 0;
};

std::optional<std::uint32_t> whole_number(const Value& value) {
    if (value.kind != Value::Kind::number || !(value.number >= 0 && value.number <= 0xFFFFFFFFu)) return std::nullopt;
    const auto whole = static_cast<std::uint32_t>(value.number);
    if (static_cast<double>(whole) != value.number) return std::nullopt;
    return whole;
}

/// The frame as far as it is read, and what must be compared at the end.
struct Draft {
    Frame frame{.extended = true};  // what python-can takes where the key is missing
    std::optional<std::uint32_t> id, size;
    std::size_t data_size = 0;
};

bool set_flag(bool& flag, const Value& value) {
    flag = value.boolean;
    return value.kind == Value::Kind::boolean;
}

bool set(Draft& draft, std::string_view key, const Value& value) {
    Frame& frame = draft.frame;
    if (key == "arbitration_id") return (draft.id = whole_number(value)).has_value();
    if (key == "dlc") return (draft.size = whole_number(value)).has_value();
    if (key == "is_extended_id") return set_flag(frame.extended, value);
    if (key == "is_remote_frame") return set_flag(frame.remote, value);
    if (key == "is_error_frame") return set_flag(frame.error, value);
    if (key == "is_fd") return set_flag(frame.fd, value);
    if (key == "bitrate_switch") return set_flag(frame.bit_rate_switch, value);
    if (key == "error_state_indicator") return set_flag(frame.error_state, value);
    if (key != "data") return true;
    if (value.kind == Value::Kind::nil) return true;
    if (value.kind != Value::Kind::bytes || value.bytes.size() > fd_size) return false;
    frame.data = {};  // the key may be there twice
    std::copy(value.bytes.begin(), value.bytes.end(), frame.data.begin());
    draft.data_size = value.bytes.size();
    return true;
}

}  // namespace

void write_datagram(const Frame& frame, std::vector<std::uint8_t>& bytes) {
    bytes.clear();
    Packer packer(bytes);
    packer.put(0x8B);
    packer.key("timestamp");
    packer.put(0xCB);  // zero: receivers put in their own
    for (int i = 0; i < 8; ++i) packer.put(0);
    packer.key("arbitration_id");
    packer.number(frame.id);
    packer.flag("is_extended_id", frame.extended);
    packer.flag("is_remote_frame", frame.remote);
    packer.flag("is_error_frame", frame.error);
    packer.key("channel");
    packer.put(0xC0);
    packer.key("dlc");
    packer.number(frame.size);
    packer.key("data");
    packer.put(0xC4);
    packer.put(static_cast<std::uint8_t>(frame.bytes().size()));
    bytes.insert(bytes.end(), frame.bytes().begin(), frame.bytes().end());
    packer.flag("is_fd", frame.fd);
    packer.flag("bitrate_switch", frame.bit_rate_switch);
    packer.flag("error_state_indicator", frame.error_state);
}

std::optional<Frame> read_datagram(std::span<const std::uint8_t> bytes) {
    Unpacker unpacker(bytes);
    const auto count = unpacker.map_size();
    if (!count) return std::nullopt;
    Draft draft;
    for (std::size_t i = 0; i < *count; ++i) {
        const std::optional<Value> key = unpacker.value(), value = key ? unpacker.value() : std::nullopt;
        if (!value || key->kind != Value::Kind::text) return std::nullopt;
        const std::string_view name(reinterpret_cast<const char*>(key->bytes.data()), key->bytes.size());
        if (!set(draft, name, *value)) return std::nullopt;
    }
    if (!unpacker.at_end() || !draft.id) return std::nullopt;
    Frame& frame = draft.frame;
    frame.id = *draft.id;
    const std::uint32_t size = draft.size.value_or(static_cast<std::uint32_t>(draft.data_size));
    if (size > fd_size || (frame.remote ? draft.data_size != 0 : draft.data_size != size)) return std::nullopt;
    frame.size = static_cast<std::uint8_t>(size);
    if (!is_valid(frame)) return std::nullopt;
    return frame;
}

}  // namespace interfaces::can
