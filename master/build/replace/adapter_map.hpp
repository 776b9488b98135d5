#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace master::build {

/// One row of an adapter map: a variable of the unit that is replaced and its partner in the new one, with
/// old = gain * new + offset after the conversion of units.
struct MapRow {
    enum class Form : std::uint8_t {
        partner,
        constant,     // one side is "=VALUE": what the other one holds
        none,         // one side is "none": the other one stays without a partner
        of_old_unit,  // the new side is "from the old unit": that keeps running beside the new one for this output
    };
    Form form = Form::partner;
    std::string old_name, new_name;  // empty where the side is no name
    double gain = 1, offset = 0;
    std::string unit;  // of the new variable where its FMU states none; of a constant
    double constant = 0;
    std::string where;  // file:line
};

/// Rows of a CSV file with the columns old, new, gain, offset, unit, note; the last four may be left out. Anything else
/// is an `Error` with file:line:column.
[[nodiscard]] std::vector<MapRow> read_adapter_map(const std::filesystem::path& file);
[[nodiscard]] std::vector<MapRow> parse_adapter_map(std::string_view text, const std::string& name);

/// A row as the file has it, without the end of the line.
[[nodiscard]] std::string text_of(const MapRow& row, const std::string& note);
inline constexpr std::string_view adapter_map_header = "old,new,gain,offset,unit,note";

}  // namespace master::build
