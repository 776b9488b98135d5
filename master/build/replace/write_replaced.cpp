#include "master/build/replace/write_replaced.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/document.hpp"
#include "master/base/xml/spaces.hpp"
#include "master/base/xml/values.hpp"
#include "master/build/replace/flow.hpp"
#include "master/build/resolve/well_known_units.hpp"
#include "master/core/value_text.hpp"
#include "master/fmi/fmu.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <pugixml.hpp>
#include <set>
#include <sstream>

namespace master::build {
namespace {

namespace fs = std::filesystem;
using base::Space;

constexpr const char* old_inside = "old";

/// The file behind a system that is written out as plain text.
fs::path description_file(const BuildOptions& options) {
    if (options.system.extension() == ".ssd" && options.variant.empty()) return options.system;
    if (fs::is_directory(options.system)) {
        const std::string variant = options.variant.empty() ? "SystemStructure" : options.variant;
        return options.system / (variant.ends_with(".ssd") ? variant : variant + ".ssd");
    }
    throw base::Error(
        "usage", "--write",
        fmt::format("'{}' is no .ssd or folder: unpack an .ssp, and name the folder", options.system.string()));
}

/// A path as an XML source attribute has it.
std::string as_source(const fs::path& path) {
    std::string result;
    for (const char c : path.generic_string()) {
        if (c == ' ' || c == '%' || c == '#' || c == '?')
            result += fmt::format("%{:02X}", static_cast<unsigned>(c));
        else
            result += c;
    }
    return result;
}

class SystemWriter {
public:
    SystemWriter(const BuildOptions& options, const fs::path& target)
        : file_(description_file(options)), folder_(fs::absolute(target).parent_path().lexically_normal()) {
        const std::string text = base::file_content(file_, file_.string());
        if (!document_.load_string(text.c_str(), pugi::parse_default | pugi::parse_comments | pugi::parse_declaration))
            throw base::Error("malformed-xml", file_.string(), "is no XML");
        root_ = document_.document_element();
        const fs::path from = fs::absolute(file_).parent_path().lexically_normal();
        if (from != folder_) move_sources(root_, from.lexically_relative(folder_));
    }

    void replace(const Replaced& replaced) {
        const std::string& path = replaced.component;
        component_ = find(base::child(root_, Space::description, "System"), path);
        if (!component_)
            throw base::Error(
                "usage", "--write",
                fmt::format("component '{}' is not in {} itself but in a file that it names", path, file_.string()));
        replaced_ = &replaced;
        ssd_ = prefix_of(component_);
        system_ = component_.parent().insert_child_before(pugi::node_element, component_);
        system_.set_name((ssd_ + "System").c_str());
        system_.append_attribute("name") = component_.attribute("name").value();
        ssc_ = common_prefix();
        add_connectors();
        move_bindings();
        pugi::xml_node elements = element(system_, "Elements");
        if (replaced.adapter.keeps_old_unit()) add_old(elements);
        add_unit(elements);
        add_connections();
        replace_constants();
        reorder();
        component_.parent().remove_child(component_);
    }

    [[nodiscard]] std::string text() const {
        std::ostringstream stream;
        document_.save(stream, "  ", pugi::format_default, pugi::encoding_utf8);
        return stream.str();
    }

private:
    [[nodiscard]] static std::string prefix_of(pugi::xml_node node) {
        const std::string_view prefix = base::prefix_of(node);
        return prefix.empty() ? std::string{} : std::string(prefix) + ":";
    }

    /// A plain prefix move: sources are URIs, and what they name stays where it is.
    static void move_sources(pugi::xml_node node, const fs::path& way) {
        pugi::xml_attribute source = node.attribute("source");
        const std::string_view text = source.value();
        const bool relative = !text.empty() && text.front() != '/' && text.find("://") == std::string_view::npos &&
                              !text.starts_with("file:");
        const std::string_view base = node.attribute("sourceBase").value();
        if (relative && base != "component") source.set_value((as_source(way) + "/" + std::string(text)).c_str());
        for (const pugi::xml_node inner : node.children()) move_sources(inner, way);
    }

