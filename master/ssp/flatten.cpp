#include "master/ssp/flatten.hpp"

#include "master/ssp/common.hpp"

#include <algorithm>
#include <cassert>
#include <map>
#include <tuple>
#include <unordered_map>

namespace master::ssp {
namespace {

using Indices = std::vector<std::uint64_t>;

constexpr std::size_t longest_path = 1000;

/// A connector of a component, of a system, or an entry of a signal dictionary.
struct Node {
    enum class Form : std::uint8_t { component, system, root, dictionary };
    Form form = Form::system;
    std::uint32_t component = Terminal::boundary;
    const Connector* connector = nullptr;  // null: a component's connector that the file does not declare
    std::string name;                      // of the connector
    std::string label;                     // for messages
    std::vector<std::size_t> outgoing{};   // edges
    std::vector<std::size_t> incoming{};
};

struct Edge {
    std::size_t from = 0, to = 0;
    Indices from_indices, to_indices;
    const RawConnection* connection = nullptr;
};

/// What flows in which direction, seen from inside the system that holds the connection.
enum class Role : std::uint8_t { source, sink, open };

Role opposite(Role role) {
    if (role == Role::open) return role;
    return role == Role::source ? Role::sink : Role::source;
}

Role role_of_element(Kind kind) {
    switch (kind) {
        case Kind::output:
        case Kind::calculated_parameter:
        case Kind::constant:
        case Kind::local:
            return Role::source;
        case Kind::input:
        case Kind::parameter:
        case Kind::structural_parameter:
            return Role::sink;
        case Kind::inout:
        case Kind::unspecified:
            return Role::open;
    }
    return Role::open;
}

bool begins_with(const Indices& all, const Indices& beginning) {
    return beginning.size() <= all.size() && std::equal(beginning.begin(), beginning.end(), all.begin());
}

bool overlap(const Indices& a, const Indices& b) { return begins_with(a, b) || begins_with(b, a); }

std::string joined(const std::string& path, const std::string& name) { return path.empty() ? name : path + "." + name; }

class Flattener {
public:
    Flattener(const Element& root, const KindOf& kind_of, Description& description, base::Diagnostics& diagnostics)
        : root_(root), kind_of_(kind_of), description_(description), diagnostics_(diagnostics) {}

    void run() {
        collect(root_, "", 0);
        connect(root_, "", nullptr);
        if (!has_single_sources()) return;
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            if (nodes_[node].form != Node::Form::component && nodes_[node].form != Node::Form::root) continue;
            for (const Path& path : paths_from(node)) add_connection(path);
        }
        apply_parameters();
    }

private:
    struct Scope {
        const Element* system = nullptr;
        const Scope* outer = nullptr;
        std::unordered_map<std::string_view, const Element*> elements{};
    };
    struct Bound {
        const Element* element = nullptr;
        const Parameter* parameter = nullptr;
        std::size_t depth = 0;
    };
    /// The way from a node along edges; `source_indices` narrow what is taken at its beginning, `indices` say which
    /// part of the node at its end is written.
    struct Path {
        std::vector<std::size_t> edges;
        Indices source_indices;
        Indices indices;
    };

    void collect(const Element& element, const std::string& path, std::size_t depth);
    void connect(const Element& system, const std::string& path, const Scope* outer);
    std::optional<std::size_t> node_of(const RawConnection::End& end, const Element& system, const std::string& path,
                                       const Scope& scope, const std::string& where);
    std::size_t node(const Element* owner, const void* dictionary, const std::string& name, Node prototype);
    [[nodiscard]] Role role(const RawConnection::End& end, std::size_t node, const Element& system) const;
    [[nodiscard]] Role role_in_unit(std::size_t node) const;
    void add_edge(const RawConnection& connection, std::size_t start, std::size_t end, const Element& system);
    void add_unoriented(const RawConnection& connection, std::size_t start, std::size_t end);
    [[nodiscard]] bool has_single_sources() const;
    [[nodiscard]] bool has_single_source(const Node& node) const;
    [[nodiscard]] std::vector<Path> paths_from(std::size_t node) const;
    [[nodiscard]] std::optional<Path> extended(const Path& path, std::size_t edge) const;
    void add_connection(const Path& path);
    [[nodiscard]] std::vector<Hop> hops_of(const Path& path) const;
    [[nodiscard]] Terminal terminal(std::size_t node, Indices indices) const;
    void apply_parameters();
    void apply(const Bound& bound);
    bool apply_in(const Element& element, const Parameter& parameter, const std::string& name);
    bool apply_to_connector(const Element& system, const Connector& connector, const Parameter& parameter);

