#include "tests/master/fmi/unit/bench.hpp"

#include <algorithm>
#include <stdexcept>

using master::core::Causality;
using master::core::Type;

std::filesystem::path test_fmu(const std::string& name) {
    return std::filesystem::path(TANDEM_BUILD_DIR) / "tests" / "fmus" / (name + ".fmu");
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool KeptLog::says(const std::string& part) const {
    return std::ranges::any_of(lines, [&part](const Line& line) { return contains(line.text, part); });
}

Bench::Bench(const std::string& name, const std::string& interface)
    : archive(test_fmu(name)), fmu(std::make_unique<master::fmi::Fmu>(test_fmu(name), archive, diagnostics)) {
    diagnostics.throw_if_errors();
    unit = fmu->instantiate("unit", fmu->interface(interface), timebase, log);
}

std::uint32_t Bench::variable(const std::string& name) const {
    const auto& variables = unit->info().variables;
    const auto found = std::ranges::find(variables, name, &master::core::Variable::name);
    if (found == variables.end()) throw std::logic_error("no variable " + name);
    return static_cast<std::uint32_t>(found - variables.begin());
}

std::uint32_t Bench::slot(const master::core::Layout& layout, const std::string& name) const {
    const auto* found = layout.find(variable(name));
    if (found == nullptr) throw std::logic_error("not bound: " + name);
    return found->offset;
}

void Bench::initialize(double from) {
    master::core::Ports ports;
    for (std::uint32_t i = 0; i < unit->info().variables.size(); ++i) {
        const master::core::Variable& variable = unit->info().variables[i];
        if (variable.causality == Causality::input) ports.inputs.push_back(i);
        const bool local = with_locals && variable.causality == Causality::local;
        if (variable.causality == Causality::output || local) ports.outputs.push_back(i);
    }
    input_layout = master::core::layout(unit->info(), ports.inputs);
    output_layout = master::core::layout(unit->info(), ports.outputs);
    for (auto [lanes, layout] : {std::pair{&inputs, &input_layout}, std::pair{&outputs, &output_layout}}) {
        lanes->reals.resize(layout->counts[master::core::index_of(Type::real)]);
        lanes->integers.resize(layout->counts[master::core::index_of(Type::integer)]);
        lanes->naturals.resize(layout->counts[master::core::index_of(Type::natural)]);
        lanes->booleans.resize(layout->counts[master::core::index_of(Type::boolean)]);
        lanes->bytes.resize(layout->counts[master::core::index_of(Type::bytes)]);
        lanes->strings.resize(layout->counts[master::core::index_of(Type::string)]);
        lanes->clocks.resize(layout->counts[master::core::index_of(Type::clock)]);
    }
    for (const master::core::Layout::Slot& slot : input_layout.slots) {
        const master::core::Variable& variable = unit->info().variables[slot.variable];
        for (const master::core::Enumeration& enumeration : unit->info().enumerations)
            if (enumeration.name == variable.enumeration && !enumeration.items.empty())
                std::fill_n(inputs.integers.begin() + slot.offset, slot.count, enumeration.items.front().second);
    }
    slopes.resize(inputs.reals.size());
    unit->bind(ports);
    t = timebase.nearest(from);
    unit->set_up({.start = t});
    unit->set_start(starts);
    unit->enter_initialization();
    for (std::size_t i = 0; i < output_layout.slots.size(); ++i) unit->read_one(i, output_block());
    unit->exit_initialization();
    settle();
}

void Bench::settle() {
    auto* events = unit->events();
    if (events == nullptr) return;
    events->enter_event();
    for (int round = 0; round < 100; ++round) {
        if (events->update_discrete().again) continue;
        events->enter_step();
        return;
    }
    throw std::logic_error("the unit does not settle");
}

master::core::StepResult Bench::step(int milliseconds) {
    const master::base::Duration h{milliseconds * (timebase.ticks_per_second / 1000)};
    write();
    const master::core::StepResult result = unit->step(t, h);
    t = result.reached;
    read();
    return result;
}

master::core::ConstBlock Bench::input_block() const {
    return {.reals = inputs.reals.data(),
            .slopes = with_slopes ? slopes.data() : nullptr,
            .integers = inputs.integers.data(),
            .naturals = inputs.naturals.data(),
            .booleans = inputs.booleans.data(),
            .bytes = inputs.bytes.data(),
            .strings = inputs.strings.data(),
            .clocks = inputs.clocks.data()};
}

master::core::Block Bench::output_block() {
    return {outputs.reals.data(), outputs.integers.data(), outputs.naturals.data(), outputs.booleans.data(),
            outputs.bytes.data(), outputs.strings.data(),  outputs.clocks.data()};
}
