#include "master/core/setup/initialization.hpp"

#include "master/base/error.hpp"
#include "master/core/setup/dependencies.hpp"
#include "master/core/setup/newton.hpp"
#include "master/core/setup/start_values.hpp"
#include "master/core/system.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <span>
#include <type_traits>

namespace master::core {
namespace {

/// A bound port of some node. Vertices of the initialisation graph are all input ports, then all output ports.
struct Port {
    std::uint32_t node = 0;
    std::uint32_t slot = 0;
    bool input = true;
};

std::vector<ByteString> contents(std::span<const Bytes> values) {
    std::vector<ByteString> copies;
    for (const Bytes& value : values) copies.emplace_back(value.data, value.data + value.size);
    return copies;
}
template <typename T>
std::vector<T> contents(std::span<const T> values) {
    return {values.begin(), values.end()};
}

// A unit that solves equations finds the same value only so closely.
constexpr double same_solution = 1e-9;

bool same(double a, double b) {
    if (std::isnan(a)) return std::isnan(b);
    return a == b || std::fabs(a - b) <= same_solution * std::max(std::fabs(a), std::fabs(b));
}
template <typename T>
bool same(const T& a, const T& b) {
    return a == b;
}

/// Walks the graph of ports in the order of the initial dependencies.
class Initialization {
public:
    Initialization(System& system, base::Diagnostics& diagnostics) : system_(system), diagnostics_(diagnostics) {
        number_ports();
        connect();
    }

    void run() {
        evaluate_in_order();
        while (add_missing_dependencies()) evaluate_in_order();
    }

private:
    void evaluate_in_order() {
        std::uint32_t evaluated = 0;
        for (const auto& component : components(successors_)) {
            const bool loop = component.size() > 1 || std::ranges::count(successors_[component[0]], component[0]) > 0;
            for (const std::uint32_t vertex : component) {
                position_[vertex] = ++evaluated;
                in_loop_[vertex] = loop;
            }
            if (loop) {
                solve(component);
            } else {
                evaluate(component.front());
            }
        }
    }

    /// Reads every output that others were given again. Where one differs now that all inputs are set, its unit lists
    /// too few dependencies: it depends on the inputs that were set after it was read, and the order changes. True when
    /// that was found for a unit for the first time.
    bool add_missing_dependencies() {
        std::vector<std::uint32_t> found;
        for (std::uint32_t vertex = first_output_.empty() ? 0 : first_output_.front(); vertex < ports_.size();
             ++vertex) {
            const std::uint32_t n = ports_[vertex].node;
            if (in_loop_[vertex] || successors_[vertex].empty() || mended_[n] || !reads_otherwise(vertex)) continue;
            std::string inputs;
            for (std::uint32_t i = 0; i < system_.nodes()[n].inputs.slots.size(); ++i) {
                const std::uint32_t input = first_input_[n] + i;
                if (position_[input] < position_[vertex]) continue;
                successors_[input].push_back(vertex);
                inputs += (inputs.empty() ? "'" : ", '") + variable_name(input) + "'";
            }
            if (inputs.empty()) continue;
            found.push_back(n);
            diagnostics_.note("initial-dependency", "unit '" + system_.nodes()[n].name + "'",
                              fmt::format("output '{}' changed after other units were given it, when {} had been set: "
                                          "the FMU does not list that dependency; it is taken into account",
                                          variable_name(vertex), inputs));
        }
        for (const std::uint32_t n : found) mended_[n] = true;
        return !found.empty();
    }

    bool reads_otherwise(std::uint32_t vertex) {
        const Layout::Slot& slot = slot_of(vertex);
        if (slot.type == Type::clock || slot.group.index != 0) return false;
        const Node& node = system_.nodes()[ports_[vertex].node];
        const std::size_t first = node.output_base[index_of(slot.type)] + slot.offset;
        return with_lane(slot.type, system_.signals().outputs, [&]<class T>(std::vector<T>& lane) {
            const std::span<const T> values(lane.data() + first, slot.count);
            const auto before = contents(values);
            evaluate(vertex);
            return !std::ranges::equal(before, contents(values),
                                       [](const auto& a, const auto& b) { return same(a, b); });
        });
    }