    const Element& root_;
    const KindOf& kind_of_;
    Description& description_;
    base::Diagnostics& diagnostics_;
    std::map<const Element*, std::uint32_t> component_of_;
    std::vector<Bound> bound_;
    std::vector<Node> nodes_;
    std::vector<Edge> edges_;
    std::map<std::tuple<const Element*, const void*, std::string>, std::size_t> node_of_;
};

void Flattener::collect(const Element& element, const std::string& path, std::size_t depth) {
    for (const Parameter& parameter : element.parameters) bound_.push_back({&element, &parameter, depth});
    if (element.form == Element::Form::component) {
        Component component = element.component;
        component.name = path;
        component.where = element.where;
        component.connectors = element.connectors;
        component_of_[&element] = static_cast<std::uint32_t>(description_.components.size());
        description_.components.push_back(std::move(component));
        return;
    }
    if (&element == &root_) description_.boundary = element.connectors.list();
    for (const Element& inner : element.elements) collect(inner, joined(path, inner.name), depth + 1);
}

void Flattener::connect(const Element& system, const std::string& path, const Scope* outer) {
    Scope scope{.system = &system, .outer = outer};
    for (const Element& inner : system.elements) scope.elements.try_emplace(inner.name, &inner);
    for (const RawConnection& connection : system.connections) {
        const auto start = node_of(connection.start, system, path, scope, connection.hop.where);
        const auto end = node_of(connection.end, system, path, scope, connection.hop.where);
        if (start && end) add_edge(connection, *start, *end, system);
    }
    for (const Element& inner : system.elements)
        if (inner.form == Element::Form::system) connect(inner, joined(path, inner.name), &scope);
}

std::optional<std::size_t> Flattener::node_of(const RawConnection::End& end, const Element& system,
                                              const std::string& path, const Scope& scope, const std::string& where) {
    const Element* owner = &system;
    if (!end.element.empty()) owner = scope.elements.at(end.element);
    const std::string owner_path = end.element.empty() ? path : joined(path, end.element);
    const Connector* connector = owner->connectors.find(end.connector);

    if (owner->form == Element::Form::component)
        return node(owner, nullptr, end.connector,
                    {.form = Node::Form::component,
                     .component = component_of_.at(owner),
                     .connector = connector,
                     .name = end.connector,
                     .label = joined(owner_path, end.connector)});

    if (owner->form == Element::Form::system) {
        if (connector == nullptr) {
            const std::string whose = owner_path.empty() ? "the root system" : "system '" + owner_path + "'";
            diagnostics_.error("unknown-name", where,
                               "no connector '" + end.connector + "' of " + whose +
                                   base::did_you_mean(end.connector, owner->connectors.names()));
            return std::nullopt;
        }
        return node(owner, nullptr, end.connector,
                    {.form = owner == &root_ ? Node::Form::root : Node::Form::system,
                     .connector = connector,
                     .name = end.connector,
                     .label = joined(owner_path, end.connector)});
    }

    for (const Scope* looked = &scope; looked != nullptr; looked = looked->outer) {
        const auto dictionary = std::ranges::find(looked->system->dictionaries, owner->dictionary, &Dictionary::name);
        if (dictionary == looked->system->dictionaries.end()) continue;
        const Connector* entry = dictionary->entries.find(end.connector);
        if (entry == nullptr) {
            diagnostics_.error("unknown-name", where,
                               "no signal '" + end.connector + "' in dictionary '" + owner->dictionary + "'" +
                                   base::did_you_mean(end.connector, dictionary->entries.names()));
            return std::nullopt;
        }
        return node(nullptr, &*dictionary, end.connector,
                    {.form = Node::Form::dictionary,
                     .connector = entry,
                     .name = end.connector,
                     .label = joined(owner->dictionary, end.connector)});
    }
    diagnostics_.error("unknown-name", owner->where,
                       "no signal dictionary '" + owner->dictionary + "' in this or an enclosing system");
    return std::nullopt;
}

std::size_t Flattener::node(const Element* owner, const void* dictionary, const std::string& name, Node prototype) {
    const auto [found, inserted] = node_of_.try_emplace({owner, dictionary, name}, nodes_.size());
    if (inserted) nodes_.push_back(std::move(prototype));
    return found->second;
}

Role Flattener::role(const RawConnection::End& end, std::size_t node, const Element& system) const {
    const Connector* connector = nodes_[node].connector;
    if (nodes_[node].form == Node::Form::dictionary) {
        // A reference may state a direction of its own; the entry itself has none.
        const auto owner = std::ranges::find(system.elements, end.element, &Element::name);
        const Connector* declared = owner->connectors.find(end.connector);
        return declared == nullptr ? Role::open : role_of_element(declared->kind);
    }
    if (connector == nullptr) return Role::open;
    const Role role = role_of_element(connector->kind);
    return end.element.empty() ? opposite(role) : role;
}

/// What the unit behind an undeclared connector says.
Role Flattener::role_in_unit(std::size_t node) const {
    if (nodes_[node].form != Node::Form::component || !kind_of_) return Role::open;
    return role_of_element(kind_of_(description_.components[nodes_[node].component], nodes_[node].name));
}

void Flattener::add_edge(const RawConnection& connection, std::size_t start, std::size_t end, const Element& system) {
    Role start_role = role(connection.start, start, system);
    Role end_role = role(connection.end, end, system);
    const std::string& where = connection.hop.where;
    if (start_role == Role::open && end_role == Role::open) {
        if (nodes_[start].form == Node::Form::component && nodes_[end].form == Node::Form::component)
            return add_unoriented(connection, start, end);
        start_role = role_in_unit(start);
        end_role = role_in_unit(end);
    }
    if (start_role == Role::open && end_role == Role::open) {
        diagnostics_.error("causality", where,
                           "the direction between '" + nodes_[start].label + "' and '" + nodes_[end].label +
                               "' is not known; declare a connector as input or output");
        return;
    }
    if (start_role == end_role) {
        const std::string what =
            start_role == Role::source ? "give a value and none takes it" : "take a value and none gives it";
        diagnostics_.error("causality", where,
                           "'" + nodes_[start].label + "' and '" + nodes_[end].label + "' both " + what);
        return;
    }
    const bool forward = start_role == Role::source || end_role == Role::sink;
    const std::size_t index = edges_.size();
    edges_.push_back(forward ? Edge{start, end, connection.start.indices, connection.end.indices, &connection}
                             : Edge{end, start, connection.end.indices, connection.start.indices, &connection});
    nodes_[edges_.back().from].outgoing.push_back(index);
    nodes_[edges_.back().to].incoming.push_back(index);
}

void Flattener::add_unoriented(const RawConnection& connection, std::size_t start, std::size_t end) {
    Connection flat;
    flat.from = terminal(start, connection.start.indices);
    flat.to = terminal(end, connection.end.indices);
    flat.oriented = false;
    flat.hops = {connection.hop};
    flat.hold = connection.hold;
    flat.bond = connection.bond;
    flat.role = connection.role;
    flat.where = connection.hop.where;
    description_.connections.push_back(std::move(flat));
}

/// Component inputs are checked where the variables behind their names are known; aliases count there, too.
bool Flattener::has_single_sources() const {
    bool single = true;
    for (const Node& node : nodes_)
        if (node.form != Node::Form::component) single = has_single_source(node) && single;
    return single;
}

bool Flattener::has_single_source(const Node& node) const {
    for (std::size_t i = 0; i < node.incoming.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const Edge& first = edges_[node.incoming[j]];
            const Edge& second = edges_[node.incoming[i]];
            if (!overlap(first.to_indices, second.to_indices)) continue;
            diagnostics_.error("two-sources", second.connection->hop.where,
                               "'" + node.label + "' has a second source '" + nodes_[second.from].label +
                                   "'; the first is '" + nodes_[first.from].label + "' at " +
                                   first.connection->hop.where);
            return false;
        }
    }
    return true;
}

