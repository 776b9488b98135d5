#include "interfaces/ls_bus/operations.hpp"

#include <algorithm>

namespace interfaces::ls_bus {

namespace {

enum class Code : std::uint32_t {
    format_error = 0x01,
    transmit = 0x10,
    transmit_fd = 0x11,
    transmit_xl = 0x12,
    confirm = 0x20,
    arbitration_lost = 0x30,
    bus_error = 0x31,
    configuration = 0x40,
    status = 0x41,
    wakeup = 0x42
};

constexpr std::uint32_t largest_id = 0x7FF, largest_extended_id = 0x1FFF'FFFF;
constexpr std::size_t most_xl_data = 2048;

/// Writes an operation; its length is known when all of it is there.
class Writer {
public:
    Writer(Bytes& to, Code code) : to_(to), begin_(to.size()) {
        u32(static_cast<std::uint32_t>(code));
        u32(0);
    }
    ~Writer() {
        const std::size_t length = to_.size() - begin_;
        for (std::size_t i = 0; i < 4; ++i) to_[begin_ + 4 + i] = static_cast<std::uint8_t>(length >> (8 * i));
    }
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    void u8(std::uint8_t value) { to_.push_back(value); }
    void flag(bool value) { u8(value ? 1 : 0); }
    void u16(std::size_t value) {
        u8(static_cast<std::uint8_t>(value));
        u8(static_cast<std::uint8_t>(value >> 8));
    }
    void u32(std::uint32_t value) {
        u16(value & 0xFFFFU);
        u16(value >> 16);
    }
    void data(View bytes) {
        u16(bytes.size());
        to_.insert(to_.end(), bytes.begin(), bytes.end());
    }

private:
    Bytes& to_;
    std::size_t begin_;
};

/// Reads arguments from the front. One that is missing or has no meaning spoils all, and is found at the end.
class Arguments {
public:
    explicit Arguments(View bytes) : left_(bytes) {}

    std::uint32_t number(std::size_t size) {
        if (left_.size() < size) return spoil();
        std::uint32_t value = 0;
        for (std::size_t i = size; i-- > 0;) value = value << 8 | left_[i];
        left_ = left_.subspan(size);
        return value;
    }
    std::uint8_t u8() { return static_cast<std::uint8_t>(number(1)); }
    std::uint32_t u32() { return number(4); }
    bool flag() { return u8_from(0, 1) == 1; }
    std::uint8_t u8_from(std::uint8_t smallest, std::uint8_t largest) {
        const std::uint8_t value = u8();
        require(value >= smallest && value <= largest);
        return value;
    }
    View data() {
        const std::size_t size = number(2);
        require(size == left_.size());
        const View bytes = left_;
        left_ = {};
        return bytes;
    }
    void require(bool right) { right_ = right_ && right; }
    [[nodiscard]] bool right() const { return right_ && left_.empty(); }

private:
    std::uint32_t spoil() {
        right_ = false;
        return 0;
    }

    View left_;
    bool right_ = true;
};

struct Encoder {
    Bytes& to;