    void number_ports() {
        const auto nodes = system_.nodes();
        first_input_.resize(nodes.size());
        first_output_.resize(nodes.size());
        for (const bool input : {true, false}) {
            for (std::uint32_t n = 0; n < nodes.size(); ++n) {
                (input ? first_input_ : first_output_)[n] = static_cast<std::uint32_t>(ports_.size());
                const std::size_t count = (input ? nodes[n].inputs : nodes[n].outputs).slots.size();
                for (std::uint32_t slot = 0; slot < count; ++slot) ports_.push_back({n, slot, input});
            }
        }
        successors_.resize(ports_.size());
        wires_into_.resize(ports_.size());
        position_.resize(ports_.size());
        in_loop_.resize(ports_.size());
        mended_.resize(nodes.size());
    }

    void connect() {
        const auto nodes = system_.nodes();
        for (std::uint32_t n = 0; n < nodes.size(); ++n) {
            const Feedthrough feed = initial_feedthrough(nodes[n].unit->info(), nodes[n].inputs, nodes[n].outputs);
            for (std::uint32_t output = 0; output < feed.outputs.size(); ++output) {
                for (const std::uint32_t input : feed.outputs[output]) {
                    successors_[first_input_[n] + input].push_back(first_output_[n] + output);
                }
            }
        }
        for (const PlannedWire& wire : system_.plan().wires) {
            const std::uint32_t from = vertex(wire.from, false);
            const std::uint32_t to = vertex(wire.to, true);
            successors_[from].push_back(to);
            wires_into_[to].push_back(&wire);
        }
    }

    std::uint32_t vertex(const Endpoint& end, bool input) {
        const Node& node = system_.nodes()[end.unit];
        const Layout& layout = input ? node.inputs : node.outputs;
        const auto slot = layout.find(end.variable) - layout.slots.data();
        return (input ? first_input_ : first_output_)[end.unit] + static_cast<std::uint32_t>(slot);
    }

    void evaluate(std::uint32_t vertex) {
        const Port& port = ports_[vertex];
        Node& node = system_.nodes()[port.node];
        const Layout::Slot& slot = (port.input ? node.inputs : node.outputs).slots[port.slot];
        if (slot.type == Type::clock || slot.group.index != 0) return;
        if (!port.input) {
            node.unit->read_one(port.slot, node.output_block);
            return;
        }
        system_.gather(node, slot);
        node.unit->write_one(port.slot, node.input_block);
    }

    // ---- algebraic loops ----

    /// Orders the loop's ports so that most are evaluated one after the other; the inputs that must be guessed first
    /// (torn) are the unknowns.
    void solve(const std::vector<std::uint32_t>& loop) {
        tear(loop);
        const std::string label = describe(loop);
        if (!numeric()) {
            iterate(label);
            return;
        }
        std::vector<double> guess;
        for (const std::uint32_t vertex : torn_) {
            for (std::uint32_t i = 0; i < slot_of(vertex).count; ++i) guess.push_back(*input_value(vertex, i));
        }
        const auto residual = [&](const std::vector<double>& u, std::vector<double>& r) { return sweep(u, r); };
        const NewtonResult result = newton(residual, guess);
        if (result.status == NewtonResult::Status::no_number) {
            throw base::Error("initial-loop", culprit_,
                              fmt::format("is not a number while the algebraic loop {} is solved; "
                                          "give other start values to its inputs",
                                          label));
        }
        if (result.status != NewtonResult::Status::solved) {
            const std::uint32_t worst = torn_[port_of_unknown(result.worst)];
            throw base::Error(
                "initial-loop", name(worst),
                fmt::format("the algebraic loop {} has no solution near the start values: after {} Newton "
                            "iterations this signal still differs by {:.3g}",
                            label, result.iterations, result.residual));
        }
        diagnostics_.note("initial-loop", system_.plan().name,
                          fmt::format("algebraic loop at the start solved in {} Newton iteration{}: {}",
                                      result.iterations, result.iterations == 1 ? "" : "s", label));
        if (is_singular(residual, guess))
            diagnostics_.warn("initial-loop", system_.plan().name,
                              fmt::format("the algebraic loop {} does not determine its values at the start: others "
                                          "solve it as well; the run begins with those that are nearest to the start "
                                          "values of its inputs",
                                          label));
    }

