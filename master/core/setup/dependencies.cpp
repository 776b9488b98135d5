#include "master/core/setup/dependencies.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <unordered_map>

namespace master::core {
namespace {

std::vector<std::uint32_t> all_slots(const Layout& layout) {
    std::vector<std::uint32_t> slots(layout.slots.size());
    std::iota(slots.begin(), slots.end(), 0U);
    return slots;
}

using Unknowns = std::unordered_map<std::uint32_t, const Unknown*>;

Unknowns by_variable(const std::vector<Unknown>& list) {
    Unknowns unknowns;
    for (const Unknown& unknown : list) unknowns.emplace(unknown.variable, &unknown);
    return unknowns;
}

std::unordered_map<std::uint32_t, std::uint32_t> slots_by_variable(const Layout& layout) {
    std::unordered_map<std::uint32_t, std::uint32_t> slots;
    for (std::uint32_t i = 0; i < layout.slots.size(); ++i) slots.emplace(layout.slots[i].variable, i);
    return slots;
}

/// The input slots an unknown depends on. `absent` answers for variables that the list does not mention.
template <typename Absent>
Feedthrough collect(const Unknowns& unknowns, const Layout& inputs, const Layout& outputs, Absent absent) {
    const auto input_slots = slots_by_variable(inputs);
    Feedthrough result;
    result.outputs.resize(outputs.slots.size());
    for (std::size_t i = 0; i < outputs.slots.size(); ++i) {
        const std::uint32_t variable = outputs.slots[i].variable;
        const auto unknown = unknowns.find(variable);
        if (unknown == unknowns.end()) {
            if (absent(variable)) result.outputs[i] = all_slots(inputs);
            continue;
        }
        if (!unknown->second->dependencies) {
            result.outputs[i] = all_slots(inputs);
            continue;
        }
        for (const std::uint32_t dependency : *unknown->second->dependencies) {
            const auto slot = input_slots.find(dependency);
            if (slot != input_slots.end()) result.outputs[i].push_back(slot->second);
        }
    }
    return result;
}

// Tarjan's algorithm without recursion: systems may have chains of 100,000 variables.
class ComponentSearch {
public:
    explicit ComponentSearch(const std::vector<std::vector<std::uint32_t>>& successors)
        : successors_(successors),
          index_(successors.size(), unvisited),
          low_(successors.size()),
          on_stack_(successors.size(), false) {}

    std::vector<std::vector<std::uint32_t>> run() {
        for (std::uint32_t root = 0; root < successors_.size(); ++root) {
            if (index_[root] == unvisited) search(root);
        }
        std::ranges::reverse(found_);
        return std::move(found_);
    }

private:
    static constexpr std::uint32_t unvisited = std::numeric_limits<std::uint32_t>::max();
    struct Frame {
        std::uint32_t vertex = 0;
        std::size_t edge = 0;
    };

    void search(std::uint32_t root) {
        std::vector<Frame> frames{enter(root)};
        while (!frames.empty()) {
            Frame& frame = frames.back();
            const std::uint32_t vertex = frame.vertex;
            if (frame.edge < successors_[vertex].size()) {
                const std::uint32_t next = successors_[vertex][frame.edge++];
                if (index_[next] == unvisited) {
                    frames.push_back(enter(next));
                } else if (on_stack_[next]) {
                    low_[vertex] = std::min(low_[vertex], index_[next]);
                }
                continue;
            }
            frames.pop_back();
            if (!frames.empty()) low_[frames.back().vertex] = std::min(low_[frames.back().vertex], low_[vertex]);
            if (low_[vertex] == index_[vertex]) found_.push_back(pop_component(vertex));
        }
    }

    Frame enter(std::uint32_t vertex) {
        index_[vertex] = low_[vertex] = counter_++;
        stack_.push_back(vertex);
        on_stack_[vertex] = true;
        return {.vertex = vertex};
    }

    std::vector<std::uint32_t> pop_component(std::uint32_t root) {
        std::vector<std::uint32_t> component;
        while (true) {
            const std::uint32_t vertex = stack_.back();
            stack_.pop_back();
            on_stack_[vertex] = false;
            component.push_back(vertex);
            if (vertex == root) break;
        }
        std::ranges::sort(component);
        return component;
    }

    const std::vector<std::vector<std::uint32_t>>& successors_;
    std::vector<std::uint32_t> index_, low_, stack_;
    std::vector<bool> on_stack_;
    std::vector<std::vector<std::uint32_t>> found_;
    std::uint32_t counter_ = 0;
};

}  // namespace

bool Feedthrough::uses(std::uint32_t input_slot) const {
    return std::ranges::any_of(outputs, [&](const auto& inputs) { return std::ranges::count(inputs, input_slot) > 0; });
}

Feedthrough feedthrough(const UnitInfo& info, const Layout& inputs, const Layout& outputs) {
    return collect(by_variable(info.outputs), inputs, outputs, [&](std::uint32_t variable) {
        const Causality causality = info.variables[variable].causality;
        return causality == Causality::output && !info.has_model_structure;
    });
}

Feedthrough initial_feedthrough(const UnitInfo& info, const Layout& inputs, const Layout& outputs) {
    Unknowns unknowns = by_variable(info.initial_unknowns);
    for (const Unknown& output : info.outputs) unknowns.emplace(output.variable, &output);
    // An output that no list mentions is known from the start, unless the unit says nothing at all.
    return collect(unknowns, inputs, outputs, [&](std::uint32_t variable) {
        return !info.has_model_structure && info.variables[variable].causality == Causality::output;
    });
}

std::vector<std::vector<std::uint32_t>> components(const std::vector<std::vector<std::uint32_t>>& successors) {
    return ComponentSearch(successors).run();
}

}  // namespace master::core