    void operator()(const FormatError& error) const {
        Writer(to, Code::format_error)
            .data(error.operation.first(std::min(error.operation.size(), most_bytes - header_size - 2)));
    }
    void operator()(const Transmit& transmit) const {
        const can::Frame& frame = transmit.frame;
        Writer write(to, frame.fd ? Code::transmit_fd : Code::transmit);
        write.u32(frame.id);
        write.flag(frame.extended);
        write.flag(frame.fd ? frame.bit_rate_switch : frame.remote);
        if (frame.fd) write.flag(frame.error_state);
        // The length of a remote frame is the one it asks for; the operation has as many bytes, which mean nothing.
        write.data(View(frame.data).first(frame.size));
    }
    void operator()(const TransmitXl& transmit) const {
        Writer write(to, Code::transmit_xl);
        write.u32(transmit.id);
        write.flag(transmit.extended);
        write.flag(transmit.simple_extended_content);
        write.u8(transmit.sdu_type);
        write.u8(transmit.virtual_network);
        write.u32(transmit.acceptance_field);
        write.data(transmit.data);
    }
    void operator()(const Confirm& confirm) const { Writer(to, Code::confirm).u32(confirm.id); }
    void operator()(const ArbitrationLost& lost) const { Writer(to, Code::arbitration_lost).u32(lost.id); }
    void operator()(const BusError& error) const {
        Writer write(to, Code::bus_error);
        write.u32(error.id);
        write.u8(static_cast<std::uint8_t>(error.code));
        write.u8(error.primary ? 1 : 2);
        write.flag(error.is_sender);
    }
    void operator()(const Configuration& configuration) const {
        Writer write(to, Code::configuration);
        write.u8(static_cast<std::uint8_t>(configuration.kind));
        if (configuration.kind == ConfigurationKind::arbitration_lost)
            write.u8(static_cast<std::uint8_t>(configuration.value));
        else
            write.u32(configuration.value);
    }
    void operator()(const Status& status) const {
        Writer(to, Code::status).u8(static_cast<std::uint8_t>(status.state));
    }
    void operator()(const Wakeup&) const { Writer(to, Code::wakeup); }
};

std::uint32_t id_of(Arguments& arguments) {
    const std::uint32_t id = arguments.u32();
    arguments.require(id <= largest_extended_id);
    return id;
}

bool is_fd_size(std::size_t size) {
    return size <= 8 || (size <= 24 && size % 4 == 0) || size == 32 || size == 48 || size == 64;
}

Transmit transmit(Arguments& arguments, bool fd) {
    can::Frame frame{.id = arguments.u32(), .extended = arguments.flag(), .fd = fd};
    arguments.require(frame.id <= (frame.extended ? largest_extended_id : largest_id));
    (fd ? frame.bit_rate_switch : frame.remote) = arguments.flag();
    if (fd) frame.error_state = arguments.flag();
    const View data = arguments.data();
    const bool fits = fd ? is_fd_size(data.size()) : data.size() <= can::classic_size;
    arguments.require(fits);
    if (!fits) return {};
    frame.size = static_cast<std::uint8_t>(data.size());
    if (!frame.remote) std::copy(data.begin(), data.end(), frame.data.begin());
    return {frame};
}

TransmitXl transmit_xl(Arguments& arguments) {
    TransmitXl transmit{.id = arguments.u32(),
                        .extended = arguments.flag(),
                        .simple_extended_content = arguments.flag(),
                        .sdu_type = arguments.u8(),
                        .virtual_network = arguments.u8(),
                        .acceptance_field = arguments.u32(),
                        .data = arguments.data()};
    arguments.require(transmit.id <= (transmit.extended ? largest_extended_id : largest_id));
    arguments.require(!transmit.data.empty() && transmit.data.size() <= most_xl_data);
    return transmit;
}

BusError bus_error(Arguments& arguments) {
    return {.id = id_of(arguments),
            .code = ErrorCode{arguments.u8_from(1, 6)},
            .primary = arguments.u8_from(1, 2) == 1,
            .is_sender = arguments.flag()};
}

Configuration configuration(Arguments& arguments) {
    const ConfigurationKind kind{arguments.u8_from(1, 4)};
    if (kind == ConfigurationKind::arbitration_lost) return {kind, arguments.u8_from(1, 2)};
    const std::uint32_t rate = arguments.u32();
    arguments.require(rate > 0);
    return {kind, rate};
}

Operation arguments_of(Code code, Arguments& arguments) {
    switch (code) {
        case Code::format_error:
            return FormatError{arguments.data()};
        case Code::transmit:
            return transmit(arguments, false);
        case Code::transmit_fd:
            return transmit(arguments, true);
        case Code::transmit_xl:
            return transmit_xl(arguments);
        case Code::confirm:
            return Confirm{id_of(arguments)};
        case Code::arbitration_lost:
            return ArbitrationLost{id_of(arguments)};
        case Code::bus_error:
            return bus_error(arguments);
        case Code::configuration:
            return configuration(arguments);
        case Code::status:
            return Status{NodeState{arguments.u8_from(1, 3)}};
        case Code::wakeup:
            return Wakeup{};
    }
    arguments.require(false);
    return Wakeup{};
}

}  // namespace

void append(Bytes& to, const Operation& operation) { std::visit(Encoder{to}, operation); }

std::optional<Operation> decode(View bytes) {
    Arguments arguments(bytes);
    const Code code{arguments.u32()};
    arguments.require(arguments.u32() == bytes.size());
    Operation operation = arguments_of(code, arguments);
    if (!arguments.right()) return std::nullopt;
    return operation;
}

std::optional<View> Reader::next() {
    if (left_.empty()) return std::nullopt;
    Arguments header(left_);
    static_cast<void>(header.u32());
    std::size_t length = header.u32();
    if (length < header_size || length > left_.size()) length = left_.size();
    const View bytes = left_.first(length);
    left_ = left_.subspan(length);
    return bytes;
}

bool deserves_format_error(View bytes) { return Code{Arguments(bytes).u32()} != Code::format_error; }

}  // namespace interfaces::ls_bus
