#include "interfaces/canopen/slave/slave.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace interfaces::canopen {
namespace {

constexpr std::uint32_t heartbeat_base = 0x700, sdo_request_base = 0x600, sdo_answer_base = 0x580,
                        emergency_base = 0x80;
constexpr std::uint16_t pdo_not_processed = 0x8210;  // EMCY: fewer bytes than the mapping needs

void note_earliest(std::optional<Time>& earliest, std::optional<Time> time) {
    if (time && (!earliest || *time < *earliest)) earliest = time;
}

}  // namespace

Slave::Slave(const Device& device, const Commissioning& commissioning, Time now) : device_(&device) {
    State::Running& running = state.running;
    running.now = now;
    running.lss.active = running.lss.pending =
        running.lss.stored = {.node_id = commissioning.node_id, .bit_rate = commissioning.bit_rate};
    const Dictionary& dictionary = device.dictionary;
    for (std::uint16_t i = 0; i < most_pdos; ++i) {
        if (dictionary.has_object(first_tpdo + i)) state.tpdos.emplace_back();
        if (dictionary.has_object(first_rpdo + i)) state.rpdos.emplace_back();
    }
    state.stored = dictionary.factory(commissioning.node_id);
    if (const Entry* serial = dictionary.find({0x1018, 4}); serial != nullptr && commissioning.serial)
        set_number(state.stored, *serial, *commissioning.serial);
    running.stored_at_id = commissioning.node_id;
    state.image = state.stored;
    for (std::uint8_t i = 0; i < 4; ++i)
        running.identity[i] = static_cast<std::uint32_t>(
            dictionary.number_or(state.image, {0x1018, static_cast<std::uint8_t>(i + 1)}, 0));
    reset(true);
}

void Slave::switch_on(Time now) {
    state.running.now = now;
    const Commissioned stored = state.running.lss.stored;
    state.running.lss = {.active = stored, .pending = stored, .stored = stored};
    reset(true);
}

void Slave::receive(const can::Frame& frame, Time now, Frames& out) {
    if (frame.extended || frame.remote || frame.error || frame.fd || frame.size > can::classic_size) return;
    state.running.now = now;
    if (frame.id == lss_request_id) return answer_lss(frame, out);
    if (nmt() == NmtState::initialising) return;
    if (frame.id == 0) return command(frame);
    if (nmt() == NmtState::stopped) return;
    if (frame.id == state.running.sync_id) return synchronize(frame, out);
    if (frame.id == sdo_request_base + node_id()) return answer_sdo(frame, out);
    if (nmt() == NmtState::operational) take_rpdo(frame);
}

void Slave::command(const can::Frame& frame) {
    if (frame.size != 2 || (frame.data[1] != 0 && frame.data[1] != node_id())) return;
    switch (static_cast<NmtCommand>(frame.data[0])) {
        case NmtCommand::start:
            return enter(NmtState::operational);
        case NmtCommand::stop:
            return enter(NmtState::stopped);
        case NmtCommand::enter_pre_operational:
            return enter(NmtState::pre_operational);
        case NmtCommand::reset_node:
            return reset(true);
        case NmtCommand::reset_communication:
            return reset(false);
    }
}

void Slave::enter(NmtState nmt) {
    if (nmt == state.running.nmt) return;
    state.running.nmt = nmt;
    if (nmt == NmtState::stopped) state.sdo = {};
    for (Tpdo& pdo : state.tpdos) pdo.restart();
    for (Rpdo& pdo : state.rpdos) pdo.restart();
}

void Slave::reset(bool application) {
    State::Running& running = state.running;
    running.lss.active.node_id = running.lss.pending.node_id;  // a bit rate has a command of its own
    running.lss.configuring = false;
    enter(NmtState::initialising);
    state.sdo = {};
    running.emergency = {};
    if (application)
        restore(0x0000, 0xFFFF);
    else
        restore(0x1000, 0x1FFF);
    configure();
    if (device_->profile) device_->profile->update(state.image, running.measurement);
    running.boot_at = node_id() == unconfigured_node_id ? Time::max() : running.now + boot_delay;
}

/// Numbers that followed the node-id when they were stored follow it again.
void Slave::restore(std::uint16_t first, std::uint16_t last) {
    for (const Entry& entry : device_->dictionary.entries()) {
        if (entry.key.index < first || entry.key.index > last) continue;
        set_value(state.image, entry, value(state.stored, entry));
        if (!entry.adds_node_id) continue;
        if (number(state.stored, entry) == initial_number(entry, state.running.stored_at_id))
            set_number(state.image, entry, initial_number(entry, node_id()));
    }
}

