#include "master/verbs/contracts/mutate.hpp"

#include "master/analysis/mutation/mutation.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/system_options.hpp"

#include <CLI/CLI.hpp>

namespace master::verbs {

void add_mutate_options(CLI::App& verb, build::BuildOptions& build, MutateOptions& options) {
    CLI::Option* const against = verb.get_option("--against");
    CLI::Option* const mutate =
        verb.add_flag("--mutate{*}", options.outputs,
                      "Score the specification: run the system with a sign, unit, scale, delay and range error in each "
                      "output, and say which requirement catches it; --mutate=PATTERN for some outputs")
            ->needs(against)
            ->excludes(verb.get_option("--junit"))
            ->excludes(verb.get_option("--deviations"));
    add_scenario_options(verb, build, options.scenario);
    verb.get_option("--scenario")->needs(mutate);
    verb.get_option("--settle")->needs(mutate);
    add_supervision_options(verb, options.supervision);
}

int check_mutated(const build::BuildOptions& build, const std::filesystem::path& specification,
                  const MutateOptions& options, bool json) {
    Console console(json ? Console::Verbosity::quiet : Console::Verbosity::normal);
    base::Diagnostics diagnostics;
    return supervised(options.supervision, console, {}, [&](runs::Board& board) {
        return guarded(console, diagnostics, [&] {
            runs::Scenario scenario = scenario_of(options.scenario, diagnostics);
            const analysis::MutationScore score =
                analysis::mutate({.run = {.build = build, .scenario = options.scenario.empty() ? nullptr : &scenario},
                                  .specification = specification,
                                  .outputs = options.outputs},
                                 diagnostics, console, &board);
            console.show(diagnostics);
            print_out(json ? analysis::json_of(score) : analysis::text_of(score));
            return base::Exit::ok;
        });
    });
}

}  // namespace master::verbs
