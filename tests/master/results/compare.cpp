#include "master/results/compare.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <cmath>

using namespace master;

namespace {

results::Table table(const std::string& text) { return results::parse_csv(text, "in.csv"); }

results::Table wave(double step, double shift) {
    results::Table result;
    result.source = "wave";
    std::vector<double> values;
    for (int i = 0; i * step <= 10; ++i) {
        result.time.push_back(i * step);
        values.push_back(std::cos(i * step - shift) + 0.25);
    }
    result.columns.push_back({"y", "", std::move(values)});
    return result;
}

}  // namespace

TEST_CASE("signals on different grids agree where their lines do") {
    const results::Table coarse = table("time,x\n0,0\n2,4.5\n");
    const results::Table fine = table("time,x\n0,0\n0.3,0.675\n1,2.25\n2,4.5\n");
    CHECK(results::compare(coarse, fine, {.absolute = 1e-12, .relative = 0}).passed());
    CHECK(results::compare(fine, coarse, {.absolute = 1e-12, .relative = 0}).passed());
    const results::Table off = table("time,x\n0,0\n0.3,0.675\n1,2.5\n2,4.5\n");
    const results::Comparison comparison = results::compare(off, coarse, {.absolute = 0.1, .relative = 0});
    REQUIRE(comparison.violated == 1);
    CHECK(comparison.signals[0].deviation == Approx(0.25));
    CHECK(comparison.signals[0].time == 1);
    CHECK(comparison.signals[0].value == 2.5);
    CHECK(comparison.signals[0].expected == 2.25);
}

TEST_CASE("a shift in time passes exactly within the time tolerance") {
    const double shift = 0.05;
    const results::Table a = wave(0.01, shift);
    const results::Table b = wave(0.013, 0);
    // A cosine is flat at t = 0, where the reference does not go back far enough. Chords of the coarser grid lie at
    // most h^2 / 8 below the arc.
    const double chord = 0.013 * 0.013 / 8;
    CHECK(results::compare(a, b, {.absolute = chord, .relative = 0, .time = 1.01 * shift}).passed());
    const results::Comparison without = results::compare(a, b, {.absolute = chord, .relative = 0});
    CHECK(without.violated == 1);
    CHECK(without.signals[0].deviation == Approx(2 * std::sin(shift / 2)).epsilon(0.01));
    CHECK_FALSE(results::compare(a, b, {.absolute = chord, .relative = 0, .time = 0.8 * shift}).passed());
}

TEST_CASE("both sides of a jump are compared") {
    const results::Table a = table("time,x\n0,0\n1,1.5\n1,5\n2,6\n");
    const results::Table b = table("time,x\n0,0\n1,1.5\n1,4\n2,6\n");
    const results::Comparison comparison = results::compare(a, b);
    CHECK(comparison.signals[0].deviation == Approx(1));
    CHECK(comparison.signals[0].time == 1);
    CHECK(results::compare(a, a).passed());
}

TEST_CASE("whole numbers and text are held, not interpolated") {
    const results::Table coarse = table("time,n,s\n0,0,\"a\"\n1,5,\"b\"\n2,5,\"b\"\n");
    const results::Table fine = table("time,n,s\n0,0,\"a\"\n0.5,0,\"a\"\n1,5,\"b\"\n2,5,\"b\"\n");
    CHECK(results::compare(coarse, fine).passed());
    const results::Table late = table("time,n,s\n0,0,\"a\"\n1,0,\"a\"\n1.1,5,\"b\"\n2,5,\"b\"\n");
    CHECK(results::compare(late, coarse).violated == 2);
    CHECK(results::compare(late, coarse, {.time = 0.11}).passed());
}

TEST_CASE("missing signals, short results and wrong kinds are problems, extra signals are not") {
    const results::Table reference = table("time,speed,angle\n0,1,2\n1,1,2\n");
    CHECK(results::compare(table("time,speed,angle,more\n0,1,2,3\n2,1,2,3\n"), reference).passed());
    const results::Comparison missing = results::compare(table("time,sped,angle\n0,1,2\n0.5,1,2\n"), reference);
    REQUIRE(missing.problems.size() == 2);
    CHECK(missing.problems[0] == "the result ends at t = 0.5 s, the reference at 1 s");
    CHECK(missing.problems[1] == "the result has no signal 'speed', closest match 'sped'");
    CHECK(results::compare(table("time,speed,angle\n0,a,2\n1,b,2\n"), reference).violated == 1);
    CHECK_FALSE(results::compare(table("time,speed,angle\n"), reference).passed());
}