    [[nodiscard]] static pugi::xml_node find(pugi::xml_node system, std::string_view path) {
        const pugi::xml_node elements = base::child(system, Space::description, "Elements");
        for (const pugi::xml_node node : elements.children()) {
            const std::string_view name = node.attribute("name").value();
            if (base::is(node, Space::description, "Component") && name == path) return node;
            if (!base::is(node, Space::description, "System") || !path.starts_with(std::string(name) + ".")) continue;
            if (const pugi::xml_node found = find(node, path.substr(name.size() + 1))) return found;
        }
        return {};
    }

    [[nodiscard]] std::string common_prefix() {
        constexpr std::string_view declared = "xmlns:";
        for (const pugi::xml_attribute attribute : root_.attributes()) {
            const std::string_view name = attribute.name();
            if (name.starts_with(declared) && attribute.value() == base::address_of(Space::common))
                return std::string(name.substr(declared.size())) + ":";
        }
        root_.append_attribute("xmlns:ssc") = std::string(base::address_of(Space::common)).c_str();
        return "ssc:";
    }

    [[nodiscard]] pugi::xml_node element(pugi::xml_node parent, const std::string& name) const {
        return parent.append_child((ssd_ + name).c_str());
    }

    [[nodiscard]] const core::Variable& before(const Partner& partner) const {
        return replaced_->old_info.variables[partner.before.variable];
    }
    [[nodiscard]] const core::Variable& after(const Partner& partner) const {
        return replaced_->new_info.variables[partner.after.variable];
    }

    static const char* kind_of_connector(const core::Variable& variable) {
        switch (variable.causality) {
            case core::Causality::input:
                return flows_in(variable) ? "input" : "output";
            case core::Causality::parameter:
                return "parameter";
            case core::Causality::structural_parameter:
                return "structuralParameter";
            case core::Causality::calculated_parameter:
                return "calculatedParameter";
            default:
                return "output";
        }
    }

    /// Type, unit and sizes, as far as the version of the file has words for them.
    void declare(pugi::xml_node connectors, const core::Variable& variable, const core::PhysicalUnit* unit) {
        pugi::xml_node connector = element(connectors, "Connector");
        connector.append_attribute("name") = variable.name.c_str();
        connector.append_attribute("kind") = kind_of_connector(variable);
        const char* type = variable.type == core::Type::real      ? "Real"
                           : variable.type == core::Type::boolean ? "Boolean"
                           : variable.type == core::Type::string  ? "String"
                           : variable.enumeration.empty() &&
                                   (variable.type == core::Type::integer || variable.type == core::Type::natural)
                               ? "Integer"
                               : nullptr;
        if (type == nullptr) return;
        pugi::xml_node stated = connector.append_child((ssc_ + type).c_str());
        if (unit != nullptr && define(*unit)) stated.append_attribute("unit") = unit->name.c_str();
        if (std::string_view(root_.attribute("version").value()) == "1.0") return;
        for (const std::uint64_t size : variable.dimensions)
            element(connector, "Dimension").append_attribute("size") = size;
    }

    [[nodiscard]] bool wanted(const core::Variable& variable) const {
        return variable.causality != core::Causality::local && variable.causality != core::Causality::independent;
    }

    void add_connectors() {
        pugi::xml_node connectors = element(system_, "Connectors");
        std::set<std::uint32_t> declared;
        const auto add = [&](std::uint32_t index, const core::PhysicalUnit* unit) {
            const core::Variable& variable = replaced_->old_info.variables[index];
            if (wanted(variable) && declared.insert(index).second) declare(connectors, variable, unit);
        };
        for (const Partner& partner : replaced_->adapter.partners)
            add(partner.before.variable, before(partner).type == core::Type::real ? &partner.old_unit : nullptr);
        for (const Lonely& lonely : replaced_->adapter.old_without) {
            if (lonely.row.form == MapRow::Form::constant) continue;
            const core::PhysicalUnit unit =
                unit_of_measure(replaced_->old_info, replaced_->old_info.variables[lonely.part.variable]);
            add(lonely.part.variable, &unit);
        }
    }

