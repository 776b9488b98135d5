#pragma once

#include "master/base/error.hpp"
#include "master/core/algorithm.hpp"
#include "master/core/run.hpp"
#include "master/core/setup/initialization.hpp"
#include "tests/support/test_unit.hpp"

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

/// A system of test units, wired by names "unit.variable", run with one algorithm.
class Bench {
public:
    explicit Bench(master::base::Fraction step) : step_(step) {}

    Bench& unit(const std::string& name, TestModel model, std::optional<master::base::Fraction> step = {}) {
        models_.push_back(std::move(model));
        plan_.units.push_back({.name = name, .step = step});
        return *this;
    }
    /// A start value of an input of the unit that was added last.
    Bench& start(std::uint32_t input, double value) {
        plan_.units.back().start.push_back({input, std::vector<double>{value}});
        return *this;
    }
    /// A parameter of the unit that was added last which has the value of its description.
    Bench& stated(std::uint32_t parameter, double value) {
        plan_.units.back().effective.push_back({parameter, std::vector<double>{value}, master::core::from_description});
        return *this;
    }
    Bench& wire(const std::string& from, const std::string& to) {
        wires_.emplace_back(from, to);
        return *this;
    }
    /// The wires by their numbers, in the order in which they were added.
    Bench& bond(const std::string& name, std::uint32_t effort, std::uint32_t flow) {
        plan_.bonds.push_back({name, effort, flow});
        return *this;
    }

    master::base::Diagnostics diagnostics;
    master::core::Hold hold = master::core::Hold::constant;
    std::string algorithm = "jacobi";
    unsigned threads = 1;
    std::vector<std::string> order;
    std::vector<master::base::Fraction> extra_points;

    /// Builds and initialises; `after` is called with the time and all outputs at every communication point.
    using After = std::function<void(double t, const std::vector<double>& outputs)>;
    void run(const master::base::Fraction& stop, const After& after) {
        make();
        struct Watch final : master::core::Tap {
            const After* after = nullptr;
            master::base::Timebase timebase;
            void after_step(master::base::Time t, const master::core::Signals& signals) override {
                (*after)(timebase.seconds(t), signals.outputs.reals);
            }
        } watch;
        watch.after = &after;
        watch.timebase = timebase_;
        struct Fast final : master::core::Pacer {
            bool go() override { return true; }
            void wait_until(master::base::Time) override {}
        } pacer;
        const auto chosen =
            master::core::find_algorithm(algorithm, "test").make({.threads = threads, .always_parallel = threads > 1});
        master::core::Tap* taps[] = {&watch};
        const master::core::Interval whole{.from = system->start(),
                                           .to = master::base::Time{} + *timebase_.exactly(stop)};
        master::core::run(*system, *chosen, taps, pacer, whole);
    }

    void make() {
        std::vector<master::base::Fraction> steps{step_};
        for (const auto& unit : plan_.units) steps.push_back(unit.step.value_or(step_));
        timebase_ = *master::base::common_timebase(steps);
        std::vector<std::unique_ptr<master::core::Unit>> units;
        master::core::SystemOptions options;
        options.timebase = timebase_;
        options.hold = hold;
        options.sequential = master::core::find_algorithm(algorithm, "test").sequential;
        for (std::size_t i = 0; i < models_.size(); ++i) {
            units.push_back(std::make_unique<TestUnit>(models_[i], timebase_));
            options.periods.push_back(*timebase_.exactly(plan_.units[i].step.value_or(step_)));
            std::vector<std::uint32_t> outputs;
            for (std::uint32_t v = 0; v < models_[i].outputs.size(); ++v) {
                outputs.push_back(static_cast<std::uint32_t>(models_[i].inputs.size()) + v);
            }
            options.recorded.push_back(outputs);
        }
        for (const auto& point : extra_points)
            options.extra_points.push_back(master::base::Time{} + *timebase_.exactly(point));
        for (const std::string& name : order) options.order.push_back(unit_index(name));
        plan_.wires.clear();
        for (const auto& [from, to] : wires_) {
            master::core::PlannedWire wire;
            wire.from = end(from);
            wire.to = end(to);
            wire.label = from + " -> " + to;
            plan_.wires.push_back(wire);
        }
        system = std::make_unique<master::core::System>(plan_, std::move(units), options, diagnostics);
        master::core::initialize(*system, diagnostics);
    }

    std::unique_ptr<master::core::System> system;

private:
    std::uint32_t unit_index(const std::string& name) const {
        for (std::uint32_t i = 0; i < plan_.units.size(); ++i) {
            if (plan_.units[i].name == name) return i;
        }
        throw std::invalid_argument(name);
    }

    master::core::Endpoint end(const std::string& path) const {
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

    master::base::Fraction step_;
    master::base::Timebase timebase_;
    master::core::Plan plan_;
    std::vector<TestModel> models_;
    std::vector<std::pair<std::string, std::string>> wires_;
};

}  // namespace tests
