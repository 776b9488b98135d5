#include "fmus/can/common/node.hpp"

#include "interfaces/can/timing.hpp"

#include <algorithm>

namespace fmus::can {

namespace ls_bus = interfaces::ls_bus;
using interfaces::can_bus::ErrorState;

namespace {

constexpr std::uint32_t recovery_bits = 128 * 11;

}  // namespace

void Node::start() {
    const Parameters kept = parameters;
    const bool triggered = port.triggered;
    *this = {};
    parameters = kept;
    port.triggered = triggered;
    port.out.put(ls_bus::Configuration{ls_bus::ConfigurationKind::bit_rate, parameters.bit_rate});
    if (parameters.data_bit_rate != 0)
        port.out.put(ls_bus::Configuration{ls_bus::ConfigurationKind::fd_bit_rate, parameters.data_bit_rate});
    port.out.put(
        ls_bus::Configuration{ls_bus::ConfigurationKind::arbitration_lost,
                              static_cast<std::uint32_t>(ls_bus::ArbitrationLostBehavior::buffer_and_retransmit)});
}

void Node::send(const Frame& frame) {
    if (!parameters.notifications) {
        port.out.put(ls_bus::Transmit{frame});
        ++counters.sent;
        return;
    }
    if (queue_.size() == queue_depth)
        ++counters.lost;
    else
        queue_.push_back(frame);
    pump();
}

void Node::announce(Nanoseconds now, std::optional<Nanoseconds> next) {
    if (back_) next = std::min(next.value_or(*back_), *back_);
    port.announce(now, next);
}

/// What an operation means for the controller; a frame is for its device.
const Frame* Node::take(const ls_bus::Operation& operation, Nanoseconds now) {
    if (const auto* transmit = std::get_if<ls_bus::Transmit>(&operation)) {
        errors_.received();
        ++counters.received;
        tell_state(now);
        return &transmit->frame;
    }
    if (!parameters.notifications) return nullptr;
    if (const auto* confirm = std::get_if<ls_bus::Confirm>(&operation)) {
        errors_.sent();
        concluded(confirm->id, true);
    } else if (const auto* lost = std::get_if<ls_bus::ArbitrationLost>(&operation)) {
        concluded(lost->id, false);
    } else if (const auto* error = std::get_if<ls_bus::BusError>(&operation)) {
        if (!error->is_sender)
            errors_.receive_error(error->primary);
        else if (error->code == ls_bus::ErrorCode::acknowledge)
            errors_.acknowledge_error();
        else
            errors_.transmit_error();
    }
    tell_state(now);
    return nullptr;
}

/// The frame at the bus is through, or it has to be handed over again.
void Node::concluded(std::uint32_t id, bool through) {
    if (!in_flight_ || queue_.front().id != id) return;
    in_flight_ = false;
    if (!through) return;
    queue_.erase(queue_.begin());
    ++counters.sent;
}

void Node::pump() {
    if (in_flight_ || queue_.empty() || told_ == ErrorState::off) return;
    port.out.put(ls_bus::Transmit{queue_.front()});
    in_flight_ = true;
}

void Node::tell_state(Nanoseconds now) {
    if (!parameters.notifications || errors_.state() == told_) return;
    told_ = errors_.state();
    port.out.put(ls_bus::Status{ls_bus::NodeState{static_cast<std::uint8_t>(1 + static_cast<int>(told_))}});
    if (told_ == ErrorState::off)
        back_ = now + interfaces::can::duration({.nominal = recovery_bits}, {.nominal = parameters.bit_rate});
}

void Node::recover(Nanoseconds now) {
    if (!back_ || now < *back_) return;
    back_.reset();
    errors_ = {};
    tell_state(now);
}

}  // namespace fmus::can
