#include "master/build/replace/adapter_map.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/base/xml/document.hpp"
#include "master/base/xml/values.hpp"
#include "master/core/value_text.hpp"
#include "master/results/csv_scanner.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>

namespace master::build {
namespace {

constexpr std::array columns{"old", "new", "gain", "offset", "unit", "note"};
constexpr std::string_view no_partner = "none";
constexpr std::string_view old_unit = "from the old unit";

using MapCells = std::vector<results::CsvCell>;

/// Place of each known column in the file.
std::map<std::string, std::size_t> header_of(const MapCells& cells, const results::CsvScanner& scanner) {
    std::map<std::string, std::size_t> places;
    const std::vector<std::string> known(columns.begin(), columns.end());
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const std::string name = cells[i].text();
        if (std::ranges::find(known, name) == known.end())
            throw base::Error("bad-map", scanner.where(cells[i]),
                              fmt::format("unknown column '{}', known: old, new, gain, offset, unit, note{}", name,
                                          base::did_you_mean(name, known)));
        if (!places.try_emplace(name, i).second)
            throw base::Error("bad-map", scanner.where(cells[i]), fmt::format("column '{}' is there twice", name));
    }
    for (const char* needed : {"old", "new"})
        if (!places.contains(needed))
            throw base::Error(
                "bad-map", scanner.where(cells.front()),
                fmt::format("there is no column '{}'; expected the header {}", needed, adapter_map_header));
    return places;
}

class RowReader {
public:
    RowReader(const MapCells& cells, const std::map<std::string, std::size_t>& places,
              const results::CsvScanner& scanner)
        : cells_(cells), places_(places), scanner_(scanner) {}

    MapRow read() const {
        MapRow row;
        row.where = scanner_.where(cells_.front());
        row.where.erase(row.where.rfind(':'));  // the line is enough
        row.old_name = text("old");
        row.new_name = text("new");
        row.unit = text("unit");
        row.gain = number("gain").value_or(1);
        row.offset = number("offset").value_or(0);
        if (row.gain == 0 || !std::isfinite(row.gain) || !std::isfinite(row.offset))
            throw base::Error("bad-map", row.where, "gain and offset must be finite, and the gain not zero");
        take_form(row, row.old_name, row.new_name);
        if (row.form == MapRow::Form::partner) take_form(row, row.new_name, row.old_name);
        const bool named = row.form == MapRow::Form::partner ? !row.old_name.empty() && !row.new_name.empty()
                                                             : row.old_name.empty() != row.new_name.empty();
        if (!named)
            throw base::Error("bad-map", row.where,
                              "expected a name on both sides, or a name on one and =VALUE, none or (on the new side) "
                              "'from the old unit' on the other");
        return row;
    }

private:
    void take_form(MapRow& row, std::string& side, const std::string& other) const {
        if (side == no_partner) {
            row.form = MapRow::Form::none;
        } else if (side == old_unit && &side == &row.new_name) {
            row.form = MapRow::Form::of_old_unit;
        } else if (side.starts_with('=')) {
            const std::optional<double> value = base::parse_double(side.substr(1));
            if (!value || !std::isfinite(*value))
                throw base::Error("bad-map", row.where, fmt::format("'{}' for '{}' is no number", side, other));
            row.constant = *value;
            row.form = MapRow::Form::constant;
        } else {
            return;
        }
        side.clear();
    }

    [[nodiscard]] const results::CsvCell* cell(const char* column) const {
        const auto place = places_.find(column);
        return place == places_.end() || place->second >= cells_.size() ? nullptr : &cells_[place->second];
    }
    [[nodiscard]] std::string text(const char* column) const {
        const results::CsvCell* found = cell(column);
        return found == nullptr ? std::string{} : found->text();
    }
    [[nodiscard]] std::optional<double> number(const char* column) const {
        const std::string given = text(column);
        if (given.empty()) return std::nullopt;
        const std::optional<double> value = base::parse_double(given);
        if (!value)
            throw base::Error("bad-map", scanner_.where(*cell(column)),
                              fmt::format("'{}' in column '{}' is no number", given, column));
        return value;
    }

    const MapCells& cells_;
    const std::map<std::string, std::size_t>& places_;
    const results::CsvScanner& scanner_;
};

std::string quoted(const std::string& text) {
    if (text.find_first_of(",;\t\"\n") == std::string::npos) return text;
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"') result += c;
        result += c == '\n' ? ' ' : c;
    }
    return result + "\"";
}

}  // namespace

std::vector<MapRow> parse_adapter_map(std::string_view text, const std::string& name) {
    results::CsvScanner scanner(text, name);
    MapCells cells;
    if (!scanner.next_row(cells))
        throw base::Error("bad-map", name, fmt::format("is empty; expected the header {}", adapter_map_header));
    const auto places = header_of(cells, scanner);
    std::vector<MapRow> rows;
    while (scanner.next_row(cells)) rows.push_back(RowReader(cells, places, scanner).read());
    return rows;
}

std::vector<MapRow> read_adapter_map(const std::filesystem::path& file) {
    return parse_adapter_map(base::file_content(file, file.string()), file.string());
}

std::string text_of(const MapRow& row, const std::string& note) {
    using Form = MapRow::Form;
    const auto side = [&](const std::string& name) -> std::string {
        if (!name.empty()) return quoted(name);
        if (row.form == Form::constant) return "=" + core::number_text(row.constant);
        return std::string(row.form == Form::none ? no_partner : old_unit);
    };
    const bool numbers = row.form == Form::partner;
    return fmt::format("{},{},{},{},{},{}", side(row.old_name), side(row.new_name),
                       numbers && row.gain != 1 ? core::number_text(row.gain) : "",
                       numbers && row.offset != 0 ? core::number_text(row.offset) : "", quoted(row.unit), quoted(note));
}

}  // namespace master::build
