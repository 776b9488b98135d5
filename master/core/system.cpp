#include "master/core/system.hpp"

#include "master/base/error.hpp"
#include "master/core/profile.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>

namespace master::core {

System::~System() = default;

void System::complete_start() {
    if (events_) events_->initialize(start());
    for (Node& node : nodes_) {
        node.visible = start();
        node.unit->update_fast_path(node.fast);
        pull(node);
    }
    refresh(start());
    check_outputs();
    wiring_.forget_all();
}

base::Time System::end_of_step(const Node& node, base::Time t) const {
    const std::int64_t steps = (t - start()).ticks / node.period.ticks + 1;
    const base::Time end = node.clock_limited ? events_->end_of_step(node, t) : start() + node.period * steps;
    const auto extra = std::ranges::upper_bound(options_.extra_points, t);
    return extra == options_.extra_points.end() ? end : std::min(end, *extra);
}

bool System::step_measured(Node& node, const StepInterval& step) {
    const Profile::Scope scope(*profile_, index_of_node(node), node.begin);
    return step_unit(node, step);
}

void System::take_result(Node& node) {
    node.unit->update_fast_path(node.fast);
    node.has_event_or_end = node.result.event || node.result.terminate;
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

void System::handle_event_or_end(Node& node) {
    if (node.result.event) wiring_.forget(index_of_node(node));
    if (node.result.terminate) terminated(node);
}

void System::refresh_and_handle_events(base::Time t) {
    refresh(t);
    check_outputs();
    if (events_) events_->handle_due(t);
}

void System::refresh(base::Time t) {
    for (const std::uint32_t index : refreshed_) {
        Node& node = nodes_[index];
        if (node.end != t) continue;
        gather(node);
        node.unit->write(Group{}, node.input_block);
        node.unit->update_fast_path(node.fast);
        pull(node);
    }
}

void System::gather(Node& node) {
    for (const Layout::Slot& slot : node.inputs.slots) gather(node, slot);
}

void System::gather(Node& node, const Layout::Slot& slot) {
    const std::uint32_t first = node.input_base[index_of(slot.type)] + slot.offset;
    wiring_.gather(node.usual, node.wires, {slot.type, first, slot.count}, node.end);
}

void System::complete_event(Node& node) {
    node.unit->update_fast_path(node.fast);
    node.unit->read(Group{}, node.output_block);
    check_numbers(node);
    wiring_.forget(index_of_node(node));
}

void System::check_numbers(const Node& node) const {
    const UnitInfo& info = node.unit->info();
    for (const Layout::Slot& slot : node.outputs.slots) {
        if (slot.type != Type::real) continue;
        for (std::uint32_t i = 0; i < slot.count; ++i) {
            const double value = node.output_block.reals[slot.offset + i];
            if (std::isfinite(value)) continue;
            // One that stands for "none" and goes nowhere does no harm.
            const bool infinite = !std::isnan(value);
            if (infinite && !slot.sent) continue;
            const std::string element = slot.count > 1 ? fmt::format(" (element {})", i + 1) : std::string{};
            const std::string where =
                fmt::format("unit '{}' at t = {}", node.name, options_.timebase.seconds(node.visible));
            const std::string output = fmt::format("output '{}'{}", info.variables[slot.variable].name, element);
            if (infinite)
                throw base::Error("infinite", where,
                                  output + " is infinite, and other units are given it" + node.unit->last_message(),
                                  base::Exit::failed);
            throw base::Error("nan", where, output + " is not a number" + node.unit->last_message(),
                              base::Exit::failed);
        }
    }
}

void System::terminate() {
    std::exception_ptr first;
    for (Node& node : nodes_) {
        try {
            node.unit->terminate();
        } catch (const base::Error&) {
            if (!first) first = std::current_exception();
        }
    }
    if (first) std::rethrow_exception(first);
}

}  // namespace master::core
