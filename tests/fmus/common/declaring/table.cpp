// The kit alone: what it writes for a small unit, and which declarations it refuses.
#include "fmus/common/declaring/facts.hpp"
#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/common/description/description.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <functional>
#include <pugixml.hpp>

namespace {

struct Model {
    enum class Gear : std::int64_t { park = 1, drive = 2 };
    struct Parameters {
        std::array<double, 6> matrix{1, 2, 3, 4, 5, 6};
        double temperature = 20;
        Gear gear = Gear::drive;
    } parameters;
    double u = 0.5, y = 0;
    std::int16_t count = -3;
    void evaluate(double) { y = u; }
};

class Unit final : public fmus::InstanceOf<Model> {
public:
    explicit Unit(const std::function<void(Unit&)>& more = {}) {
        enumeration<Model::Gear>({"Gear", {{"park", 1}, {"drive & go", 2}}});
        parameter("matrix", "1", model_.parameters.matrix).dimensions({2, 3});
        parameter("temperature", "degC", model_.parameters.temperature).tunable().min(-40).max(85);
        parameter("gear", model_.parameters.gear);
        input("u", "furlong", model_.u);
        output("y", "rpm", model_.y).depends_on({"u"});
        output("count", model_.count).depends_on({});
        terminal({.name = "plug",
                  .kind = "test",
                  .members = {{"u", "in"}, {"y", "out"}},
                  .terminals = {{.name = "inner", .kind = "test.inner", .members = {{"count", "number"}}}}});
        follows({.folder = "org.example.demo",
                 .name = "org.example.demo",
                 .version = "1.0",
                 .description = "A \"test\"",
                 .element = "demo",
                 .attributes = {{"isDemo", "true"}}});
        if (more) more(*this);
        finish();
    }
    // The declarations are for derived classes; the tests declare from outside.
    using fmus::Instance::derivative;
    using fmus::Instance::output;
    using fmus::Instance::terminal;
    Model& model() { return model_; }
};

pugi::xml_document parse(const std::string& text) {
    pugi::xml_document document;
    REQUIRE(document.load_string(text.c_str()));
    return document;
}

pugi::xml_node find(const pugi::xml_document& document, const char* list, const char* name) {
    return document.document_element().child(list).find_child_by_attribute("name", name);
}

}  // namespace

// What the kit expects of every unit.
std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<Unit>(); }
const fmus::BuildFacts& fmus::build_facts() {
    static const BuildFacts facts{"small", "1.2.3", false};
    return facts;
}

TEST_CASE("units that are known have base units with factor and offset, others a name only") {
    const Unit unit;
    for (const std::string& text : {fmus::fmi2_description(unit), fmus::fmi3_description(unit)}) {
        const pugi::xml_document document = parse(text);
        const pugi::xml_node celsius = find(document, "UnitDefinitions", "degC").child("BaseUnit");
        CHECK(celsius.attribute("K").as_int() == 1);
        CHECK(celsius.attribute("offset").as_double() == 273.15);
        const pugi::xml_node rpm = find(document, "UnitDefinitions", "rpm").child("BaseUnit");
        CHECK(rpm.attribute("factor").as_double() == Approx(0.10471975511965977));
        const pugi::xml_node furlong = find(document, "UnitDefinitions", "furlong");
        CHECK_FALSE(furlong.empty());
        CHECK(furlong.child("BaseUnit").empty());
    }
}

TEST_CASE("an array is one variable in FMI 3 and scalars counted from 1, row by row, in FMI 2") {
    const Unit unit;
    const pugi::xml_document three = parse(fmus::fmi3_description(unit));
    const pugi::xml_node matrix = find(three, "ModelVariables", "matrix");
    CHECK(std::string(matrix.attribute("start").value()) == "1 2 3 4 5 6");
    CHECK(matrix.child("Dimension").attribute("start").as_int() == 2);
    const pugi::xml_document two = parse(fmus::fmi2_description(unit));
    CHECK(find(two, "ModelVariables", "matrix[1,3]").child("Real").attribute("start").as_double() == 3);
    CHECK(find(two, "ModelVariables", "matrix[2,1]").child("Real").attribute("start").as_double() == 4);
}

