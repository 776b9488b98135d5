#include "master/build/timing.hpp"
#include "master/fmi/library/refusals.hpp"
#include "master/runs/goals.hpp"
#include "master/verbs/contracts/against.hpp"
#include "master/verbs/contracts/mutate.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <set>

namespace master::verbs {
namespace {

struct CheckOptions {
    build::BuildOptions build;
    AgainstOptions against;
    MutateOptions mutate;
    bool strict = false;
};

/// What would stop a run when its units are made, as far as their files tell; the words are the run's.
void check_units(const build::Parts& parts, base::Diagnostics& diagnostics) {
    std::set<const fmi::Fmu*> used;
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const build::Parts::Component& part = parts.components[i];
        if (part.fmu == nullptr) continue;
        const ssp::Component& component = parts.description.components[i];
        const auto report = [&](const char* code, const std::string& where, std::string text) {
            if (text.empty()) return;
            if (component.where != component.shown)
                text += fmt::format("; component '{}' at {}", component.name, component.where);
            diagnostics.error(code, where, text);
        };
        const fmi::ModelDescription& description = part.fmu->description();
        const fmi::InterfaceDescription& interface = description.interface(part.interface);
        report("bad-library", component.shown, fmi::missing_binary(part.fmu->folder(), description, interface));
        const bool second = !used.insert(part.fmu).second;
        if (second)
            report("once-per-process", fmt::format("unit '{}'", component.name),
                   fmi::no_second_instance(part.fmu->file(), interface));
    }
}

/// A system may say what units must fit before there are any.
void note_specification(const build::Parts& parts, base::Diagnostics& diagnostics) {
    for (const ssp::Component& component : parts.description.components)
        if (component.kind == ssp::ComponentKind::interface_only)
            diagnostics.note(
                "no-implementation", component.where,
                fmt::format("component '{}' has no source: the system is a specification and cannot be run",
                            component.name));
}

int check(const CheckOptions& options) {
    if (!options.mutate.outputs.empty())
        return check_mutated(options.build, options.against.against, options.mutate, options.against.json);
    Console console;
    base::Diagnostics diagnostics;
    diagnostics.strict = options.strict;
    return guarded(console, diagnostics, [&] {
        if (!options.against.against.empty())
            return check_against(options.build.system, options.against, console, diagnostics);
        const build::Parts parts = build::read_parts(options.build, diagnostics, false);
        check_units(parts, diagnostics);
        note_specification(parts, diagnostics);
        if (!parts.components.empty())
            runs::note_unjudged_goals(report::report_file_of(options.build.system, diagnostics), parts, diagnostics);
        const auto plural = [](std::size_t n) { return n == 1 ? "" : "s"; };
        if (parts.components.empty()) {
            console.show(diagnostics);
            if (diagnostics.has_errors()) return base::Exit::bad_input;
            const std::size_t connectors = parts.description.boundary.size();
            print_out(fmt::format("{}: ok, {} connector{} and no components\n", parts.description.name, connectors,
                                  plural(connectors)));
            return base::Exit::ok;
        }
        const build::Timing timing = build::make_timing(parts, options.build, diagnostics);
        console.show(diagnostics);
        if (diagnostics.has_errors()) return base::Exit::bad_input;
        print_out(fmt::format("{}: ok, {} component{}, {} connection{}, step {} s, hyperperiod {} s\n",
                              parts.description.name, parts.components.size(), plural(parts.components.size()),
                              parts.plan.wires.size(), plural(parts.plan.wires.size()), base::to_string(timing.step),
                              base::to_string(timing.timebase.fraction(timing.hyperperiod))));
        return base::Exit::ok;
    });
}

}  // namespace

void add_check(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<CheckOptions>();
    CLI::App* verb = app.add_subcommand("check", "Everything that can be known about a system without running it");
    add_system_options(*verb, options->build);
    verb->add_flag("--strict", options->strict, "Warnings are errors, and so is what would be ignored");
    add_against_options(*verb, options->against);
    add_mutate_options(*verb, options->build, options->mutate);
    verb->footer(
        "Examples: tandem check examples/two_mass\n"
        "          tandem check hydraulics.fmu --against config/excavator/hydraulics_interface.ssd\n"
        "          tandem check examples/two_mass --against two_mass_interface.ssd --mutate='left.*'");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return check(*options); }; });
}

}  // namespace master::verbs
