#pragma once

#include "master/table.hpp"
#include "master/unit.hpp"

#include <map>
#include <optional>
#include <string>

namespace master {

/// A table as a participant: each column is an output. Real columns are linear between rows and jump at equal times;
/// all others hold their value until the next row. At a jump the outputs are those after it.
class TableUnit final : public Unit, public Foresight {
public:
    /// `types` states what connectors or receivers want of a column; without it numbers are real, true/false boolean,
    /// text string. A column whose values do not fit is an `Error` with file:line; so is a type for no column.
    TableUnit(std::string name, Table table, Timebase timebase, const std::map<std::string, Type>& types = {});

    /// The value of a real column at any time, also ahead of the run.
    [[nodiscard]] double value_at(std::uint32_t column, double t, Side side) const override;
    /// When a real column next jumps, or any other changes its value, strictly after `t`.
    [[nodiscard]] std::optional<double> next_jump(double t) const;

    [[nodiscard]] const UnitInfo& info() const override { return info_; }
    void configure(const Values& structural) override;
    void bind(const Ports& ports) override;
    void set_start(const Values& values) override;
    void enter_initialization(Time start, std::optional<Time> stop, std::optional<double> tolerance) override;
    void write_one(std::size_t input, const ConstBlock& inputs) override;
    void read_one(std::size_t output, const Block& outputs) override;
    void exit_initialization() override {}
    void write(Group group, const ConstBlock& inputs) override;
    [[nodiscard]] StepResult step(Time t, Duration h) override;
    void read(Group group, const Block& outputs) override;
    std::unique_ptr<Snapshot> save() override;
    void restore(const Snapshot& snapshot) override;
    void terminate() override {}
    [[nodiscard]] const Foresight* foresight() const override { return this; }
    [[nodiscard]] bool takes_slope(std::uint32_t /*variable*/) const override { return false; }

private:
    void convert(TableColumn& column, Type type) const;
    void collect_jumps();
    void move_to(Time t);
    void read_slot(const Layout::Slot& slot, const Block& outputs) const;

    std::string name_;
    Table table_;
    Timebase timebase_;
    UnitInfo info_;
    Layout outputs_;
    std::vector<double> jumps_;  // sorted, each once
    Time now_;
    TablePosition position_;
};

}  // namespace master
