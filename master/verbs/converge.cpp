#include "master/analysis/convergence.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/supervised.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <span>

namespace master::verbs {
namespace {

std::string order_text(const analysis::Convergence& result) {
    if (std::isnan(result.order)) return fmt::format("no order: {}", analysis::to_string(result.shrinking));
    return fmt::format("observed order {:.2f} (median)", result.order);
}

std::string order_text(const analysis::SignalConvergence& signal) {
    return std::isnan(signal.order) ? "none" : fmt::format("{:.2f}", signal.order);
}

/// Once for each reason why a signal has no order, with the first signal; `said` is known already.
void explain(std::span<const analysis::SignalConvergence> signals, analysis::Shrinking said) {
    std::set<analysis::Shrinking> explained{analysis::Shrinking::regular, said};
    for (const analysis::SignalConvergence& signal : signals) {
        if (explained.insert(signal.shrinking).second)
            print_out(fmt::format("no order of {}: {}\n", signal.name, analysis::to_string(signal.shrinking)));
    }
}

void print(const analysis::Convergence& result, std::size_t most) {
    if (!result.converged) {
        fmt::print(
            "not converged at h = {} s: halving the step changes a signal by {:.2g} % of its range (median; most '{}': "
            "{:.2g} %)\n",
            base::to_string(result.step), 100 * result.median_share, result.worst_signal, 100 * result.worst_share);
    }
    print_out(
        fmt::format("step h = {} s, {}, error = Richardson estimate at h, or the larger difference without an order\n",
                    base::to_string(result.step), order_text(result)));
    print_out(fmt::format("{:<40} {:>12} {:>12} {:>12} {:>7} {:>12}\n", "signal", "range", "|h - h/2|", "|h/2 - h/4|",
                          "order", "error at h"));
    for (std::size_t i = 0; i < std::min(most, result.signals.size()); ++i) {
        const analysis::SignalConvergence& s = result.signals[i];
        print_out(fmt::format("{:<40} {:>12.4g} {:>12.4g} {:>12.4g} {:>7} {:>12.4g}\n", s.name, s.range, s.coarse,
                              s.fine, order_text(s), s.error_at_h));
    }
    explain({result.signals.data(), std::min(most, result.signals.size())}, result.shrinking);
    if (result.signals.size() > most)
        print_out(fmt::format("... and {} more with smaller errors\n", result.signals.size() - most));
}

struct ConvergeOptions {
    build::BuildOptions build;
    std::filesystem::path scenario;
    std::size_t most = 20;
    Supervision supervision;
};

}  // namespace

void add_converge(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<ConvergeOptions>();
    CLI::App* verb = app.add_subcommand("converge", "Run at h, h/2 and h/4: observed order and error estimates");
    add_system_options(*verb, options->build);
    add_scenario_options(*verb, options->build, options->scenario);
    verb->add_option("--record", options->build.record, "Signals to look at, with * and ?")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    add_supervision_options(*verb, options->supervision);
    verb->add_option("--most", options->most, "Signals to print")->type_name("N");
    verb->footer("Example: tandem converge examples/two_mass --stop 1 --step 0.01");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            base::Diagnostics diagnostics;
            const auto compare = [&](runs::Board& board) {
                runs::Scenario scenario = scenario_of(options->scenario, diagnostics);
                const runs::RunRequest request{.build = options->build,
                                               .scenario = options->scenario.empty() ? nullptr : &scenario};
                const analysis::Convergence result = analysis::converge(request, diagnostics, console, &board);
                print(result, options->most);
                return result.converged ? base::Exit::ok : base::Exit::violated;
            };
            return supervised(options->supervision, console, {}, [&](runs::Board& board) {
                return guarded(console, diagnostics, [&] { return compare(board); });
            });
        };
    });
}

}  // namespace master::verbs
