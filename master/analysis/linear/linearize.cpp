#include "master/analysis/linear/linearize.hpp"

#include "master/analysis/linear/sampled_system.hpp"
#include "master/analysis/linear/standing.hpp"
#include "master/analysis/linear/stepped_sine.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

namespace master::analysis {
namespace {

constexpr std::size_t bode_points = 300;
constexpr double widest_span = 1e-6;   // lowest frequency of a diagram, as a share of the highest
constexpr double usual_span = 1e-3;    // the same where no mode is slower
constexpr double below_slowest = 0.1;  // a diagram begins so far below the slowest mode
constexpr double below_crossover = 0.1;
constexpr double delay_share = 0.01;  // of the rate: where the added delay is read

Terminal terminal_of(const build::LocatedSignal& signal, core::System& system) {
    const core::Node& node = system.nodes()[signal.unit];
    // By its name: a unit whose structural parameters were set has a description of its own.
    const std::vector<core::Variable>& variables = node.unit->info().variables;
    const auto variable = static_cast<std::uint32_t>(
        std::ranges::find(variables, signal.variable->name, &core::Variable::name) - variables.begin());
    const core::Layout::Slot& slot = *(signal.first.input ? node.inputs : node.outputs).find(variable);
    const std::uint32_t first =
        (signal.first.input ? node.input_base : node.output_base)[core::index_of(core::Type::real)] + slot.offset;
    return {signal.unit, variable, signal.first.index - first, signal.gain};
}

/// Of the wires, by label, or by the input that one ends at.
std::size_t wire_called(const std::string& name, const core::System& system) {
    std::vector<std::string> known;
    const core::Plan& plan = system.plan();
    for (std::size_t i = 0; i < plan.wires.size(); ++i) {
        const std::string& label = plan.wires[i].label;
        const std::size_t arrow = label.find(" -> ");
        const std::string receiver = arrow == std::string::npos ? label : label.substr(arrow + 4);
        if (label != name && receiver != name) {
            known.push_back(label);
            known.push_back(receiver);
            continue;
        }
        if (plan.wires[i].count == 1 && plan.wires[i].table.empty() && system.couplings()[i].continuous) return i;
        throw base::Error("linearize", "--break",
                          fmt::format("'{}' carries no single continuous real; expected one that does", label));
    }
    throw base::Error("unknown-name", "--break",
                      fmt::format("'{}' is no connection of the system{}", name, base::did_you_mean(name, known)));
}

Question question_of(const LinearRequest& request, Standing& standing) {
    core::System& system = *standing.simulation().system;
    Question question;
    if (!request.broken.empty()) {
        question.broken = wire_called(request.broken, system);
        const core::PlannedWire& wire = system.plan().wires[*question.broken];
        question.output = Terminal{wire.from.unit, wire.from.variable, wire.from.element};
        return question;
    }
    if (request.modes_only()) return question;
    for (const build::LocatedSignal& input : standing.input.found)
        question.inputs.push_back(terminal_of(input, system));
    if (standing.output.signal()->variable->causality == core::Causality::input)
        throw base::Error("linearize", "--output",
                          fmt::format("'{}' is an input; expected a variable that a unit computes", request.output));
    question.output = terminal_of(*standing.output.signal(), system);
    return question;
}

std::vector<UnitModel> models_of(Standing& standing, const Question& question, Linearization& result) {
    std::vector<UnitModel> models;
    core::System& system = *standing.simulation().system;
    for (core::Node& node : system.nodes()) {
        const auto number = static_cast<std::uint32_t>(&node - system.nodes().data());
        std::vector<bool> counts(node.outputs.counts[core::index_of(core::Type::real)], false);
        for (const core::Layout::Slot& slot : node.outputs.slots) {
            const bool asked =
                question.output && number == question.output->unit && slot.variable == question.output->variable;
            if (slot.type != core::Type::real || (!slot.sent && !asked)) continue;
            for (std::uint32_t e = 0; e < slot.count; ++e) counts[slot.offset + e] = true;
        }
        models.push_back(model_of(system, node, standing.at, counts));
        const UnitModel& model = models.back();
        result.units.push_back({.name = node.name,
                                .origin = model.origin,
                                .states = model.order,
                                .step = model.period,
                                .doubt = model.doubt,
                                .error = model.error,
                                .measured = model.measured});
        for (const core::Layout::Slot& slot : node.outputs.slots) {
            if (slot.type != core::Type::real) continue;
            for (std::uint32_t e = 0; e < slot.count; ++e) {
                if (!counts[slot.offset + e] || model.told[slot.offset + e]) continue;
                throw base::Error("linearize", "unit '" + node.name + "'",
                                  fmt::format("the unit does not tell how '{}' answers; expected an output or a state",
                                              node.unit->info().variables[slot.variable].name));
            }
        }
        if (!model.continuous && result.no_continuous.empty())
            result.no_continuous = fmt::format("unit '{}' hides its states", node.name);
    }
    return models;
}

/// From below the slowest mode, and below where the gain of a loop is one, up to half the rate.
std::vector<double> diagram_frequencies(const Linearization& result) {
    const double high = 0.5 / result.step;
    double low = usual_span * high;
    for (const Modes& modes : {result.modes, result.continuous_modes})
        for (const Mode& mode : modes.modes)
            if (mode.frequency() > 0) low = std::min(low, below_slowest * mode.frequency());
    low = std::max(low, widest_span * high);
    for (const std::optional<Margins>& margins : {result.margins, result.continuous_margins})
        if (margins && margins->phase) low = std::min(low, below_crossover * margins->phase->at);
    std::vector<double> frequencies;
    for (std::size_t i = 0; i < bode_points; ++i)
        frequencies.push_back(low * std::pow(high / low, static_cast<double>(i) / (bode_points - 1)));
    return frequencies;
}

/// What the sampled system turns more than the continuous one, as a time.
std::optional<double> added_delay(const Linearization& result) {
    if (!result.continuous) return std::nullopt;
    const double f = delay_share / result.step;
    const std::complex<double> sampled = response(result.sampled, {f}).front();
    const std::complex<double> continuous = response(*result.continuous, {f}).front();
    if (!(std::abs(sampled) > 0) || !(std::abs(continuous) > 0)) return std::nullopt;
    return -std::arg(sampled / continuous) / (2 * std::numbers::pi * f);
}

/// Closed with a minus, as in textbooks.
Margins margins_of(StateSpace loop) {
    for (double& value : loop.c.values) value = -value;
    loop.d(0, 0) = -loop.d(0, 0);
    return margins(loop);
}

void look_at_loop(const build::Simulation& simulation, const std::vector<UnitModel>& models, Linearization& result) {
    const StateSpace closed = sampled_system(simulation, models, {});
    if (!closes_to(result.sampled, closed))
        throw base::Error("linearize", "--break",
                          fmt::format("'{}' hands over more than one value in {} s, after which all units meet again, "
                                      "so that it opens no single loop; expected a connection whose sender has a step "
                                      "of {} s, or one step for all (--step)",
                                      result.input, result.step, result.step));
    result.margins = margins_of(result.sampled);
    if (result.continuous) result.continuous_margins = margins_of(*result.continuous);
    result.closed_modes = modes_of(closed);
}

void look(const LinearRequest& request, Standing& standing, Linearization& result) {
    const build::Simulation& simulation = standing.simulation();
    const Question question = question_of(request, standing);
    const std::vector<UnitModel> models = models_of(standing, question, result);
    result.sampled = sampled_system(simulation, models, question);
    result.modes = modes_of(result.sampled);
    if (result.no_continuous.empty()) {
        result.continuous = continuous_system(simulation, models, question);
        result.continuous_modes = modes_of(*result.continuous);
    }
    if (request.modes_only()) return;
    if (question.broken) look_at_loop(simulation, models, result);
    result.frequencies = diagram_frequencies(result);
    result.response = response(result.sampled, result.frequencies);
    if (result.continuous) result.continuous_response = response(*result.continuous, result.frequencies);
    result.delay = added_delay(result);
}

void name_signals(const LinearRequest& request, Standing& standing, Linearization& result) {
    const build::Simulation& simulation = standing.simulation();
    const core::Signals& signals = simulation.system->signals();
    result.at = simulation.timing.timebase.seconds(standing.at);
    result.step = simulation.timing.timebase.seconds(simulation.timing.hyperperiod);
    result.input = request.input;
    result.output = request.output;
    if (const build::LocatedSignal* input = standing.input.signal()) {
        result.input_unit = input->variable->unit;
        result.input_value = driven_value(*input, signals);
    }
    if (const build::LocatedSignal* output = standing.output.signal()) {
        result.output_unit = output->variable->unit;
        result.output_value = build::number(*output, signals);
    }
    if (request.broken.empty()) return;
    const core::PlannedWire& wire = simulation.system->plan().wires[wire_called(request.broken, *simulation.system)];
    const auto& sender = simulation.parts.components[wire.from.unit].info->variables[wire.from.variable];
    result.open = true;
    result.input = wire.label;
    result.output = simulation.parts.plan.units[wire.from.unit].name + "." + sender.name;
    result.input_unit = result.output_unit = sender.unit;
}

}  // namespace

Linearization linearize(const LinearRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                        runs::Board* board) {
    Linearization result;
    base::ArchiveCache archives;
    LinearRequest cached = request;
    if (cached.build.archives == nullptr) cached.build.archives = &archives;
    Standing standing = stand(cached, "", diagnostics, log);
    run_to(standing, standing.at, nullptr, board);
    name_signals(cached, standing, result);
    try {
        look(cached, standing, result);
    } catch (const base::Error& error) {
        // What cannot be modelled can still be measured.
        if (!cached.sine || error.code() != "state") throw;
        result.hidden = error.where() + ": " + error.what();
        result.units.clear();
    }
    if (!cached.sine) return result;
    result.sine = stepped_sine(cached, {.standing = standing, .modes = result.modes}, diagnostics, log, board);
    return result;
}

}  // namespace master::analysis