/// Every way from a node to a component or to the root's boundary.
std::vector<Flattener::Path> Flattener::paths_from(std::size_t node) const {
    std::vector<Path> complete;
    std::vector<Path> open;
    open.reserve(nodes_[node].outgoing.size());
    for (const std::size_t edge : nodes_[node].outgoing)
        open.push_back(
            {.edges = {edge}, .source_indices = edges_[edge].from_indices, .indices = edges_[edge].to_indices});
    std::ranges::reverse(open);
    while (!open.empty()) {
        Path path = std::move(open.back());
        open.pop_back();
        const Node& reached = nodes_[edges_[path.edges.back()].to];
        if (reached.form == Node::Form::component || reached.form == Node::Form::root) {
            complete.push_back(std::move(path));
            continue;
        }
        if (path.edges.size() > longest_path) {
            diagnostics_.error(
                "ring", edges_[path.edges.front()].connection->hop.where,
                "the connection runs through more than " + std::to_string(longest_path) + " systems; is it a ring?");
            continue;
        }
        for (auto edge = reached.outgoing.rbegin(); edge != reached.outgoing.rend(); ++edge)
            if (std::optional<Path> longer = extended(path, *edge)) open.push_back(std::move(*longer));
    }
    return complete;
}

/// What arrives at a nested connector in part and leaves it in part flows on only where both parts meet.
std::optional<Flattener::Path> Flattener::extended(const Path& path, std::size_t edge) const {
    const Edge& next = edges_[edge];
    Path result = path;
    result.edges.push_back(edge);
    result.indices = next.to_indices;
    const Indices& have = path.indices;
    const Indices& want = next.from_indices;
    if (begins_with(have, want)) {
        result.indices.insert(result.indices.end(), have.begin() + static_cast<std::ptrdiff_t>(want.size()),
                              have.end());
        return result;
    }
    if (!begins_with(want, have)) return std::nullopt;
    result.source_indices.insert(result.source_indices.end(), want.begin() + static_cast<std::ptrdiff_t>(have.size()),
                                 want.end());
    return result;
}

