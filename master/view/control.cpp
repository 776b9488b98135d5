#include "master/view/control.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace master::view {

void Control::take(std::uint32_t client) {
    if (holder_ == nobody) {
        holder_ = client;
        std::erase(asked_, client);
    } else if (holder_ != client && std::ranges::count(asked_, client) == 0) {
        asked_.push_back(client);
    }
}

bool Control::give(std::uint32_t client, std::uint32_t to) {
    if (!has(client) || std::ranges::count(asked_, to) == 0) return false;
    std::erase(asked_, to);
    holder_ = to;
    return true;
}

bool Control::release(std::uint32_t client) {
    if (!has(client)) return false;
    holder_ = nobody;
    return true;
}

void Control::leave(std::uint32_t client) {
    std::erase(asked_, client);
    if (holder_ == client) holder_ = nobody;
}

SharedControl::Heard SharedControl::hear(std::uint32_t client, const ClientMessage& message) {
    using Do = ClientMessage::Do;
    switch (message.what) {
        case Do::take:
            control_.take(client);
            break;
        case Do::give:
            if (!control_.give(client, message.number)) return Heard::refused;
            answers_.rest();
            break;
        case Do::release:
            if (!control_.release(client)) return Heard::refused;
            answers_.rest();
            break;
        default:
            return Heard::other;
    }
    tell();
    return Heard::done;
}

void SharedControl::leave(std::uint32_t client) {
    if (control_.has(client)) answers_.rest();
    control_.leave(client);
    tell();
}

void SharedControl::tell() const {
    answers_.tell(fmt::format(R"({{"type":"control","holder":{},"asked":[{}]}})", control_.holder(),
                              fmt::join(control_.asked(), ",")));
}

bool Levers::move(bool alive, std::span<const double> levers, double now) {
    if (levers.size() != values_.size()) return false;
    if (!alive) {
        rest();
        return true;
    }
    heard_ = now;
    for (std::size_t i = 0; i < levers.size(); ++i) {
        const bool neutral = std::fabs(levers[i]) <= dead_zone_;
        if (neutral) armed_[i] = true;
        values_[i] = armed_[i] && !neutral ? levers[i] : 0;
    }
    return true;
}

bool Levers::expire(double now) {
    if (!heard_ || now - *heard_ <= patience) return false;
    rest();
    return true;
}

void Levers::rest() {
    heard_.reset();
    armed_.assign(armed_.size(), false);
    std::ranges::fill(values_, 0);
}

std::vector<std::uint32_t> Levers::waiting() const {
    std::vector<std::uint32_t> axes;
    for (std::uint32_t i = 0; heard_ && i < armed_.size(); ++i)
        if (!armed_[i]) axes.push_back(i);
    return axes;
}

}  // namespace master::view
