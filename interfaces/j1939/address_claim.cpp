#include "interfaces/j1939/address_claim.hpp"

#include <array>

namespace interfaces::j1939 {

namespace {

constexpr double silence = 0.25;                                 // s, for others to object (SAE J1939-81)
constexpr std::uint8_t first_dynamic = 128, last_dynamic = 247;  // addresses that may be taken by moving on
constexpr std::size_t most_frames = 64;

std::uint64_t number_of(const can::Frame& frame) {
    std::uint64_t number = 0;
    for (std::size_t i = 8; i-- > 0;) number = number << 8 | frame.data[i];
    return number;
}

}  // namespace

std::uint64_t Name::number() const {
    return (identity & 0x1FFFFFu) | static_cast<std::uint64_t>(manufacturer & 0x7FFu) << 21 |
           static_cast<std::uint64_t>(ecu_instance & 7u) << 32 |
           static_cast<std::uint64_t>(function_instance & 0x1Fu) << 35 | static_cast<std::uint64_t>(function) << 40 |
           static_cast<std::uint64_t>(vehicle_system & 0x7Fu) << 49 |
           static_cast<std::uint64_t>(vehicle_system_instance & 0xFu) << 56 |
           static_cast<std::uint64_t>(industry_group & 7u) << 60 | static_cast<std::uint64_t>(arbitrary_address) << 63;
}

Name name_of(std::uint64_t number) {
    return {.identity = static_cast<std::uint32_t>(number & 0x1FFFFFu),
            .manufacturer = static_cast<std::uint16_t>(number >> 21 & 0x7FFu),
            .ecu_instance = static_cast<std::uint8_t>(number >> 32 & 7u),
            .function_instance = static_cast<std::uint8_t>(number >> 35 & 0x1Fu),
            .function = static_cast<std::uint8_t>(number >> 40),
            .vehicle_system = static_cast<std::uint8_t>(number >> 49 & 0x7Fu),
            .vehicle_system_instance = static_cast<std::uint8_t>(number >> 56 & 0xFu),
            .industry_group = static_cast<std::uint8_t>(number >> 60 & 7u),
            .arbitrary_address = (number >> 63) != 0};
}

void AddressClaim::put_claim(std::uint8_t source) {
    std::array<std::uint8_t, 8> bytes;
    const std::uint64_t number = name_.number();
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(number >> 8 * i);
    if (frames_.size() == most_frames) frames_.pop_front();
    frames_.push_back(
        frame_of({.priority = 6, .group = claim_group, .source = source, .destination = everyone}, bytes));
}

void AddressClaim::start(double t) {
    state_ = State::claiming;
    due_ = t + silence;
    put_claim(address_);
}

void AddressClaim::take(double t, const can::Frame& frame) {
    if (!frame.extended || frame.remote || frame.error || state_ == State::idle) return;
    const Identifier from = identifier_of(frame.id);
    const bool asked = from.group == request_group && frame.size >= 3 &&
                       (from.destination == everyone || from.destination == address()) &&
                       (frame.data[0] | frame.data[1] << 8 | frame.data[2] << 16) == static_cast<int>(claim_group);
    if (asked) return put_claim(address());
    if (from.group != claim_group || frame.size != 8 || from.source != address_ || state_ == State::cannot_claim)
        return;
    if (number_of(frame) > name_.number()) return put_claim(address_);
    if (number_of(frame) < name_.number()) move_on(t);
}

void AddressClaim::move_on(double t) {
    if (!name_.arbitrary_address || ++tried_ > last_dynamic - first_dynamic + 1) {
        state_ = State::cannot_claim;
        put_claim(nobody);
        return;
    }
    address_ =
        address_ < first_dynamic || address_ >= last_dynamic ? first_dynamic : static_cast<std::uint8_t>(address_ + 1);
    start(t);
}

void AddressClaim::advance(double t) {
    if (state_ == State::claiming && t >= due_) state_ = State::claimed;
}

std::optional<can::Frame> AddressClaim::next_frame() {
    if (frames_.empty()) return std::nullopt;
    const can::Frame frame = frames_.front();
    frames_.pop_front();
    return frame;
}

}  // namespace interfaces::j1939
