#pragma once

#include "master/contracts/interface.hpp"
#include "master/results/table.hpp"

#include <string>

namespace master::contracts {

/// A specification as a system description: the same connectors without sources, with what is known as contracts.
[[nodiscard]] std::string specification_of(const Interface& interface, const std::string& name);

/// The signals of a result, COMPONENT.VARIABLE, as an interface: ranges are those that were seen, widened on both sides
/// by `margin` of their span.
[[nodiscard]] Interface interface_of(const results::Table& result, const std::string& file, double margin);

/// The table that people put into documents.
[[nodiscard]] std::string markdown_of(const Interface& interface);
[[nodiscard]] std::string csv_of(const Interface& interface);

}  // namespace master::contracts
