#include "tests/master/fmi/unit/bench.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

TEST_CASE("every FMI 3 type goes into a unit and comes back") {
    Bench bench("types_fmi3");
    bench.initialize();
    bench.real_in("Float64_input") = 0.1;
    bench.real_in("Float32_input") = 0.5;
    bench.integer_in("Int8_input") = -128;
    bench.integer_in("Int16_input") = -32768;
    bench.integer_in("Int32_input") = std::numeric_limits<std::int32_t>::min();
    bench.integer_in("Int64_input") = std::numeric_limits<std::int64_t>::min();
    bench.integer_in("Enumeration_input") = 2;
    auto& naturals = bench.inputs.naturals;
    naturals[bench.slot(bench.input_layout, "UInt8_input")] = 255;
    naturals[bench.slot(bench.input_layout, "UInt16_input")] = 65535;
    naturals[bench.slot(bench.input_layout, "UInt32_input")] = 4294967295U;
    naturals[bench.slot(bench.input_layout, "UInt64_input")] = std::numeric_limits<std::uint64_t>::max();
    bench.inputs.booleans[0] = 1;
    bench.inputs.strings[0] = "gr\xc3\xbc\xc3\x9f";
    const std::vector<std::uint8_t> frame{1, 0, 255};
    bench.inputs.bytes[0] = {frame.data(), frame.size()};
    bench.real_in("array_input") = 3;
    bench.step(1);

    CHECK(bench.real("Float64_output") == 0.1);
    CHECK(bench.real("Float32_output") == 0.5);
    CHECK(bench.integer("Int8_output") == -128);
    CHECK(bench.integer("Int16_output") == -32768);
    CHECK(bench.integer("Int32_output") == std::numeric_limits<std::int32_t>::min());
    CHECK(bench.integer("Int64_output") == std::numeric_limits<std::int64_t>::min());
    CHECK(bench.integer("Enumeration_output") == 2);
    const auto natural = [&](const char* name) {
        return bench.outputs.naturals[bench.slot(bench.output_layout, name)];
    };
    CHECK(natural("UInt8_output") == 255);
    CHECK(natural("UInt16_output") == 65535);
    CHECK(natural("UInt32_output") == 4294967295U);
    CHECK(natural("UInt64_output") == std::numeric_limits<std::uint64_t>::max());
    CHECK(bench.outputs.booleans[0] == 1);
    CHECK(bench.outputs.strings[0] == "gr\xc3\xbc\xc3\x9f");
    const master::core::Bytes bytes = bench.outputs.bytes[0];
    CHECK(std::vector<std::uint8_t>(bytes.data, bytes.data + bytes.size) == frame);
    CHECK(bench.real("array_output") == 6);
    const auto statistics = bench.unit->statistics();
    REQUIRE(statistics.size() == 1);
    CHECK(statistics[0] == std::pair<std::string, std::uint64_t>{"binary buffer growths", 1});
}

TEST_CASE("a value that does not fit a narrow type is refused with its name") {
    Bench bench("types_fmi3");
    bench.initialize();
    bench.integer_in("Int8_input") = 128;
    const auto error = error_of([&] { bench.step(1); });
    CHECK(error.code() == "range");
    CHECK(contains(error.what(), "value 128 does not fit the type Int8"));
    CHECK(contains(error.what(), "'Int8_input'"));
}

TEST_CASE("a number beyond the range of a float is refused, an infinite one stays what it is") {
    Bench bench("types_fmi3");
    bench.initialize();
    double& input = bench.real_in("Float32_input");
    input = std::numeric_limits<double>::infinity();
    bench.step(1);
    CHECK(std::isinf(bench.real("Float32_output")));
    input = -1e39;
    const auto error = error_of([&] { bench.step(1); });
    CHECK(error.code() == "range");
    CHECK(contains(error.what(), "value -1e+39 does not fit the type Float32"));
}

TEST_CASE("a number that is no item of an input's enumeration is refused with its items") {
    Bench bench("types_fmi3");
    bench.initialize();
    bench.integer_in("Enumeration_input") = 3;
    const auto error = error_of([&] { bench.step(1); });
    CHECK(error.code() == "range");
    CHECK(contains(error.what(), "input 'Enumeration_input' was given 3"));
    CHECK(contains(error.what(), "no item of enumeration 'Colour' (1, 2)"));
}

TEST_CASE("a structural parameter set in Configuration Mode changes the sizes of arrays") {
    Bench bench("types_fmi3");
    bench.configure({{bench.variable("n"), std::vector<std::uint64_t>{5}}});
    CHECK(bench.unit->info().variables[bench.variable("array_input")].size == 5);
    bench.initialize();
    const auto first = bench.slot(bench.input_layout, "array_input");
    for (std::uint32_t i = 0; i < 5; ++i) bench.inputs.reals[first + i] = i;
    bench.step(1);
    const auto out = bench.slot(bench.output_layout, "array_output");
    for (std::uint32_t i = 0; i < 5; ++i) CHECK(bench.outputs.reals[out + i] == 2.0 * i);
}

TEST_CASE("only structural parameters may be configured") {
    Bench bench("types_fmi3");
    const auto error = error_of([&] { bench.configure({{bench.variable("absurd"), std::vector<std::int64_t>{1}}}); });
    CHECK(contains(error.what(), "'absurd' is no structural parameter"));
    Bench old("empty_fmi2");
    CHECK_THROWS_AS(old.configure({{0, std::vector<double>{1}}}), master::base::Error);
}

TEST_CASE("absurd binary sizes and null pointers are refused") {
    for (const int absurd : {1, 2}) {
        Bench bench("types_fmi3");
        bench.start("absurd", std::vector<std::int64_t>{absurd});
        if (absurd == 1) {
            CHECK(error_of([&] { bench.initialize(); }).code() == "binary-size");
            continue;
        }
        bench.initialize();
        const std::vector<std::uint8_t> frame{1};
        bench.inputs.bytes[0] = {frame.data(), frame.size()};
        CHECK(contains(error_of([&] { bench.step(1); }).what(), "null pointer"));
    }
}

TEST_CASE("a start value of another type or size is refused by name") {
    Bench bench("types_fmi3");
    bench.start("absurd", std::vector<double>{1});
    CHECK(contains(error_of([&] { bench.initialize(); }).what(), "'absurd' (Int32, 1 elements)"));
}
