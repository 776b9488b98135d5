#pragma once

#include "interfaces/dbc/plan.hpp"
#include "master/contracts/interface.hpp"
#include "master/contracts/verdict.hpp"
#include "master/core/tap.hpp"
#include "master/runs/taps/can_frames.hpp"

#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace master::runs {

/// Holds the frames on a system's CAN buses against a DBC: ranges of signals, cycle times of messages, and messages
/// that fall silent. A DBC is of one bus: the one on which most of its messages are seen.
class BusMonitor final : public core::Tap {
public:
    /// Throws `Error` for a file that is none, and for a system without a bus.
    BusMonitor(const std::filesystem::path& file, const build::Simulation& simulation, base::Diagnostics& diagnostics);

    void on_event(base::Time t, const core::Signals& signals) override;
    void after_step(base::Time t, const core::Signals& /*signals*/) override { now_ = t; }

    [[nodiscard]] std::vector<contracts::Verdict> verdicts() const;

private:
    struct Trouble {
        double first = 0;
        std::uint64_t count = 0;
        double worst = 0;
        void add(double t, double value, bool worse);
    };
    struct Signal {
        double least = std::numeric_limits<double>::infinity(), most = -least;
        Trouble range;
    };
    struct Message {
        std::uint64_t frames = 0;
        base::Time last = {};
        double longest = 0;  // s between two frames
        Trouble late, bad;   // bad: too short to be read
        std::vector<Signal> signals;
    };
    struct Bus {
        CanBus bus;
        std::uint64_t known = 0;  // frames of the database
        std::vector<Message> messages;
    };

    void take(Bus& bus, const interfaces::can::Frame& frame, base::Time t);
    void wait(Message& message, std::size_t index, base::Time t) const;
    [[nodiscard]] contracts::Verdict verdict(const Message& message, std::size_t index) const;
    [[nodiscard]] contracts::Verdict verdict(const Signal& signal, const contracts::Entry& entry) const;

    base::Timebase timebase_;
    base::Time now_;
    contracts::Interface interface_;  // an element for each message, an entry for each signal, in the database's order
    interfaces::dbc::Plans plans_;
    std::vector<Bus> buses_;
    CanFrames frames_;
    std::vector<interfaces::dbc::Raw> raws_;
};

}  // namespace master::runs
