#include "master/build/inspect.hpp"

#include "master/base/printable.hpp"
#include "master/build/inspect_system.hpp"
#include "master/fmi/library/diagnosis.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

constexpr int longest_trial = 3600;  // s

struct InspectOptions {
    build::BuildOptions build;
    bool json = false, ssv = false, dependencies = false;
    int try_seconds = 0;  // the unit's code is run for at most that long; 0: not at all
};

/// A unit that ends its process in the try-out would do that to a run.
void refuse_dead(const fmi::Diagnosis& diagnosis, const std::filesystem::path& file) {
    for (const fmi::Trial& trial : diagnosis.trials)
        if (trial.died)
            throw base::Error("fmu-crash", file.string(), trial.interface + ": " + trial.why_not, base::Exit::failed);
}

void inspect_fmu(const InspectOptions& options, base::Diagnostics& diagnostics, Console& console) {
    std::optional<fmi::Diagnosis> found;
    try {
        const base::Archive archive(options.build.system);
        const fmi::Fmu fmu(options.build.system, archive, diagnostics);
        if (options.ssv) {
            fmt::print("{}", base::printable_xml(build::parameter_set(fmu.description())));
            return;
        }
        const auto platforms = build::platforms_in(fmu.folder(), fmu.description().version);
        const bool tried = options.try_seconds > 0;
        if (tried)
            console.note(fmt::format("--try runs the code of {}, confined, for at most {} s", fmu.file().string(),
                                     options.try_seconds));
        const fmi::Diagnosis& diagnosis = found.emplace(fmi::diagnose(
            {fmu.file(), fmu.folder(), fmu.description()}, tried ? std::optional(options.try_seconds) : std::nullopt));
        const std::vector<fmi::Terminal> terminals = fmi::read_terminals(fmu.folder(), fmu.file().string());
        if (options.json) {
            print_out(build::inspect_json(fmu.description(), platforms, &diagnosis, terminals));
        } else {
            print_out(fmt::format(
                "{}{}{}{}", build::inspect_text(fmu.description(), platforms), build::terminals_text(terminals),
                options.dependencies ? build::dependencies_text(fmu.description()) : "", fmi::text_of(diagnosis)));
        }
    } catch (const base::Error& error) {
        if (options.json) print_out(build::inspect_json(error));
        throw;
    }
    if (found) refuse_dead(*found, options.build.system);
}

void inspect_system(const InspectOptions& options, base::Diagnostics& diagnostics) {
    const build::Parts parts = build::read_parts(options.build, diagnostics, false);
    print_out(options.json ? build::inspect_json(parts) : build::inspect_text(parts));
}

}  // namespace

void add_inspect(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* verb = app.add_subcommand("inspect", "What an FMU or a system is made of");
    verb->add_option("file", options->build.system, ".fmu, .ssp, folder or .ssd")->required()->type_name("FILE");
    verb->add_option("--variant", options->build.variant, "Another .ssd at the root of the .ssp or folder");
    verb->add_flag("--dependencies", options->dependencies, "Of an FMU: what each output depends on (always in JSON)");
    verb->add_flag("--try{30}", options->try_seconds,
                   "Of an FMU: run its code, confined, in a process of its own for at most 30 s, or --try=SECONDS");
    verb->add_flag("--json", options->json, "As JSON");
    verb->add_flag("--ssv", options->ssv, "Of an FMU: a parameter set with all parameters and their values");
    verb->footer("Example: tandem inspect pump.fmu --ssv > pump.ssv");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            base::Diagnostics diagnostics;
            return guarded(console, diagnostics, [&] {
                const bool fmu = options->build.single_fmu();
                if (options->ssv && !fmu) throw base::Error("usage", "", "--ssv needs an .fmu");
                if (options->try_seconds != 0 && !fmu) throw base::Error("usage", "", "--try needs an .fmu");
                if (options->try_seconds < 0 || options->try_seconds > longest_trial)
                    throw base::Error("usage", "",
                                      fmt::format("--try={}: expected 1 to {} s", options->try_seconds, longest_trial));
                fmu ? inspect_fmu(*options, diagnostics, console) : inspect_system(*options, diagnostics);
                return diagnostics.has_errors() ? base::Exit::bad_input : base::Exit::ok;
            });
        };
    });
}

}  // namespace master::verbs
