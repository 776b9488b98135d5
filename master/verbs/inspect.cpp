#include "master/inspect.hpp"

#include "master/build.hpp"
#include "master/fmi/diagnosis.hpp"
#include "master/json.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/verb.hpp"

#include <fmt/format.h>

namespace master::verbs {
namespace {

struct InspectOptions {
    BuildOptions build;
    bool json = false, ssv = false;
};

/// An FMU that cannot even be read is an answer too, for programs that ask in JSON.
std::string refusal_json(const Error& error) {
    Json document;
    document["runs"] = false;
    document["why"] = error.what();
    document["code"] = error.code();
    return document.text();
}

void inspect_fmu(const InspectOptions& options, Diagnostics& diagnostics) {
    try {
        const fmi::Archive archive(options.build.system);
        const fmi::Fmu fmu(options.build.system, archive, diagnostics);
        if (options.ssv) {
            fmt::print("{}", parameter_set(fmu.description()));
            return;
        }
        const auto platforms = platforms_in(fmu.folder(), fmu.description().version);
        const fmi::Diagnosis diagnosis = fmi::diagnose(fmu.file(), fmu.folder(), fmu.description());
        if (options.json) {
            fmt::print("{}", inspect_json(fmu.description(), platforms, &diagnosis));
        } else {
            fmt::print("{}{}", inspect_text(fmu.description(), platforms), text_of(diagnosis));
        }
    } catch (const Error& error) {
        if (options.json) fmt::print("{}", refusal_json(error));
        throw;
    }
}

std::string kind_of(const UnitInfo* info) {
    if (info == nullptr) return "interface only";
    return info->fmi_version.empty() ? info->interface : "FMI " + info->fmi_version + " " + info->interface;
}

void inspect_system(const InspectOptions& options, Diagnostics& diagnostics) {
    const Parts parts = read_parts(options.build, diagnostics, false);
    if (options.json) {
        Json document;
        document["name"] = parts.description.name;
        for (std::size_t i = 0; i < parts.components.size(); ++i) {
            Json component;
            component["name"] = parts.description.components[i].name;
            component["source"] = parts.description.components[i].source.string();
            component["kind"] = kind_of(parts.components[i].info);
            document["components"].push(std::move(component));
        }
        for (const PlannedWire& wire : parts.plan.wires) document["connections"].push(wire.label);
        for (const BoundaryPort& port : parts.plan.boundary) {
            document[port.input ? "free_inputs" : "outputs"].push(port.name);
        }
        fmt::print("{}", document.text());
        return;
    }
    fmt::print("{}\n\ncomponents\n", parts.description.name);
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        fmt::print("  {:<24} {:<28} {}\n", parts.description.components[i].name, kind_of(parts.components[i].info),
                   parts.description.components[i].source.filename().string());
    }
    fmt::print("\nconnections\n");
    for (const PlannedWire& wire : parts.plan.wires) {
        const bool scaled = wire.gain != 1 || wire.offset != 0;
        fmt::print("  {}{}\n", wire.label, scaled ? fmt::format("   (x {} + {})", wire.gain, wire.offset) : "");
    }
    if (!parts.plan.boundary.empty()) fmt::print("\nfree inputs and outputs\n");
    for (const BoundaryPort& port : parts.plan.boundary) fmt::print("  {} {}\n", port.input ? "in " : "out", port.name);
}

}  // namespace

void add_inspect(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<InspectOptions>();
    CLI::App* verb = app.add_subcommand("inspect", "What an FMU or a system is made of");
    verb->add_option("file", options->build.system, ".fmu, .ssp, folder or .ssd")->required()->type_name("FILE");
    verb->add_flag("--json", options->json, "As JSON");
    verb->add_flag("--ssv", options->ssv, "Of an FMU: a parameter set with all parameters and their values");
    verb->footer("Example: tandem inspect pump.fmu --ssv > pump.ssv");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            Diagnostics diagnostics;
            return guarded(console, diagnostics, [&] {
                const bool fmu = options->build.system.extension() == ".fmu";
                if (options->ssv && !fmu) throw Error("usage", "", "--ssv needs an .fmu");
                fmu ? inspect_fmu(*options, diagnostics) : inspect_system(*options, diagnostics);
                return diagnostics.has_errors() ? Exit::bad_input : Exit::ok;
            });
        };
    });
}

}  // namespace master::verbs
