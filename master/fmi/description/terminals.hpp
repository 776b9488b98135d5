#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace master::fmi {

/// Variables that belong together, such as the signals of a plug or of a bus (FMI 3.0, 2.4.9).
struct Terminal {
    std::string name;  // nested ones with dots
    std::string kind, matching_rule, description;
    std::vector<std::pair<std::string, std::string>> members;  // name in the terminal and name of the variable
};

/// What an unpacked FMU has in terminalsAndIcons/terminalsAndIcons.xml; nothing without that file. `shown` stands for
/// the FMU in messages. Throws `Error` where the file is no XML of that kind.
[[nodiscard]] std::vector<Terminal> read_terminals(const std::filesystem::path& folder, const std::string& shown);

}  // namespace master::fmi
