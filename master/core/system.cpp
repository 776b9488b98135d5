#include "master/core/system.hpp"

#include "master/base/error.hpp"
#include "master/core/events.hpp"
#include "master/core/initialization.hpp"
#include "master/core/profile.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::core {
namespace {

template <typename T>
void copy(const std::vector<T>& outputs, std::vector<T>& inputs, const OtherWire& wire) {
    std::copy_n(outputs.begin() + wire.from, wire.count, inputs.begin() + wire.to);
}

double as_number(const Lanes& lanes, Type type, std::uint32_t index) {
    switch (type) {
        case Type::real:
            return lanes.reals[index];
        case Type::integer:
            return static_cast<double>(lanes.integers[index]);
        case Type::natural:
            return static_cast<double>(lanes.naturals[index]);
        default:
            return lanes.booleans[index];
    }
}

std::int64_t as_integer(const Lanes& lanes, Type type, std::uint32_t index) {
    switch (type) {
        case Type::real:
            return std::llround(lanes.reals[index]);
        case Type::integer:
            return lanes.integers[index];
        case Type::natural:
            return static_cast<std::int64_t>(lanes.naturals[index]);
        default:
            return lanes.booleans[index];
    }
}

// A mapping that does not list a value passes it on unchanged.
std::int64_t mapped(const OtherWire& wire, std::int64_t value) {
    for (const auto& [from, to] : wire.table) {
        if (from == value) return to;
    }
    return value;
}

void convert(const OtherWire& wire, const Lanes& from, Lanes& to) {
    for (std::uint32_t i = 0; i < wire.count; ++i) {
        const std::uint32_t source = wire.from + i;
        const std::uint32_t target = wire.to + i;
        if (wire.to_type == Type::real) {
            const double value = wire.table.empty()
                                     ? as_number(from, wire.from_type, source)
                                     : static_cast<double>(mapped(wire, as_integer(from, wire.from_type, source)));
            to.reals[target] = wire.gain * value + wire.offset;
            continue;
        }
        std::int64_t value = mapped(wire, as_integer(from, wire.from_type, source));
        if (wire.gain != 1 || wire.offset != 0) {
            value = std::llround(wire.gain * static_cast<double>(value) + wire.offset);
        }
        switch (wire.to_type) {
            case Type::integer:
                to.integers[target] = value;
                break;
            case Type::natural:
                to.naturals[target] = static_cast<std::uint64_t>(value);
                break;
            default:
                to.booleans[target] = value != 0 ? 1 : 0;
                break;
        }
    }
}

void carry(const OtherWire& wire, const Lanes& outputs, Lanes& inputs) {
    const bool plain = wire.from_type == wire.to_type && wire.table.empty() && wire.gain == 1 && wire.offset == 0;
    if (!plain) {
        convert(wire, outputs, inputs);
        return;
    }
    switch (wire.from_type) {
        case Type::real:
            copy(outputs.reals, inputs.reals, wire);
            break;
        case Type::integer:
            copy(outputs.integers, inputs.integers, wire);
            break;
        case Type::natural:
            copy(outputs.naturals, inputs.naturals, wire);
            break;
        case Type::boolean:
            copy(outputs.booleans, inputs.booleans, wire);
            break;
        case Type::bytes:
            copy(outputs.bytes, inputs.bytes, wire);
            break;
        case Type::string:
            copy(outputs.strings, inputs.strings, wire);
            break;
        case Type::clock:
            break;  // clocks tick in event iterations only
    }
}

}  // namespace

System::~System() = default;

void System::initialize(base::Diagnostics& diagnostics) {
    initialize_units(*this, diagnostics);
    if (events_) events_->initialize(start());
    for (Node& node : nodes_) {
        node.visible = start();
        pull(node);
    }
    refresh(start());
    check_outputs();
    forget_if([](std::uint32_t) { return true; });
}

base::Time System::end_of_step(const Node& node, base::Time t) const { return events_->end_of_step(node, t); }

void System::hold_others(const Node& node) {
    const double* outputs = signals_.outputs.reals.data();
    double* inputs = signals_.inputs.reals.data();
    for (std::uint32_t w = node.direct.first; w < node.direct.last; ++w) {
        const DirectWire& wire = direct_[w];
        if (wire.count > 1 && wire.gain == 1 && wire.offset == 0) {
            std::copy_n(outputs + wire.from, wire.count, inputs + wire.to);
            continue;
        }
        for (std::uint32_t i = 0; i < wire.count; ++i) {
            inputs[wire.to + i] = wire.gain * outputs[wire.from + i] + wire.offset;
        }
    }
    for (std::uint32_t w = node.held.first; w < node.held.last; ++w) {
        HeldWire& wire = held_[w];
        core::hold(wire, {.t = node.begin, .h = node.end - node.begin, .visible = nodes_[wire.sender].visible}, outputs,
                   inputs, slopes_.data(), history_.data());
    }
    hold_foreseen(node);
    for (std::uint32_t w = node.others.first; w < node.others.last; ++w) {
        carry(others_[w], signals_.outputs, signals_.inputs);
    }
}

