// Bytes and strings obey the same barrier as numbers: what a receiver is given was sent before anybody stepped.
#include "master/core/algorithm.hpp"
#include "master/core/plain_unit.hpp"
#include "master/core/run.hpp"
#include "master/core/setup/initialization.hpp"
#include "master/core/system.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

constexpr std::uint32_t elements = 2;
constexpr std::uint32_t in_bytes = 0, in_texts = 1, out_bytes = 2, out_texts = 3;

/// A text that grows and shrinks from step to step, beyond what any buffer had before.
std::string message(int step, std::uint32_t element) {
    const int length = step % 3 == 2 ? 1 : 20 * step + 1;
    return std::to_string(step) + "/" + std::to_string(element) + std::string(static_cast<std::size_t>(length), '.');
}

/// Sends two bytes and two texts with the number of its steps, and keeps what it was given at every step.
class Messenger final : public core::PlainUnit {
public:
    Messenger() {
        add("in_bytes", core::Type::bytes, core::Causality::input);
        add("in_texts", core::Type::string, core::Causality::input);
        add("out_bytes", core::Type::bytes, core::Causality::output);
        add("out_texts", core::Type::string, core::Causality::output);
    }

    const core::UnitInfo& info() const override { return info_; }
    void bind(const core::Ports& ports) override {
        receives_ = !ports.inputs.empty();
        sends_ = !ports.outputs.empty();
    }
    void read_one(std::size_t, const core::Block& block) override { read({}, block); }
    void write(core::Group, const core::ConstBlock& block) override {
        for (std::uint32_t i = 0; receives_ && i < elements; ++i) {
            const core::Bytes bytes = block.bytes[i];
            received.emplace_back(bytes.data, bytes.data + bytes.size);
            received.push_back(block.strings[i]);
        }
    }
    core::StepResult step(base::Time t, base::Duration h) override {
        ++steps_;
        return {.reached = t + h};
    }
    void read(core::Group, const core::Block& block) override {
        for (std::uint32_t i = 0; sends_ && i < elements; ++i) {
            const std::string text = message(steps_, i);
            buffers_[i] = core::ByteString(text.begin(), text.end());  // a new place each time
            block.bytes[i] = {buffers_[i].data(), buffers_[i].size()};
            block.strings[i] = text;
        }
    }

    std::vector<std::string> received;

private:
    void add(const char* name, core::Type type, core::Causality causality) {
        core::Variable variable;
        variable.name = name;
        variable.type = type;
        variable.causality = causality;
        variable.variability = core::Variability::discrete;
        variable.dimensions = {elements};
        variable.size = elements;
        info_.variables.push_back(variable);
    }

    core::UnitInfo info_;
    bool receives_ = false, sends_ = false;
    core::ByteString buffers_[elements];
    int steps_ = 0;
};

struct Case {
    std::string algorithm;
    bool sender_first = true;
    unsigned threads = 1;
    int sender_period = 1, receiver_period = 1;
};

/// What the receiver was given over 12 ticks.
std::vector<std::string> received(const Case& test) {
    const std::uint32_t sender = test.sender_first ? 0 : 1;
    core::Plan plan;
    plan.units.resize(2);
    plan.units[sender].name = "sender";
    plan.units[1 - sender].name = "receiver";
    for (const auto& [from, to] : {std::pair{out_bytes, in_bytes}, std::pair{out_texts, in_texts}}) {
        core::PlannedWire wire;
        wire.from = {.unit = sender, .variable = from};
        wire.to = {.unit = 1 - sender, .variable = to};
        wire.count = elements;
        plan.wires.push_back(wire);
    }
    std::vector<std::unique_ptr<core::Unit>> units;
    for (int i = 0; i < 2; ++i) units.push_back(std::make_unique<Messenger>());
    const auto& receiver = dynamic_cast<const Messenger&>(*units[1 - sender]);
    core::SystemOptions options;
    options.timebase = {.ticks_per_second = 1000};
    options.periods.resize(2);
    options.periods[sender] = base::Duration{test.sender_period};
    options.periods[1 - sender] = base::Duration{test.receiver_period};
    const core::AlgorithmEntry& method = core::find_algorithm(test.algorithm, "test");
    options.sequential = method.sequential;
    options.order = {0, 1};
    base::Diagnostics diagnostics;
    core::System system(plan, std::move(units), options, diagnostics);
    core::initialize(system, diagnostics);
    const auto algorithm = method.make({.threads = test.threads, .always_parallel = test.threads > 1});
    struct Fast final : core::Pacer {
        bool go() override { return true; }
        void wait_until(base::Time) override {}
    } pacer;
    core::run(system, *algorithm, {}, pacer, {.from = {0}, .to = {12}});
    return receiver.received;
}

/// `sent(step)`: how often the sender had stepped when the receiver's k-th step began.
std::vector<std::string> expected(int steps, const std::function<int(int)>& sent) {
    std::vector<std::string> list;
    for (int k = 0; k < steps; ++k) {
        for (std::uint32_t i = 0; i < elements; ++i) list.insert(list.end(), 2, message(sent(k), i));
    }
    return list;
}

}  // namespace

TEST_CASE("bytes and strings arrive a step later in parallel stepping, whatever the order and the threads") {
    for (const bool first : {true, false}) {
        for (const unsigned threads : {1U, 2U}) {
            INFO("sender first " << first << " threads " << threads);
            CHECK(received({"jacobi", first, threads}) == expected(12, [](int k) { return k; }));
        }
    }
}

TEST_CASE("bytes and strings arrive at once from a unit that was stepped before") {
    CHECK(received({"gauss-seidel", true}) == expected(12, [](int k) { return k + 1; }));
    CHECK(received({"gauss-seidel", false}) == expected(12, [](int k) { return k; }));
}

TEST_CASE("bytes and strings of a slow unit appear when its period ends, and of a fast one at every step") {
    for (const bool first : {true, false}) {
        for (const unsigned threads : {1U, 2U}) {
            INFO("sender first " << first << " threads " << threads);
            CHECK(received({"jacobi", first, threads, 3, 1}) == expected(12, [](int k) { return k / 3; }));
            CHECK(received({"jacobi", first, threads, 1, 3}) == expected(4, [](int k) { return 3 * k; }));
            CHECK(received({"jacobi", first, threads, 2, 3}) == expected(4, [](int k) { return 3 * k / 2; }));
        }
    }
}