    void tear(const std::vector<std::uint32_t>& loop) {
        torn_.clear();
        sequence_.clear();
        std::vector<bool> inside(ports_.size(), false), done(ports_.size(), false);
        for (const std::uint32_t vertex : loop) inside[vertex] = true;
        std::vector<std::uint32_t> waiting(ports_.size(), 0);
        for (const std::uint32_t vertex : loop) {
            for (const std::uint32_t next : successors_[vertex]) waiting[next] += inside[next] ? 1 : 0;
        }
        const auto finish = [&](std::uint32_t vertex) {
            done[vertex] = true;
            sequence_.push_back(vertex);
            for (const std::uint32_t next : successors_[vertex]) {
                if (inside[next] && waiting[next] > 0) --waiting[next];
            }
        };
        for (std::size_t count = 0; count < loop.size(); ++count) {
            const auto ready = std::ranges::find_if(loop, [&](std::uint32_t v) { return !done[v] && waiting[v] == 0; });
            if (ready != loop.end()) {
                finish(*ready);
                continue;
            }
            const auto guess = std::ranges::find_if(loop, [&](std::uint32_t v) { return !done[v] && ports_[v].input; });
            torn_.push_back(*guess);
            finish(*guess);
        }
    }

    bool numeric() {
        return std::ranges::all_of(torn_, [&](std::uint32_t v) { return slot_of(v).type == Type::real; });
    }

    /// residual = what the wires would carry to the torn inputs - what was guessed. False when a value is no number.
    bool sweep(const std::vector<double>& unknowns, std::vector<double>& residual) {
        std::size_t next = 0;
        for (const std::uint32_t vertex : sequence_) {
            const Port& port = ports_[vertex];
            Node& node = system_.nodes()[port.node];
            if (!port.input) {
                node.unit->read_one(port.slot, node.output_block);
                if (!is_number(vertex)) return false;
                continue;
            }
            if (std::ranges::count(torn_, vertex) == 0) {
                system_.gather(node, slot_of(vertex));
            } else {
                for (std::uint32_t i = 0; i < slot_of(vertex).count; ++i) *input_value(vertex, i) = unknowns[next++];
            }
            node.unit->write_one(port.slot, node.input_block);
        }
        next = 0;
        for (const std::uint32_t vertex : torn_) {
            system_.gather(system_.nodes()[ports_[vertex].node], slot_of(vertex));
            for (std::uint32_t i = 0; i < slot_of(vertex).count; ++i, ++next) {
                residual[next] = *input_value(vertex, i) - unknowns[next];
            }
        }
        return true;
    }

    bool is_number(std::uint32_t vertex) {
        const Port& port = ports_[vertex];
        const Node& node = system_.nodes()[port.node];
        const Layout::Slot& slot = slot_of(vertex);
        if (slot.type != Type::real) return true;
        for (std::uint32_t i = 0; i < slot.count; ++i) {
            if (std::isfinite(node.output_block.reals[slot.offset + i])) continue;
            culprit_ = name(vertex);
            return false;
        }
        return true;
    }

    /// Loops through integers, booleans or strings: pass values around until they stay the same.
    void iterate(const std::string& label) {
        constexpr int most = 100;
        for (int i = 0; i < most; ++i) {
            const Lanes before = system_.signals().outputs;
            const std::vector<ByteString> bytes_before = contents(std::span<const Bytes>(before.bytes));
            for (const std::uint32_t vertex : sequence_) evaluate(vertex);
            const Lanes& after = system_.signals().outputs;
            const auto at_rest = [&](auto... lane) { return ((before.*lane == after.*lane) && ...); };
            if (at_rest(&Lanes::reals, &Lanes::integers, &Lanes::naturals, &Lanes::booleans, &Lanes::strings) &&
                contents(std::span<const Bytes>(after.bytes)) == bytes_before)
                return;
        }
        throw base::Error("initial-loop", name(torn_.front()),
                          fmt::format("the loop {} does not come to rest within {} rounds at the start", label, most));
    }

    // ---- names and places ----

    const Layout::Slot& slot_of(std::uint32_t vertex) {
        const Port& port = ports_[vertex];
        const Node& node = system_.nodes()[port.node];
        return (port.input ? node.inputs : node.outputs).slots[port.slot];
    }

    double* input_value(std::uint32_t vertex, std::uint32_t element) {
        const Node& node = system_.nodes()[ports_[vertex].node];
        return &system_.signals()
                    .inputs.reals[node.input_base[index_of(Type::real)] + slot_of(vertex).offset + element];
    }

