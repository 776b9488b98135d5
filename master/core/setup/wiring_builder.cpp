#include "master/core/setup/wiring_builder.hpp"

#include "master/core/events.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace master::core {

WiringBuilder::WiringBuilder(Wiring& wiring, std::span<Node> nodes, const Plan& plan, const SystemOptions& options,
                             base::Diagnostics& diagnostics)
    : wiring_(wiring),
      nodes_(nodes),
      plan_(plan),
      options_(options),
      diagnostics_(diagnostics),
      position_(nodes.size()) {
    for (std::uint32_t i = 0; i < nodes.size(); ++i) position_[options.order[i]] = i;
    for (const Node& node : nodes) has_clocks_.push_back(Events::has_clocks(*node.unit));
}

void WiringBuilder::build() {
    wiring_.bytes_.resize(wiring_.signals_.inputs.bytes.size());
    std::vector<const PlannedWire*> wires;
    wires.reserve(plan_.wires.size());
    for (const PlannedWire& wire : plan_.wires) wires.push_back(&wire);
    std::ranges::stable_sort(wires, {}, [](const PlannedWire* wire) { return wire->to.unit; });
    const auto size = [](const auto& table) { return static_cast<std::uint32_t>(table.size()); };
    std::size_t next = 0;
    std::vector<std::vector<const DrivenInput*>> driven_inputs(nodes_.size());
    for (const DrivenInput& driven : options_.driven) driven_inputs[driven.to.unit].push_back(&driven);
    std::vector<std::size_t> first_usual;  // per node
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        Node& node = nodes_[i];
        first_usual.push_back(wiring_.usual_.size());
        node.wires.first_real = size(wiring_.real_);
        node.wires.first_typed = size(wiring_.typed_);
        for (; next < wires.size() && wires[next]->to.unit == i; ++next) add(*wires[next]);
        for (const DrivenInput* driven : driven_inputs[i]) add(*driven);
        node.wires.last_real = size(wiring_.real_);
        node.wires.last_typed = size(wiring_.typed_);
        node.wires.first_single = size(wiring_.singles_);
        for (const Layout::Slot& slot : node.inputs.slots) {
            if (node.unit->info().variables[slot.variable].declared_type != "Float32") continue;
            const std::uint32_t first = node.input_base[index_of(Type::real)] + slot.offset;
            for (std::uint32_t element = 0; element < slot.count; ++element)
                wiring_.singles_.push_back(first + element);
        }
        node.wires.last_single = size(wiring_.singles_);
        // By the element that they drive, so that those of one input are found without a look at all others.
        std::ranges::sort(std::span(wiring_.usual_).subspan(first_usual.back()), {}, &CompensatedWire::to);
        std::ranges::sort(std::span(wiring_.real_).subspan(node.wires.first_real), {}, &RealWire::to);
        std::ranges::sort(std::span(wiring_.typed_).subspan(node.wires.first_typed), {},
                          [](const TypedWire& wire) { return std::pair(wire.to_type, wire.to); });
        node.has_other_wires = !node.wires.empty();
    }
    // The table is complete and stays where it is.
    first_usual.push_back(wiring_.usual_.size());
    CompensatedWire* const usual = wiring_.usual_.data();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        nodes_[i].usual = {usual + first_usual[i], usual + first_usual[i + 1]};
    }
    if (slopes_) wiring_.slopes_.resize(wiring_.signals_.inputs.reals.size());
    for (Node& node : nodes_) {
        const auto first = wiring_.real_.begin() + node.wires.first_real;
        const auto last = wiring_.real_.begin() + node.wires.last_real;
        if (std::none_of(first, last, [](const RealWire& wire) { return wire.slope; })) continue;
        node.input_block.slopes = wiring_.slopes_.data() + node.input_base[index_of(Type::real)];
    }
}

