#include "interfaces/livox/host.hpp"

#include <algorithm>

namespace interfaces::livox {

namespace {

constexpr std::int64_t answer_timeout = 500'000'000, heartbeat_period = 800'000'000, silence = 3'000'000'000;  // ns

}  // namespace

std::optional<std::uint32_t> Host::device() const {
    if (!connected()) return std::nullopt;
    return device_.ip;
}

void Host::discover(std::span<const std::uint8_t> datagram, const Address& from, std::int64_t now, Outbox& out) {
    const auto frame = next_frame(datagram);
    if (!frame || command_of(*frame) != Command::advert) return;
    const auto advert = parse_advert(frame->data);
    if (!advert || advert->type == DeviceType::hub) return;
    if (!settings_.code.empty() && advert->code != settings_.code) return;
    // A device that advertises has no session: one that was ours has been started anew.
    if (stage_ != Stage::searching && (from.ip != device_.ip || now - last_answer_ < answer_timeout)) return;
    device_ = from;
    code_ = advert->code;
    last_answer_ = now;
    go_to(Stage::handshake, now, out);
    device_.port = device_port;
}

void Host::receive(std::span<const std::uint8_t> datagram, const Address& from, std::int64_t now, Outbox& out) {
    if (stage_ == Stage::searching || from.ip != device_.ip) return;
    while (const auto frame = next_frame(datagram))
        if (frame->type == FrameType::acknowledge && !frame->data.empty()) take(*frame, now, out);
}

void Host::take(const Frame& answer, std::int64_t now, Outbox& out) {
    if (command_of(answer) == Command::heartbeat) {
        const auto state = parse_heartbeat_answer(answer.data);
        if (!state || !connected()) return;
        last_answer_ = now;
        if (stage_ == Stage::ready && state->code == 0 && state->state == State::normal)
            go_to(Stage::coordinates, now, out);
        return;
    }
    if (answer.sequence != asked_ || stage_ == Stage::ready || stage_ == Stage::running) return;
    last_answer_ = now;
    // A device that cannot be configured sends what it has: each packet says what is in it.
    const bool optional = stage_ == Stage::coordinates || stage_ == Stage::mode;
    if (optional || answer.data.front() == 0) return go_to(following(stage_), now, out);
    if (stage_ == Stage::handshake) stage_ = Stage::searching;
}

void Host::tick(std::int64_t now, Outbox& out) {
    if (stage_ == Stage::searching) return;
    const bool unanswered = stage_ == Stage::handshake && now >= ask_again_;
    if (unanswered || now - last_answer_ >= silence) {
        stage_ = Stage::searching;
        return;
    }
    if (stage_ >= Stage::ready && now >= next_heartbeat_) {
        next_heartbeat_ = now + heartbeat_period;
        send(Command::heartbeat, {}, out);
    }
    if (stage_ != Stage::ready && stage_ != Stage::running && now >= ask_again_) ask(now, out);
}

std::optional<std::int64_t> Host::next_tick() const {
    if (stage_ == Stage::searching) return std::nullopt;
    std::int64_t next = last_answer_ + silence;
    if (stage_ >= Stage::ready) next = std::min(next, next_heartbeat_);
    if (stage_ != Stage::ready && stage_ != Stage::running) next = std::min(next, ask_again_);
    return next;
}

Host::Stage Host::following(Stage stage) { return static_cast<Stage>(static_cast<std::uint8_t>(stage) + 1); }

void Host::go_to(Stage stage, std::int64_t now, Outbox& out) {
    stage_ = stage;
    if (stage == Stage::ready) next_heartbeat_ = now;
    ask(now, out);
}

void Host::ask(std::int64_t now, Outbox& out) {
    ask_again_ = now + answer_timeout;
    const auto one = [&](Command command, std::uint8_t value) { send(command, {&value, 1}, out); };
    switch (stage_) {
        case Stage::handshake:
            send(Command::handshake,
                 encode(Handshake{.ip = settings_.data.ip,
                                  .data_port = settings_.data.port,
                                  .command_port = settings_.commands.port,
                                  .sensor_port = settings_.data.port}),
                 out);
            break;
        case Stage::device_info:
            send(Command::device_info, {}, out);
            break;
        case Stage::coordinates:
            one(Command::coordinates, static_cast<std::uint8_t>(Coordinates::cartesian));
            break;
        case Stage::mode:
            one(Command::set_return_mode, static_cast<std::uint8_t>(settings_.mode));
            break;
        case Stage::sampling:
            one(Command::sampling, 1);
            break;
        case Stage::searching:
        case Stage::ready:
        case Stage::running:
            break;
    }
}

void Host::send(Command command, std::span<const std::uint8_t> data, Outbox& out) {
    if (command != Command::heartbeat) asked_ = static_cast<std::uint16_t>(sequence_ + 1);
    out.push_back({device_, encode(command, FrameType::command, ++sequence_, data)});
}

}  // namespace interfaces::livox
