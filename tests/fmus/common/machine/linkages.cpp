#include "fmus/common/machine/machine.hpp"
#include "interfaces/machine_file/machine_file.hpp"

#include <catch2/catch.hpp>

namespace {

using interfaces::machine_file::Error;

// Two links, one hinge, one cylinder in line 9.
const std::string good = R"(<robot name="press">
  <link name="base"/>
  <link name="lever">
    <inertial><origin xyz="0.5 0 0" rpy="0 0 1.5707963267948966"/>
      <mass value="10"/><inertia ixx="1" iyy="2" izz="2.5" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="hinge" type="revolute"><parent link="base"/><child link="lever"/>
    <origin rpy="0.1 0.2 0.3"/><axis xyz="0 -3 0"/><limit lower="-0.1" upper="2.5"/></joint>
  <cylinder name="lift" joint="hinge" base="0.5 0 -1" rod="1 0 0" closed_length="1.2" stroke="0.5" sign="1"/>
</robot>
)";

models::kinematics::Machine machine_of(const std::string& text) {
    return fmus::checked_machine(interfaces::machine_file::parse(text, "press.urdf"));
}

std::string with(const std::string& from, const std::string& to) {
    std::string text = good;
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("a linkage that does not fit its joint is refused with the line of the file") {
    struct Case {
        std::string from, to, text;
    };
    for (const Case& wrong : {Case{"closed_length=\"1.2\"", "closed_length=\"5\"", "does not close"},
                              Case{"stroke=\"0.5\"", "stroke=\"1\"", "leaves the linkage"},
                              Case{"upper=\"2.5\"", "upper=\"0.3\"", "outside its limits -0.1 .. 0.3"}}) {
        INFO(wrong.from << " -> " << wrong.to);
        CHECK_THROWS_AS(machine_of(with(wrong.from, wrong.to)), Error);
        CHECK_THROWS_WITH(machine_of(with(wrong.from, wrong.to)),
                          Catch::StartsWith("press.urdf:9: ") && Catch::Contains(wrong.text));
    }
}

TEST_CASE("poses, axes and tensors of a file are turned as URDF means them") {
    const models::kinematics::Machine machine = machine_of(good);
    CHECK(machine.joints[0].axis == -Eigen::Vector3d::UnitY());
    // Fixed axes: x first, z last. https://wiki.ros.org/urdf/XML/joint
    const Eigen::Matrix3d turned =
        (Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()) * Eigen::AngleAxisd(0.2, Eigen::Vector3d::UnitY()) *
         Eigen::AngleAxisd(0.1, Eigen::Vector3d::UnitX()))
            .toRotationMatrix();
    CHECK(machine.joints[0].origin.linear().isApprox(turned, 1e-15));
    // A quarter turn about z exchanges the inertias about x and y.
    const models::kinematics::Inertia& inertia = machine.links[1].inertia;
    CHECK(inertia.centre == Eigen::Vector3d(0.5, 0, 0));
    CHECK(inertia.about_centre.diagonal().isApprox(Eigen::Vector3d(2, 1, 2.5), 1e-15));
}