void WiringBuilder::add(const PlannedWire& planned) {
    const Node& sender = nodes_[planned.from.unit];
    const Node& receiver = nodes_[planned.to.unit];
    const Layout::Slot& source = *sender.outputs.find(planned.from.variable);
    const Layout::Slot& target = *receiver.inputs.find(planned.to.variable);
    const std::uint32_t from = sender.output_base[index_of(source.type)] + source.offset + planned.from.element;
    const std::uint32_t to = receiver.input_base[index_of(target.type)] + target.offset + planned.to.element;
    if (source.type == Type::real && target.type == Type::real && planned.table.empty()) {
        add_real(planned, from, to);
        return;
    }
    wiring_.typed_.push_back({.from_type = source.type,
                              .to_type = target.type,
                              .from = from,
                              .to = to,
                              .count = planned.count,
                              .gain = planned.gain,
                              .offset = planned.offset,
                              .table = planned.table,
                              .label = planned.label});
    if (source.type == Type::bytes) reserve_bytes(planned, to);
}

/// So that nothing is allocated in a step where the size is bounded.
void WiringBuilder::reserve_bytes(const PlannedWire& planned, std::uint32_t to) {
    const std::size_t largest = variable(planned.from).max_bytes;
    if (largest > largest_value) return;
    for (std::uint32_t i = 0; i < planned.count; ++i) wiring_.bytes_[to + i].reserve(largest);
}

void WiringBuilder::add_real(const PlannedWire& planned, std::uint32_t from, std::uint32_t to) {
    const Node& sender = nodes_[planned.from.unit];
    const Node& receiver = nodes_[planned.to.unit];
    const Hold hold = choose_hold(planned);
    const bool same_period = sender.period == receiver.period && options_.extra_points.empty() &&
                             !has_clocks(planned.from.unit) && !has_clocks(planned.to.unit);
    const bool first = sender_first(planned);
    RealWire wire{.slope = hold == Hold::linear,
                  .sender_first = first,
                  .from = from,
                  .to = to,
                  .count = planned.count,
                  .sender = planned.from.unit,
                  .gain = planned.gain,
                  .offset = planned.offset,
                  .visible = &sender.visible};
    if (hold == Hold::constant) {
        wiring_.real_.push_back(wire);
        return;
    }
    if (const Foresight* foresight = sender.unit->foresight()) {
        Endpoint end = planned.to;
        for (std::uint32_t i = 0; i < planned.count; ++i, ++wire.to, ++end.element)
            add_foreseen(wire, end, {foresight, planned.from.variable, planned.gain, planned.offset});
        return;
    }
    if (same_period && hold == Hold::compensated) {
        for (std::uint32_t i = 0; i < planned.count; ++i) {
            wiring_.usual_.push_back({.gain = planned.gain,
                                      .offset = planned.offset,
                                      .weight = first ? -0.5 : 0.5,
                                      .from = from + i,
                                      .to = to + i,
                                      .sender = planned.from.unit});
        }
        return;
    }
    slopes_ |= wire.slope;
    wire.kind = same_period ? RealWire::Kind::linear : RealWire::Kind::sampled;
    wire.span = std::max(sender.period, receiver.period);
    wire.per_second = 1 / options_.timebase.seconds(wire.span);
    wire.base = wire.candidate = options_.start;
    wire.history = static_cast<std::uint32_t>(wiring_.history_.size());
    wiring_.history_.resize(wiring_.history_.size() + (same_period ? std::size_t{1} : std::size_t{2}) * planned.count);
    wiring_.real_.push_back(wire);
}

void WiringBuilder::add_foreseen(RealWire wire, const Endpoint& to, const ForeseenSignal& signal) {
    const Node& receiver = nodes_[to.unit];
    const bool follows = receiver.unit->can_follow(to.variable);
    wire.kind = follows ? RealWire::Kind::followed : RealWire::Kind::foreseen;
    wire.slope = wire.slope && !follows;
    wire.count = 1;
    wire.foresight = signal.source;
    wire.variable = signal.variable;
    wire.gain = signal.gain;
    wire.offset = signal.offset;
    if (follows) receiver.unit->follow(receiver.inputs.find(to.variable)->offset + to.element, signal);
    slopes_ |= wire.slope;
    wiring_.real_.push_back(wire);
}

