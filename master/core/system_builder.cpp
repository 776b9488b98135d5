#include "master/base/error.hpp"
#include "master/core/dependencies.hpp"
#include "master/core/events.hpp"
#include "master/core/system.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <set>
#include <unordered_map>

namespace master::core {

/// Turns a plan into a system: ports, slices, wire tables sorted by receiver, the order of units.
class SystemBuilder {
public:
    using Graph = std::vector<std::vector<std::uint32_t>>;  // targets of each node

    SystemBuilder(System& system, base::Diagnostics& diagnostics) : system_(system), diagnostics_(diagnostics) {}

    void build(std::vector<std::unique_ptr<Unit>> units) {
        make_nodes(std::move(units));
        make_lanes();
        set_start_inputs();
        find_feedthrough();
        find_order();
        make_wires();
        find_refreshed();
        system_.events_ = Events::make(system_);
        system_.uniform_ = std::ranges::all_of(system_.nodes_, [&](const Node& node) {
            return node.period == system_.nodes_.front().period && !node.clock_limited;
        });
        system_.special_ = !system_.refreshed_.empty() || system_.events_ != nullptr;
    }

private:
    using SlotIndex = std::unordered_map<std::uint32_t, std::uint32_t>;

    void make_nodes(std::vector<std::unique_ptr<Unit>> units) {
        const Plan& plan = system_.plan_;
        std::vector<std::set<std::uint32_t>> inputs(units.size()), outputs(units.size());
        for (const PlannedWire& wire : plan.wires) {
            outputs[wire.from.unit].insert(wire.from.variable);
            inputs[wire.to.unit].insert(wire.to.variable);
        }
        system_.nodes_.resize(units.size());
        for (std::uint32_t i = 0; i < units.size(); ++i) {
            Node& node = system_.nodes_[i];
            node.planned = &plan.units[i];
            node.name = plan.units[i].name;
            node.unit = std::move(units[i]);
            if (i < system_.options_.recorded.size()) {
                outputs[i].insert(system_.options_.recorded[i].begin(), system_.options_.recorded[i].end());
            }
            if (i < system_.options_.free_inputs.size()) {
                inputs[i].insert(system_.options_.free_inputs[i].begin(), system_.options_.free_inputs[i].end());
            }
            const Ports ports{.inputs = {inputs[i].begin(), inputs[i].end()},
                              .outputs = {outputs[i].begin(), outputs[i].end()}};
            node.unit->bind(ports);
            node.inputs = layout(node.unit->info(), ports.inputs);
            node.outputs = layout(node.unit->info(), ports.outputs);
            node.events = node.unit->events();
            node.period = system_.options_.periods[i];
            node.end = system_.options_.start;
            node.begin = node.end - base::Duration{1};
            node.visible = node.end;
            input_slots_.push_back(index(node.inputs));
            output_slots_.push_back(index(node.outputs));
        }
    }

    static SlotIndex index(const Layout& layout) {
        SlotIndex slots;
        for (std::uint32_t i = 0; i < layout.slots.size(); ++i) slots.emplace(layout.slots[i].variable, i);
        return slots;
    }

    void find_feedthrough() {
        const std::size_t count = system_.nodes_.size();
        std::vector<std::vector<bool>> connected(count);
        for (std::size_t i = 0; i < count; ++i) connected[i].resize(system_.nodes_[i].outputs.slots.size());
        for (const PlannedWire& wire : system_.plan_.wires) {
            connected[wire.from.unit][output_slots_[wire.from.unit].at(wire.from.variable)] = true;
        }
        reaches_output_.resize(count);
        reaches_wire_.resize(count);
        reaches_continuous_.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const Node& node = system_.nodes_[i];
            reaches_output_[i].resize(node.inputs.slots.size());
            reaches_wire_[i].resize(node.inputs.slots.size());
            reaches_continuous_[i].resize(node.inputs.slots.size());
            const Feedthrough feed = feedthrough(node.unit->info(), node.inputs, node.outputs);
            for (std::size_t output = 0; output < feed.outputs.size(); ++output) {
                for (const std::uint32_t input : feed.outputs[output]) {
                    reaches_output_[i][input] = true;
                    if (!connected[i][output]) continue;
                    reaches_wire_[i][input] = true;
                    const Variable& y = node.unit->info().variables[node.outputs.slots[output].variable];
                    if (y.type == Type::real && y.variability == Variability::continuous) {
                        reaches_continuous_[i][input] = true;
                    }
                }
            }
        }
    }