void Flattener::add_connection(const Path& path) {
    Connection flat;
    flat.from = terminal(edges_[path.edges.front()].from, path.source_indices);
    flat.to = terminal(edges_[path.edges.back()].to, path.indices);
    flat.hops = hops_of(path);
    for (const std::size_t edge : path.edges) {
        const RawConnection& connection = *edges_[edge].connection;
        if (connection.hold != core::Hold::automatic) flat.hold = connection.hold;
        if (connection.bond.empty()) continue;
        flat.bond = connection.bond;
        flat.role = connection.role;
    }
    flat.where = flat.hops.back().where;
    description_.connections.push_back(std::move(flat));
}

std::vector<Hop> Flattener::hops_of(const Path& path) const {
    std::vector<Hop> hops;
    for (const std::size_t edge : path.edges) {
        Hop hop = edges_[edge].connection->hop;
        const Node& reached = nodes_[edges_[edge].to];
        if (reached.form != Node::Form::component && reached.connector != nullptr) {
            hop.unit = reached.connector->unit;
            hop.type = reached.connector->type;
            hop.connector = reached.connector->name;
            hop.declared = reached.connector->where;
        }
        hops.push_back(std::move(hop));
    }
    return hops;
}

Terminal Flattener::terminal(std::size_t node, Indices indices) const {
    return {.component = nodes_[node].component, .connector = nodes_[node].name, .indices = std::move(indices)};
}