/// Where the hold is constant, or the input is none of a continuous real, whoever drives it writes its value at the
/// points.
void WiringBuilder::add(const DrivenInput& driven) {
    const Node& receiver = nodes_[driven.to.unit];
    const Variable& input = variable(driven.to);
    const Hold hold = options_.hold.value_or(Hold::automatic);
    const bool is_continuous = input.type == Type::real && input.variability == Variability::continuous;
    if (!is_continuous || hold == Hold::constant) return;
    const std::uint32_t first = receiver.input_base[index_of(Type::real)];
    add_foreseen({.slope = hold == Hold::linear && receiver.unit->takes_slope(driven.to.variable),
                  .to = first + receiver.inputs.find(driven.to.variable)->offset + driven.to.element},
                 driven.to, driven.signal);
}

bool WiringBuilder::continuous(const PlannedWire& wire) const {
    return variable(wire.from).variability == Variability::continuous &&
           variable(wire.to).variability == Variability::continuous;
}

Hold WiringBuilder::choose_hold(const PlannedWire& wire) {
    const Hold wanted = options_.hold.value_or(wire.hold);
    if (wanted == Hold::constant) return Hold::constant;
    if (!continuous(wire)) {
        if (wire.hold != Hold::automatic) {
            diagnostics_.note("hold", wire.where,
                              fmt::format("'{}' is sampled (not continuous at both ends): held constant", wire.label));
        }
        return Hold::constant;
    }
    if (wanted != Hold::linear) return Hold::compensated;
    if (nodes_[wire.to.unit].unit->takes_slope(wire.to.variable)) return Hold::linear;
    diagnostics_.note("hold", wire.where,
                      fmt::format("'{}': unit '{}' cannot interpolate this input, so 'compensated' is used in "
                                  "place of 'linear'",
                                  wire.label, nodes_[wire.to.unit].name));
    return Hold::compensated;
}

std::vector<Coupling> WiringBuilder::couplings(const FeedthroughMap& feedthrough) {
    std::vector<Coupling> result;
    std::vector<std::string> constant, through;
    for (const PlannedWire& wire : plan_.wires) {
        Coupling& coupling = result.emplace_back();
        const Unit& receiver = *nodes_[wire.to.unit].unit;
        const bool real = variable(wire.from).type == Type::real && variable(wire.to).type == Type::real;
        coupling.continuous = real && continuous(wire);
        coupling.sender_first = sender_first(wire);
        if (!coupling.continuous || nodes_[wire.from.unit].unit->foresight() != nullptr) continue;
        const Hold wanted = options_.hold.value_or(wire.hold);
        if (wanted == Hold::constant) {
            coupling.order = 1;
            constant.push_back(wire.label);
            continue;
        }
        const bool linear = wanted == Hold::linear && receiver.takes_slope(wire.to.variable);
        coupling.hold = linear ? Hold::linear : Hold::compensated;
        const bool held_through = !receiver.info().can.refreshes_outputs && feedthrough.reaches_continuous(wire);
        if (linear || !held_through) continue;
        coupling.order = 1;
        through.push_back(wire.label);
    }
    note_first_order(constant, "their hold is constant");
    note_first_order(through, "an output feeds the held input through; 'linear' keeps order 2 where the unit can");
    return result;
}

void WiringBuilder::note_first_order(const std::vector<std::string>& labels, const char* reason) {
    if (labels.empty()) return;
    constexpr std::size_t shown = 4;
    std::string list;
    for (std::size_t i = 0; i < std::min(shown, labels.size()); ++i) list += (i == 0 ? "" : ", ") + labels[i];
    if (labels.size() > shown) list += fmt::format(" and {} more", labels.size() - shown);
    diagnostics_.note("order", plan_.name, fmt::format("coupling is of order 1 on {}: {}", list, reason));
}

}  // namespace master::core
