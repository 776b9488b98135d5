#include "master/report/error_bar.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::report {
namespace {

constexpr std::size_t shown_signals = 3;

// Two digits, and whole numbers from there on.
std::string percent(double share) {
    const double value = 100 * share;
    return value >= 10 && value < 1e6 ? fmt::format("{:.0f} %", value) : fmt::format("{:.2g} %", value);
}

std::string text_of(const ErrorBar::Signal& signal) {
    // "1" is the unit of what has none.
    const std::string unit = signal.unit.empty() || signal.unit == "1" ? "" : " " + signal.unit;
    return fmt::format("{} {:.2g}{} ({}, {} rms)", signal.name, signal.error, unit, percent(signal.share),
                       percent(signal.rms_share));
}

}  // namespace

std::string verdict(const ErrorBar& bar) {
    if (bar.converged) return {};
    return fmt::format(
        "the coupling has not converged: a run at {} differs by {} rms of a coupled signal's range (median; "
        "most '{}': {}); {}",
        bar.shadow, percent(bar.median), bar.worst_signal, percent(bar.worst), bar.advice);
}

TextLines lines(const ErrorBar& bar) {
    if (!bar.missing.empty()) return {{"error bar", "none: " + bar.missing}};
    std::string worst;
    for (std::size_t i = 0; i < std::min(shown_signals, bar.signals.size()); ++i)
        worst += (i == 0 ? "" : ", ") + text_of(bar.signals[i]);
    TextLines result{
        {"error bar", worst + (worst.empty() ? "" : ": largest at one instant, and over the run")},
        {"", fmt::format("from a shadow at {}, {} s to {} s{}{}{}{}", bar.shadow, bar.from, bar.to,
                         bar.ends.empty() ? "" : "; ", bar.ends, bar.opening.empty() ? "" : "; ", bar.opening)}};
    if (!bar.sampled.empty())
        result.emplace_back("",
                            fmt::format("without what comes late from '{}': the step is taken for the time of sampling "
                                        "there (`converge` changes it as well)",
                                        fmt::join(bar.sampled, "', '")));
    if (!bar.worst_signal.empty())
        result.emplace_back("", fmt::format("{}: coupled signals differ by {} rms (median), '{}' most, by {} rms",
                                            bar.converged ? "converged" : "not converged", percent(bar.median),
                                            bar.worst_signal, percent(bar.worst)));
    return result;
}

TextLines lines(const std::vector<BondEnergy>& bonds) {
    TextLines result;
    for (const BondEnergy& bond : bonds) {
        const double share = bond.transferred > 0 ? std::fabs(bond.created) / bond.transferred : 0;
        result.emplace_back("bond " + bond.name, fmt::format("{:.3g} J transferred, {:.2g} J {} by the coupling ({})",
                                                             bond.transferred, std::fabs(bond.created),
                                                             bond.created < 0 ? "lost" : "created", percent(share)));
    }
    return result;
}

}  // namespace master::report