void System::hold_foreseen(const Node& node) {
    const double t = options_.timebase.seconds(node.begin);
    const double end = options_.timebase.seconds(node.end);
    for (std::uint32_t w = node.foreseen.first; w < node.foreseen.last; ++w) {
        const ForeseenWire& wire = foreseen_[w];
        const double first = wire.sender->value_at(wire.variable, t, Side::after);
        const double last = wire.sender->value_at(wire.variable, end, Side::before);
        const bool linear = wire.hold == Hold::linear;
        signals_.inputs.reals[wire.to] = wire.gain * (linear ? first : (first + last) / 2) + wire.offset;
        if (linear) slopes_[wire.to] = wire.gain * (last - first) / (end - t);
    }
}

bool System::step_measured(Node& node, const Stretch& stretch) {
    const Profile::Scope scope(*profile_, static_cast<std::size_t>(&node - nodes_.data()), node.begin);
    return step_unit(node, stretch);
}

void System::judge(Node& node) {
    node.stirred = node.result.event || node.result.terminate;
    if (node.result.discarded) refuse(node);
}

void System::refuse(const Node& node) const {
    throw base::Error(
        "discard", fmt::format("unit '{}' at t = {}", node.name, options_.timebase.seconds(node.begin)),
        fmt::format("the unit refused the step of {} s and got only to t = {}; try a smaller --step",
                    options_.timebase.seconds(node.end - node.begin), options_.timebase.seconds(node.result.reached)),
        base::Exit::failed);
}

void System::check_outputs(base::Time t) const {
    for (const Node& node : nodes_) {
        if (node.visible != t) continue;
        if (!all_numbers({node.output_block.reals, node.outputs.counts[index_of(Type::real)]})) check_numbers(node);
    }
}

void System::find_nan() const {
    for (const Node& node : nodes_) check_numbers(node);
}

void System::look_closer(Node& node) {
    if (node.result.event) forget(static_cast<std::uint32_t>(&node - nodes_.data()));
    if (node.result.terminate) terminated(node);
}

void System::settle_special(base::Time t) {
    refresh(t);
    check_outputs();
    if (events_) events_->settle(t);
}

void System::refresh(base::Time t) {
    for (const std::uint32_t index : refreshed_) {
        Node& node = nodes_[index];
        if (node.end != t) continue;
        gather(node);
        node.unit->write(Group{}, node.input_block);
        pull(node);
    }
}

void System::gather(Node& node) {
    for (const Layout::Slot& slot : node.inputs.slots) gather(node, slot);
}

void System::gather(Node& node, const Layout::Slot& slot) {
    const std::uint32_t first = node.input_base[index_of(slot.type)] + slot.offset;
    const auto inside = [&](std::uint32_t to) { return to >= first && to < first + slot.count; };
    const auto plain = [&](const auto& wire) {
        for (std::uint32_t i = 0; i < wire.count; ++i) {
            signals_.inputs.reals[wire.to + i] = wire.gain * signals_.outputs.reals[wire.from + i] + wire.offset;
            if (!slopes_.empty()) slopes_[wire.to + i] = 0;
        }
    };
    if (slot.type == Type::real) {
        for (const EvenWire& wire : node.even) {
            if (!inside(wire.to)) continue;
            signals_.inputs.reals[wire.to] = wire.gain * signals_.outputs.reals[wire.from] + wire.offset;
        }
        for (std::uint32_t w = node.direct.first; w < node.direct.last; ++w) {
            if (inside(direct_[w].to)) plain(direct_[w]);
        }
        for (std::uint32_t w = node.held.first; w < node.held.last; ++w) {
            if (inside(held_[w].to)) plain(held_[w]);
        }
        for (std::uint32_t w = node.foreseen.first; w < node.foreseen.last; ++w) {
            const ForeseenWire& wire = foreseen_[w];
            if (!inside(wire.to)) continue;
            const double t = options_.timebase.seconds(node.end);
            signals_.inputs.reals[wire.to] =
                wire.gain * wire.sender->value_at(wire.variable, t, Side::after) + wire.offset;
            if (!slopes_.empty()) slopes_[wire.to] = 0;
        }
    }
    for (std::uint32_t w = node.others.first; w < node.others.last; ++w) {
        if (others_[w].to_type == slot.type && inside(others_[w].to)) {
            carry(others_[w], signals_.outputs, signals_.inputs);
        }
    }
}

void System::forget(std::uint32_t node) {
    forget_if([node](std::uint32_t sender) { return sender == node; });
}

template <typename Jumped>
void System::forget_if(Jumped jumped) {
    const double* outputs = signals_.outputs.reals.data();
    for (EvenWire& wire : even_) {
        if (jumped(wire.sender)) wire.previous = outputs[wire.from];
    }
    for (HeldWire& wire : held_) {
        if (jumped(wire.sender)) core::forget(wire, nodes_[wire.sender].visible, outputs, history_.data());
    }
}

void System::check_numbers(const Node& node) const {
    const UnitInfo& info = node.unit->info();
    for (const Layout::Slot& slot : node.outputs.slots) {
        if (slot.type != Type::real) continue;
        for (std::uint32_t i = 0; i < slot.count; ++i) {
            if (!std::isnan(node.output_block.reals[slot.offset + i])) continue;
            const std::string element = slot.count > 1 ? fmt::format(" (element {})", i + 1) : std::string{};
            throw base::Error("nan",
                              fmt::format("unit '{}' at t = {}", node.name, options_.timebase.seconds(node.visible)),
                              fmt::format("output '{}'{} is not a number{}", info.variables[slot.variable].name,
                                          element, node.unit->last_message()),
                              base::Exit::failed);
        }
    }
}

void System::terminate() {
    for (Node& node : nodes_) node.unit->terminate();
}

}  // namespace master::core
