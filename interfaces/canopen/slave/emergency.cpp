#include "interfaces/canopen/slave/emergency.hpp"

#include <algorithm>

namespace interfaces::canopen {

bool EmergencyState::raise(const Emergency& emergency) {
    const auto end = active_.begin() + active_count_;
    const bool lasts =
        std::any_of(active_.begin(), end, [&](const auto& other) { return other.code == emergency.code; });
    if (lasts || emergency.code == 0 || active_count_ == most) return false;
    active_[active_count_++] = emergency;
    queue(emergency);
    return true;
}

bool EmergencyState::clear(std::uint16_t code) {
    const auto end = active_.begin() + active_count_;
    const auto left = std::remove_if(active_.begin(), end, [&](const auto& other) { return other.code == code; });
    if (left == end) return false;
    --active_count_;
    if (active_count_ == 0) queue({.code = 0, .bits = 0});
    return true;
}

std::uint8_t EmergencyState::error_bits() const {
    std::uint8_t bits = 0;
    for (std::size_t i = 0; i < active_count_; ++i) bits |= active_[i].bits | error_register::generic;
    return bits;
}

std::optional<Time> EmergencyState::due(Time inhibit) const {
    if (waiting_count_ == 0) return std::nullopt;
    return sent_ ? sent_at_ + inhibit : Time::min();
}

EmergencyState::Message EmergencyState::take(Time now) {
    const Message first = waiting_[0];
    std::shift_left(waiting_.begin(), waiting_.end(), 1);
    --waiting_count_;
    sent_ = true;
    sent_at_ = now;
    return first;
}

/// When more come than can be sent, the last place holds the newest: it says how things stand.
void EmergencyState::queue(const Emergency& emergency) {
    Message message{static_cast<std::uint8_t>(emergency.code), static_cast<std::uint8_t>(emergency.code >> 8),
                    error_bits()};
    std::ranges::copy(emergency.details, message.begin() + 3);
    if (waiting_count_ < most) ++waiting_count_;
    waiting_[waiting_count_ - 1] = message;
}

}  // namespace interfaces::canopen
