#pragma once

#include "fmus/common/declaring/outside.hpp"
#include "interfaces/bytes/bytes.hpp"
#include "interfaces/journal/journal.hpp"
#include "interfaces/teleop/endpoint.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace fmus::teleoperation {

struct Parameters {
    OutsideParameters outside;
    std::string address = "127.0.0.1", key_file, link;
    double dead_man = 0.2, stale_view = 1.5;
    auto members() { return std::tie(outside, address, key_file, link, dead_man, stale_view); }
    friend bool operator==(const Parameters&, const Parameters&) = default;
};

inline interfaces::teleop::GateSettings gate_settings(const Parameters& parameters) {
    return {.dead_man = std::llround(parameters.dead_man * 1e9),
            .stale_view = std::llround(parameters.stale_view * 1e9)};
}

/// What operators have done to the machine.
struct Control {
    std::array<double, interfaces::teleop::axis_count> axes{};
    std::uint64_t holder = 0;
    bool may_move = false;
    std::uint64_t refused = 0;
    std::uint64_t operators = 0, failed = 0, failure = 0;  // outside: who gets the stream, and what could not be sent
    interfaces::teleop::GateStatistics statistics;
};

inline std::uint64_t refused_of(const interfaces::teleop::GateStatistics& statistics) {
    return statistics.other_session + statistics.other_operator + statistics.forged;
}

inline Control control_of(interfaces::teleop::ControlGate& gate, std::int64_t now) {
    const auto axes = gate.axes(now);
    const interfaces::teleop::Status status = gate.status();
    return {.axes = axes,
            .holder = status.holder,
            .may_move = status.may_move,
            .refused = refused_of(gate.statistics()),
            .operators = 0,
            .failed = 0,
            .failure = 0,
            .statistics = gate.statistics()};
}

/// Operators outside of the simulation, or the journal of what they did.
class Outside {
public:
    explicit Outside(const Parameters& parameters) {
        if (!parameters.outside.replay.empty()) {
            replay_.emplace(parameters.outside.replay, kind);
            return;
        }
        namespace teleop = interfaces::teleop;
        const auto address = interfaces::udp::parse_address(parameters.address, teleop::default_port);
        if (!address)
            throw std::invalid_argument("teleop: parameter 'address' is '" + parameters.address +
                                        "', expected an IPv4 address such as 127.0.0.1 or 127.0.0.1:47000");
        if (!parameters.outside.journal.empty()) journal_.emplace(parameters.outside.journal, kind);
        endpoint_.emplace(teleop::MachineSettings{.own = *address,
                                                  .key = key_of(parameters.key_file),
                                                  .link = teleop::parse_link(parameters.link),
                                                  .gate = gate_settings(parameters)});
    }

    /// Sends what is due, and takes what came, once per communication point.
    void exchange(std::int64_t now, const interfaces::teleop::Pose& pose, const interfaces::teleop::Edge& edge,
                  Control& control) {
        if (replay_) {
            while (const auto entry = replay_->next(now)) control = decoded(*entry);
            return;
        }
        control.axes = endpoint_->axes(now);
        control.holder = endpoint_->status().holder;
        control.may_move = endpoint_->status().may_move;
        control.statistics = endpoint_->gate_statistics();
        const interfaces::teleop::MachineStatistics sent = endpoint_->statistics();
        control.refused = refused_of(control.statistics) + sent.refused;
        control.operators = sent.operators;
        control.failed = sent.failed;
        control.failure = static_cast<std::uint64_t>(sent.last_failure);
        endpoint_->publish(now, pose, edge);
        if (!journal_) return;
        const Entry entry = encoded(control);
        if (last_ == entry) return;
        last_ = entry;
        journal_->add(now, entry);
        journal_->finish_point();
    }

private:
    static constexpr const char* kind = "teleop";
    static constexpr std::size_t numbers = interfaces::teleop::axis_count + 10;
    using Entry = std::array<std::uint8_t, 8 * numbers>;

    static std::optional<interfaces::teleop::Key> key_of(const std::string& path) {
        if (path.empty()) return std::nullopt;
        return interfaces::teleop::read_key(path);
    }
    static Entry encoded(const Control& control) {
        Entry entry;
        std::uint8_t* at = entry.data();
        const auto put = [&](std::uint64_t number) {
            interfaces::bytes::put(at, number);
            at += 8;
        };
        for (const double axis : control.axes) put(std::bit_cast<std::uint64_t>(axis));
        const auto& statistics = control.statistics;
        for (const std::uint64_t number :
             {control.holder, std::uint64_t{control.may_move}, control.refused, control.operators, control.failed,
              control.failure, statistics.accepted, statistics.old, statistics.stale, statistics.timeouts})
            put(number);
        return entry;
    }
    static Control decoded(std::span<const std::uint8_t> entry) {
        if (entry.size() != 8 * numbers) throw std::runtime_error("the journal of the teleop unit is damaged");
        std::size_t next = 0;
        const auto take = [&] { return interfaces::bytes::take<std::uint64_t>(&entry[8 * next++]); };
        Control control;
        for (double& axis : control.axes) axis = std::bit_cast<double>(take());
        control.holder = take();
        control.may_move = take() != 0;
        control.refused = take();
        for (std::uint64_t* number :
             {&control.operators, &control.failed, &control.failure, &control.statistics.accepted,
              &control.statistics.old, &control.statistics.stale, &control.statistics.timeouts})
            *number = take();
        return control;
    }

    std::optional<interfaces::teleop::MachineEndpoint> endpoint_;
    std::optional<interfaces::journal::Writer> journal_;
    std::optional<interfaces::journal::Reader> replay_;
    Entry last_{};
};

}  // namespace fmus::teleoperation
