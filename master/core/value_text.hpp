#pragma once

#include "master/core/unit.hpp"

#include <string>
#include <vector>

namespace master::core {

/// Shortest text that reads back as the same number; INF, -INF and NaN as XML Schema spells them.
[[nodiscard]] std::string number_text(double value);

/// Each element as files write it: numbers by shortest round trip, booleans as true and false, bytes in hexadecimal.
[[nodiscard]] std::vector<std::string> element_texts(const Value& value);

/// All elements separated by blanks.
[[nodiscard]] std::string value_text(const Value& value);

/// As FMI spells them.
[[nodiscard]] std::string name_of(Causality causality);
[[nodiscard]] std::string name_of(Variability variability);
[[nodiscard]] std::string name_of(Initial initial);

}  // namespace master::core
