#include "master/fmi/description/model_description.hpp"

#include "master/base/error.hpp"
#include "master/fmi/description/array_sizes.hpp"
#include "master/fmi/description/read_description.hpp"
#include "tests/master/fmi/description/samples.hpp"
#include "tests/support/damage.hpp"
#include "tests/support/zip_writer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <ctime>

using namespace master;
using namespace master::fmi;
using tests::fmi2_sample;
using tests::fmi3_sample;
using tests::variable;
using tests::with;

namespace {

fmi::ModelDescription parse(std::string_view xml) {
    base::Diagnostics diagnostics;
    fmi::ModelDescription description = fmi::parse_model_description(xml, "md.xml", diagnostics);
    for (const base::Finding& finding : diagnostics.findings()) UNSCOPED_INFO(finding.where << ": " << finding.text);
    REQUIRE(diagnostics.findings().empty());
    return description;
}

std::uint32_t index(const fmi::ModelDescription& description, std::string_view name) {
    return static_cast<std::uint32_t>(&variable(description, name) - description.info.variables.data());
}

template <typename Element>
std::vector<Element> start(const core::Variable& variable) {
    REQUIRE(variable.start.has_value());
    return std::get<std::vector<Element>>(*variable.start);
}

using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("an FMI 2 description is read completely and without remarks") {
    const fmi::ModelDescription d = parse(fmi2_sample);
    CHECK(d.version == fmi::Version::fmi2);
    CHECK(d.info.model_name == "Boom");
    CHECK(d.info.token == "{a-b}");
    CHECK(d.info.generation_tool == "Tool 1");
    CHECK(d.log_categories == std::vector<std::string>{"logEvents", "logAll"});
    CHECK(d.source_files == std::vector<std::string>{"boom.c", "solver.c"});
    CHECK(d.event_indicators == 2);
    CHECK(d.info.experiment.stop == 10.0);
    CHECK(d.info.experiment.tolerance == 1e-6);
    CHECK(d.info.experiment.step == "0.0333333");
    REQUIRE(d.info.variables.size() == 10);
    CHECK(d.references == Indices{1, 2, 3, 1, 1, 9, 4, 5, 6, 7});

    const core::Variable& supply = variable(d, "supply");
    CHECK(supply.unit == "bar");
    CHECK(supply.minimum == 0.0);
    CHECK(supply.maximum == 350.0);  // its own, not the type's
    CHECK(supply.nominal == 100.0);
    CHECK(supply.relative_quantity);
    CHECK(supply.can_set_during_run);
    CHECK(supply.variability == core::Variability::continuous);
    CHECK(start<double>(supply) == std::vector<double>{210});

    CHECK(variable(d, "x").initial == core::Initial::exact);
    CHECK(variable(d, "x").description == "height \"h\"");
    CHECK(variable(d, "der(x)").initial == core::Initial::calculated);
    CHECK(variable(d, "time").initial == core::Initial::none);
    CHECK(start<std::int64_t>(variable(d, "a[1,2]")) == std::vector<std::int64_t>{-7});
    CHECK(start<std::uint8_t>(variable(d, "Größe 'q'")) == std::vector<std::uint8_t>{1});
    CHECK(start<std::string>(variable(d, "file")) == std::vector<std::string>{"a & b"});
    CHECK_FALSE(variable(d, "a[1,2]").can_set_during_run);

    const core::Variable& mode = variable(d, "mode");
    CHECK(mode.enumeration == "Mode");
    CHECK(mode.type == core::Type::integer);
    CHECK(mode.can_set_during_run);
    REQUIRE(d.info.enumerations.size() == 1);
    CHECK(d.info.enumerations[0].items[1] == std::pair<std::string, std::int64_t>{"on", 3});
}

TEST_CASE("FMI 2 variables of one type with one reference are aliases, of two types not") {
    const fmi::ModelDescription d = parse(fmi2_sample);
    CHECK(variable(d, "y").alias_of == index(d, "x"));
    CHECK(variable(d, "x").alias_of == core::Variable::no_alias);
    CHECK(variable(d, "mode").alias_of == core::Variable::no_alias);  // reference 1, but Integer
}

TEST_CASE("units carry exponents, factor and offset") {
    const fmi::ModelDescription d = parse(fmi2_sample);
    REQUIRE(d.info.units.size() == 3);
    CHECK(d.info.units[0].offset == 273.15);
    CHECK(d.info.units[1].factor == 1e5);
    CHECK(d.info.units[1].exponents == std::array<int, 8>{1, -1, -2, 0, 0, 0, 0, 0});
}

TEST_CASE("missing dependencies mean all, empty ones none, and states follow their derivatives") {
    const fmi::ModelDescription d = parse(fmi2_sample);
    REQUIRE(d.info.outputs.size() == 2);
    CHECK(d.info.outputs[0].variable == index(d, "y"));
    CHECK(d.info.outputs[0].dependencies == Indices{0, 2});
    CHECK(d.info.outputs[1].dependencies == Indices{});
    REQUIRE(d.info.initial_unknowns.size() == 3);
    CHECK_FALSE(d.info.initial_unknowns[1].dependencies.has_value());
    CHECK(d.derivatives == Indices{index(d, "der(x)")});
    CHECK(d.states == Indices{index(d, "x")});
    CHECK(d.info.has_model_structure);
}

TEST_CASE("an FMI 3 description is read completely and without remarks") {
    const fmi::ModelDescription d = parse(fmi3_sample);
    CHECK(d.version == fmi::Version::fmi3);
    CHECK(d.version_text == "3.0.1");
    CHECK(d.info.token == "{t}");
    CHECK(d.scheduled_execution);
    CHECK(d.info.experiment.step == "1e-3");

    const core::Variable& matrix = variable(d, "A");
    CHECK(matrix.dimensions == std::vector<std::uint64_t>{2, 3});
    CHECK(matrix.size == 6);
    CHECK(matrix.can_set_during_run);
    CHECK(start<double>(matrix) == std::vector<double>{1, 2, 3, 4, 5, 6});
    CHECK(d.dimensions[index(d, "A")][1].parameter == index(d, "m"));
    CHECK(variable(d, "m").variability == core::Variability::fixed);

    const core::Variable& input = variable(d, "u");
    CHECK(input.alias_names == std::vector<std::string>{"u_alias"});
    CHECK(input.unit == "rad");
    CHECK(input.intermediate_update);
    CHECK(input.initial == core::Initial::exact);
    CHECK(start<double>(input) == std::vector<double>(4, 0.5));

    CHECK(start<std::int64_t>(variable(d, "i8")) == std::vector<std::int64_t>{-128});
    CHECK(variable(d, "i8").variability == core::Variability::discrete);
    CHECK(start<std::uint64_t>(variable(d, "u16")) == std::vector<std::uint64_t>{65535});
    CHECK(start<std::int64_t>(variable(d, "i64")) == std::vector<std::int64_t>{INT64_MIN});
    CHECK(start<std::uint64_t>(variable(d, "u64")) == std::vector<std::uint64_t>{UINT64_MAX});
    CHECK(start<std::uint8_t>(variable(d, "b")) == std::vector<std::uint8_t>{1, 0});
    CHECK(start<std::string>(variable(d, "s")) == std::vector<std::string>{"a b", "<c>"});
    CHECK(start<core::ByteString>(variable(d, "frame")) == std::vector<core::ByteString>{{0x00, 0xff, 0xa1}});
    CHECK(variable(d, "frame").mime_type == "application/x-can");
    CHECK(variable(d, "frame").max_bytes == 64);
    CHECK(variable(d, "gear").enumeration == "Gear");
    CHECK(d.natives[index(d, "gear")] == fmi::Native::int64);
    CHECK(d.natives[index(d, "f")] == fmi::Native::float32);

    CHECK(d.states == Indices{index(d, "q")});
    CHECK(d.event_indicators == 2);
    REQUIRE(d.info.outputs.size() == 3);
    CHECK(d.info.outputs[2].dependencies == Indices{index(d, "q"), index(d, "u")});
}

TEST_CASE("clocks have exact intervals, and variables know their clocks") {
    const fmi::ModelDescription d = parse(fmi3_sample);
    const core::Variable& ten = variable(d, "ten");
    CHECK(ten.clock_kind == core::ClockKind::constant);
    CHECK(ten.clock_interval == base::Fraction{1, 100});
    CHECK(ten.clock_shift == base::Fraction{1, 200});
    const core::Variable& third = variable(d, "third");
    CHECK(third.clock_kind == core::ClockKind::fixed);
    CHECK(third.clock_interval == base::Fraction{1, 30});
    CHECK_FALSE(third.clock_shift.has_value());
    CHECK(variable(d, "out").clock_kind == core::ClockKind::triggered);
    CHECK(variable(d, "f").clocks == Indices{index(d, "ten"), index(d, "third")});
}

TEST_CASE("choosing an interface fills in what that interface can do") {
    fmi::ModelDescription two = parse(fmi2_sample);
    fmi::choose(two, fmi::Interface::co_simulation);
    CHECK(two.info.interface == "co-simulation");
    CHECK(two.info.can.variable_step);
    CHECK(two.info.can.interpolates_inputs);
    CHECK(two.info.can.output_derivatives);
    CHECK(two.info.can.save_state);
    CHECK_FALSE(two.info.can.serialize_state);
    CHECK_FALSE(two.info.can.event_mode);
    CHECK_FALSE(two.info.can.refreshes_outputs);
    CHECK(two.co_simulation->model_identifier == "boom");
    fmi::choose(two, fmi::Interface::model_exchange);
    CHECK(two.info.interface == "model exchange");
    CHECK(two.info.can.refreshes_outputs);
    CHECK_FALSE(two.info.can.save_state);
    CHECK_FALSE(two.model_exchange->needs_completed_step);

    fmi::ModelDescription three = parse(fmi3_sample);
    fmi::choose(three, fmi::Interface::co_simulation);
    CHECK(three.info.can.event_mode);
    CHECK(three.info.can.interpolates_inputs);
    CHECK(three.info.can.serialize_state);
    CHECK(three.info.can.directional_derivatives);
    CHECK(three.info.fixed_internal_step == "0.01");
    CHECK(three.co_simulation->may_return_early);
    CHECK(three.model_exchange->needs_completed_step);

    three.co_simulation.reset();
    CHECK_THROWS_WITH(fmi::choose(three, fmi::Interface::co_simulation),
                      "model 'Arm' does not offer co-simulation; it offers model exchange, scheduled execution");
}

TEST_CASE("structural parameters resize arrays, their start values and the event indicators") {
    fmi::ModelDescription d = parse(with(fmi3_sample, "start=\"1 2 3 4 5 6\"", "start=\"7\""));
    fmi::resize_arrays(d, {{index(d, "n"), core::Value(std::vector<std::uint64_t>{4})}});
    CHECK(variable(d, "A").dimensions == std::vector<std::uint64_t>{4, 3});
    CHECK(start<double>(variable(d, "A")) == std::vector<double>(12, 7.0));
    CHECK(d.event_indicators == 4);
    fmi::resize_arrays(d, {{index(d, "n"), core::Value(std::vector<std::uint64_t>{0})}});
    CHECK(variable(d, "A").size == 0);
    fmi::resize_arrays(d, {});
    CHECK(variable(d, "A").size == 6);
    CHECK(start<double>(variable(d, "A")) == std::vector<double>(6, 7.0));
    CHECK_THROWS_WITH(fmi::resize_arrays(d, {{index(d, "n"), core::Value(std::vector<std::uint64_t>{UINT64_MAX})}}),
                      Catch::Matchers::Contains("'A' has more than"));
    CHECK_THROWS_WITH(fmi::resize_arrays(d, {{index(d, "n"), core::Value(std::vector<double>{2})}}),
                      Catch::Matchers::Contains("'n'"));
}

TEST_CASE("a list of start values does not survive another size") {
    fmi::ModelDescription d = parse(fmi3_sample);
    fmi::resize_arrays(d, {{index(d, "n"), core::Value(std::vector<std::uint64_t>{1})}});
    CHECK_FALSE(variable(d, "A").start.has_value());
}

TEST_CASE("a byte-order mark, Latin-1 and carriage returns do not disturb") {
    CHECK(parse("\xEF\xBB\xBF" + std::string(fmi2_sample)).info.variables.size() == 10);
    std::string latin = with(fmi2_sample, "UTF-8", "ISO-8859-1");
    latin = with(latin, "Größe",
                 "Gr\xF6\xDF"
                 "e");
    CHECK(variable(parse(latin), "Größe 'q'").type == core::Type::boolean);
    std::string windows;
    for (const char c : fmi3_sample) windows += c == '\n' ? "\r\n" : std::string(1, c);
    CHECK(parse(windows).info.variables.size() == 23);
}

TEST_CASE("a description is read from its file, FMI 3 with the sources of its build description") {
    const base::TemporaryFolder folder("tandem-test-");
    std::filesystem::create_directory(folder.path() / "sources");
    tests::write_file(folder.path() / "modelDescription.xml", fmi3_sample);
    tests::write_file(folder.path() / "sources" / "buildDescription.xml",
                      R"(<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="arm"><SourceFileSet>
                      <SourceFile name="b.c"/><SourceFile name="a.c"/></SourceFileSet></BuildConfiguration></fmiBuildDescription>)");
    base::Diagnostics diagnostics;
    const fmi::ModelDescription d = fmi::read_model_description(folder.path() / "modelDescription.xml", diagnostics);
    CHECK(d.file == folder.path() / "modelDescription.xml");
    CHECK(d.source_files == std::vector<std::string>{"a.c", "b.c"});
    CHECK_THROWS_AS(fmi::read_model_description(folder.path() / "missing.xml", diagnostics), base::Error);
}

namespace {

std::string description_of_many(std::size_t count) {
    std::string xml =
        R"(<fmiModelDescription fmiVersion="2.0" modelName="Big" guid="g"><CoSimulation modelIdentifier="big"/>
<UnitDefinitions><Unit name="m"><BaseUnit m="1"/></Unit></UnitDefinitions><ModelVariables>
)";
    std::string outputs;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        xml += "<ScalarVariable name=\"machine.boom.cylinder[" + number + "].pressure\" valueReference=\"" +
               std::to_string(i / 2) + "\" description=\"pressure in chamber " + number + "\" causality=\"output\">" +
               "<Real unit=\"m\" min=\"0\" max=\"1e9\"/></ScalarVariable>\n";
        outputs += "<Unknown index=\"" + std::to_string(i + 1) + "\" dependencies=\"\"/>\n";
    }
    return xml + "</ModelVariables><ModelStructure><Outputs>" + outputs + "</Outputs><InitialUnknowns>" + outputs +
           "</InitialUnknowns></ModelStructure></fmiModelDescription>";
}

}  // namespace

