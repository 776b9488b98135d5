#include "interfaces/livox/device.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace interfaces::livox {

namespace {

constexpr std::uint8_t refused = 1;  // any code but 0 does; the maker's are not published
constexpr std::uint16_t slot_key = 3;
enum ParameterError : std::uint8_t { unsupported = 1, bad_value = 4, bad_length = 5, wrong_count = 7 };

/// Writes what was wrong with a parameter behind the return code.
bool parameter_refused(std::span<std::uint8_t> answer, std::uint16_t key, ParameterError error) {
    bytes::put(&answer[1], key);
    answer[3] = error;
    return false;
}

}  // namespace

const std::array<Device::Rule, 23> Device::rules{{
    {Command::device_info, 0, 5, &Device::device_info},
    {Command::heartbeat, 0, 7, &Device::heartbeat},
    {Command::sampling, 1, 1, &Device::sampling},
    {Command::coordinates, 1, 1, &Device::coordinates},
    {Command::disconnect, 0, 1, &Device::disconnect},
    {Command::set_ip, 13, 1, &Device::set_ip},
    {Command::get_ip, 0, 14, &Device::get_ip},
    {Command::reboot, 2, 1, &Device::reboot},
    {Command::set_parameter, std::nullopt, 4, &Device::set_parameter},
    {Command::get_parameter, std::nullopt, 4, &Device::get_parameter},
    {Command::reset_parameters, std::nullopt, 4, &Device::reset_parameters},
    {Command::mode, 1, 1, &Device::mode},
    {Command::set_extrinsics, 24, 1, &Device::set_extrinsics},
    {Command::get_extrinsics, 0, 25, &Device::get_extrinsics},
    {Command::rain_fog, 1, 1, &Device::refuse},
    {Command::set_fan, 1, 1, &Device::refuse},
    {Command::get_fan, 0, 2, &Device::refuse},
    {Command::set_return_mode, 1, 1, &Device::set_return_mode},
    {Command::get_return_mode, 0, 2, &Device::get_return_mode},
    {Command::set_imu_rate, 1, 1, &Device::refuse},
    {Command::get_imu_rate, 0, 2, &Device::refuse},
    // There is no pulse that a date could belong to.
    {Command::set_utc, 8, 1, &Device::refuse},
    // Only a device sends it.
    {Command::status, std::nullopt, 1, &Device::refuse},
}};

Device::Device(const DeviceSettings& settings)
    : settings_(settings), next_advert_(std::numeric_limits<std::int64_t>::min()) {
    if (!is_broadcast_code(settings.code))
        throw std::invalid_argument("livox: broadcast code '" + settings.code +
                                    "', expected 15 letters and digits without nine zeros in a row");
}

void Device::receive(std::span<const std::uint8_t> datagram, const Address& from, std::int64_t now, Outbox& out) {
    while (const auto frame = next_frame(datagram)) {
        if (command_of(*frame) == Command::handshake) {
            // The SDK sends it as an acknowledge, so its type does not matter.
            shake_hands(*frame, from, now, out);
        } else if (session_ && frame->type == FrameType::command && from.ip == session_->commands.ip) {
            answer_command(*frame, from, now, out);
        }
    }
}

void Device::shake_hands(const Frame& frame, const Address& from, std::int64_t now, Outbox& out) {
    const auto handshake = parse_handshake(frame.data);
    const bool other = session_ && session_->commands.ip != from.ip;
    const bool accepted = handshake && !other && handshake->ip == from.ip && handshake->data_port != 0;
    if (accepted) {
        session_ = Session{};
        session_->commands = {from.ip, handshake->command_port};
        session_->data = {handshake->ip, handshake->data_port};
        session_->last_heartbeat = now;
        session_->next_status = now + settings_.status_period;
    }
    const std::uint8_t code = accepted ? 0 : refused;
    out.push_back({from, encode(Command::handshake, FrameType::acknowledge, frame.sequence, {&code, 1})});
}

void Device::answer_command(const Frame& frame, const Address& from, std::int64_t now, Outbox& out) {
    const Command command = command_of(frame);
    const auto* rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& r) { return r.command == command; });
    Answer answer(rule != rules.end() ? rule->answer : 1);
    // Refusals have the usual length as well: clients do not look at it.
    if (rule == rules.end() || frame.data.size() != rule->request.value_or(frame.data.size()) ||
        !(this->*rule->handle)(frame.data, now, answer))
        answer[0] = refused;
    out.push_back({from, encode(command, FrameType::acknowledge, frame.sequence, answer)});
}

void Device::tick(std::int64_t now, Outbox& out) {
    if (session_ && now - session_->last_heartbeat >= settings_.heartbeat_timeout) end_session(now);
    if (session_ && session_->reboot_at && now >= *session_->reboot_at) {
        end_session(now);
        next_advert_ = now + settings_.advert_period;
    }
    if (!session_ && now >= next_advert_) {
        next_advert_ = now + settings_.advert_period;
        const auto data = encode(Advert{.code = settings_.code, .type = settings_.type});
        out.push_back({settings_.advert_to, encode(Command::advert, FrameType::message, sequence_++, data)});
    }
    if (session_ && now >= session_->next_status) {
        session_->next_status = now + settings_.status_period;
        constexpr std::array<std::uint8_t, 4> healthy{};
        out.push_back({session_->commands, encode(Command::status, FrameType::message, sequence_++, healthy)});
    }
}