TEST_CASE("enumerations, ranges and variability are written for both versions") {
    const Unit unit;
    const pugi::xml_document three = parse(fmus::fmi3_description(unit));
    CHECK(find(three, "ModelVariables", "gear").attribute("start").as_int() == 2);
    CHECK(find(three, "TypeDefinitions", "Gear").find_child_by_attribute("name", "drive & go"));
    CHECK(find(three, "ModelVariables", "temperature").attribute("max").as_double() == 85);
    CHECK(std::string(find(three, "ModelVariables", "temperature").attribute("variability").value()) == "tunable");
    const pugi::xml_document two = parse(fmus::fmi2_description(unit));
    CHECK(std::string(find(two, "ModelVariables", "gear").child("Enumeration").attribute("declaredType").value()) ==
          "Gear");
    CHECK(find(two, "ModelVariables", "count").child("Integer"));
}

TEST_CASE("the token is the same for the same declarations and another for others") {
    const Unit unit, same;
    const pugi::xml_document document = parse(fmus::fmi3_description(unit));
    const std::string token = document.document_element().attribute("instantiationToken").value();
    CHECK(token == fmus::fmi3_token(same));
    CHECK(token.size() == 38);
    CHECK(fmus::description::token_of("a") != fmus::description::token_of("b"));
}

TEST_CASE("terminals and layered standards get files of their own") {
    const Unit unit;
    const pugi::xml_document terminals = parse(fmus::terminals_description(unit));
    const pugi::xml_node plug = find(terminals, "Terminals", "plug");
    CHECK(plug.find_child_by_attribute("variableName", "y"));
    const pugi::xml_node inner = plug.child("Terminal");
    CHECK(std::string(inner.attribute("terminalKind").value()) == "test.inner");
    CHECK(std::string(inner.child("TerminalMemberVariable").attribute("memberName").value()) == "number");
    REQUIRE(unit.layered_standards().size() == 1);
    const pugi::xml_document manifest = parse(fmus::layered_standard_manifest(unit.layered_standards()[0]));
    CHECK(std::string(manifest.document_element().attribute("fmi-ls:fmi-ls-description").value()) == "A \"test\"");
    CHECK(std::string(manifest.document_element().name()) == "demo");
    CHECK(manifest.document_element().attribute("isDemo").as_bool());
}

TEST_CASE("a terminal inside another one names variables that there are") {
    CHECK_THROWS_WITH(Unit([](Unit& unit) {
                          unit.terminal({.name = "outer", .terminals = {{.name = "in", .members = {{"nobody", "x"}}}}});
                      }),
                      Catch::Contains("nobody"));
}

TEST_CASE("declarations that break a rule fail the build with the name of the variable") {
    const auto message = [](const std::function<void(Unit&)>& more) {
        try {
            const Unit unit(more);
        } catch (const std::logic_error& problem) {
            return std::string(problem.what());
        }
        return std::string();
    };
    CHECK(message([](Unit& u) { u.output("y", u.model().y); }) == "two variables are called 'y'");
    CHECK(message([](Unit& u) { u.output("z", u.model().y).depends_on({"nothing"}); }) ==
          "no variable is called 'nothing'");
    CHECK(message([](Unit& u) {
              u.output("z", u.model().parameters.matrix).dimensions({2, 2});
          }) == "z: the dimensions give 4 elements, the model has 6");
    CHECK(message([](Unit& u) { u.output("z", "m", u.model().count); }) ==
          "z: only floating-point variables have a unit");
    CHECK(message([](Unit& u) { u.derivative("der(matrix)", "", u.model().y, "matrix"); }) ==
          "der(matrix): the state 'matrix' has another size");
    CHECK(message([](Unit& u) { u.output("z", u.model().y).binary("text/plain"); }) == "z: only bytes can be binary");
    CHECK(message([](Unit& u) {
              u.terminal({.name = "p", .members = {{"none", "n"}}});
          }) == "no variable is called 'none'");
}

TEST_CASE("FMI 2 says what it cannot express") {
    struct Bytes {
        std::vector<std::uint8_t> blob{1, 2};
        std::uint64_t size = 2;
        auto members() { return std::tie(blob, size); }
    };
    class BinaryUnit final : public fmus::InstanceOf<Bytes> {
    public:
        BinaryUnit() {
            input("blob", model_.blob).binary("image/png", 4);
            output("size", model_.size);
            finish();
        }
    };
    const BinaryUnit unit;
    const auto losses = fmus::fmi2_losses(unit);
    REQUIRE(losses.size() == 2);
    CHECK(losses[0].find("'blob'") != std::string::npos);
    CHECK(losses[1].find("'size'") != std::string::npos);
    CHECK(fmus::fmi2_elements(unit).size() == 2);  // time and size
}
