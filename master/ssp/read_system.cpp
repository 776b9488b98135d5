#include "master/ssp/read_system.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/values.hpp"
#include "master/ssp/dictionary.hpp"
#include "master/ssp/parameters.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace master::ssp {
namespace {

// Far beyond any real system; a file that refers to itself, or doubles with every level, ends here.
constexpr std::size_t deepest = 64;
constexpr std::size_t most_elements = 1'000'000;

enum class ComponentType : std::uint8_t { fmu, table, system, unknown };

ComponentType component_type(std::string_view type, std::string_view source) {
    if (type == "application/x-fmu-sharedlibrary") return ComponentType::fmu;
    if (type == "text/csv") return ComponentType::table;
    if (type == "application/x-ssp-definition" || type == "application/x-ssp-package") return ComponentType::system;
    if (!type.empty()) return ComponentType::unknown;
    // The default is an FMU; a file name that says otherwise is believed, since it cannot be one.
    source = source.substr(0, source.find('#'));
    if (source.ends_with(".csv")) return ComponentType::table;
    if (source.ends_with(".ssd") || source.ends_with(".ssp")) return ComponentType::system;
    return ComponentType::fmu;
}

class Depth {
public:
    Depth(std::size_t& depth, const std::string& where) : depth_(depth) {
        if (depth_ >= deepest)
            throw base::Error("nesting", where,
                              "systems are nested more than " + std::to_string(deepest) +
                                  " levels deep; does a file refer to itself?");
        ++depth_;
    }
    ~Depth() { --depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

private:
    std::size_t& depth_;
};

pugi::xml_node find_system(pugi::xml_node root, const std::string& id) {
    return root.find_node([&](pugi::xml_node node) {
        return id == node.attribute("id").value() && base::is(node, base::Space::description, "System");
    });
}

Element element_at(pugi::xml_node node, Element::Form form, const base::Page& page) {
    Element element;
    element.form = form;
    element.name = page.required(node, "name");
    element.where = page.where(node);
    return element;
}

/// libcosim's `proxyfmu://localhost?file=x.fmu` asks for a unit in a process of its own.
std::string local_source(pugi::xml_node node, base::Page& page) {
    std::string source = node.attribute("source").value();
    const std::size_t file = source.find("?file=");
    if (!source.starts_with("proxyfmu:") || file == std::string::npos) return source;
    page.ignored(node, "proxyfmu", "source '" + source + "' asks for another process; the unit runs in this one");
    return source.substr(file + std::string_view("?file=").size());
}

std::string lower(std::string_view text) {
    std::string result(text);
    std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return result;
}

std::string implementation_of(pugi::xml_node node, base::Page& page) {
    static constexpr std::array<std::string_view, 4> known{"any", "CoSimulation", "ModelExchange",
                                                           "ScheduledExecution"};
    std::string written = node.attribute("implementation").as_string("any");
    for (const std::string_view name : known) {
        if (written == name || lower(written) != lower(name)) continue;
        page.ignored(
            node, "implementation",
            "implementation '" + written + "' is read as '" + std::string(name) + "'; the case matters in SSP");
        return std::string(name);
    }
    return written;
}

std::set<std::string> names_of(const std::vector<Element>& elements) {
    std::set<std::string> names;
    for (const Element& element : elements) names.insert(element.name);
    return names;
}

}  // namespace

Element SystemReader::read_file(const SystemFile& system_file, RootFacts* facts) {
    const base::Document document(system_file.file, system_file.shown);
    document.expect_root(base::Space::description, "SystemStructureDescription");
    const Depth depth(depth_, document.where(document.root()));
    base::Page page(document, diagnostics_);
    File file{system_file, document, page, read_definitions(document.root(), base::Space::description, page)};
    read_root(document.root(), file, facts);

    pugi::xml_node system = base::child(document.root(), base::Space::description, "System");
    if (!system)
        throw base::Error("missing-element", document.where(document.root()), "no 'System' in the system description");
    if (!system_file.fragment.empty()) {
        system = find_system(document.root(), system_file.fragment);
        if (!system)
            throw base::Error("missing-element", document.where(document.root()),
                              "no system with id '" + system_file.fragment + "' in this file");
    }
    if (facts != nullptr) {
        read_master_annotations(system, page, facts->settings);
        facts->definitions = file.definitions;
    }
    return read_system(system, file, facts != nullptr);
}

void SystemReader::read_root(pugi::xml_node root, File& file, RootFacts* facts) {
    file.page.check_attributes(root, {"version", "name"});
    const std::string version = file.page.required(root, "version");
    if (!version.empty() && version != "1.0" && version != "2.0")
        file.page.ignored(root, "version", "version is '" + version + "', expected 1.0 or 2.0; read as 2.0");
    const pugi::xml_node experiment = base::child(root, base::Space::description, "DefaultExperiment");
    for (const pugi::xml_node node : root.children()) {
        static constexpr std::array<std::string_view, 4> read_here{"System", "Enumerations", "Units",
                                                                   "DefaultExperiment"};
        const bool known = base::space_of(node) == base::Space::description &&
                           std::ranges::find(read_here, base::local_name(node)) != read_here.end();
        if (!known) file.page.unknown_child(node);
    }
    if (facts == nullptr) {
        if (experiment)
            file.page.ignored(experiment, "DefaultExperiment",
                              "the DefaultExperiment of a nested system is not honoured");
        return;
    }
    facts->name = root.attribute("name").value();
    facts->version = version;
    read_master_annotations(root, file.page, facts->settings);
    if (!experiment) return;
    file.page.check_attributes(experiment, {"startTime", "stopTime"});
    for (const char* attribute : {"startTime", "stopTime"}) (void)file.page.number(experiment, attribute, 0);
    facts->start = base::trimmed(experiment.attribute("startTime").value());
    facts->stop = base::trimmed(experiment.attribute("stopTime").value());
    facts->experiment_where = file.page.where(experiment);
    read_master_annotations(experiment, file.page, facts->settings);
}

Element SystemReader::read_system(pugi::xml_node node, File& file, bool root) {
    const Depth depth(depth_, file.page.where(node));
    file.page.check_attributes(node, {"name"});
    if (!root) report_annotations(node, file.page);
    Element system = element_at(node, Element::Form::system, file.page);
    for (const pugi::xml_node part : node.children()) {
        static constexpr std::array<std::string_view, 5> read_here{"Connectors", "ParameterBindings", "Elements",
                                                                   "Connections", "SignalDictionaries"};
        const bool known = base::space_of(part) == base::Space::description &&
                           std::ranges::find(read_here, base::local_name(part)) != read_here.end();
        if (!known) file.page.unknown_child(part);
    }
    read_connectors(node, file, system);
    system.parameters = read_bindings(
        node, {.place = file.file.place, .definitions = file.definitions, .component = {}, .files = parameter_files},
        file.page);
    read_dictionaries(node, file, system);
    for (const pugi::xml_node elements : base::children(node, base::Space::description, "Elements"))
        read_elements(elements, file, system);
    for (const pugi::xml_node connections : base::children(node, base::Space::description, "Connections"))
        read_connections(connections, file, system);
    if (!root) read_nested_annotations(node, file.page, system);
    return system;
}

void SystemReader::read_elements(pugi::xml_node elements, File& file, Element& system) {
    std::set<std::string> names = names_of(system.elements);
    for (const pugi::xml_node node : elements.children()) {
        const bool component = base::is(node, base::Space::description, "Component");
        const bool nested = base::is(node, base::Space::description, "System");
        const bool reference = base::is(node, base::Space::description, "SignalDictionaryReference");
        if (!component && !nested && !reference) {
            file.page.unknown_child(node);
            continue;
        }
        if (++elements_ > most_elements)
            throw base::Error("nesting", file.page.where(node),
                              "more than " + std::to_string(most_elements) + " elements");
        try {
            Element element = component ? read_component(node, file)
                              : nested  ? read_system(node, file, false)
                                        : read_reference(node, file);
            if (element.name.empty()) file.page.error("missing-attribute", node, "an element's name must not be empty");
            if (!names.insert(element.name).second)
                file.page.error("duplicate-name", node,
                                "a second element '" + element.name + "' in system '" + system.name + "'");
            system.elements.push_back(std::move(element));
        } catch (const base::Error& error) {
            if (error.code() == "nesting") throw;
            diagnostics_.error(error.code(), error.where(), error.what());
            // Stands in for what could not be read, so that connections to it are not reported as unknown, too.
            system.elements.push_back(element_at(node, Element::Form::component, file.page));
            system.elements.back().component.kind = ComponentKind::interface_only;
        }
    }
}

Element SystemReader::read_component(pugi::xml_node node, File& file) {
    file.page.check_attributes(node, {"name", "type", "source", "implementation"});
    const std::string source = local_source(node, file.page);
    const std::string type = node.attribute("type").value();
    const ComponentType kind = component_type(type, source);
    if (kind == ComponentType::unknown)
        throw base::Error("bad-value", file.page.where(node),
                          "component type is '" + type + "', expected application/x-fmu-sharedlibrary, text/csv, " +
                              "application/x-ssp-definition or application/x-ssp-package");
    const bool has_source = !node.attribute("source").empty();
    if (has_source && source.empty())
        throw base::Error("bad-source", file.page.where(node),
                          "source is empty; leave it out for a component without an implementation");
    if (kind == ComponentType::system && has_source) return read_subsystem(node, source, file);

    Element element = element_at(node, Element::Form::component, file.page);
    element.component.where = element.where;
    element.component.implementation = implementation_of(node, file.page);
    element.component.kind = !has_source                    ? ComponentKind::interface_only
                             : kind == ComponentType::table ? ComponentKind::table
                                                            : ComponentKind::fmu;
    for (const pugi::xml_node part : node.children())
        if (!base::is(part, base::Space::description, "Connectors") &&
            !base::is(part, base::Space::description, "ParameterBindings"))
            file.page.unknown_child(part);
    read_connectors(node, file, element);
    read_component_annotations(node, file.page, element.component);
    // A missing file must not hide the component: connections to it would be reported as unknown, too.
    try {
        if (has_source) {
            Located located = locate(source, file.file.place, element.where);
            element.component.source = std::move(located.file);
            element.component.shown = std::move(located.shown);
        }
    } catch (const base::Error& error) {
        diagnostics_.error(error.code(), error.where(), error.what());
    }
    element.parameters = read_bindings(node,
                                       {.place = file.file.place,
                                        .definitions = file.definitions,
                                        .component = element.component.source,
                                        .files = parameter_files},
                                       file.page);
    return element;
}

Element SystemReader::read_subsystem(pugi::xml_node node, const std::string& source, File& file) {
    const std::string where = file.page.where(node);
    const Depth depth(depth_, where);
    Element system;
    std::filesystem::path component_source;
    if (source.starts_with('#')) {
        const pugi::xml_node same = find_system(file.document.root(), percent_decoded(source.substr(1)));
        if (!same)
            throw base::Error("missing-element", where, "no system with id '" + source.substr(1) + "' in this file");
        system = read_system(same, file, false);
    } else {
        const Located located = locate(source, file.file.place, where);
        component_source = located.file;
        const bool package = located.file.extension() == ".ssp";
        SystemFile inner;
        if (package) {
            const bool names_file = located.fragment.ends_with(".ssd");
            inner = open(located.file, located.shown, names_file ? located.fragment : std::string{});
            if (!names_file) inner.fragment = located.fragment;
        } else {
            const std::filesystem::path shown(located.shown);
            inner = {.file = located.file,
                     .shown = located.shown,
                     .place = {.folder = located.file.parent_path(),
                               .shown = shown.parent_path().string(),
                               .confined_to = file.file.place.confined_to},
                     .fragment = located.fragment};
        }
        system = read_file(inner, nullptr);
    }
    system.name = file.page.required(node, "name");
    system.where = where;
    // Bindings of the component count as if they stood last in the referenced system (SSP, ParameterBindings).
    std::vector<Parameter> bound = read_bindings(node,
                                                 {.place = file.file.place,
                                                  .definitions = file.definitions,
                                                  .component = component_source,
                                                  .files = parameter_files},
                                                 file.page);
    std::ranges::move(bound, std::back_inserter(system.parameters));
    report_annotations(node, file.page);
    return system;
}

Element SystemReader::read_reference(pugi::xml_node node, File& file) {
    file.page.check_attributes(node, {"name", "dictionary"});
    report_annotations(node, file.page);
    Element element = element_at(node, Element::Form::reference, file.page);
    element.dictionary = file.page.required(node, "dictionary");
    for (const pugi::xml_node part : node.children())
        if (!base::is(part, base::Space::description, "Connectors")) file.page.unknown_child(part);
    read_connectors(node, file, element);
    return element;
}

void SystemReader::read_connectors(pugi::xml_node node, File& file, Element& element) {
    for (const pugi::xml_node list : base::children(node, base::Space::description, "Connectors")) {
        for (const pugi::xml_node item : list.children()) {
            if (!base::is(item, base::Space::description, "Connector")) {
                file.page.unknown_child(item);
                continue;
            }
            file.page.check_attributes(item, {"name", "kind"});
            Connector connector;
            connector.name = file.page.required(item, "name");
            connector.where = file.page.where(item);
            const std::string kind = file.page.required(item, "kind");
            if (const std::optional<Kind> known = kind_from(kind))
                connector.kind = *known;
            else if (!kind.empty())
                file.page.error("bad-value", item,
                                "connector '" + connector.name + "' has kind '" + kind +
                                    "', expected input, output, parameter, ...");
            read_type(item, file.definitions, file.page, connector);
            read_connector_annotations(item, file.page, connector);
            const std::string name = connector.name;
            if (!element.connectors.add(std::move(connector)))
                file.page.error("duplicate-name", item, "a second connector '" + name + "' of '" + element.name + "'");
        }
    }
}

void SystemReader::read_connections(pugi::xml_node connections, File& file, Element& system) {
    const std::set<std::string> names = names_of(system.elements);
    for (const pugi::xml_node node : connections.children()) {
        if (!base::is(node, base::Space::description, "Connection")) {
            file.page.unknown_child(node);
            continue;
        }
        file.page.check_attributes(node, {"startElement", "startConnector", "startIndices", "endElement",
                                          "endConnector", "endIndices", "suppressUnitConversion"});
        for (const pugi::xml_node part : node.children())
            if (!is_transformation(part)) file.page.unknown_child(part);
        RawConnection connection;
        connection.start = {node.attribute("startElement").value(), file.page.required(node, "startConnector"),
                            read_indices(node, "startIndices", file.page)};
        connection.end = {node.attribute("endElement").value(), file.page.required(node, "endConnector"),
                          read_indices(node, "endIndices", file.page)};
        connection.hop = {.transformation = read_transformation(node, file.page),
                          .unit = {},
                          .suppress_unit_conversion = file.page.flag(node, "suppressUnitConversion", false),
                          .where = file.page.where(node)};
        read_connection_annotations(node, file.page, connection);
        bool known = true;
        for (const RawConnection::End* end : {&connection.start, &connection.end}) {
            if (end->element.empty() || names.contains(end->element)) continue;
            const std::vector<std::string> candidates(names.begin(), names.end());
            file.page.error("unknown-name", node,
                            "no element '" + end->element + "' in system '" + system.name + "'" +
                                base::did_you_mean(end->element, candidates));
            known = false;
        }
        if (known) system.connections.push_back(std::move(connection));
    }
}

void SystemReader::read_dictionaries(pugi::xml_node node, File& file, Element& system) {
    for (const pugi::xml_node item : base::children(base::child(node, base::Space::description, "SignalDictionaries"),
                                                    base::Space::description, "SignalDictionary")) {
        file.page.check_attributes(item, {"name", "source", "type"});
        Dictionary dictionary{.name = file.page.required(item, "name"), .entries = {}};
        try {
            dictionary.entries =
                item.attribute("source")
                    ? read_dictionary(locate(item.attribute("source").value(), file.file.place, file.page.where(item)),
                                      file.definitions, diagnostics_)
                    : read_entries(base::child(item, base::Space::dictionary, "SignalDictionary"), file.definitions,
                                   file.page);
        } catch (const base::Error& error) {
            diagnostics_.error(error.code(), error.where(), error.what());
        }
        system.dictionaries.push_back(std::move(dictionary));
    }
}

}  // namespace master::ssp