TEST_CASE("the time to read 100,000 variables grows as their number") {
    constexpr std::size_t count = 100'000;
    const auto seconds_for = [](std::size_t variables) {
        const std::string xml = description_of_many(variables);
        const std::clock_t before = std::clock();
        const fmi::ModelDescription d = parse(xml);
        const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
        CHECK(d.info.variables.size() == variables);
        CHECK(d.info.variables[variables - 1].alias_of == variables - 2);
        return seconds;
    };
    const double tenth = seconds_for(count / 10);
    constexpr double generous = 40;  // 10 to 15 within one run; a search through all variables for each would be 100
    CHECK(seconds_for(count) < generous * tenth);
}

namespace {

/// Reads as a user would; true when the description was accepted.
bool is_accepted(const std::string& xml) {
    base::Diagnostics diagnostics;
    try {
        fmi::ModelDescription description = fmi::parse_model_description(xml, "fuzz.xml", diagnostics);
        if (diagnostics.has_errors()) return false;
        const std::size_t count = description.info.variables.size();
        REQUIRE(description.references.size() == count);
        REQUIRE(description.natives.size() == count);
        REQUIRE(description.dimensions.size() == count);
        for (const core::Unknown& unknown : description.info.outputs) REQUIRE(unknown.variable < count);
        REQUIRE(description.states.size() <= description.derivatives.size());
        fmi::resize_arrays(description, {});
    } catch (const base::Error&) {
        return false;
    }
    return true;
}

}  // namespace

TEST_CASE("damaged model descriptions are read or refused, never worse") {
    constexpr int repetitions = 2000;
    std::mt19937 random(7);
    int accepted = 0;
    for (int i = 0; i < repetitions; ++i) {
        const std::string_view sample = i % 2 == 0 ? tests::fmi2_sample : tests::fmi3_sample;
        accepted += is_accepted(tests::damaged(std::string(sample), random)) ? 1 : 0;
    }
    // Both outcomes must occur, or the damage was not of the right strength to find anything.
    CHECK(accepted > repetitions / 20);
    CHECK(accepted < repetitions * 19 / 20);
}
