#include "master/verbs/contracts/run_contract.hpp"

#include "master/report/requirements.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {

void add_contract_options(CLI::App& verb, ContractOptions& options) {
    CLI::Option* contract =
        verb.add_option("--contract", options.specification,
                        "Watch the promises of a specification (.ssd, .ssb, ...); a broken one is exit code 3")
            ->type_name("SPEC");
    verb.add_flag("--warn", options.warn, "A broken promise is a warning")->needs(contract);
}

RunContract::RunContract(const ContractOptions& options, const build::BuildOptions& build,
                         base::Diagnostics& diagnostics)
    : options_(options) {
    if (!options.specification.empty()) list_.emplace(options.specification, build.single_fmu(), diagnostics);
}

void RunContract::add_requests(std::vector<build::SignalRequest*>& requests) {
    if (!list_) return;
    for (build::SignalRequest* request : list_->requests()) requests.push_back(request);
}

core::Tap* RunContract::start(const build::Simulation& simulation) {
    if (!list_) return nullptr;
    list_->resolve(simulation);
    const build::Timing& timing = simulation.timing;
    monitor_.emplace(list_->signals(), contracts::Monitor::Clock{timing.timebase, timing.start, timing.periods});
    return &*monitor_;
}

std::vector<contracts::Verdict> RunContract::judge(runs::Outcome& outcome, base::Diagnostics& diagnostics) const {
    if (!monitor_) return {};
    std::vector<contracts::Verdict> verdicts = monitor_->verdicts();
    std::size_t failed = 0;
    for (const contracts::Verdict& verdict : verdicts) {
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
    outcome.missed += fmt::format("{}{} promise{} of {} broken", outcome.missed.empty() ? "" : "; ", failed,
                                  failed == 1 ? "" : "s", options_.specification.string());
    if (outcome.exit == base::Exit::ok) outcome.exit = base::Exit::violated;
    return verdicts;
}

}  // namespace master::verbs
