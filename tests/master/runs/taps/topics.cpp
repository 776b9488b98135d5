#include "master/runs/taps/topics.hpp"

#include "interfaces/topics/topics.hpp"
#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <limits>
#include <unistd.h>

namespace {

using master::base::Time;
using master::build::LocatedSignal;
using master::core::Lanes;
using master::core::Type;
using master::core::Variable;
using master::runs::InputJournal;
using master::runs::Subscription;
using master::runs::TopicSource;
using Value = std::vector<std::uint8_t>;

constexpr master::base::Timebase topic_timebase{1'000'000'000};
constexpr const char* journal_name = "subscribed.journal";

class Warnings final : public master::base::Log {
public:
    std::vector<std::string> warnings;
    void message(Level, std::string_view, double, std::string_view) override {}
    void warning(std::string_view, std::string_view text) override { warnings.emplace_back(text); }
};

/// Values one after the other, each once.
class Script final : public TopicSource {
public:
    explicit Script(std::vector<Value> values) : values_(std::move(values)) {}
    std::optional<std::span<const std::uint8_t>> fresh() override {
        if (next_ == values_.size()) return std::nullopt;
        return values_[next_++];
    }
    bool is_of_type() override { return true; }
    std::string type() const override { return "script"; }
    bool has_publisher() const override { return true; }

private:
    std::vector<Value> values_;
    std::size_t next_ = 0;
};

Value of(const std::vector<double>& numbers) {
    Value bytes(numbers.size() * sizeof(double));
    std::memcpy(bytes.data(), numbers.data(), bytes.size());
    return bytes;
}

LocatedSignal input(const Variable& variable, Type type, std::uint32_t index) {
    return {
        .first = {type, true, index}, .dimensions = variable.dimensions, .name = variable.name, .variable = &variable};
}

std::vector<Subscription> one(std::vector<LocatedSignal> inputs, std::unique_ptr<TopicSource> source) {
    std::vector<Subscription> all;
    all.push_back({"topic", std::move(inputs), std::move(source)});
    return all;
}

std::string own(const std::string& name) { return "taps-test-" + std::to_string(::getpid()) + "." + name; }

}  // namespace

TEST_CASE("a value that does not fit every input of its topic changes none, is kept nowhere, and is said once") {
    const tests::Scratch scratch;
    Variable wide{.name = "wide", .type = Type::bytes}, narrow{.name = "narrow", .type = Type::bytes};
    wide.max_bytes = 8;
    narrow.max_bytes = 4;
    Lanes lanes;
    lanes.bytes.resize(2);
    Warnings said;
    master::base::Diagnostics remarks;
    const auto tap = master::runs::subscribe_topics(
        one({input(wide, Type::bytes, 0), input(narrow, Type::bytes, 1)},
            std::make_unique<Script>(std::vector<Value>{Value(3), Value(6), Value(7), Value(2)})),
        topic_timebase, InputJournal({.write_to = scratch.folder(), .read_from = {}}, journal_name), said, remarks);
    std::vector<std::size_t> first, second;
    for (std::int64_t t = 0; t < 4; ++t) {
        tap->before_step(Time{t}, lanes);
        first.push_back(lanes.bytes[0].size);
        second.push_back(lanes.bytes[1].size);
    }
    CHECK(first == std::vector<std::size_t>{3, 3, 3, 2});
    CHECK(second == first);
    REQUIRE(said.warnings.size() == 1);
    CHECK(said.warnings[0].find("'topic'") != std::string::npos);
    CHECK(said.warnings[0].find("left out") != std::string::npos);

    // What entered is what the journal has, so a repeat gives the inputs the same values.
    Lanes again;
    again.bytes.resize(2);
    const auto player = master::runs::subscribe_topics(
        one({input(wide, Type::bytes, 0), input(narrow, Type::bytes, 1)}, nullptr), topic_timebase,
        InputJournal({.write_to = {}, .read_from = scratch.folder()}, journal_name), said, remarks);
    std::vector<std::size_t> replayed;
    for (std::int64_t t = 0; t < 4; ++t) {
        player->before_step(Time{t}, again);
        replayed.push_back(again.bytes[1].size);
    }
    CHECK(replayed == first);
}

TEST_CASE("an array takes a value as a whole or not at all") {
    Variable array{.name = "array", .type = Type::real};
    array.dimensions = {2};
    Lanes lanes;
    lanes.reals = {7, 7, 7};
    Warnings said;
    master::base::Diagnostics remarks;
    const double none = std::numeric_limits<double>::quiet_NaN();
    const auto tap = master::runs::subscribe_topics(
        one({input(array, Type::real, 0)}, std::make_unique<Script>(std::vector<Value>{
                                               of({1, none}), of({none, 1}), of({1}), of({1, 2, 3}), of({4, 5})})),
        topic_timebase, InputJournal({}, journal_name), said, remarks);
    for (std::int64_t t = 0; t < 4; ++t) {
        tap->before_step(Time{t}, lanes);
        CHECK(lanes.reals == std::vector<double>{7, 7, 7});
    }
    tap->before_step(Time{4}, lanes);
    CHECK(lanes.reals == std::vector<double>{4, 5, 7});
    // Each reason once when it comes, and counted at the end.
    REQUIRE(said.warnings.size() == 2);
    CHECK(said.warnings[0] == "topic 'topic' has values for 'array' that are no number (NaN): they are left out");
    CHECK(said.warnings[1].find("do not fit 'array' (float64[2])") != std::string::npos);
    tap->finish();
    REQUIRE(remarks.findings().size() == 2);
    CHECK(std::ranges::all_of(remarks.findings(), [](const auto& f) { return f.code == "topic" && f.told; }));
    CHECK(remarks.findings()[0].text.ends_with("'script' that do not fit 'array' (float64[2]): 2 left out"));
    CHECK(remarks.findings()[1].text.ends_with("no number (NaN): 2 left out"));
}

TEST_CASE("inputs of one topic have one type") {
    const Variable real{.name = "speed", .type = Type::real}, integer{.name = "gear", .type = Type::integer};
    CHECK(master::runs::subscribed_type("lever", {input(real, Type::real, 0)}) == "float64");
    try {
        (void)master::runs::subscribed_type("lever", {input(real, Type::real, 0), input(integer, Type::integer, 0)});
        FAIL("accepted");
    } catch (const master::base::Error& error) {
        CHECK(std::string(error.what()).find("'speed' (float64) and 'gear' (int64)") != std::string::npos);
    }
}

TEST_CASE("the type of a topic is that of whoever publishes it now") {
    namespace topics = interfaces::topics;
    const std::string name = own("type");
    const auto source = master::runs::shared_topic(name, "float64");
    CHECK_FALSE(source->fresh().has_value());
    {
        topics::Publisher other({.name = name, .type = "int64", .capacity = 8});
        REQUIRE(other.publish(0, of({1})));
        REQUIRE(source->fresh().has_value());
        CHECK_FALSE(source->is_of_type());
        CHECK(source->type() == "int64");
    }
    topics::Publisher right({.name = name, .type = "float64", .capacity = 8});
    REQUIRE(right.publish(1, of({2})));
    REQUIRE(source->fresh().has_value());
    CHECK(source->is_of_type());
    REQUIRE(right.publish(2, of({3})));
    REQUIRE(source->fresh().has_value());
    CHECK(source->is_of_type());
}
