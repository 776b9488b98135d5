#pragma once

#include "fmus/common/description/xml_writer.hpp"
#include "fmus/common/state/instance.hpp"

#include <optional>
#include <string>
#include <vector>

namespace fmus {

/// The text of modelDescription.xml. The token (guid) in it is a hash of everything else.
[[nodiscard]] std::string fmi2_description(const Instance& instance);
[[nodiscard]] std::string fmi3_description(const Instance& instance);
/// The token that belongs to the description; computed once per library.
[[nodiscard]] const std::string& fmi2_token(const Instance& instance);
[[nodiscard]] const std::string& fmi3_token(const Instance& instance);
/// The text of terminalsAndIcons.xml.
[[nodiscard]] std::string terminals_description(const Instance& instance);
[[nodiscard]] std::string layered_standard_manifest(const LayeredStandard& standard);

/// FMI 2 knows scalars only: the element of each value reference.
[[nodiscard]] std::vector<Element> fmi2_elements(const Instance& instance);
/// What FMI 2 cannot express of this unit, one sentence each.
[[nodiscard]] std::vector<std::string> fmi2_losses(const Instance& instance);

/// Parts that both versions share.
namespace description {

[[nodiscard]] std::string token_of(const std::string& text);
[[nodiscard]] std::string model_name(const Instance& instance);
[[nodiscard]] const char* text_of(Causality causality);
[[nodiscard]] const char* text_of(Variability variability);
/// "exact" and "approx" where they are not the standard's default, else empty.
[[nodiscard]] std::string initial_text(const Variable& variable);
[[nodiscard]] bool has_start(const Variable& variable);
[[nodiscard]] std::string start_text(const Variable& variable, std::size_t element);
void write_units(XmlWriter& xml, const Instance& instance);
void write_log_categories(XmlWriter& xml);
void write_experiment(XmlWriter& xml, const Instance& instance);

/// What an unknown depends on, as indices of variables; nothing means "not stated", that is everything.
using Dependencies = std::optional<std::vector<std::size_t>>;
[[nodiscard]] Dependencies dependencies(const Instance& instance, std::size_t unknown);
[[nodiscard]] Dependencies initial_dependencies(const Instance& instance, std::size_t unknown);
[[nodiscard]] std::vector<std::size_t> outputs(const Instance& instance);
[[nodiscard]] std::vector<std::size_t> initial_unknowns(const Instance& instance);

}  // namespace description

}  // namespace fmus
