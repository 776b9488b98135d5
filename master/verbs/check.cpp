#include "master/build.hpp"
#include "master/console.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <fmt/format.h>

namespace master::verbs {
namespace {

struct CheckOptions {
    BuildOptions build;
    bool strict = false;
};

int check(const CheckOptions& options) {
    Console console;
    Diagnostics diagnostics;
    diagnostics.strict = options.strict;
    try {
        const Parts parts = read_parts(options.build, diagnostics);
        const Timing timing = make_timing(parts, options.build, diagnostics);
        console.show(diagnostics);
        if (diagnostics.has_errors()) return static_cast<int>(Exit::bad_input);
        fmt::print("{}: ok, {} component{}, {} connection{}, step {} s, hyperperiod {} s\n", parts.description.name,
                   parts.components.size(), parts.components.size() == 1 ? "" : "s", parts.plan.wires.size(),
                   parts.plan.wires.size() == 1 ? "" : "s", to_string(timing.step),
                   to_string(timing.timebase.fraction(timing.hyperperiod)));
        return static_cast<int>(Exit::ok);
    } catch (const Error& error) {
        console.show(diagnostics);
        if (!diagnostics.has_errors()) console.show(error);
        return static_cast<int>(error.exit());
    }
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* verb = app.add_subcommand("check", "Everything that can be known about a system without running it");
    add_system_options(*verb, options->build);
    verb->add_flag("--strict", options->strict, "What would be ignored is an error");
    verb->footer("Example: tandem check examples/two_mass");
    verb->callback([options, &chosen] { chosen = [options] { return check(*options); }; });
}

}  // namespace master::verbs
