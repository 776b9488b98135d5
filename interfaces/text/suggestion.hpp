#pragma once

#include <string>
#include <vector>

namespace interfaces::text {

/// "; did you mean 'x'?" for the known name closest to a wrong one, or the list of the known ones.
[[nodiscard]] std::string suggestion(const std::string& wrong, const std::vector<std::string>& known);

}  // namespace interfaces::text
