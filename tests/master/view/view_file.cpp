#include "master/view/view_file.hpp"

#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>

using namespace master;

namespace {

view::ViewFile read(const tests::Scratch& scratch, const std::string& inside, base::Diagnostics& diagnostics) {
    return view::read_view_file(
        scratch.write("view.xml", "<View xmlns=\"urn:tandem:view:1\">\n" + inside + "\n</View>"), diagnostics);
}

std::string refusal(const std::string& inside) {
    const tests::Scratch scratch;
    base::Diagnostics diagnostics;
    static_cast<void>(read(scratch, inside, diagnostics));
    for (const base::Finding& finding : diagnostics.findings())
        if (finding.severity == base::Severity::error) return finding.where + ": " + finding.text;
    return {};
}

}  // namespace

TEST_CASE("a view file is read with its machines, wall and levers") {
    const tests::Scratch scratch;
    base::Diagnostics diagnostics;
    view::ViewFile file = read(scratch, R"(
      <Machine name="m" machine="k" poses="k.poses"><Joint name="j" signal="k.j" factor="2"/></Machine>
      <Wall heights="w.h" radius="w.r" span="0.5"/>
      <Operator><Axis name="boom" input="boom.command"/>
        <Pattern name="ISO"><Lever lever="left-x" axis="boom" sign="-1"/></Pattern></Operator>
      <Tune parameters="a.* b.c"/>)",
                               diagnostics);
    CHECK(diagnostics.findings().empty());
    CHECK(file.there);
    REQUIRE(file.machines.size() == 1);
    CHECK(file.machines[0].joints[0].factor == 2);
    REQUIRE(file.walls.size() == 1);
    CHECK(file.walls[0].span.number == 0.5);
    CHECK(file.walls[0].radius.signal.name == "w.r");
    CHECK(file.operators[0].patterns[0].levers[0].sign == -1);
    CHECK(file.tuned == std::vector<std::string>{"a.*", "b.c"});
    CHECK(file.requests().size() == 4);  // poses, joint, heights, radius
}

TEST_CASE("what is wrong in a view file is said with its line and the closest name") {
    CHECK(refusal("<Machine name=\"m\"/>").find("view.xml:2: expected either 'machine'") != std::string::npos);
    CHECK(refusal("<Camera name=\"c\" from=\"1 2\" to=\"0 0 0\"/>").find("three numbers") != std::string::npos);
    CHECK(refusal("<Camera name=\"c\" from=\"1 2 3\" to=\"0 0 0\" fov=\"200\"/>").find("fov is 200") !=
          std::string::npos);
    CHECK(refusal("<Wall/><Wall/>").find("at most one") != std::string::npos);
    CHECK(refusal("<Operator><Axis name=\"boom\" input=\"x\"/><Pattern name=\"p\">"
                  "<Lever lever=\"left-x\" axis=\"bom\"/></Pattern></Operator>")
              .find("closest match 'boom'") != std::string::npos);
    CHECK(refusal("<Operator><Axis name=\"a\" input=\"x\"/><Pattern name=\"p\">"
                  "<Lever lever=\"nose\" axis=\"a\"/></Pattern></Operator>")
              .find("expected one of: left-x") != std::string::npos);
}
