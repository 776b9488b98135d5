#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/physical_units.hpp"
#include "master/core/unit.hpp"
#include "master/ssp/description.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace master::build {

/// A part of a variable: `count` flattened elements from `element` on.
struct Part {
    std::uint32_t variable = 0;
    std::uint32_t element = 0;
    std::uint32_t count = 1;
};

/// "u[2,1]" taken apart: "u" and {2, 1}.
struct Indexed {
    std::string_view name;
    std::vector<std::uint64_t> indices;
};

/// Nothing where the name does not end in such brackets.
[[nodiscard]] std::optional<Indexed> split_indices(std::string_view name);

/// Names of a unit's variables, aliases included.
class VariableNames {
public:
    explicit VariableNames(const core::UnitInfo& info);
    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const;
    [[nodiscard]] std::string hint(std::string_view name) const;

private:
    const core::UnitInfo& info_;
    std::unordered_map<std::string_view, std::uint32_t> by_name_;
};

/// Components of a description with the names of their variables; units of one FMU share theirs.
class Directory {
public:
    Directory(const ssp::Description& description, std::span<const core::UnitInfo* const> infos);

    [[nodiscard]] const core::UnitInfo* info(std::uint32_t component) const { return infos_[component]; }
    [[nodiscard]] const VariableNames& names(std::uint32_t component) const { return *names_[component]; }
    [[nodiscard]] const ssp::Component& component(std::uint32_t index) const { return description_.components[index]; }
    [[nodiscard]] std::optional<std::uint32_t> find_component(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> component_names() const;

    /// A connector's variable, narrowed by indices (counted from 1, row by row). `name[i]` and indices of `name` mean
    /// the same, so that FMI 2's scalars meet FMI 3's arrays. Reports an unknown name or index and returns nothing.
    [[nodiscard]] std::optional<Part> find(const ssp::Terminal& terminal, const std::string& where,
                                           base::Diagnostics& diagnostics) const;

    /// A unit with its definition, where the FMU or the system's file has one for its name.
    [[nodiscard]] core::PhysicalUnit defined(std::uint32_t component, const core::PhysicalUnit& unit) const;
    /// The unit of a component's variable: what the FMU says where that is understood, else the connector's.
    [[nodiscard]] UsedUnit unit_of(std::uint32_t component, std::uint32_t variable,
                                   const ssp::Connector* connector) const;
    /// What the FMU, else the file, says about the items of an enumeration.
    [[nodiscard]] const core::Enumeration* enumeration_of(std::uint32_t component, std::uint32_t variable,
                                                          const ssp::Connector* connector) const;

    /// "component.variable", with the index where only part of an array is meant.
    [[nodiscard]] std::string label(std::uint32_t component, const Part& part) const;

private:
    const ssp::Description& description_;
    std::vector<const core::UnitInfo*> infos_;
    std::map<const core::UnitInfo*, std::unique_ptr<VariableNames>> all_names_;
    std::vector<const VariableNames*> names_;
    std::map<std::string, std::uint32_t, std::less<>> component_of_;
};

/// The variable that holds the value: FMI 2 variables with one reference are one.
[[nodiscard]] std::uint32_t canonical(const core::UnitInfo& info, std::uint32_t variable);

}  // namespace master::build
