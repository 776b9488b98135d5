#pragma once

#include "master/base/xml/document.hpp"
#include "master/fmi/description/model_description.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace master::fmi {

/// Remarks on one file. Of each kind the first few are kept with their lines and the others counted: a file of 100,000
/// variables may break one rule 100,000 times.
class Remarks {
public:
    Remarks(const base::Document& text, base::Diagnostics& diagnostics) : text_(text), diagnostics_(diagnostics) {}

    void error(const std::string& code, pugi::xml_node node, const std::string& message);
    /// A broken rule that does no harm: a note, or an error when strict.
    void deviation(const std::string& code, pugi::xml_node node, const std::string& message);
    /// Reports how many remarks of each kind were left out.
    void summarize();

private:
    using Count = std::map<std::string, std::size_t>;  // by code

    const base::Document& text_;
    base::Diagnostics& diagnostics_;
    Count errors_, deviations_;
};

/// A type definition that variables refer to by `declaredType`.
struct TypeDefinition {
    std::string base;           // as a variable spells it: Real, Float64, Enumeration, ...
    pugi::xml_node attributes;  // the element that carries unit, min, max, ...
};

/// What the parts of the reader share while one description is read.
struct DescriptionReader {
    const base::Document& text;
    Remarks remarks;
    ModelDescription& result;
    std::map<std::string, TypeDefinition, std::less<>> types;
    std::vector<pugi::xml_node> nodes;  // of each variable
    /// Attribute `derivative` as written: a value reference (FMI 3) or an index from 1 (FMI 2).
    std::vector<std::optional<std::uint32_t>> derivative_of;
    std::unordered_map<std::uint32_t, std::uint32_t> by_reference;  // FMI 3 only, where references are unique

    [[nodiscard]] bool is_fmi3() const { return result.version == Version::fmi3; }
    [[nodiscard]] std::vector<core::Variable>& variables() const { return result.info.variables; }
    /// The variable that a reference in the file means: by value reference (FMI 3) or by index from 1 (FMI 2).
    [[nodiscard]] std::optional<std::uint32_t> variable(std::uint32_t reference) const;
    /// The same with an error that says who refers to it and what would be right.
    std::optional<std::uint32_t> resolve(std::string_view word, pugi::xml_node node, const std::string& who);

    [[nodiscard]] bool flag(pugi::xml_node node, const char* attribute);
    [[nodiscard]] std::optional<double> real(pugi::xml_node node, const char* attribute);
};

void read_units(DescriptionReader& reader, pugi::xml_node root);
void read_types(DescriptionReader& reader, pugi::xml_node root);
void read_interfaces(DescriptionReader& reader, pugi::xml_node root);
void read_experiment(DescriptionReader& reader, pugi::xml_node root);
void read_variables(DescriptionReader& reader, pugi::xml_node root);
void read_structure(DescriptionReader& reader, pugi::xml_node root);

/// Where the rules for one variable differ from what is written: fills in defaults, remarks, drops what must not be
/// used.
struct Written {
    std::optional<core::Variability> variability;
    std::optional<core::Initial> initial;
};
void apply_rules(DescriptionReader& reader, pugi::xml_node node, const Written& written, core::Variable& variable);
void check_units_and_limits(DescriptionReader& reader);

/// The value that a start attribute, or the <Start> elements of a string or binary variable, give; nothing without one.
[[nodiscard]] std::optional<core::Value> read_start(DescriptionReader& reader, pugi::xml_node node,
                                                    const core::Variable& variable, Native native);

}  // namespace master::fmi
