#include "master/analysis/linear/sampled_system.hpp"

#include <algorithm>

namespace master::analysis {
namespace {

constexpr std::size_t real_lane = core::index_of(core::Type::real);
constexpr int warm_up_samples = 4;  // hyperperiods until wires between different steps have all their samples

bool carries_deviations(core::System& system, const core::PlannedWire& wire) {
    const auto type = [&](const core::Endpoint& end) {
        return system.nodes()[end.unit].unit->info().variables[end.variable].type;
    };
    return wire.table.empty() && type(wire.from) == core::Type::real && type(wire.to) == core::Type::real;
}

/// The coupled models, and every number that lives on from sample to sample.
class SampledSystem {
public:
    SampledSystem(const build::Simulation& simulation, const std::vector<UnitModel>& models, const Question& question)
        : hyperperiod_(simulation.timing.hyperperiod), algorithm_(simulation.method->make({.threads = 1})) {
        core::System& original = *simulation.system;
        core::Plan plan = original.plan();
        core::SystemOptions options = original.options();
        options.driven.clear();
        options.extra_points.clear();
        options.stop.reset();
        options.recorded.assign(plan.units.size(), {});
        if (question.output) options.recorded[question.output->unit].push_back(question.output->variable);
        std::vector<std::unique_ptr<core::Unit>> units;
        for (std::size_t i = 0; i < models.size(); ++i) {
            auto unit = std::make_unique<LinearUnit>(original.nodes()[i], models[i]);
            units_.push_back(unit.get());
            units.push_back(std::move(unit));
        }
        std::vector<core::PlannedWire> wires;
        if (question.broken) units.push_back(open(plan.wires[*question.broken], plan, options));
        for (const core::PlannedWire& wire : plan.wires)
            if (of_source(wire) || carries_deviations(original, wire)) wires.push_back(wire);
        plan.wires = std::move(wires);
        for (core::PlannedWire& wire : plan.wires) wire.offset = 0;
        plan.bonds.clear();
        base::Diagnostics unsaid;
        system_ = std::make_unique<core::System>(std::move(plan), std::move(units), std::move(options), unsaid);
        std::ranges::fill(system_->signals().inputs.reals, 0);
        t_ = system_->start();
        system_->complete_start();
        for (int i = 0; i < warm_up_samples; ++i) advance();
        collect();
    }

    [[nodiscard]] StateSpace state_space(const Question& question, bool sender_first) {
        const std::size_t n = places_.size();
        StateSpace result{.states = names_,
                          .a = Matrix(n, n),
                          .b = Matrix(n, 1),
                          .c = Matrix(1, n),
                          .d = Matrix(1, 1),
                          .period = system_->timebase().seconds(hyperperiod_)};
        for (std::size_t j = 0; j <= n; ++j) {
            for (double* place : places_) *place = 0;
            if (j < n) *places_[j] = 1;
            drive(question, j < n ? 0 : 1);
            advance();
            for (std::size_t i = 0; i < n; ++i) (j < n ? result.a(i, j) : result.b(i, 0)) = *places_[i];
        }
        if (!question.output) return result;
        const Terminal& output = *question.output;
        const core::Node& node = system_->nodes()[output.unit];
        const std::size_t lane =
            node.output_base[real_lane] + node.outputs.find(output.variable)->offset + output.element;
        const double* place = &system_->signals().outputs.reals[lane];
        const auto row = static_cast<std::size_t>(std::ranges::find(places_, place) - places_.begin());
        if (!sender_first) {
            result.c(0, row) = output.gain;
            return result;
        }
        // The wire sees what its sender is at the end of the step.
        for (std::size_t j = 0; j < n; ++j) result.c(0, j) = output.gain * result.a(row, j);
        result.d(0, 0) = output.gain * result.b(row, 0);
        return result;
    }

private:
    [[nodiscard]] bool of_source(const core::PlannedWire& wire) const {
        return source_ != nullptr && wire.from.unit == units_.size();
    }

    /// The wire begins at a source that stands where its sender stood.
    std::unique_ptr<core::Unit> open(core::PlannedWire& wire, core::Plan& plan, core::SystemOptions& options) {
        auto source = std::make_unique<SourceUnit>();
        source_ = source.get();
        const std::uint32_t sender = wire.from.unit;
        const auto added = static_cast<std::uint32_t>(plan.units.size());
        options.periods.push_back(options.periods[sender]);
        options.recorded.emplace_back();
        options.free_inputs.resize(added + 1);
        options.order.insert(std::ranges::find(options.order, sender), added);
        plan.units.push_back({.name = "source"});
        wire.from = {added, 0, 0};
        wire.count = 1;
        return source;
    }

    void drive(const Question& question, double value) {
        if (source_ != nullptr) {
            source_->value = value;
            system_->nodes()[units_.size()].output_block.reals[0] = value;
            return;
        }
        for (const Terminal& input : question.inputs) {
            const core::Node& node = system_->nodes()[input.unit];
            const std::size_t lane =
                node.input_base[real_lane] + node.inputs.find(input.variable)->offset + input.element;
            system_->signals().inputs.reals[lane] = input.gain * value;
        }
    }

    void advance() {
        const base::Time end = t_ + hyperperiod_;
        while (t_ < end) t_ = algorithm_->advance(*system_, t_);
    }

    void collect() {
        const auto nodes = system_->nodes();
        for (std::size_t i = 0; i < units_.size(); ++i) {
            const auto states = units_[i]->states();
            for (std::size_t s = 0; s < states.size(); ++s)
                add(&states[s], nodes[i].name + "." + units_[i]->state_name(s));
        }
        std::vector<std::string> outputs(system_->signals().outputs.reals.size());
        for (std::size_t i = 0; i < units_.size(); ++i) {
            const core::Node& node = nodes[i];
            for (const core::Layout::Slot& slot : node.outputs.slots) {
                if (slot.type != core::Type::real) continue;
                for (std::uint32_t e = 0; e < slot.count; ++e) {
                    const std::size_t lane = node.output_base[real_lane] + slot.offset + e;
                    outputs[lane] = node.name + "." + node.unit->info().variables[slot.variable].name;
                    if (slot.count > 1) outputs[lane] += "[" + std::to_string(e + 1) + "]";
                    add(&system_->signals().outputs.reals[lane], outputs[lane] + " as seen");
                }
            }
        }
        for (const core::Wiring::Memory& memory : system_->memory())
            add(memory.value, (outputs[memory.from].empty() ? "source" : outputs[memory.from]) + " before");
    }

    void add(double* place, std::string name) {
        places_.push_back(place);
        names_.push_back(std::move(name));
    }

    base::Duration hyperperiod_;
    std::unique_ptr<core::Algorithm> algorithm_;
    std::unique_ptr<core::System> system_;
    std::vector<LinearUnit*> units_;
    SourceUnit* source_ = nullptr;
    base::Time t_;
    std::vector<double*> places_;
    std::vector<std::string> names_;
};

}  // namespace

StateSpace sampled_system(const build::Simulation& simulation, const std::vector<UnitModel>& models,
                          const Question& question) {
    const bool sender_first = question.broken && simulation.system->couplings()[*question.broken].sender_first;
    return SampledSystem(simulation, models, question).state_space(question, sender_first);
}

}  // namespace master::analysis
