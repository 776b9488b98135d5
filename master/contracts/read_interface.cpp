#include "master/contracts/read_interface.hpp"

#include "master/base/error.hpp"
#include "master/build/physical_units.hpp"
#include "master/build/timing.hpp"
#include "master/core/value_text.hpp"
#include "master/fmi/library/refusals.hpp"
#include "master/ssp/dictionary.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace master::contracts {
namespace {

namespace fs = std::filesystem;

std::string standard_type(const std::string& type) {
    if (type == "Real") return "Float64";
    return type == "Integer" ? "Int32" : type;
}

std::string standard_platform(const std::string& folder) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 5> fmi2{{{"linux64", "x86_64-linux"},
                                                                                        {"linux32", "x86-linux"},
                                                                                        {"win64", "x86_64-windows"},
                                                                                        {"win32", "x86-windows"},
                                                                                        {"darwin64", "x86_64-darwin"}}};
    const auto found = std::ranges::find(fmi2, folder, &std::pair<std::string_view, std::string_view>::first);
    return found == fmi2.end() ? folder : std::string(found->second);
}

UnitFacts facts_of(const fmi::Fmu& fmu, fmi::Interface kind) {
    const fmi::ModelDescription& description = fmu.description();
    const fmi::InterfaceDescription& interface = description.interface(kind);
    UnitFacts facts{.fmi_version = description.version == fmi::Version::fmi2 ? "2.0" : "3.0",
                    .platforms = {},
                    .missing_binary = fmi::missing_binary(fmu.folder(), description, interface),
                    .can = interface.can,
                    .event_mode = interface.has_event_mode || kind == fmi::Interface::model_exchange,
                    .standalone = !interface.can.needs_execution_tool};
    if (kind == fmi::Interface::model_exchange) facts.can.variable_step = true;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(fmu.folder() / "binaries", ignored))
        facts.platforms.push_back(standard_platform(entry.path().filename().string()));
    std::ranges::sort(facts.platforms);
    return facts;
}

Entry entry_of(const core::UnitInfo& info, std::uint32_t index, const std::string& where) {
    const core::Variable& variable = info.variables[index];
    Entry entry{.name = variable.name,
                .other_names = variable.alias_names,
                .kind = ssp::kind_of(variable.causality),
                .type = standard_type(variable.declared_type),
                .implemented = true,
                .where = where};
    for (const std::uint64_t extent : variable.dimensions) entry.dimensions.emplace_back(extent);
    if (!variable.unit.empty()) {
        const auto found = std::ranges::find(info.units, variable.unit, &core::PhysicalUnit::name);
        entry.unit = found == info.units.end() ? core::PhysicalUnit{.name = variable.unit, .exponents = {}} : *found;
    }
    if (variable.declared_type == "Enumeration") {
        const auto found = std::ranges::find(info.enumerations, variable.enumeration, &core::Enumeration::name);
        if (found != info.enumerations.end()) entry.enumeration = *found;
    }
    entry.contract.minimum = variable.minimum;
    entry.contract.maximum = variable.maximum;
    entry.contract.nominal = variable.nominal;
    entry.contract.variability = core::name_of(variable.variability);
    if (variable.start) entry.contract.start = core::value_text(*variable.start);
    const auto unknown = std::ranges::find(info.outputs, index, &core::Unknown::variable);
    if (unknown != info.outputs.end() && unknown->dependencies) {
        entry.dependencies.emplace();
        for (const std::uint32_t other : *unknown->dependencies)
            if (info.variables[other].causality == core::Causality::input)
                entry.dependencies->push_back(info.variables[other].name);
    }
    return entry;
}

void scale(std::optional<double>& value, const build::Scale& by) {
    if (value) value = by(*value);
}

/// What a system says about a variable counts before what its FMU says.
void overlay(Entry& entry, const ssp::Connector& connector) {
    entry.where = connector.where;
    if (connector.kind != ssp::Kind::unspecified) entry.kind = connector.kind;
    if (!connector.type.empty()) entry.type = standard_type(connector.type);
    if (connector.enumeration && !connector.enumeration->items.empty()) entry.enumeration = connector.enumeration;
    if (!connector.dimensions.empty()) {
        entry.dimensions.clear();
        for (const ssp::Extent& extent : connector.dimensions) entry.dimensions.push_back(extent.size);
    }
    ssp::Contract& own = entry.contract;
    if (connector.unit) {
        const build::UnitConversion conversion =
            build::convert({entry.unit.value_or(*connector.unit)}, {*connector.unit});
        if (!conversion.scale.identity()) {
            scale(own.minimum, conversion.scale);
            scale(own.maximum, conversion.scale);
            if (own.nominal) *own.nominal *= std::abs(conversion.scale.gain);
            own.start.reset();
        }
        entry.unit = connector.unit;
    }
    if (!connector.contract) return;
    const ssp::Contract stated = own;
    own = *connector.contract;
    const auto keep = [](auto& wanted, const auto& otherwise) {
        if (!wanted) wanted = otherwise;
    };
    keep(own.minimum, stated.minimum);
    keep(own.maximum, stated.maximum);
    keep(own.nominal, stated.nominal);
    keep(own.start, stated.start);
    if (own.variability.empty()) own.variability = stated.variability;
}