std::int64_t Device::next_tick() const {
    if (!session_) return next_advert_;
    const std::int64_t timeout = session_->last_heartbeat + settings_.heartbeat_timeout;
    return std::min({timeout, session_->next_status, session_->reboot_at.value_or(timeout)});
}

std::optional<Stream> Device::stream() const {
    if (!session_ || !session_->sampling || state_ != State::normal) return std::nullopt;
    return Stream{.to = session_->data,
                  .type = data_type(coordinates_, return_mode_, settings_.tagged),
                  .mode = return_mode_,
                  .slot = slot_};
}

void Device::end_session(std::int64_t now) {
    session_.reset();
    next_advert_ = now;
}

bool Device::refuse(Data, std::int64_t, Answer&) { return false; }

bool Device::device_info(Data, std::int64_t, Answer& answer) {
    std::copy(settings_.firmware.begin(), settings_.firmware.end(), answer.begin() + 1);
    return true;
}

bool Device::heartbeat(Data, std::int64_t now, Answer& answer) {
    session_->last_heartbeat = now;
    const auto bytes = encode(HeartbeatAnswer{.state = state_});
    answer.assign(bytes.begin(), bytes.end());
    return true;
}

bool Device::sampling(Data request, std::int64_t, Answer&) {
    if (request[0] > 1 || (request[0] == 1 && state_ != State::normal)) return false;
    session_->sampling = request[0] == 1;
    return true;
}

bool Device::coordinates(Data request, std::int64_t, Answer&) {
    if (request[0] > static_cast<std::uint8_t>(Coordinates::spherical)) return false;
    coordinates_ = static_cast<Coordinates>(request[0]);
    return true;
}

bool Device::disconnect(Data, std::int64_t now, Answer&) {
    end_session(now);
    return true;
}

/// The address belongs to whoever described the system: only the one it has is accepted.
bool Device::set_ip(Data request, std::int64_t, Answer&) {
    const auto asked = parse_ip_settings(request);
    return asked && asked->mode == 1 && asked->ip == settings_.own.ip;
}

bool Device::get_ip(Data, std::int64_t, Answer& answer) {
    const auto bytes = encode(ip_settings());
    std::copy(bytes.begin(), bytes.end(), answer.begin() + 1);
    return true;
}

IpSettings Device::ip_settings() const {
    const std::uint32_t mask = udp::is_loopback(settings_.own.ip) ? 0xFF000000 : 0xFFFFFF00;
    return {.mode = 1, .ip = settings_.own.ip, .mask = mask, .gateway = (settings_.own.ip & mask) | 1U};
}

bool Device::reboot(Data request, std::int64_t now, Answer&) {
    session_->reboot_at = now + std::int64_t{bytes::take<std::uint16_t>(request.data())} * 1'000'000;
    return true;
}

bool Device::set_parameter(Data request, std::int64_t, Answer& answer) {
    if (request.size() < 4) return parameter_refused(answer, 0, bad_length);
    const auto key = bytes::take<std::uint16_t>(request.data());
    if (key != slot_key) return parameter_refused(answer, key, unsupported);
    if (bytes::take<std::uint16_t>(&request[2]) != 1 || request.size() != 5)
        return parameter_refused(answer, key, bad_length);
    if (request[4] == 0) return parameter_refused(answer, key, bad_value);
    slot_ = request[4];
    return true;
}

bool Device::get_parameter(Data request, std::int64_t, Answer& answer) {
    if (request.size() != 3 || request[0] != 1) return parameter_refused(answer, 0, wrong_count);
    const auto key = bytes::take<std::uint16_t>(&request[1]);
    if (key != slot_key) return parameter_refused(answer, key, unsupported);
    answer.resize(9);
    bytes::put(&answer[4], key);
    bytes::put(&answer[6], std::uint16_t{1});
    answer[8] = slot_;
    return true;
}

bool Device::reset_parameters(Data request, std::int64_t, Answer& answer) {
    if (request.size() < 2 || request[0] > 1 || request.size() != 2 + 2 * std::size_t{request[1]})
        return parameter_refused(answer, 0, wrong_count);
    for (std::size_t i = 2; i < request.size(); i += 2) {
        const auto key = bytes::take<std::uint16_t>(&request[i]);
        if (key != slot_key) return parameter_refused(answer, key, unsupported);
    }
    if (request[0] == 0 || request[1] > 0) slot_ = 1;
    return true;
}

bool Device::mode(Data request, std::int64_t, Answer&) {
    if (request[0] < 1 || request[0] > 3) return false;
    state_ = static_cast<State>(request[0]);
    return true;
}

bool Device::set_extrinsics(Data request, std::int64_t, Answer&) {
    const auto asked = parse_extrinsics(request);
    if (asked) extrinsics_ = *asked;
    return asked.has_value();
}

bool Device::get_extrinsics(Data, std::int64_t, Answer& answer) {
    const auto bytes = encode(extrinsics_);
    std::copy(bytes.begin(), bytes.end(), answer.begin() + 1);
    return true;
}

/// A Mid-70 has up to two returns.
bool Device::set_return_mode(Data request, std::int64_t, Answer&) {
    const std::uint8_t most = static_cast<std::uint8_t>(settings_.tagged ? ReturnMode::dual : ReturnMode::strongest);
    if (request[0] > most) return false;
    return_mode_ = static_cast<ReturnMode>(request[0]);
    return true;
}

bool Device::get_return_mode(Data, std::int64_t, Answer& answer) {
    answer[1] = static_cast<std::uint8_t>(return_mode_);
    return true;
}

}  // namespace interfaces::livox
