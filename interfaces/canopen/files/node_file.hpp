#pragma once

#include "interfaces/canopen/files/error.hpp"
#include "interfaces/canopen/node.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interfaces::canopen {

/// Which nodes are on a bus, which data sheet each one has, and which object carries which signal.
struct NodeFile {
    std::uint32_t bit_rate = 250000;
    std::vector<Node> nodes;
    std::vector<std::string> notes;  // what the data sheets needed corrected, each with file:line
};

/// An XML file with the root <CanOpen xmlns="urn:tandem:can:1">, and the data sheets beside it. Throws FileError.
[[nodiscard]] NodeFile read_node_file(const std::filesystem::path& path);

/// The text of a data sheet by the name that stands in the file; throws std::runtime_error if there is none.
using SheetLoader = std::function<std::string(const std::string& name)>;
[[nodiscard]] NodeFile parse_node_file(std::string_view text, const std::string& shown, const SheetLoader& load_sheet);

/// The data sheets that a node file names, each once; nothing for another file.
[[nodiscard]] std::optional<std::vector<std::string>> sheets_named(std::string_view text);

}  // namespace interfaces::canopen
