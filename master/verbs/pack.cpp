#include "master/base/atomic_file.hpp"
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
    std::filesystem::path source, machine, mapping, out;
};

void pack(const PackOptions& options, base::Diagnostics& diagnostics) {
    const bool from_unit = !options.machine.empty() || !options.mapping.empty();
    const auto out =
        options.out.empty() && !from_unit ? std::filesystem::path(short_name(options.source) + ".ssp") : options.out;
    if (out.empty())
        throw base::Error("usage", options.mapping.empty() ? "pack --machine" : "pack --mapping",
                          "expected -o FILE.fmu, the unit to be written");
    base::refuse_to_replace(out, {from_unit ? ".fmu" : ".ssp"});
    if (!options.machine.empty())
        fmi::pack_machine(options.source, options.machine, out);
    else if (!options.mapping.empty())
        fmi::pack_mapping(options.source, options.mapping, out, diagnostics);
    else
        ssp::pack(options.source, out, diagnostics);
    print_out(fmt::format("{}\n", out.string()));
}

}  // namespace

void add_pack(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<PackOptions>();
    CLI::App* verb =
        app.add_subcommand("pack", "Write a folder with a system as one .ssp, or a unit for another machine or bus");
    verb->add_option("source", options->source,
                     "Folder with SystemStructure.ssd, or an FMU made for a machine or a bus")
        ->required()
        ->type_name("FOLDER|FMU");
    verb->add_option("--machine", options->machine, "Put this machine into the FMU and describe it anew")
        ->type_name("FILE.urdf");
    verb->add_option(
            "--mapping", options->mapping,
            "Put this mapping of CAN signals, with its DBC file or its EDS files, into the FMU and describe it anew")
        ->type_name("FILE.xml")
        ->excludes("--machine");
    verb->add_option("-o,--out", options->out, "FILE.ssp (default NAME.ssp), or with --machine or --mapping FILE.fmu");
    verb->footer(
        "Examples: tandem pack examples/two_mass -o two_mass.ssp\n"
        "          tandem pack --machine crane.urdf kinematics.fmu -o crane_kinematics.fmu\n"
        "          tandem pack --mapping body.xml can_gateway.fmu -o body_gateway.fmu\n"
        "          tandem pack --mapping nodes.xml can_sensors.fmu -o nodes.fmu");
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
