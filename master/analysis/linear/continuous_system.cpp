#include "master/analysis/linear/dense.hpp"
#include "master/analysis/linear/sampled_system.hpp"
#include "master/base/error.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <fmt/format.h>

namespace master::analysis {
namespace {

constexpr double least_pivot = 1e-10;  // of a loop's matrix, as a share of its largest

/// Where the blocks of the units lie in the matrices of the whole.
struct Blocks {
    std::vector<Eigen::Index> states, inputs, outputs;
    Eigen::Index state_count = 0, input_count = 0, output_count = 0;

    explicit Blocks(const std::vector<UnitModel>& models) {
        for (const UnitModel& model : models) {
            states.push_back(state_count);
            inputs.push_back(input_count);
            outputs.push_back(output_count);
            state_count += static_cast<Eigen::Index>(model.continuous->states.size());
            input_count += static_cast<Eigen::Index>(model.continuous->d.columns);
            output_count += static_cast<Eigen::Index>(model.continuous->d.rows);
        }
    }
};

void place(Eigen::MatrixXd& into, Eigen::Index row, Eigen::Index column, const Matrix& block) {
    for (std::size_t r = 0; r < block.rows; ++r)
        for (std::size_t c = 0; c < block.columns; ++c)
            into(row + static_cast<Eigen::Index>(r), column + static_cast<Eigen::Index>(c)) = block(r, c);
}

}  // namespace

StateSpace continuous_system(const build::Simulation& simulation, const std::vector<UnitModel>& models,
                             const Question& question) {
    const auto nodes = simulation.system->nodes();
    const core::Plan& plan = simulation.system->plan();
    const Blocks at(models);
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(at.state_count, at.state_count);
    Eigen::MatrixXd b = Eigen::MatrixXd::Zero(at.state_count, at.input_count);
    Eigen::MatrixXd c = Eigen::MatrixXd::Zero(at.output_count, at.state_count);
    Eigen::MatrixXd d = Eigen::MatrixXd::Zero(at.output_count, at.input_count);
    StateSpace result;
    for (std::size_t i = 0; i < models.size(); ++i) {
        const StateSpace& unit = *models[i].continuous;
        place(a, at.states[i], at.states[i], unit.a);
        place(b, at.states[i], at.inputs[i], unit.b);
        place(c, at.outputs[i], at.states[i], unit.c);
        place(d, at.outputs[i], at.inputs[i], unit.d);
        for (const std::string& state : unit.states) result.states.push_back(nodes[i].name + "." + state);
    }
    const auto input_of = [&](std::uint32_t unit, std::uint32_t variable, std::uint32_t element) {
        return at.inputs[unit] + static_cast<Eigen::Index>(nodes[unit].inputs.find(variable)->offset + element);
    };
    const auto output_of = [&](std::uint32_t unit, std::uint32_t variable, std::uint32_t element) {
        return at.outputs[unit] + static_cast<Eigen::Index>(nodes[unit].outputs.find(variable)->offset + element);
    };
    Eigen::MatrixXd wires = Eigen::MatrixXd::Zero(at.input_count, at.output_count);
    Eigen::VectorXd driven = Eigen::VectorXd::Zero(at.input_count);
    for (std::size_t w = 0; w < plan.wires.size(); ++w) {
        const core::PlannedWire& wire = plan.wires[w];
        const auto type = [&](const core::Endpoint& end) {
            return nodes[end.unit].unit->info().variables[end.variable].type;
        };
        if (!wire.table.empty() || type(wire.from) != core::Type::real || type(wire.to) != core::Type::real) continue;
        for (std::uint32_t e = 0; e < wire.count; ++e) {
            const Eigen::Index to = input_of(wire.to.unit, wire.to.variable, wire.to.element + e);
            if (w == question.broken) {
                driven(to) = wire.gain;
            } else {
                wires(to, output_of(wire.from.unit, wire.from.variable, wire.from.element + e)) = wire.gain;
            }
        }
    }
    if (!question.broken)
        for (const Terminal& input : question.inputs)
            driven(input_of(input.unit, input.variable, input.element)) = input.gain;

    // y = C x + D (W y + e u): outputs of the units with all loops closed.
    const Eigen::MatrixXd loop = Eigen::MatrixXd::Identity(at.output_count, at.output_count) - d * wires;
    const Eigen::FullPivLU<Eigen::MatrixXd> solved(loop);
    // Units of the outputs do not make a loop singular: they are chosen so that gains are of one size.
    const StateSpace gains = StateSpace{.a = matrix_of(d * wires)}.balanced();
    Eigen::MatrixXd scaled = Eigen::MatrixXd::Identity(at.output_count, at.output_count);
    for (Eigen::Index r = 0; r < at.output_count; ++r)
        for (Eigen::Index k = 0; k < at.output_count; ++k)
            scaled(r, k) -= gains.a(static_cast<std::size_t>(r), static_cast<std::size_t>(k));
    Eigen::FullPivLU<Eigen::MatrixXd> pivots(scaled);
    pivots.setThreshold(least_pivot);
    if (at.output_count > 0 && !pivots.isInvertible()) {
        Eigen::Index worst = 0;
        pivots.kernel().col(0).cwiseAbs().maxCoeff(&worst);
        std::string name = "?", where = plan.name;
        for (std::size_t i = 0; i < models.size(); ++i)
            for (const core::Layout::Slot& slot : nodes[i].outputs.slots)
                if (slot.type == core::Type::real && worst >= at.outputs[i] + static_cast<Eigen::Index>(slot.offset) &&
                    worst < at.outputs[i] + static_cast<Eigen::Index>(slot.offset + slot.count))
                    name = nodes[i].name + "." + nodes[i].unit->info().variables[slot.variable].name;
        for (const core::PlannedWire& wire : plan.wires)
            if (nodes[wire.from.unit].unit->info().variables[wire.from.variable].type == core::Type::real &&
                output_of(wire.from.unit, wire.from.variable, wire.from.element) == worst)
                where = wire.where;
        throw base::Error("singular", where,
                          fmt::format("the loop of wires through '{}' has no unique solution here: its gain is one; "
                                      "expected an operating point at which outputs follow from states and inputs",
                                      name));
    }
    // Without states there is nothing to solve for, which Eigen does not take.
    const Eigen::MatrixXd outputs_by_states = c.cols() == 0 ? c : Eigen::MatrixXd(solved.solve(c));
    const Eigen::VectorXd outputs_by_input = solved.solve(d * driven);
    result.a = matrix_of(a + b * wires * outputs_by_states);
    result.b = matrix_of(b * (wires * outputs_by_input + driven));
    result.c = Matrix(1, result.a.rows);
    result.d = Matrix(1, 1);
    if (!question.output) return result;
    const Terminal& asked = *question.output;
    const Eigen::Index output = output_of(asked.unit, asked.variable, asked.element);
    result.c = matrix_of(asked.gain * outputs_by_states.row(output));
    result.d = matrix_of(asked.gain * outputs_by_input.segment(output, 1));
    return result;
}

}  // namespace master::analysis