    /// Does the input at the end of this wire reach an output of its unit without a step in between?
    [[nodiscard]] bool reaches(const PlannedWire& wire, const std::vector<std::vector<bool>>& inputs) const {
        return inputs[wire.to.unit][input_slots_[wire.to.unit].at(wire.to.variable)];
    }

    void make_lanes() {
        std::array<std::uint32_t, type_count> inputs{}, outputs{};
        for (Node& node : system_.nodes_) {
            node.input_base = inputs;
            node.output_base = outputs;
            for (std::size_t type = 0; type < type_count; ++type) {
                inputs[type] += node.inputs.counts[type];
                outputs[type] += node.outputs.counts[type];
            }
        }
        resize(system_.signals_.inputs, inputs);
        resize(system_.signals_.outputs, outputs);
    }

    static void resize(Lanes& lanes, const std::array<std::uint32_t, type_count>& counts) {
        lanes.reals.resize(counts[index_of(Type::real)]);
        lanes.integers.resize(counts[index_of(Type::integer)]);
        lanes.naturals.resize(counts[index_of(Type::natural)]);
        lanes.booleans.resize(counts[index_of(Type::boolean)]);
        lanes.bytes.resize(counts[index_of(Type::bytes)]);
        lanes.strings.resize(counts[index_of(Type::string)]);
        lanes.clocks.resize(counts[index_of(Type::clock)]);
    }

    /// Inputs begin with their start values: the plan's where it has one, else the unit's.
    void set_start_inputs() {
        for (Node& node : system_.nodes_) {
            for (const Layout::Slot& slot : node.inputs.slots) {
                const Variable& variable = node.unit->info().variables[slot.variable];
                const auto set = std::ranges::find(node.planned->start, slot.variable, &Assignment::variable);
                if (set != node.planned->start.end()) {
                    place(set->value, node, slot);
                } else if (variable.start) {
                    place(*variable.start, node, slot);
                }
            }
        }
    }

    template <typename T, typename U>
    static void fill(const std::vector<T>& values, std::vector<U>& lane, std::uint32_t first, std::uint32_t count) {
        if (values.empty()) return;
        for (std::uint32_t i = 0; i < count; ++i) {
            lane[first + i] = static_cast<U>(values[std::min<std::size_t>(i, values.size() - 1)]);
        }
    }

    void place(const Value& value, const Node& node, const Layout::Slot& slot) {
        Lanes& lanes = system_.signals_.inputs;
        const std::uint32_t first = node.input_base[index_of(slot.type)] + slot.offset;
        std::visit(
            [&](const auto& values) {
                using Element = typename std::decay_t<decltype(values)>::value_type;
                if constexpr (std::is_same_v<Element, std::string>) {
                    if (slot.type == Type::string) fill(values, lanes.strings, first, slot.count);
                } else if constexpr (std::is_same_v<Element, ByteString>) {
                    if (slot.type != Type::bytes) return;
                    for (std::uint32_t i = 0; i < slot.count && i < values.size(); ++i) {
                        lanes.bytes[first + i] = {values[i].data(), values[i].size()};
                    }
                } else {
                    switch (slot.type) {
                        case Type::real:
                            fill(values, lanes.reals, first, slot.count);
                            break;
                        case Type::integer:
                            fill(values, lanes.integers, first, slot.count);
                            break;
                        case Type::natural:
                            fill(values, lanes.naturals, first, slot.count);
                            break;
                        case Type::boolean:
                            fill(values, lanes.booleans, first, slot.count);
                            break;
                        default:
                            break;
                    }
                }
            },
            value);
    }

