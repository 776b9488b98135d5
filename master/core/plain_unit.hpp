#pragma once

#include "master/core/unit.hpp"

namespace master::core {

/// A base for units that are no FMU: without parameters, start values, inputs of their own at initialisation or a saved
/// state. What is left to say is `info`, and whichever of `bind`, `write`, `step` and `read` it needs.
class PlainUnit : public Unit {
public:
    void configure(const Values& /*structural*/) override {}
    void bind(const Ports& /*ports*/) override {}
    void set_up(const RunWindow& /*run*/) override {}
    void set_start(const Values& /*values*/) override {}
    void enter_initialization() override {}
    [[nodiscard]] std::optional<Value> value_of(std::uint32_t /*variable*/) override { return std::nullopt; }
    void write_one(std::size_t /*input*/, const ConstBlock& /*inputs*/) override {}
    void read_one(std::size_t /*output*/, const Block& /*outputs*/) override {}
    void exit_initialization() override {}
    void write(Group /*group*/, const ConstBlock& /*inputs*/) override {}
    [[nodiscard]] StepResult step(base::Time t, base::Duration h) override { return {.reached = t + h}; }
    void read(Group /*group*/, const Block& /*outputs*/) override {}
    std::unique_ptr<Snapshot> save() override { return nullptr; }
    void restore(const Snapshot& /*snapshot*/) override {}
    void terminate() override {}
    [[nodiscard]] bool takes_slope(std::uint32_t /*variable*/) const override { return false; }
};

}  // namespace master::core