TEST_CASE("names can be mapped and signals chosen") {
    const tests::Scratch scratch;
    const results::Table result = table("time,body.v,other\n0,1.5,9\n1,2.5,9\n");
    const results::Table reference = table("time,Speed,other\n0,1.5,1\n1,2.5,1\n");
    results::CompareOptions options;
    options.names = results::read_name_map(scratch.write("map.csv", "# result, reference\nbody.v, Speed\n")).names;
    options.only = {"Sp*"};
    CHECK(results::compare(result, reference, options).passed());
    options.only = {"Sped"};
    CHECK_THROWS_AS(results::compare(result, reference, options), base::Error);
    CHECK_THROWS_AS(results::read_name_map(scratch.write("bad.csv", "a,b,c\n")), base::Error);
    CHECK_THROWS_AS(results::read_name_map(scratch.write("twice.csv", "a,b\na,c\n")), base::Error);
}

TEST_CASE("NaN agrees only with NaN") {
    const results::Table a = table("time,x\n0,nan\n1,0.5\n");
    CHECK(results::compare(a, a).passed());
    CHECK(results::compare(a, table("time,x\n0,0.5\n1,0.5\n")).violated == 1);
    CHECK(results::compare(table("time,x\n0,0.5\n1,0.5\n"), a).violated == 1);
    CHECK(results::compare(a, table("time,x\n0,0.5\n1,0.5\n"), {.time = 0.5}).violated == 1);
}

TEST_CASE("bits are compared exactly, down to the sign of zero") {
    const results::Table a = table("time,x,s\n0,0,\"a\"\n1,0.1,\"b\"\n");
    CHECK(results::compare_bits(a, a).passed());
    CHECK(results::compare_bits(table("time,x,s\n0,-0,\"a\"\n1,0.1,\"b\"\n"), a).violated == 1);
    CHECK(results::compare_bits(table("time,x,s\n0,0,\"a\"\n1,0.10000000000000002,\"b\"\n"), a).violated == 1);
    CHECK(results::compare_bits(table("time,x,s\n0,0,\"a\"\n1,0.1,\"c\"\n"), a).violated == 1);
    CHECK_FALSE(results::compare_bits(table("time,x,s\n0,0,\"a\"\n"), a).passed());
    CHECK_FALSE(results::compare_bits(table("time,x,s,y\n0,0,\"a\",1\n1,0.1,\"b\",1\n"), a).passed());
    CHECK(results::compare_bits(a, table("time,x,s\n0,0,\"a\"\n1,0.2,\"b\"\n")).text().find("<-- violated") !=
          std::string::npos);
}

TEST_CASE("integers are compared as such where a double cannot hold them") {
    const results::Table a = table("time,x,s\n0,9223372036854775813,\"a\"\n1,9223372036854775814,\"a\"\n");
    const results::Table b = table("time,x,s\n0,9223372036854775813,\"a\"\n1,9223372036854775815,\"a\"\n");
    CHECK(results::compare(a, a, {.absolute = 0, .relative = 0}).passed());
    const results::Comparison exact = results::compare(a, b, {.absolute = 0, .relative = 0});
    REQUIRE(exact.violated == 1);
    CHECK(exact.signals[0].deviation == 1);
    CHECK(exact.signals[0].time == 1);
    CHECK(exact.text().find("9223372036854775814") != std::string::npos);
    CHECK(exact.text().find("9223372036854775815") != std::string::npos);
    CHECK(results::compare(a, b, {.absolute = 1, .relative = 0}).passed());
    CHECK(results::compare_bits(a, b).signals[0].deviation == 1);
    // A negative one beside one that only unsigned integers hold.
    CHECK(results::compare(table("time,x\n0,-9223372036854775807\n"), table("time,x\n0,9223372036854775808\n"))
              .signals[0]
              .deviation == 18446744073709551615.0);
}

TEST_CASE("what differs is shown as it is, whatever its kind") {
    const results::Table a = table("time,x,s\n0,0.1,\"open\"\n");
    const std::string text = results::compare(table("time,x,s\n0,0.1,\"shut\"\n"), a).text();
    CHECK(text.find("'shut'         'open'  <-- violated") != std::string::npos);
    const std::string bits = results::compare_bits(table("time,x,s\n0,0.10000000000000002,\"shut\"\n"), a).text();
    CHECK(bits.find("0.10000000000000002            0.1  <-- violated") != std::string::npos);
    CHECK(bits.find("'shut'         'open'  <-- violated") != std::string::npos);
    const std::string kinds = results::compare(table("time,x,s\n0,word,\"open\"\n"), a).text();
    CHECK(kinds.find("'word'            0.1  <-- violated") != std::string::npos);
}