    void make_wires() {
        std::vector<const PlannedWire*> wires;
        for (const PlannedWire& wire : system_.plan_.wires) wires.push_back(&wire);
        std::ranges::stable_sort(wires, {}, [](const PlannedWire* wire) { return wire->to.unit; });
        std::size_t next = 0;
        bool linear = false;
        std::vector<std::size_t> even;  // per node
        const auto size = [](const auto& table) { return static_cast<std::uint32_t>(table.size()); };
        for (std::uint32_t i = 0; i < system_.nodes_.size(); ++i) {
            Node& node = system_.nodes_[i];
            const std::size_t first_even = system_.even_.size();
            node.direct.first = size(system_.direct_);
            node.held.first = size(system_.held_);
            node.foreseen.first = size(system_.foreseen_);
            node.others.first = size(system_.others_);
            for (; next < wires.size() && wires[next]->to.unit == i; ++next) linear |= add(*wires[next]);
            even.push_back(system_.even_.size() - first_even);
            node.direct.last = size(system_.direct_);
            node.held.last = size(system_.held_);
            node.foreseen.last = size(system_.foreseen_);
            node.others.last = size(system_.others_);
            node.other_wires =
                !(node.direct.empty() && node.held.empty() && node.foreseen.empty() && node.others.empty());
            if (node.other_wires) system_.other_wires_.push_back(i);
        }
        // The table is complete and stays where it is.
        EvenWire* next_even = system_.even_.data();
        for (std::size_t i = 0; i < even.size(); ++i) {
            system_.nodes_[i].even = {next_even, next_even + even[i]};
            next_even += even[i];
        }
        if (linear) system_.slopes_.resize(system_.signals_.inputs.reals.size());
        for (Node& node : system_.nodes_) {
            make_blocks(node);
            shorten(node);
        }
        report_first_order();
    }

    void shorten(Node& node) {
        Quick& quick = node.quick;
        quick.inputs = node.input_block.reals;
        quick.outputs = node.output_block.reals;
        node.unit->shorten(quick, node.visible);
        const auto shared = [&](const std::uint32_t* first, std::uint32_t count) {
            return system_.references_.emplace(first, first + count).first->data();
        };
        quick.input_references = shared(quick.input_references, quick.input_reference_count);
        quick.output_references = shared(quick.output_references, quick.output_reference_count);
    }

    void make_blocks(Node& node) {
        Lanes& in = system_.signals_.inputs;
        Lanes& out = system_.signals_.outputs;
        const auto at = [](auto& lane, const auto& base, Type type) { return lane.data() + base[index_of(type)]; };
        const auto& i = node.input_base;
        const auto& o = node.output_base;
        bool sloped = false;
        for (std::uint32_t w = node.held.first; w < node.held.last; ++w) {
            sloped |= system_.held_[w].hold == Hold::linear;
        }
        for (std::uint32_t w = node.foreseen.first; w < node.foreseen.last; ++w) {
            sloped |= system_.foreseen_[w].hold == Hold::linear;
        }
        node.input_block = {.reals = at(in.reals, i, Type::real),
                            .slopes = sloped ? at(system_.slopes_, i, Type::real) : nullptr,
                            .integers = at(in.integers, i, Type::integer),
                            .naturals = at(in.naturals, i, Type::natural),
                            .booleans = at(in.booleans, i, Type::boolean),
                            .bytes = at(in.bytes, i, Type::bytes),
                            .strings = at(in.strings, i, Type::string),
                            .clocks = at(in.clocks, i, Type::clock)};
        node.output_block = {.reals = at(out.reals, o, Type::real),
                             .integers = at(out.integers, o, Type::integer),
                             .naturals = at(out.naturals, o, Type::natural),
                             .booleans = at(out.booleans, o, Type::boolean),
                             .bytes = at(out.bytes, o, Type::bytes),
                             .strings = at(out.strings, o, Type::string),
                             .clocks = at(out.clocks, o, Type::clock)};
    }