    void move_bindings() {
        const pugi::xml_node bindings = base::child(component_, Space::description, "ParameterBindings");
        if (!bindings) return;
        for (const pugi::xml_node binding : bindings.children())
            if (std::string_view(binding.attribute("sourceBase").value()) == "component")
                throw base::Error("usage", "--write",
                                  fmt::format("a parameter set of '{}' lies inside the old FMU: name it by a path",
                                              replaced_->component));
        system_.append_copy(bindings);
    }

    void add_old(pugi::xml_node elements) {
        pugi::xml_node old = elements.append_copy(component_);
        old.attribute("name").set_value(old_inside);
        old.remove_child(base::child(old, Space::description, "ParameterBindings"));
    }

    void add_unit(pugi::xml_node elements) {
        pugi::xml_node unit = element(elements, "Component");
        unit.append_attribute("name") = unit_inside;
        unit.append_attribute("type") = "application/x-fmu-sharedlibrary";
        const fs::path source = fs::absolute(replaced_->after->file()).lexically_normal();
        unit.append_attribute("source") = as_source(source.lexically_proximate(folder_)).c_str();
        pugi::xml_node connectors = element(unit, "Connectors");
        std::set<std::uint32_t> declared;
        const auto add = [&](std::uint32_t index, const std::optional<core::PhysicalUnit>& stated) {
            const core::Variable& variable = replaced_->new_info.variables[index];
            if (!wanted(variable) || !declared.insert(index).second) return;
            const core::PhysicalUnit own = unit_of_measure(replaced_->new_info, variable);
            declare(connectors, variable, stated ? &*stated : &own);
        };
        for (const Partner& partner : replaced_->adapter.partners) add(partner.after.variable, partner.stated_unit);
        for (const Lonely& lonely : replaced_->adapter.new_without) add(lonely.part.variable, {});
        add_held(unit);
        if (const pugi::xml_node annotations = base::child(component_, Space::description, "Annotations"))
            rename_settled(unit.append_copy(annotations));
    }

    /// Values that the map gives to inputs and parameters of the new unit.
    void add_held(pugi::xml_node unit) {
        for (const Lonely& lonely : replaced_->adapter.new_without) {
            if (lonely.row.form != MapRow::Form::constant) continue;
            const core::Variable& variable = replaced_->new_info.variables[lonely.part.variable];
            bind(unit, name_of(replaced_->new_info, lonely.part), lonely.row,
                 unit_of_measure(replaced_->new_info, variable));
        }
    }

    void bind(pugi::xml_node node, const std::string& name, const MapRow& row, const core::PhysicalUnit& own) {
        pugi::xml_node bindings = base::child(node, Space::description, "ParameterBindings");
        if (!bindings) {
            const pugi::xml_node connectors = base::child(node, Space::description, "Connectors");
            bindings = connectors ? node.insert_child_after((ssd_ + "ParameterBindings").c_str(), connectors)
                                  : node.prepend_child((ssd_ + "ParameterBindings").c_str());
        }
        pugi::xml_node set =
            element(element(bindings, "ParameterBinding"), "ParameterValues").append_child("ssv:ParameterSet");
        set.append_attribute("xmlns:ssv") = std::string(base::address_of(Space::values)).c_str();
        set.append_attribute("version") = "1.0";
        set.append_attribute("name") = "held";
        pugi::xml_node parameter = set.append_child("ssv:Parameters").append_child("ssv:Parameter");
        parameter.append_attribute("name") = name.c_str();
        pugi::xml_node value = parameter.append_child("ssv:Real");
        value.append_attribute("value") = core::number_text(row.constant).c_str();
        const core::PhysicalUnit unit = row.unit.empty() ? own : core::PhysicalUnit{.name = row.unit, .exponents = {}};
        if (!define(unit)) return;
        value.append_attribute("unit") = unit.name.c_str();
        // A parameter set has units of its own.
        pugi::xml_node units = set.append_child("ssv:Units");
        write_unit(units, unit);
    }

