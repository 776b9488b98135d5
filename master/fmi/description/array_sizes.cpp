#include "master/fmi/description/array_sizes.hpp"

#include "master/base/error.hpp"

#include <type_traits>

namespace master::fmi {
namespace {

/// More elements than this in one array are taken for a mistake; slices of a unit are counted in 32 bits.
constexpr std::uint64_t largest_array = 1ULL << 28U;

/// Elements that are filled from single start values, over all arrays.
constexpr std::size_t largest_filled = 1ULL << 24U;

core::Value repeated(const core::Value& value, std::size_t count) {
    return std::visit(
        [count](const auto& elements) {
            return core::Value(std::remove_cvref_t<decltype(elements)>(count, elements.front()));
        },
        value);
}

/// The extent that a structural parameter gives.
std::optional<std::uint64_t> extent_of(const core::Value& value) {
    if (const auto* naturals = std::get_if<std::vector<std::uint64_t>>(&value)) {
        if (naturals->size() == 1) return naturals->front();
    }
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
        if (integers->size() == 1 && integers->front() >= 0) return static_cast<std::uint64_t>(integers->front());
    }
    return std::nullopt;
}

std::optional<std::uint64_t> extent_of(const ModelDescription& description, const Dimension& dimension,
                                       const core::Values& structural) {
    if (!dimension.parameter) return dimension.size;
    // The last assignment wins, as it does in parameter sets.
    for (auto assignment = structural.rbegin(); assignment != structural.rend(); ++assignment) {
        if (assignment->variable == *dimension.parameter) return extent_of(assignment->value);
    }
    const std::optional<core::Value>& start = description.info.variables[*dimension.parameter].start;
    return start ? extent_of(*start) : std::nullopt;
}

/// Empty when the extents of the variable are known and sane; `variable` then has them.
std::string size_one(const ModelDescription& description, std::uint32_t index, const core::Values& structural,
                     core::Variable& variable) {
    std::uint64_t size = 1;
    variable.dimensions.clear();
    for (const Dimension& dimension : description.dimensions[index]) {
        const std::optional<std::uint64_t> extent = extent_of(description, dimension, structural);
        if (!extent) {
            return "has an extent given by '" + description.info.variables[*dimension.parameter].name +
                   "', which has no single whole number as its value";
        }
        if (*extent > largest_array || size * *extent > largest_array) {
            return "has more than " + std::to_string(largest_array) + " elements";
        }
        variable.dimensions.push_back(*extent);
        size *= *extent;
    }
    variable.size = size;
    return {};
}

/// One start value holds for every element of an array; a list of another length holds for none. `room` bounds the
/// memory that a few bytes of XML can ask for: arrays beyond it keep the values that the unit itself starts with.
void fit_start(ModelDescription& description, std::uint32_t index, std::size_t& room) {
    core::Variable& variable = description.info.variables[index];
    const bool one_for_all = variable.start && count_of(*variable.start) == 1 && variable.size != 1;
    if (one_for_all) description.uniform_starts.emplace(index, *variable.start);
    const auto uniform = description.uniform_starts.find(index);
    if (uniform == description.uniform_starts.end()) {
        if (variable.start && count_of(*variable.start) != variable.size) variable.start.reset();
        return;
    }
    if (variable.size > room) {
        variable.start.reset();
        return;
    }
    room -= variable.size;
    variable.start = repeated(uniform->second, variable.size);
}

}  // namespace

std::size_t count_of(const core::Value& value) {
    return std::visit([](const auto& elements) { return elements.size(); }, value);
}

std::optional<SizeProblem> apply_sizes(ModelDescription& description, const core::Values& structural) {
    std::size_t room = largest_filled;
    for (std::uint32_t i = 0; i < description.info.variables.size(); ++i) {
        if (description.dimensions[i].empty()) continue;
        std::string problem = size_one(description, i, structural, description.info.variables[i]);
        if (!problem.empty()) return SizeProblem{i, std::move(problem)};
        fit_start(description, i, room);
    }
    if (description.version == Version::fmi2) return std::nullopt;
    description.event_indicators = 0;
    for (const std::uint32_t i : description.event_indicator_variables) {
        description.event_indicators += description.info.variables[i].size;
    }
    return std::nullopt;
}

void resize_arrays(ModelDescription& description, const core::Values& structural) {
    const std::optional<SizeProblem> problem = apply_sizes(description, structural);
    if (!problem) return;
    throw base::Error("array-size", description.file.string(),
                      "variable '" + description.info.variables[problem->variable].name + "' " + problem->text);
}

}  // namespace master::fmi
