#pragma once

#include "master/core/unit.hpp"
#include "master/results/table.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace master::build {

/// What connectors or receivers want of a table's columns, by their names.
struct WantedTypes {
    std::map<std::string, core::Type> types;
    std::set<std::string> singles = {};  // columns of reals that Float32 variables take
};

/// A table as a participant: each column is an output. Real columns are linear between rows and jump at equal times;
/// all others hold their value until the next row. At a jump the outputs are those after it.
class TableUnit final : public core::Unit, public core::Foresight {
public:
    /// Where nothing is wanted numbers are real, true/false boolean, text string. A column whose values do not fit is
    /// an `Error` with file:line; so is a type for no column.
    TableUnit(std::string name, results::Table table, base::Timebase timebase, const WantedTypes& wanted = {});

    /// The value of a real column at any time, also ahead of the run.
    [[nodiscard]] double value_at(std::uint32_t column, double t, core::Side side) const override;
    /// Every row may be a corner.
    [[nodiscard]] double next_corner(std::uint32_t column, double t) const override;
    /// When a real column jumps, or any other changes its value.
    [[nodiscard]] std::vector<double> jumps(std::uint32_t column) const override;
    /// When any column next jumps, strictly after `t`.
    [[nodiscard]] std::optional<double> next_jump(double t) const;

    [[nodiscard]] const core::UnitInfo& info() const override { return info_; }
    void configure(const core::Values& structural) override;
    void bind(const core::Ports& ports) override;
    void set_start(const core::Values& values) override;
    void set_up(const core::RunWindow& run) override { move_to(run.start); }
    void enter_initialization() override {}
    [[nodiscard]] std::optional<core::Value> value_of(std::uint32_t /*variable*/) override { return std::nullopt; }
    void write_one(std::size_t input, const core::ConstBlock& inputs) override;
    void read_one(std::size_t output, const core::Block& outputs) override;
    void exit_initialization() override {}
    void write(core::Group group, const core::ConstBlock& inputs) override;
    [[nodiscard]] core::StepResult step(base::Time t, base::Duration h) override;
    void read(core::Group group, const core::Block& outputs) override;
    std::unique_ptr<core::Snapshot> save() override;
    void restore(const core::Snapshot& snapshot) override;
    void terminate() override {}
    [[nodiscard]] const core::Foresight* foresight() const override { return this; }
    [[nodiscard]] bool takes_slope(std::uint32_t /*variable*/) const override { return false; }

private:
    void convert(results::TableColumn& column, core::Type type) const;
    /// Refuses what would become infinite.
    void check_singles(const results::TableColumn& column) const;
    void collect_jumps();
    void put_jumps_on_ticks();
    void move_to(base::Time t);
    void read_slot(const core::Layout::Slot& slot, const core::Block& outputs) const;

    std::string name_;
    results::Table table_;
    base::Timebase timebase_;
    core::UnitInfo info_;
    core::Layout outputs_;
    std::vector<double> jumps_;  // sorted, each once
    base::Time now_;
    results::TablePosition position_;
};

}  // namespace master::build
