#pragma once

#include "master/base/error.hpp"
#include "master/fmi/fmu.hpp"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

/// Keeps what units say.
class KeptLog final : public master::base::Log {
public:
    struct Line {
        Level level;
        std::string unit;
        double time;
        std::string text;
    };
    void message(Level level, std::string_view unit, double time, std::string_view text) override {
        const std::lock_guard lock(mutex_);
        lines.push_back({level, std::string(unit), time, std::string(text)});
    }
    void warning(std::string_view where, std::string_view text) override {
        lines.push_back({Level::warning, std::string(where), 0, std::string(text)});
    }
    [[nodiscard]] bool says(const std::string& part) const;

    std::vector<Line> lines;

private:
    std::mutex mutex_;
};

/// One unit of a test FMU with all its inputs and outputs bound, and the slices it works on.
class Bench {
public:
    explicit Bench(const std::string& fmu, const std::string& interface = "");

    [[nodiscard]] std::uint32_t variable(const std::string& name) const;
    void start(const std::string& name, master::core::Value value) {
        starts.push_back({variable(name), std::move(value)});
    }
    void configure(const master::core::Values& structural) { unit->configure(structural); }
    /// Binds, initialises, and leaves Event Mode if the unit is in one.
    void initialize(double from = 0);
    void settle();
    /// write, step, read with steps of whole milliseconds.
    master::core::StepResult step(int milliseconds);
    void write() { unit->write({}, input_block()); }
    void read() { unit->read({}, output_block()); }
    [[nodiscard]] double seconds() const { return timebase.seconds(t); }

    double& real_in(const std::string& name) { return inputs.reals[slot(input_layout, name)]; }
    double& slope_in(const std::string& name) { return slopes[slot(input_layout, name)]; }
    std::int64_t& integer_in(const std::string& name) { return inputs.integers[slot(input_layout, name)]; }
    double real(const std::string& name) { return outputs.reals[slot(output_layout, name)]; }
    std::int64_t integer(const std::string& name) { return outputs.integers[slot(output_layout, name)]; }
    const std::string& string(const std::string& name) { return outputs.strings[slot(output_layout, name)]; }

    [[nodiscard]] master::core::ConstBlock input_block() const;
    [[nodiscard]] master::core::Block output_block();
    [[nodiscard]] std::uint32_t slot(const master::core::Layout& layout, const std::string& name) const;

    KeptLog log;
    master::base::Diagnostics diagnostics;
    master::base::Timebase timebase;
    master::base::Archive archive;
    std::unique_ptr<master::fmi::Fmu> fmu;
    std::unique_ptr<master::core::Unit> unit;
    master::core::Values starts;
    master::core::Layout input_layout, output_layout;
    master::core::Lanes inputs, outputs;
    std::vector<double> slopes;
    bool with_slopes = false;
    bool with_locals = false;
    master::base::Time t;
};

/// A unit that behaves until t = 0.2 and then as asked.
struct Misbehaving : Bench {
    explicit Misbehaving(int behaviour) : Bench("misbehaving_fmi2") {
        start("behaviour", std::vector<std::int64_t>{behaviour});
        start("when", std::vector<double>{0.2});
        initialize();
        step(100);
        step(100);
    }
};

/// The error that `action` throws; fails the test when it throws none.
template <class Action>
master::base::Error error_of(Action&& action) {
    try {
        action();
    } catch (const master::base::Error& error) {
        return error;
    }
    throw std::logic_error("no error was thrown");
}

[[nodiscard]] std::filesystem::path test_fmu(const std::string& name);
[[nodiscard]] bool contains(const std::string& text, const std::string& part);