    void rename_settled(pugi::xml_node annotations) const {
        for (const pugi::xpath_node found : annotations.select_nodes(".//*[local-name()='Settle']")) {
            for (const char* attribute : {"output", "parameter"}) {
                const std::string_view name = found.node().attribute(attribute).value();
                const auto partner = std::ranges::find_if(replaced_->adapter.partners, [&](const Partner& one) {
                    return name_of(replaced_->old_info, one.before) == name;
                });
                if (partner == replaced_->adapter.partners.end()) {
                    found.node().parent().remove_child(found.node());
                    break;
                }
                found.node().attribute(attribute) = name_of(replaced_->new_info, partner->after).c_str();
            }
        }
    }

    void connect(pugi::xml_node connections, std::array<const char*, 2> elements, const VariablePart& first,
                 const core::UnitInfo& first_info, const VariablePart& second, const core::UnitInfo& second_info,
                 Scale scale) {
        pugi::xml_node connection = element(connections, "Connection");
        const auto end = [&](const char* which, const char* name, const VariablePart& part,
                             const core::UnitInfo& info) {
            const std::string prefix = which;
            if (*name != 0) connection.append_attribute((prefix + "Element").c_str()) = name;
            connection.append_attribute((prefix + "Connector").c_str()) = info.variables[part.variable].name.c_str();
            if (part.indices.empty()) return;
            std::string indices;
            for (const std::uint64_t index : part.indices)
                indices += (indices.empty() ? "" : " ") + std::to_string(index);
            connection.append_attribute((prefix + "Indices").c_str()) = indices.c_str();
        };
        end("start", elements[0], first, first_info);
        end("end", elements[1], second, second_info);
        if (scale.identity()) return;
        pugi::xml_node transformation = connection.append_child((ssc_ + "LinearTransformation").c_str());
        transformation.append_attribute("factor") = core::number_text(scale.gain).c_str();
        transformation.append_attribute("offset") = core::number_text(scale.offset).c_str();
    }

    void add_connections() {
        pugi::xml_node connections = element(system_, "Connections");
        const core::UnitInfo& old_info = replaced_->old_info;
        const core::UnitInfo& new_info = replaced_->new_info;
        std::set<std::uint32_t> to_old;
        for (const Partner& partner : replaced_->adapter.partners) {
            const core::Variable& variable = before(partner);
            if (!wanted(variable) || !wanted(after(partner))) continue;
            if (flows_in(variable)) {
                connect(connections, {"", unit_inside}, partner.before, old_info, partner.after, new_info,
                        partner.transform_to_new);
                to_old.insert(partner.before.variable);
            } else {
                connect(connections, {unit_inside, ""}, partner.after, new_info, partner.before, old_info,
                        {partner.gain, partner.offset});
            }
        }
        if (!replaced_->adapter.keeps_old_unit()) return;
        for (const std::uint32_t variable : to_old)
            connect(connections, {"", old_inside}, {variable, {}}, old_info, {variable, {}}, old_info, {});
        for (const Lonely& lonely : replaced_->adapter.old_without) {
            if (lonely.row.form == MapRow::Form::of_old_unit)
                connect(connections, {old_inside, ""}, lonely.part, old_info, lonely.part, old_info, {});
            else if (lonely.row.form == MapRow::Form::none && !to_old.contains(lonely.part.variable))
                connect(connections, {"", old_inside}, lonely.part, old_info, lonely.part, old_info, {});
        }
    }

