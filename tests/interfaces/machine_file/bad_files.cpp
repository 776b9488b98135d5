#include "interfaces/machine_file/machine_file.hpp"

#include <catch2/catch.hpp>

namespace {

using interfaces::machine_file::Error;
using interfaces::machine_file::parse;

// Two links, one hinge, one cylinder; line numbers matter to the tests.
const std::string good = R"(<robot name="press">
  <link name="base"/>
  <link name="lever">
    <inertial><mass value="10"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><box size="1 0.1 0.1"/></geometry></collision>
  </link>
  <joint name="hinge" type="revolute">
    <parent link="base"/><child link="lever"/>
    <axis xyz="0 -1 0"/><limit lower="-0.1" upper="2.5"/>
  </joint>
  <cylinder name="lift" joint="hinge" base="0.5 0 -1" rod="1 0 0" closed_length="1.2" stroke="0.5" sign="1"/>
  <tool link="lever"><origin xyz="1 0 0"/><box size="0.2 0.2 0.2"/></tool>
</robot>
)";

std::string with(const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string answer(const std::string& text) {
    try {
        static_cast<void>(parse(text, "press.urdf"));
    } catch (const Error& error) {
        return error.what();
    }
    return "accepted";
}

}  // namespace

TEST_CASE("the smallest machine is accepted") { CHECK(answer(good) == "accepted"); }

TEST_CASE("what is wrong with a machine file is said with its line") {
    struct Case {
        std::string from, to, line, text;
    };
    const std::vector<Case> cases{
        {"</robot>", "", "press.urdf:13", "tags mismatch"},
        {"<robot name=\"press\">", "<machine/><robot name=\"press\">", "press.urdf:1", "expected <robot>"},
        {"size=\"1 0.1 0.1\"", "size=\"1 -0.1 0.1\"", "press.urdf:5", "expected numbers above 0"},
        {"size=\"1 0.1 0.1\"", "size=\"1 0.1\"", "press.urdf:5", "expected 3 finite numbers"},
        {"size=\"1 0.1 0.1\"", "size=\"1 nan 0.1\"", "press.urdf:5", "expected 3 finite numbers"},
        {"size=\"1 0.1 0.1\"", "size=\"1 0.1m 0.1\"", "press.urdf:5", "expected 3 finite numbers"},
        {"size=\"1 0.1 0.1\"", "", "press.urdf:5", "has no 'size'"},
        {"<box size=\"1 0.1 0.1\"/>", "<mesh/>", "press.urdf:5", "<box>, a <cylinder> or a <sphere>"},
        {"mass value=\"10\"", "mass value=\"0\"", "press.urdf:4", "expected more than 0"},
        {"mass value=\"10\"", "mass value=\"-3\"", "press.urdf:4", "expected more than 0"},
        {"ixx=\"1\"", "ixx=\"-1\"", "press.urdf:4", "not positive definite"},
        {"ixy=\"0\"", "ixy=\"2\"", "press.urdf:4", "not positive definite"},
        {"ixx=\"1\"", "ixx=\"3\"", "press.urdf:4", "larger than the sum"},
        {"<child link=\"lever\"/>", "<child link=\"levr\"/>", "press.urdf:8", "did you mean 'lever'?"},
        {"<child link=\"lever\"/>", "<child link=\"base\"/>", "press.urdf:7", "belongs to a ring of joints"},
        {"type=\"revolute\"", "type=\"floating\"", "press.urdf:7", "expected fixed, revolute"},
        {"upper=\"2.5\"", "upper=\"-2.5\"", "press.urdf:9", "are empty"},
        {"xyz=\"0 -1 0\"", "xyz=\"0 0 0\"", "press.urdf:7", "no direction"},
        {"upper=\"2.5\"", "", "press.urdf:9", "has no 'upper'"},
        {"joint=\"hinge\"", "joint=\"hing\"", "press.urdf:11", "did you mean 'hinge'?"},
        {"<cylinder name=\"lift\"", "<cylinderr name=\"lift\"", "press.urdf:11", "did you mean <cylinder>?"},
        {"stroke=\"0.5\"", "storke=\"0.5\"", "press.urdf:11", "did you mean 'stroke'?"},
        {"stroke=\"0.5\"", "stroke=\"-0.5\"", "press.urdf:11", "expected more than 0"},
        {"stroke=\"0.5\"", "stroke=\"inf\"", "press.urdf:11", "expected 1 finite number"},
        {"sign=\"1\"", "sign=\"2\"", "press.urdf:11", "expected 1 or -1"},
        {"<tool link=\"lever\">", "<tool link=\"hammer\">", "press.urdf:12", "unknown link 'hammer'"},
        {"</robot>", "<touches_wall link=\"lever\" while=\"lif\"/></robot>", "press.urdf:13", "did you mean 'lift'?"},
        {"</robot>", "<touches_wall link=\"lver\"/></robot>", "press.urdf:13", "did you mean 'lever'?"},
        {"size=\"0.2 0.2 0.2\"", "size=\"0.2 0.2 0\"", "press.urdf:12", "expected numbers above 0"},
    };
    for (const Case& wrong : cases) {
        INFO(wrong.from << " -> " << wrong.to);
        const std::string said = answer(with(wrong.from, wrong.to));
        CHECK_THAT(said, Catch::StartsWith(wrong.line + ": ") && Catch::Contains(wrong.text));
    }
}

TEST_CASE("a joint that nothing drives is refused") {
    const std::string line = good.substr(good.find("  <cylinder"), good.find("  <tool") - good.find("  <cylinder"));
    CHECK_THAT(answer(with(line, "")),
               Catch::StartsWith("press.urdf:7: ") && Catch::Contains("'hinge' is driven by no"));
    CHECK_THAT(answer(with(line, line + line)), Catch::Contains("two axes 'lift'"));
}

TEST_CASE("links that form no tree are refused") {
    const std::string second = R"(  <joint name="back" type="fixed"><parent link="lever"/><child link="base"/></joint>
)";
    CHECK_THAT(answer(with("  <tool", second + "  <tool")), Catch::Contains("form a ring"));
    const std::string twice = R"(  <joint name="again" type="fixed"><parent link="base"/><child link="lever"/></joint>
)";
    CHECK_THAT(answer(with("  <tool", twice + "  <tool")), Catch::Contains("is a child of joint 'hinge' already"));
    CHECK_THAT(answer(with("  <link name=\"base\"/>", "  <link name=\"base\"/><link name=\"lost\"/>")),
               Catch::Contains("'base' and 'lost' both have no parent"));
}

TEST_CASE("a moving link without mass is refused") {
    const std::string line =
        good.substr(good.find("    <inertial>"), good.find("    <collision") - good.find("    <inertial>"));
    CHECK_THAT(answer(with(line, "")), Catch::Contains("moves but has no mass"));
}

TEST_CASE("a file that is not there is named") {
    CHECK_THROWS_WITH(interfaces::machine_file::read("/nowhere/press.urdf"), Catch::Contains("/nowhere/press.urdf"));
}