    /// True when the wire carries slopes.
    bool add(const PlannedWire& planned) {
        const Node& sender = system_.nodes_[planned.from.unit];
        const Node& receiver = system_.nodes_[planned.to.unit];
        const Layout::Slot& source = sender.outputs.slots[output_slots_[planned.from.unit].at(planned.from.variable)];
        const Layout::Slot& target = receiver.inputs.slots[input_slots_[planned.to.unit].at(planned.to.variable)];
        const std::uint32_t from = sender.output_base[index_of(source.type)] + source.offset + planned.from.element;
        const std::uint32_t to = receiver.input_base[index_of(target.type)] + target.offset + planned.to.element;
        const bool real = source.type == Type::real && target.type == Type::real && planned.table.empty();
        if (!real) {
            system_.others_.push_back({.from_type = source.type,
                                       .to_type = target.type,
                                       .from = from,
                                       .to = to,
                                       .count = planned.count,
                                       .sender = planned.from.unit,
                                       .gain = planned.gain,
                                       .offset = planned.offset,
                                       .table = planned.table});
            return false;
        }
        const Hold hold = choose_hold(planned);
        if (hold == Hold::constant) {
            system_.direct_.push_back({.from = from,
                                       .to = to,
                                       .count = planned.count,
                                       .sender = planned.from.unit,
                                       .gain = planned.gain,
                                       .offset = planned.offset});
            return false;
        }
        if (const Foresight* foresight = sender.unit->foresight()) {
            for (std::uint32_t i = 0; i < planned.count; ++i) {
                system_.foreseen_.push_back({.sender = foresight,
                                             .variable = planned.from.variable,
                                             .to = to + i,
                                             .hold = hold,
                                             .gain = planned.gain,
                                             .offset = planned.offset});
            }
            return hold == Hold::linear;
        }
        const bool uniform = sender.period == receiver.period && !Events::has_clocks(*sender.unit) &&
                             !Events::has_clocks(*receiver.unit);
        const bool sender_first =
            system_.options_.sequential && position_[planned.from.unit] < position_[planned.to.unit];
        if (uniform && hold == Hold::compensated) {
            for (std::uint32_t i = 0; i < planned.count; ++i) {
                system_.even_.push_back({.gain = planned.gain,
                                         .offset = planned.offset,
                                         .weight = sender_first ? -0.5 : 0.5,
                                         .from = from + i,
                                         .to = to + i,
                                         .sender = planned.from.unit});
            }
            return false;
        }
        HeldWire wire{.from = from, .to = to, .count = planned.count, .sender = planned.from.unit, .hold = hold};
        wire.gain = planned.gain;
        wire.offset = planned.offset;
        wire.span = std::max(sender.period, receiver.period);
        wire.per_second = 1 / system_.timebase().seconds(wire.span);
        wire.uniform = uniform;
        wire.sender_first = sender_first;
        wire.base = wire.candidate = system_.start();
        wire.history = static_cast<std::uint32_t>(system_.history_.size());
        system_.history_.resize(system_.history_.size() +
                                (wire.uniform ? std::size_t{1} : std::size_t{2}) * planned.count);
        system_.held_.push_back(wire);
        return hold == Hold::linear;
    }

    Hold choose_hold(const PlannedWire& wire) {
        const auto variable = [&](const Endpoint& end) -> const Variable& {
            return system_.nodes_[end.unit].unit->info().variables[end.variable];
        };
        const bool continuous = variable(wire.from).variability == Variability::continuous &&
                                variable(wire.to).variability == Variability::continuous;
        const Hold wanted = system_.options_.hold.value_or(wire.hold);
        if (wanted == Hold::constant) return Hold::constant;
        if (!continuous) {
            if (wire.hold != Hold::automatic) {
                diagnostics_.note(
                    "hold", wire.where,
                    fmt::format("'{}' is sampled (not continuous at both ends): held constant", wire.label));
            }
            return Hold::constant;
        }
        if (wanted != Hold::linear) return Hold::compensated;
        if (system_.nodes_[wire.to.unit].unit->takes_slope(wire.to.variable)) return Hold::linear;
        diagnostics_.note("hold", wire.where,
                          fmt::format("'{}': unit '{}' cannot interpolate this input, so 'compensated' is used in "
                                      "place of 'linear'",
                                      wire.label, system_.nodes_[wire.to.unit].name));
        return Hold::compensated;
    }

    /// Says on which wires between continuous signals the coupling is of first order only.
    void report_first_order() {
        std::vector<std::string> constant, through;
        for (const PlannedWire& wire : system_.plan_.wires) {
            const Node& sender = system_.nodes_[wire.from.unit];
            const Node& receiver = system_.nodes_[wire.to.unit];
            const Variable& from = sender.unit->info().variables[wire.from.variable];
            const Variable& to = receiver.unit->info().variables[wire.to.variable];
            const bool continuous = from.type == Type::real && to.type == Type::real &&
                                    from.variability == Variability::continuous &&
                                    to.variability == Variability::continuous;
            if (!continuous || sender.unit->foresight() != nullptr) continue;
            const Hold wanted = system_.options_.hold.value_or(wire.hold);
            if (wanted == Hold::constant) {
                constant.push_back(wire.label);
                continue;
            }
            const bool linear = wanted == Hold::linear && receiver.unit->takes_slope(wire.to.variable);
            const bool held_through =
                !receiver.unit->info().can.refreshes_outputs && reaches(wire, reaches_continuous_);
            if (!linear && held_through) through.push_back(wire.label);
        }
        note_first_order(constant, "their hold is constant");
        note_first_order(through, "an output feeds the held input through; 'linear' keeps order 2 where the unit can");
    }

