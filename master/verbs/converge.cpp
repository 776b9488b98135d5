#include "master/convergence.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <cmath>
#include <fmt/format.h>

namespace master::verbs {
namespace {

std::string order_text(double order) { return std::isnan(order) ? "-" : fmt::format("{:.2f}", order); }

void print(const Convergence& result, std::size_t most) {
    fmt::print("step h = {} s, observed order {} (median), error = Richardson estimate at h\n", to_string(result.step),
               order_text(result.order));
    fmt::print("{:<40} {:>12} {:>12} {:>12} {:>7} {:>12}\n", "signal", "range", "|h - h/2|", "|h/2 - h/4|", "order",
               "error at h");
    for (std::size_t i = 0; i < std::min(most, result.signals.size()); ++i) {
        const SignalConvergence& s = result.signals[i];
        fmt::print("{:<40} {:>12.4g} {:>12.4g} {:>12.4g} {:>7} {:>12.4g}\n", s.name, s.range, s.coarse, s.fine,
                   order_text(s.order), s.error_at_h);
    }
    if (result.signals.size() > most) fmt::print("... and {} more with smaller errors\n", result.signals.size() - most);
}

struct ConvergeOptions {
    BuildOptions build;
    std::size_t most = 20;
};

}  // namespace

void add_converge(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<ConvergeOptions>();
    CLI::App* verb = app.add_subcommand("converge", "Run at h, h/2 and h/4: observed order and error estimates");
    add_system_options(*verb, options->build);
    verb->add_option("--record", options->build.record, "Signals to look at, with * and ?")
        ->type_name("PATTERN")
        ->allow_extra_args(false);
    verb->add_option("--most", options->most, "Signals to print")->type_name("N");
    verb->footer("Example: tandem converge examples/two_mass --stop 1 --step 0.01");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            Diagnostics diagnostics;
            return guarded(console, diagnostics, [&] {
                print(converge(options->build, diagnostics, console), options->most);
                return Exit::ok;
            });
        };
    });
}

}  // namespace master::verbs