Entry entry_of(const ssp::Connector& connector) {
    Entry entry{.name = connector.name};
    overlay(entry, connector);
    if (entry.contract.depends_on) entry.dependencies = entry.contract.depends_on;
    return entry;
}

bool is_interface(ssp::Kind kind) { return kind != ssp::Kind::local && kind != ssp::Kind::unspecified; }

Element element_of(const ssp::Component& component, const build::Parts::Component& part) {
    Element element{.name = component.name, .entries = {}, .where = component.where};
    element.requirements = component.requirements;
    element.step = component.step;
    if (part.fmu != nullptr) element.unit = facts_of(*part.fmu, part.interface);
    std::vector<const ssp::Connector*> left;
    for (const ssp::Connector& connector : component.connectors) left.push_back(&connector);
    if (part.info != nullptr) {
        for (std::uint32_t i = 0; i < part.info->variables.size(); ++i) {
            Entry entry = entry_of(*part.info, i, component.shown);
            const auto declared = std::ranges::find(left, entry.name, [](const auto* item) { return item->name; });
            if (declared == left.end() && !is_interface(entry.kind)) continue;
            if (declared != left.end()) {
                overlay(entry, **declared);
                left.erase(declared);
            }
            element.entries.push_back(std::move(entry));
        }
    }
    for (const ssp::Connector* connector : left) element.entries.push_back(entry_of(*connector));
    return element;
}

/// With what an FMU would be stepped if nobody says otherwise.
std::optional<base::Fraction> step_of(const core::UnitInfo& info) {
    const std::string& text = info.fixed_internal_step.empty() ? info.experiment.step : info.fixed_internal_step;
    const auto step = base::simplest_fraction(text);
    return step && step->numerator > 0 ? step : std::nullopt;
}

void add_steps(Interface& interface, const build::Parts& parts, const build::BuildOptions& options,
               base::Diagnostics& diagnostics) {
    if (options.single_fmu()) {
        interface.elements.front().step = step_of(*parts.components.front().info);
        return;
    }
    if (interface.form != Interface::Form::system) return;
    const build::Timing timing = build::make_timing(parts, options, diagnostics);
    for (std::size_t i = 0; i < parts.components.size(); ++i) {
        const auto element =
            std::ranges::find(interface.elements, parts.description.components[i].name, &Element::name);
        if (element != interface.elements.end()) element->step = timing.timebase.fraction(timing.periods[i]);
    }
}

Interface read_system(const fs::path& file, base::Diagnostics& diagnostics) {
    build::BuildOptions options;
    options.system = file;
    const build::Parts parts = build::read_parts(options, diagnostics, false);
    diagnostics.throw_if_errors();
    Interface interface = interface_of(parts, file);
    add_steps(interface, parts, options, diagnostics);
    return interface;
}

Interface read_dictionary(const fs::path& file, base::Diagnostics& diagnostics) {
    Interface interface {
        .form = Interface::Form::dictionary, .file = file.string(), .elements = {}
    };
    Element element{.name = "", .entries = {}, .where = file.string()};
    for (const ssp::Connector& connector :
         ssp::read_dictionary({.file = file, .shown = file.string(), .fragment = {}}, {}, diagnostics))
        element.entries.push_back(entry_of(connector));
    interface.elements.push_back(std::move(element));
    return interface;
}

}  // namespace

Interface interface_of(const build::Parts& parts, const fs::path& file) {
    const bool any_unit = std::ranges::any_of(parts.components, [](const auto& part) { return part.info != nullptr; });
    Interface interface {
        .form = file.extension() == ".fmu" ? Interface::Form::unit
                : any_unit                 ? Interface::Form::system
                                           : Interface::Form::specification,
        .file = file.string(), .elements = {}
    };
    if (!parts.description.boundary.empty()) {
        Element outside{.name = "", .entries = {}, .where = parts.description.file.string()};
        for (const ssp::Connector& connector : parts.description.boundary)
            outside.entries.push_back(entry_of(connector));
        interface.elements.push_back(std::move(outside));
    }
    for (std::size_t i = 0; i < parts.components.size(); ++i)
        interface.elements.push_back(element_of(parts.description.components[i], parts.components[i]));
    return interface;
}

Interface read_interface(const fs::path& file, base::Diagnostics& diagnostics) {
    if (!fs::exists(file)) throw base::Error("missing-file", file.string(), "there is no such file or folder");
    const std::string extension = fs::is_directory(file) ? "" : file.extension().string();
    Interface interface = extension == ".dbc" || extension == ".xml" ? read_bus(file, diagnostics)
                          : extension == ".ssb"                      ? read_dictionary(file, diagnostics)
                                                                     : read_system(file, diagnostics);
    diagnostics.throw_if_errors();
    return interface;
}

}  // namespace master::contracts
