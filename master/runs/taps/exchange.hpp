#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/log.hpp"
#include "master/build/simulation.hpp"
#include "master/core/tap.hpp"
#include "master/runs/taps/input_journal.hpp"

#include <filesystem>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace master::runs {

/// What a run exchanges with other programs while it goes on, as it is asked for on the command line.
struct ExchangeOptions {
    std::vector<std::string> publish;        // [dds:]PATTERN
    std::vector<std::string> subscribe;      // [dds:]INPUT[=TOPIC]
    std::vector<std::string> record_points;  // SIGNAL=FILE
    std::string dds_address = "127.0.0.1";
    std::uint32_t dds_domain = 0;

    /// Something comes in from outside.
    [[nodiscard]] bool takes_in() const { return !subscribe.empty(); }
};

/// Taps of a run that talk to other programs: first the signals are asked for, then, with the simulation, taps are
/// made.
class Exchange {
public:
    /// Throws `Error` for what cannot be meant.
    explicit Exchange(const ExchangeOptions& options);

    /// To be filled in; they live as long as the exchange.
    [[nodiscard]] std::vector<build::SignalRequest*> requests();
    /// Once the requests are filled in: throws `Error` where two subscriptions drive one input.
    void refuse_two_sources() const;
    /// In a repeat (journals to read from) nothing is published or opened, and what came in is played.
    [[nodiscard]] std::vector<std::unique_ptr<core::Tap>> taps(const build::Simulation& simulation,
                                                               const InputJournal::Folders& folders, base::Log& log,
                                                               base::Diagnostics& diagnostics) const;
    /// The files that the taps write, besides those that were named.
    [[nodiscard]] std::vector<std::string> journals() const;

private:
    struct Wish {
        build::SignalRequest request;
        std::string topic;  // or file
        bool dds = false;
    };
    [[nodiscard]] std::vector<build::LocatedSignal> published(bool dds) const;

    ExchangeOptions options_;
    std::list<Wish> publish_, subscribe_, record_;
};

}  // namespace master::runs
