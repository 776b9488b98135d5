#include "master/verbs/contracts/run_contract.hpp"

#include "master/report/requirements.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/ranges.h>
#include <iterator>

namespace master::verbs {

void add_contract_options(CLI::App& verb, ContractOptions& options) {
    CLI::Option* contract =
        verb.add_option("--contract", options.specifications,
                        "Watch the promises of a specification (.ssd, .ssb, ...), or the frames on a CAN bus (.dbc); a "
                        "broken one is exit code 3; may be repeated")
            ->type_name("SPEC")
            ->allow_extra_args(false);
    verb.add_flag("--warn", options.warn, "A broken promise is a warning")->needs(contract);
}

RunContract::RunContract(const ContractOptions& options, const build::BuildOptions& build,
                         base::Diagnostics& diagnostics)
    : options_(options) {
    for (const std::filesystem::path& specification : options.specifications)
        if (specification.extension() != ".dbc")
            lists_.emplace_back(specification, build.single_fmu(), diagnostics).require_any();
}

void RunContract::add_requests(std::vector<build::SignalRequest*>& requests) {
    for (contracts::WatchList& list : lists_)
        for (build::SignalRequest* request : list.requests()) requests.push_back(request);
}

std::vector<core::Tap*> RunContract::start(const build::Simulation& simulation, base::Diagnostics& diagnostics) {
    std::vector<core::Tap*> taps;
    for (const std::filesystem::path& specification : options_.specifications) {
        if (specification.extension() != ".dbc") continue;
        buses_.push_back(std::make_unique<runs::BusMonitor>(specification, simulation, diagnostics));
        taps.push_back(buses_.back().get());
    }
    if (lists_.empty()) return taps;
    std::vector<contracts::Watched> signals;
    for (contracts::WatchList& list : lists_) {
        list.resolve(simulation);
        signals.insert(signals.end(), list.signals().begin(), list.signals().end());
    }
    const build::Timing& timing = simulation.timing;
    monitor_.emplace(signals, contracts::Monitor::Clock{timing.timebase, timing.start, timing.periods});
    taps.push_back(&*monitor_);
    return taps;
}

std::vector<contracts::Verdict> RunContract::judge(runs::Outcome& outcome, base::Diagnostics& diagnostics) const {
    std::vector<contracts::Verdict> verdicts;
    if (monitor_) verdicts = monitor_->verdicts();
    for (const auto& bus : buses_) std::ranges::copy(bus->verdicts(), std::back_inserter(verdicts));
    std::size_t failed = 0;
    for (contracts::Verdict& verdict : verdicts) {
        using Kind = contracts::Verdict::Outcome;
        if (outcome.error && verdict.outcome == Kind::passed) {
            verdict.outcome = Kind::not_exercised;
            verdict.evidence = "the run failed before its end; until then " + verdict.evidence;
        }
        for (const contracts::Violation& violation : verdict.violations) {
            const std::string text =
                fmt::format("'{}' {}{}", verdict.subject, report::text_of(violation),
                            verdict.requirement == verdict.subject ? "" : "; requirement " + verdict.requirement);
            if (options_.warn || verdict.warning)
                diagnostics.warn("contract", verdict.where, text);
            else
                diagnostics.error("contract", verdict.where, text);
        }
        if (verdict.outcome == contracts::Verdict::Outcome::failed && !verdict.warning) ++failed;
    }
    if (failed == 0 || options_.warn) return verdicts;
    std::vector<std::string> names;
    names.reserve(options_.specifications.size());
    for (const std::filesystem::path& specification : options_.specifications) names.push_back(specification.string());
    outcome.missed += fmt::format("{}{} promise{} of {} broken", outcome.missed.empty() ? "" : "; ", failed,
                                  failed == 1 ? "" : "s", fmt::join(names, ", "));
    if (outcome.exit == base::Exit::ok) outcome.exit = base::Exit::violated;
    return verdicts;
}

}  // namespace master::verbs