    /// A constant in place of an output is what its receivers start with; their connections go.
    void replace_constants() {
        const std::string_view name = component_.attribute("name").value();
        const pugi::xml_node outer = system_.parent().parent();
        pugi::xml_node connections = base::child(outer, Space::description, "Connections");
        for (const Lonely& lonely : replaced_->adapter.old_without) {
            const bool gone = lonely.row.form == MapRow::Form::constant || lonely.row.form == MapRow::Form::none;
            if (!gone || replaced_->adapter.keeps_old_unit()) continue;
            const core::Variable& variable = replaced_->old_info.variables[lonely.part.variable];
            for (const pugi::xml_node connection : base::children(connections, Space::description, "Connection")) {
                for (const auto& [here, there] : {std::pair("start", "end"), std::pair("end", "start")}) {
                    const auto value = [&](const char* which, const char* what) {
                        return std::string(connection.attribute((std::string(which) + what).c_str()).value());
                    };
                    if (value(here, "Element") != name || value(here, "Connector") != variable.name) continue;
                    if (lonely.row.form == MapRow::Form::constant)
                        hold(outer, value(there, "Element"), value(there, "Connector"), lonely.row, variable);
                    connections.remove_child(connection);
                    break;
                }
            }
        }
    }

    void hold(pugi::xml_node outer, const std::string& receiver, const std::string& connector, const MapRow& row,
              const core::Variable& variable) {
        if (receiver.empty()) return;
        const pugi::xml_node elements = base::child(outer, Space::description, "Elements");
        for (const pugi::xml_node node : elements.children())
            if (receiver == node.attribute("name").value())
                bind(node, connector, row, unit_of_measure(replaced_->old_info, variable));
    }

    /// The order of the units names components by their paths.
    void reorder() {
        for (const pugi::xpath_node found : root_.select_nodes("//*[local-name()='Master'][@order]")) {
            std::string order;
            for (const std::string_view word : base::words(found.node().attribute("order").value())) {
                if (!order.empty()) order += " ";
                if (word != replaced_->component) {
                    order += word;
                    continue;
                }
                if (replaced_->adapter.keeps_old_unit()) order += std::string(word) + "." + old_inside + " ";
                order += std::string(word) + "." + unit_inside;
            }
            found.node().attribute("order") = order.c_str();
        }
    }

    /// True where the file defines the unit, now at the latest.
    bool define(const core::PhysicalUnit& unit) {
        if (unit.name.empty()) return false;
        pugi::xml_node units = base::child(root_, Space::description, "Units");
        for (const pugi::xml_node known : base::children(units, Space::common, "Unit"))
            if (unit.name == known.attribute("name").value()) return true;
        if (!meaning(unit)) return false;
        if (!units) {
            pugi::xml_node place = base::child(root_, Space::description, "Enumerations");
            if (!place) place = base::child(root_, Space::description, "System");
            units = root_.insert_child_after((ssd_ + "Units").c_str(), place);
        }
        write_unit(units, unit);
        return true;
    }

    [[nodiscard]] static const core::PhysicalUnit* meaning(const core::PhysicalUnit& unit) {
        return unit.exponents ? &unit : well_known_unit(unit.name);
    }

    void write_unit(pugi::xml_node units, const core::PhysicalUnit& unit) const {
        const core::PhysicalUnit* known = meaning(unit);
        if (known == nullptr) return;
        pugi::xml_node node = units.append_child((ssc_ + "Unit").c_str());
        node.append_attribute("name") = unit.name.c_str();
        pugi::xml_node base = node.append_child((ssc_ + "BaseUnit").c_str());
        constexpr std::array names{"kg", "m", "s", "A", "K", "mol", "cd", "rad"};
        for (std::size_t i = 0; i < names.size(); ++i)
            if ((*known->exponents)[i] != 0) base.append_attribute(names[i]) = (*known->exponents)[i];
        if (known->factor != 1) base.append_attribute("factor") = core::number_text(known->factor).c_str();
        if (known->offset != 0) base.append_attribute("offset") = core::number_text(known->offset).c_str();
    }

    fs::path file_, folder_;
    pugi::xml_document document_;
    pugi::xml_node root_, component_, system_;
    const Replaced* replaced_ = nullptr;
    std::string ssd_, ssc_;  // prefixes with their colon
};

}  // namespace

std::string replaced_system(const BuildOptions& options, std::span<const Replaced> replaced, const fs::path& target) {
    SystemWriter writer(options, target);
    for (const Replaced& one : replaced) writer.replace(one);
    return writer.text();
}

}  // namespace master::build