    std::size_t port_of_unknown(std::size_t unknown) {
        std::size_t port = 0;
        while (unknown >= slot_of(torn_[port]).count) unknown -= slot_of(torn_[port++]).count;
        return port;
    }

    std::string name(std::uint32_t vertex) {
        return system_.nodes()[ports_[vertex].node].name + "." + variable_name(vertex);
    }

    const std::string& variable_name(std::uint32_t vertex) {
        return system_.nodes()[ports_[vertex].node].unit->info().variables[slot_of(vertex).variable].name;
    }

    std::string describe(const std::vector<std::uint32_t>& loop) {
        std::string text;
        for (const std::uint32_t vertex : loop) {
            for (const PlannedWire* wire : wires_into_[vertex]) {
                const std::uint32_t from = this->vertex(wire->from, false);
                if (!std::ranges::binary_search(loop, from)) continue;
                text += (text.empty() ? "" : ", ") + wire->label;
            }
        }
        return "{" + text + "}";
    }

    System& system_;
    base::Diagnostics& diagnostics_;
    std::vector<Port> ports_;
    std::vector<std::uint32_t> first_input_, first_output_;
    std::vector<std::vector<std::uint32_t>> successors_;
    std::vector<std::vector<const PlannedWire*>> wires_into_;
    std::vector<std::uint32_t> position_;  // of each vertex in the order of evaluation
    std::vector<bool> in_loop_;
    std::vector<bool> mended_;             // per node: missing dependencies were added
    std::vector<std::uint32_t> torn_;      // guessed inputs of the loop at hand
    std::vector<std::uint32_t> sequence_;  // order of evaluation of the loop at hand
    std::string culprit_;
};

/// Receivers were initialised with what their senders had in Initialization Mode, which a unit may not be done with
/// there: the outputs that are others now are named.
void note_changed_outputs(System& system, base::Diagnostics& diagnostics) {
    const Lanes given = system.signals().inputs;
    const auto is_value = [](const Layout::Slot& slot) {
        return slot.type != Type::clock && slot.type != Type::bytes && slot.group.index == 0;
    };
    for (Node& node : system.nodes()) {
        for (const Layout::Slot& slot : node.inputs.slots)
            if (is_value(slot)) system.gather(node, slot);
    }
    std::vector<std::string> changed(system.nodes().size());
    for (const PlannedWire& wire : system.plan().wires) {
        const Node& receiver = system.nodes()[wire.to.unit];
        const Layout::Slot& slot = *receiver.inputs.find(wire.to.variable);
        if (!is_value(slot)) continue;
        const std::size_t first = receiver.input_base[index_of(slot.type)] + slot.offset + wire.to.element;
        const bool differs = with_lane(slot.type, system.signals().inputs, [&]<class T>(const std::vector<T>& now) {
            return with_lane(slot.type, given, [&]<class U>(const std::vector<U>& before) {
                if constexpr (std::is_same_v<T, U> && !std::is_same_v<T, Bytes>) {
                    for (std::size_t i = first; i < first + wire.count; ++i)
                        if (!same(before[i], now[i])) return true;
                }
                return false;
            });
        });
        if (differs) changed[wire.from.unit] += (changed[wire.from.unit].empty() ? "" : ", ") + wire.label;
    }
    system.signals().inputs = given;
    for (std::size_t i = 0; i < changed.size(); ++i) {
        if (changed[i].empty()) continue;
        diagnostics.note("start-value", "unit '" + system.nodes()[i].name + "'",
                         fmt::format("outputs changed when the unit left its initialisation: {}; the receivers were "
                                     "initialised with the former values and get the new ones with their first step",
                                     changed[i]));
    }
}

}  // namespace

void initialize(System& system, base::Diagnostics& diagnostics) {
    const SystemOptions& options = system.options();
    for (Node& node : system.nodes()) {
        begin_initialization(node, {options.start, options.stop, options.tolerance, options.solver_factor},
                             diagnostics);
    }
    Initialization(system, diagnostics).run();
    for (Node& node : system.nodes()) node.unit->exit_initialization();
    for (Node& node : system.nodes()) confirm_parameters(node, diagnostics);
    system.complete_start();
    note_changed_outputs(system, diagnostics);
}

}  // namespace master::core