/// A higher level wins over a lower one, the later over the earlier: deepest level first, otherwise as written.
void Flattener::apply_parameters() {
    std::ranges::stable_sort(bound_, std::greater{}, &Bound::depth);
    for (const Bound& bound : bound_) apply(bound);
    // What a connection brings is above what a set gives to its end; of several, the one that begins furthest out wins.
    for (Component& component : description_.components)
        std::ranges::stable_sort(component.parameters, {}, &Parameter::connections);
}

void Flattener::apply(const Bound& bound) {
    if (apply_in(*bound.element, *bound.parameter, bound.parameter->name)) return;
    std::vector<std::string> candidates = bound.element->connectors.names();
    for (const Element& inner : bound.element->elements)
        for (const Connector& connector : inner.connectors) candidates.push_back(inner.name + "." + connector.name);
    const std::string text = "no connector or element '" + bound.parameter->name + "' in system '" +
                             bound.element->name + "', the value is ignored" +
                             base::did_you_mean(bound.parameter->name, candidates);
    if (bound.parameter->mapped)
        diagnostics_.warn("unmatched-parameter", bound.parameter->hops.front().where, text);
    else
        diagnostics_.note("unmatched-parameter", bound.parameter->where, text);
}

bool Flattener::apply_in(const Element& element, const Parameter& parameter, const std::string& name) {
    if (element.form == Element::Form::component) {
        Parameter applied = parameter;
        applied.name = name;
        description_.components[component_of_.at(&element)].parameters.push_back(std::move(applied));
        return true;
    }
    if (const Connector* connector = element.connectors.find(name))
        return apply_to_connector(element, *connector, parameter);

    // Names may hold dots, so the longest element name that fits is tried first.
    std::vector<const Element*> fitting;
    for (const Element& inner : element.elements)
        if (name.starts_with(inner.name + ".")) fitting.push_back(&inner);
    std::ranges::sort(fitting, std::greater{}, [](const Element* inner) { return inner->name.size(); });
    return std::ranges::any_of(fitting, [&](const Element* inner) {
        return apply_in(*inner, parameter, name.substr(inner->name.size() + 1));
    });
}

/// A system's connector hands its value to every component connector that it leads to.
bool Flattener::apply_to_connector(const Element& system, const Connector& connector, const Parameter& parameter) {
    const auto found = node_of_.find({&system, nullptr, connector.name});
    const Role role = role_of_element(connector.kind);
    if (found == node_of_.end() || role == Role::source) {
        diagnostics_.note("unmatched-parameter", parameter.where,
                          "the value of '" + connector.name + "' of system '" + system.name +
                              "' leads to no component and is ignored");
        return true;
    }
    Parameter arrived = parameter;
    arrived.hops.back().unit = connector.unit;
    for (const Path& path : paths_from(found->second)) {
        const Node& reached = nodes_[edges_[path.edges.back()].to];
        if (reached.form == Node::Form::root) continue;
        if (!path.source_indices.empty()) {
            diagnostics_.ignored(
                "ignored", parameter.where,
                "the value of '" + connector.name + "' is not handed on to single elements of '" + reached.label + "'");
            continue;
        }
        Parameter applied = arrived;
        applied.name = reached.name;
        applied.indices = path.indices;
        applied.connections = path.edges.size();
        applied.through = nodes_[found->second].label;
        std::ranges::copy(hops_of(path), std::back_inserter(applied.hops));
        description_.components[reached.component].parameters.push_back(std::move(applied));
    }
    return true;
}

}  // namespace

void flatten(const Element& root, const KindOf& kind_of, Description& description, base::Diagnostics& diagnostics) {
    Flattener(root, kind_of, description, diagnostics).run();
}

}  // namespace master::ssp
