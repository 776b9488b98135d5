#include "master/core/events.hpp"
#include "master/core/setup/feedthrough_map.hpp"
#include "master/core/setup/step_order.hpp"
#include "master/core/setup/wiring_builder.hpp"
#include "master/core/system.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>
#include <unordered_map>

namespace master::core {

/// Turns a plan into a system: ports, slices, wires, the order of units.
class SystemBuilder {
public:
    SystemBuilder(System& system, base::Diagnostics& diagnostics) : system_(system), diagnostics_(diagnostics) {}

    void build(std::vector<std::unique_ptr<Unit>> units) {
        make_nodes(std::move(units));
        make_lanes();
        set_start_inputs();
        const FeedthroughMap feedthrough(system_.nodes_, system_.plan_);
        if (system_.options_.order.empty()) system_.options_.order = step_order(system_.plan_, feedthrough);
        put_foreseen_last();
        for (Node& node : system_.nodes_) make_blocks(node);
        WiringBuilder wiring(system_.wiring_, system_.nodes_, system_.plan_, system_.options_, diagnostics_);
        wiring.build();
        for (Node& node : system_.nodes_) make_fast_path(node);
        system_.couplings_ = wiring.couplings(feedthrough);
        find_refreshed(feedthrough);
        system_.events_ = Events::make(system_);
        for (Node& node : system_.nodes_)
            node.leaves_grid = node.clock_limited || !system_.options_.extra_points.empty();
        system_.uniform_ = std::ranges::all_of(system_.nodes_, [&](const Node& node) {
            return node.period == system_.nodes_.front().period && !node.leaves_grid;
        });
        system_.refreshes_or_events_ = !system_.refreshed_.empty() || system_.events_ != nullptr;
    }

private:
    using Counts = std::array<std::uint32_t, type_count>;

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
            const std::set<std::uint32_t> sent = outputs[i];
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
            for (Layout::Slot& slot : node.outputs.slots) slot.sent = sent.contains(slot.variable);
            node.events = node.unit->events();
            node.period = system_.options_.periods[i];
            node.end = system_.options_.start;
            node.begin = node.end - base::Duration{1};
            node.visible = node.end;
        }
    }

    void make_lanes() {
        Counts inputs{}, outputs{};
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

    static void resize(Lanes& lanes, const Counts& counts) {
        for (std::size_t type = 0; type < type_count; ++type) {
            with_lane(static_cast<Type>(type), lanes, [&](auto& lane) { lane.resize(counts[type]); });
        }
    }

    /// Inputs begin with their start values: the plan's where it has one, else the unit's.
    void set_start_inputs() {
        for (const Node& node : system_.nodes_) {
            std::unordered_map<std::uint32_t, const Value*> given;
            for (const Assignment& start : node.planned->start) given.try_emplace(start.variable, &start.value);
            for (const Layout::Slot& slot : node.inputs.slots) {
                const Variable& variable = node.unit->info().variables[slot.variable];
                const auto set = given.find(slot.variable);
                if (set != given.end()) {
                    place(*set->second, node, slot);
                } else if (variable.start) {
                    place(*variable.start, node, slot);
                }
            }
        }
    }

    /// A value with fewer elements than the slot repeats its last one.
    void place(const Value& value, const Node& node, const Layout::Slot& slot) {
        if (slot.type == Type::clock) return;
        const std::uint32_t first = node.input_base[index_of(slot.type)] + slot.offset;
        const auto fill = [&](const auto& values, auto& lane) {
            using From = typename std::decay_t<decltype(values)>::value_type;
            using To = typename std::decay_t<decltype(lane)>::value_type;
            for (std::uint32_t i = 0; i < slot.count && !values.empty(); ++i) {
                const From& element = values[std::min<std::size_t>(i, values.size() - 1)];
                if constexpr (std::is_same_v<From, ByteString> && std::is_same_v<To, Bytes>) {
                    lane[first + i] = {element.data(), element.size()};
                } else if constexpr (std::is_convertible_v<From, To>) {
                    lane[first + i] = static_cast<To>(element);
                }
            }
        };
        std::visit(
            [&](const auto& values) {
                with_lane(slot.type, system_.signals_.inputs, [&](auto& lane) { fill(values, lane); });
            },
            value);
    }

    void make_blocks(Node& node) {
        Lanes& in = system_.signals_.inputs;
        Lanes& out = system_.signals_.outputs;
        const auto at = [](auto& lane, const Counts& base, Type type) { return lane.data() + base[index_of(type)]; };
        const Counts& i = node.input_base;
        const Counts& o = node.output_base;
        node.input_block = {.reals = at(in.reals, i, Type::real),
                            .slopes = nullptr,
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

    /// A table that was stepped before its receivers would show them values from the end of their step: jumps would
    /// come a step early.
    void put_foreseen_last() {
        std::vector<std::uint32_t>& order = system_.options_.order;
        std::stable_partition(order.begin(), order.end(),
                              [&](std::uint32_t index) { return system_.nodes_[index].unit->foresight() == nullptr; });
    }

    void make_fast_path(Node& node) {
        FastPath& path = node.fast;
        path.inputs = node.input_block.reals;
        path.outputs = node.output_block.reals;
        node.unit->offer_fast_path(path, node.visible);
        const auto shared = [&](const std::uint32_t* first, std::uint32_t count) {
            return system_.references_.emplace(first, first + count).first->data();
        };
        path.input_references = shared(path.input_references, path.input_reference_count);
        path.output_references = shared(path.output_references, path.output_reference_count);
    }

    void find_refreshed(const FeedthroughMap& feedthrough) {
        std::vector<bool> through(system_.nodes_.size(), false);
        for (const PlannedWire& wire : system_.plan_.wires) {
            if (feedthrough.reaches_output(wire)) through[wire.to.unit] = true;
        }
        for (const DrivenInput& driven : system_.options_.driven) {
            if (feedthrough.reaches_output({.to = driven.to})) through[driven.to.unit] = true;
        }
        for (const std::uint32_t index : system_.options_.order) {
            if (through[index] && system_.nodes_[index].unit->info().can.refreshes_outputs) {
                system_.refreshed_.push_back(index);
            }
        }
    }

    System& system_;
    base::Diagnostics& diagnostics_;
};

System::System(Plan plan, std::vector<std::unique_ptr<Unit>> units, SystemOptions options,
               base::Diagnostics& diagnostics)
    : plan_(std::move(plan)), options_(std::move(options)), wiring_(signals_, options_.timebase) {
    SystemBuilder(*this, diagnostics).build(std::move(units));
}

}  // namespace master::core
