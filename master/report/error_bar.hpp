#pragma once

#include <string>
#include <utility>
#include <vector>

namespace master::report {

/// How far a run's coupling can be trusted: what a second run of the same system at another step, its shadow, tells.
struct ErrorBar {
    struct Signal {
        std::string name, unit;
        double error = 0;      // largest one, estimated by Richardson's extrapolation
        double share = 0;      // of the nominal value or the range, whichever is larger
        double rms_share = 0;  // the same of the root mean square over the run
    };
    std::string missing;               // why there is no bar; everything below is empty then
    std::string shadow;                // "twice the step" or "half the step"
    double from = 0, to = 0;           // s, where the two were compared
    std::string ends;                  // why that is not the whole run; empty if it is
    std::string opening;               // how its beginning was looked at; empty: as the rest
    std::vector<std::string> sampled;  // units that keep their step, which is taken for their sampling time
    int order = 1;                     // of the coupling, from its holds
    std::vector<Signal> signals;       // worst first
    double median = 0, worst = 0;      // of the coupled signals: rms difference as a share of nominal value or range
    std::string worst_signal;          // of the coupled ones
    bool converged = true;
    std::string advice;  // what to try where it is not
};

/// Energy over a power bond: what the one side gave and what the other got differ by what the coupling made.
struct BondEnergy {
    std::string name;
    double transferred = 0;  // both ways, in units of effort times flow times s
    double created = 0;      // negative: lost
};

/// "the coupling has not converged: ..."; empty where nothing is known against it.
[[nodiscard]] std::string verdict(const ErrorBar& bar);
/// Label and text of the lines of a summary.
using TextLines = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] TextLines lines(const ErrorBar& bar);
[[nodiscard]] TextLines lines(const std::vector<BondEnergy>& bonds);

}  // namespace master::report