    void note_first_order(const std::vector<std::string>& labels, const char* reason) {
        if (labels.empty()) return;
        constexpr std::size_t shown = 4;
        std::string list;
        for (std::size_t i = 0; i < std::min(shown, labels.size()); ++i) list += (i == 0 ? "" : ", ") + labels[i];
        if (labels.size() > shown) list += fmt::format(" and {} more", labels.size() - shown);
        diagnostics_.note("order", system_.plan_.name, fmt::format("coupling is of order 1 on {}: {}", list, reason));
    }

    /// Sequential order: along wires where there is no loop; inside loops a unit that feeds an input through comes
    /// after the sender of that input; ties as in the file.
    void find_order() {
        const std::size_t count = system_.nodes_.size();
        if (system_.options_.order.empty()) {
            Graph all(count);
            for (const PlannedWire& wire : system_.plan_.wires) all[wire.from.unit].push_back(wire.to.unit);
            const auto parts = components(all);
            std::vector<std::size_t> part_of(count);
            for (std::size_t i = 0; i < parts.size(); ++i)
                for (const std::uint32_t node : parts[i]) part_of[node] = i;
            Graph through(count);
            std::vector<std::uint32_t> waiting(count);  // for so many senders of the same loop
            for (const PlannedWire& wire : system_.plan_.wires) {
                if (part_of[wire.from.unit] != part_of[wire.to.unit] || !reaches(wire, reaches_wire_)) continue;
                through[wire.from.unit].push_back(wire.to.unit);
                ++waiting[wire.to.unit];
            }
            for (const auto& part : parts) append_part(part, through, waiting);
        }
        position_.resize(count);
        for (std::uint32_t i = 0; i < count; ++i) position_[system_.options_.order[i]] = i;
    }

    void append_part(const std::vector<std::uint32_t>& part, const Graph& through,
                     std::vector<std::uint32_t>& waiting) {
        std::set<std::uint32_t> left(part.begin(), part.end()), free;
        std::ranges::copy_if(part, std::inserter(free, free.end()), [&](auto node) { return waiting[node] == 0; });
        while (!left.empty()) {
            // Feedthrough all around the loop: cut it before the first unit of the file.
            const std::uint32_t chosen = *(free.empty() ? left : free).begin();
            left.erase(chosen);
            free.erase(chosen);
            system_.options_.order.push_back(chosen);
            for (const std::uint32_t target : through[chosen])
                if (--waiting[target] == 0 && left.contains(target)) free.insert(target);
        }
    }

    void find_refreshed() {
        std::vector<bool> through(system_.nodes_.size(), false);
        for (const PlannedWire& wire : system_.plan_.wires) {
            if (reaches(wire, reaches_output_)) through[wire.to.unit] = true;
        }
        for (const std::uint32_t index : system_.options_.order) {
            if (through[index] && system_.nodes_[index].unit->info().can.refreshes_outputs) {
                system_.refreshed_.push_back(index);
            }
        }
    }

    System& system_;
    base::Diagnostics& diagnostics_;
    std::vector<SlotIndex> input_slots_, output_slots_;
    // Per node and input slot: does it reach any output, a connected one, a connected continuous one?
    std::vector<std::vector<bool>> reaches_output_, reaches_wire_, reaches_continuous_;
    std::vector<std::uint32_t> position_;
};

System::System(Plan plan, std::vector<std::unique_ptr<Unit>> units, SystemOptions options,
               base::Diagnostics& diagnostics)
    : plan_(std::move(plan)), options_(std::move(options)) {
    SystemBuilder(*this, diagnostics).build(std::move(units));
}

}  // namespace master::core
