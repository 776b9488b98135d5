#include "master/fmi/machine_pack.hpp"
#include "master/ssp/write.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

struct PackOptions {
    std::filesystem::path source, machine, out;
};

void pack(const PackOptions& options, base::Diagnostics& diagnostics) {
    const bool for_machine = !options.machine.empty();
    const auto out =
        options.out.empty() && !for_machine ? std::filesystem::path(short_name(options.source) + ".ssp") : options.out;
    if (out.empty()) throw base::Error("usage", "pack --machine", "expected -o FILE.fmu, the unit to be written");
    for_machine ? fmi::pack_machine(options.source, options.machine, out) : ssp::pack(options.source, out, diagnostics);
    print_text(fmt::format("{}\n", out.string()));
}

}  // namespace

void add_pack(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<PackOptions>();
    CLI::App* verb =
        app.add_subcommand("pack", "Write a folder with a system as one .ssp, or a unit for another machine");
    verb->add_option("source", options->source, "Folder with SystemStructure.ssd, or an FMU made for a machine")
        ->required()
        ->type_name("FOLDER|FMU");
    verb->add_option("--machine", options->machine, "Put this machine into the FMU and describe it anew")
        ->type_name("FILE.urdf");
    verb->add_option("-o,--out", options->out, "FILE.ssp (default NAME.ssp), or with --machine FILE.fmu");
    verb->footer(
        "Examples: tandem pack examples/two_mass -o two_mass.ssp\n"
        "          tandem pack --machine crane.urdf kinematics.fmu -o crane_kinematics.fmu");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            base::Diagnostics diagnostics;
            return guarded(console, diagnostics, [&] {
                pack(*options, diagnostics);
                return base::Exit::ok;
            });
        };
    });
}

}  // namespace master::verbs