/// Communication parameters become settings here, so that nothing is looked up while the node runs.
void Slave::configure() {
    State::Running& running = state.running;
    const Dictionary& dictionary = device_->dictionary;
    const auto parameter = [&](std::uint16_t index, std::uint64_t otherwise) {
        return dictionary.number_or(state.image, {index, 0}, otherwise);
    };
    running.sync_id = static_cast<std::uint16_t>(parameter(0x1005, 0x80) & cob_id_number);
    const std::uint64_t emergency = parameter(0x1014, emergency_base + node_id());
    running.emergency_id = (emergency & cob_id_off) != 0 ? 0 : static_cast<std::uint16_t>(emergency & cob_id_number);
    running.emergency_inhibit = std::chrono::microseconds(100 * (parameter(0x1015, 0) & 0xFFFF));
    const Time heartbeat = std::chrono::milliseconds(parameter(0x1017, 0) & 0xFFFF);
    if (heartbeat != running.heartbeat_period) running.heartbeat_at = running.now + heartbeat;
    running.heartbeat_period = heartbeat;
    const auto resolve = [&](auto& pdos, std::uint16_t base) {
        std::size_t next = 0;
        for (std::uint16_t i = 0; i < most_pdos && next < pdos.size(); ++i) {
            if (!dictionary.has_object(base + i)) continue;
            auto& pdo = pdos[next++];
            const PdoSettings settings = pdo_settings(dictionary, state.image, base + i);
            if (settings == pdo.settings) continue;
            pdo.settings = settings;
            pdo.restart();
        }
    };
    resolve(state.tpdos, first_tpdo);
    resolve(state.rpdos, first_rpdo);
}

void Slave::answer_sdo(const can::Frame& frame, Frames& out) {
    if (frame.size != 8) return;
    SdoBytes request{};
    std::copy_n(frame.data.begin(), request.size(), request.begin());
    if (const auto answer = serve(state.sdo, *this, request, state.running.now))
        emit(sdo_answer_base + node_id(), *answer, out);
}

void Slave::answer_lss(const can::Frame& frame, Frames& out) {
    if (frame.size != 8) return;
    LssBytes request{};
    std::copy_n(frame.data.begin(), request.size(), request.begin());
    State::Running& running = state.running;
    const LssOutcome outcome = serve(running.lss, running.identity, request, running.now);
    if (outcome.answer) emit(lss_answer_id, *outcome.answer, out);
    // CiA 305: a device that had no node-id takes up the new one as soon as it leaves the configuration.
    if (outcome.left_configuration && node_id() == unconfigured_node_id) reset(false);
}

void Slave::synchronize(const can::Frame& frame, Frames& out) {
    if (frame.size > 1 || nmt() != NmtState::operational) return;
    const auto counter = frame.size == 1 ? std::optional(frame.data[0]) : std::nullopt;
    for (Rpdo& pdo : state.rpdos) {
        if (!pdo.waiting) continue;
        pdo.waiting = false;
        unpack(pdo.settings, state.image, std::span(pdo.bytes).first(pdo.received));
    }
    for (Tpdo& pdo : state.tpdos) {
        if (!pdo.settings.valid || !pdo.settings.on_sync()) continue;
        const PdoBytes bytes = pack(pdo.settings, state.image);
        if (!pdo.is_due_on_sync(counter, bytes)) continue;
        pdo.sent = true;
        pdo.sent_at = state.running.now;
        pdo.last = bytes;
        emit(pdo.settings.cob_id, std::span(bytes).first(pdo.settings.size), out);
    }
}

void Slave::take_rpdo(const can::Frame& frame) {
    for (Rpdo& pdo : state.rpdos) {
        if (!pdo.settings.valid || pdo.settings.cob_id != frame.id) continue;
        if (frame.size < pdo.settings.size) {
            raise({.code = pdo_not_processed, .bits = error_register::communication});
            continue;
        }
        clear(pdo_not_processed);
        if (!pdo.settings.on_sync()) {
            unpack(pdo.settings, state.image, frame.bytes());
            continue;
        }
        pdo.waiting = true;
        pdo.received = frame.size;
        std::copy_n(frame.data.begin(), frame.size, pdo.bytes.begin());
    }
}

