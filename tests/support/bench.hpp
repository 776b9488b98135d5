#pragma once

#include "master/algorithm.hpp"
#include "master/error.hpp"
#include "master/run.hpp"
#include "tests/support/test_unit.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tests {

/// A system of test units, wired by names "unit.variable", run with one algorithm.
class Bench {
public:
    explicit Bench(master::Fraction step) : step_(step) {}

    Bench& unit(const std::string& name, TestModel model, std::optional<master::Fraction> step = {}) {
        models_.push_back(std::move(model));
        plan_.units.push_back({.name = name, .step = step});
        return *this;
    }
    Bench& wire(const std::string& from, const std::string& to) {
        wires_.emplace_back(from, to);
        return *this;
    }

    master::Diagnostics diagnostics;
    master::Hold hold = master::Hold::constant;
    std::string algorithm = "jacobi";
    unsigned threads = 1;
    std::vector<std::string> order;

    /// Builds and initialises; `after` is called with the time and all outputs at every communication point.
    using After = std::function<void(double t, const std::vector<double>& outputs)>;
    void run(const master::Fraction& stop, const After& after) {
        make();
        struct Watch final : master::Tap {
            const After* after = nullptr;
            master::Timebase timebase;
            void after_step(master::Time t, const master::Signals& signals) override {
                (*after)(timebase.seconds(t), signals.outputs.reals);
            }
        } watch;
        watch.after = &after;
        watch.timebase = timebase_;
        struct Fast final : master::Pacer {
            bool go() override { return true; }
            void wait_until(master::Time) override {}
        } pacer;
        const auto chosen =
            master::find_algorithm(algorithm, "test").make({.threads = threads, .always_parallel = threads > 1});
        master::Tap* taps[] = {&watch};
        const master::Interval whole{.from = system->start(), .to = master::Time{} + *timebase_.exactly(stop)};
        master::run(*system, *chosen, taps, pacer, whole);
    }

    void make() {
        std::vector<master::Fraction> steps{step_};
        for (const auto& unit : plan_.units) steps.push_back(unit.step.value_or(step_));
        timebase_ = *master::common_timebase(steps);
        std::vector<std::unique_ptr<master::Unit>> units;
        master::SystemOptions options;
        options.timebase = timebase_;
        options.hold = hold;
        options.sequential = master::find_algorithm(algorithm, "test").sequential;
        for (std::size_t i = 0; i < models_.size(); ++i) {
            units.push_back(std::make_unique<TestUnit>(models_[i], timebase_));
            options.periods.push_back(*timebase_.exactly(plan_.units[i].step.value_or(step_)));
            std::vector<std::uint32_t> outputs;
            for (std::uint32_t v = 0; v < models_[i].outputs.size(); ++v) {
                outputs.push_back(static_cast<std::uint32_t>(models_[i].inputs.size()) + v);
            }
            options.recorded.push_back(outputs);
        }
        for (const std::string& name : order) options.order.push_back(unit_index(name));
        plan_.wires.clear();
        for (const auto& [from, to] : wires_) {
            master::PlannedWire wire;
            wire.from = end(from);
            wire.to = end(to);
            wire.label = from + " -> " + to;
            plan_.wires.push_back(wire);
        }
        system = std::make_unique<master::System>(plan_, std::move(units), options, diagnostics);
        system->initialize(diagnostics);
    }

    std::unique_ptr<master::System> system;

private:
    std::uint32_t unit_index(const std::string& name) const {
        for (std::uint32_t i = 0; i < plan_.units.size(); ++i) {
            if (plan_.units[i].name == name) return i;
        }
        throw std::invalid_argument(name);
    }

    master::Endpoint end(const std::string& path) const {
        const std::string name = path.substr(0, path.find('.'));
        const std::string variable = path.substr(path.find('.') + 1);
        const std::uint32_t unit = unit_index(name);
        std::uint32_t index = 0;
        for (const auto* list : {&models_[unit].inputs, &models_[unit].outputs}) {
            for (const std::string& candidate : *list) {
                if (candidate == variable) return {.unit = unit, .variable = index};
                ++index;
            }
        }
        throw std::invalid_argument(path);
    }

    master::Fraction step_;
    master::Timebase timebase_;
    master::Plan plan_;
    std::vector<TestModel> models_;
    std::vector<std::pair<std::string, std::string>> wires_;
};

}  // namespace tests
