#pragma once

#include "interfaces/foxglove/rows.hpp"
#include "interfaces/mcap/mcap.hpp"
#include "master/results/column.hpp"
#include "master/results/stream/mapped_file.hpp"
#include "master/results/table.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace master::results {

/// The key of the metadata by which a channel says what the values of its messages are: a JSON list of objects with
/// `name`, `unit` and `type`.
inline constexpr const char* columns_key = "columns";

[[nodiscard]] std::vector<interfaces::foxglove::Signal> described_signals(std::span<const Column> columns);
/// The JSON for a row of these columns.
[[nodiscard]] std::string described(const interfaces::foxglove::Row& row, std::span<const Column> columns);

/// An .mcap as `make_mcap` writes it, also without its summary; clouds and poses are left alone. Throws `Error` for
/// anything else.
class McapResult {
public:
    explicit McapResult(const std::filesystem::path& file);

    [[nodiscard]] Table table();
    /// See `for_each_row`.
    void stream(std::span<const std::string> names,
                const std::function<void(double t, std::span<const double> values)>& use);

private:
    struct ColumnText {
        std::string name, unit;
        interfaces::foxglove::Kind kind;
    };
    /// The messages of one component.
    struct Component {
        interfaces::foxglove::Row row;
        std::size_t first = 0;  // its first column
    };
    struct Cell {
        std::size_t column = 0;
        std::uint64_t bits = 0;
        std::span<const std::uint8_t> text;
    };

    [[noreturn]] void refuse(const std::string& found) const;
    void read_channels();
    void add_component(const interfaces::mcap::Channel& channel, const std::string& described);
    /// `use_cell` for every value, `end_row` with the time where a row is complete.
    void read_rows(const std::function<void(const Cell&)>& use_cell, const std::function<void(double)>& end_row);
    void read_message(const Component& component, std::span<const std::uint8_t> content, double& t,
                      const std::function<void(const Cell&)>& use_cell) const;
    [[nodiscard]] double number(const Cell& cell) const;

    std::string path_;
    MappedFile mapped_;
    std::vector<ColumnText> columns_;
    std::map<std::uint16_t, Component> components_;  // by their channels
};

}  // namespace master::results