void Slave::advance(Time now, Frames& out) {
    State::Running& running = state.running;
    running.now = now;
    if (running.lss.activate_bit_rate != 0 && now >= running.lss.switch_at)
        running.lss.active.bit_rate = std::exchange(running.lss.activate_bit_rate, 0);
    if (nmt() == NmtState::initialising) {
        if (now < running.boot_at) return;
        boot(out);
    }
    if (const auto abort = time_out(state.sdo, now)) emit(sdo_answer_base + node_id(), *abort, out);
    if (running.heartbeat_period > Time{} && now >= running.heartbeat_at) {
        emit(heartbeat_base + node_id(), std::array{static_cast<std::uint8_t>(nmt())}, out);
        running.heartbeat_at += running.heartbeat_period;
        if (running.heartbeat_at <= now) running.heartbeat_at = now + running.heartbeat_period;
    }
    if (nmt() == NmtState::stopped) return;
    if (const auto when = running.emergency.due(running.emergency_inhibit); when && *when <= now) {
        const EmergencyState::Message message = running.emergency.take(now);
        if (running.emergency_id != 0) emit(running.emergency_id, message, out);
    }
    if (nmt() != NmtState::operational) return;
    for (Tpdo& pdo : state.tpdos) {
        const PdoBytes bytes = pack(pdo.settings, state.image);
        const auto when = pdo.due(now, bytes);
        if (!when || *when > now) continue;
        pdo.note_event_sent(now, bytes);
        emit(pdo.settings.cob_id, std::span(bytes).first(pdo.settings.size), out);
    }
}

void Slave::boot(Frames& out) {
    State::Running& running = state.running;
    emit(heartbeat_base + node_id(), std::array{static_cast<std::uint8_t>(NmtState::initialising)}, out);
    enter(NmtState::pre_operational);
    running.boot_at = Time::max();
    running.heartbeat_at = running.now + running.heartbeat_period;
}

std::optional<Time> Slave::due() const {
    const State::Running& running = state.running;
    std::optional<Time> earliest;
    if (running.lss.activate_bit_rate != 0) note_earliest(earliest, running.lss.switch_at);
    if (nmt() == NmtState::initialising) {
        if (running.boot_at != Time::max()) note_earliest(earliest, running.boot_at);
        return earliest;
    }
    if (state.sdo.progress.kind != SdoServerState::Kind::none) note_earliest(earliest, state.sdo.progress.deadline);
    if (running.heartbeat_period > Time{}) note_earliest(earliest, running.heartbeat_at);
    if (nmt() == NmtState::stopped) return earliest;
    note_earliest(earliest, running.emergency.due(running.emergency_inhibit));
    if (nmt() != NmtState::operational) return earliest;
    for (const Tpdo& pdo : state.tpdos) note_earliest(earliest, pdo.due(running.now, pack(pdo.settings, state.image)));
    return earliest;
}

void Slave::emit(std::uint32_t id, std::span<const std::uint8_t> bytes, Frames& out) const {
    if (state.running.now < state.running.lss.silent_until) return;
    out.push_back(make_frame(id, bytes));
}

void Slave::measure(std::span<const double> physical, Time now) {
    Measurement& measurement = state.running.measurement;
    const double elapsed = std::chrono::duration<double>(now - measurement.at).count();
    const bool is_next = measurement.samples > 0 && elapsed > 0;
    for (std::size_t i = 0; i < std::min(physical.size(), measurement.physical.size()); ++i) {
        if (is_next) measurement.rate[i] = (physical[i] - measurement.physical[i]) / elapsed;
        measurement.physical[i] = physical[i];
    }
    if (is_next || measurement.samples == 0) ++measurement.samples;  // else the same sample, corrected
    measurement.history[(measurement.samples - 1) % Measurement::history_size] = measurement.physical[0];
    measurement.at = now;
    if (device_->profile) device_->profile->update(state.image, measurement);
}

void Slave::set(const Entry& entry, double value) { set_number(state.image, entry, raw_of(entry.type, value)); }

double Slave::get(const Entry& entry) const { return value_of(entry.type, number(state.image, entry)); }

void Slave::raise(const Emergency& emergency) {
    if (state.running.emergency.raise(emergency)) mirror_errors(emergency.code);
}

void Slave::clear(std::uint16_t code) {
    if (state.running.emergency.clear(code)) mirror_errors(0);
}

}  // namespace interfaces::canopen
