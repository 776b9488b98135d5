#include "models/machine/kinematics/linkage.hpp"

#include "tests/models/machine/kinematics/three_axis_excavator.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <map>
#include <numbers>
#include <sstream>

namespace {

using namespace models::kinematics;

constexpr double degree = std::numbers::pi / 180;
// The reference data are printed with 15 digits.
constexpr double printed_tolerance = 1e-9;

using Row = std::map<std::string, double>;

/// Rows of a file with a header. excavator_linkage.csv: angles, moment arms and pins over a grid of piston positions,
/// computed apart from this code by the law of cosines; DE, FG, IJ are the positions of the boom, arm and bucket
/// pistons in the counting of the excavator's description, angles are absolute and counter-clockwise, J, L, M lie
/// relative to C.
std::vector<Row> rows(const std::string& file) {
    std::ifstream stream(std::string(TANDEM_TEST_DATA) + "/models/machine/kinematics/data/" + file);
    REQUIRE(stream);
    std::vector<std::string> names;
    std::string line, cell;
    std::getline(stream, line);
    for (std::istringstream cells(line); std::getline(cells, cell, ',');) names.push_back(cell);
    std::vector<Row> result;
    while (std::getline(stream, line)) {
        Row row;
        std::size_t column = 0;
        for (std::istringstream cells(line); std::getline(cells, cell, ',');) row[names.at(column++)] = std::stod(cell);
        result.push_back(row);
    }
    return result;
}

double direction(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
    return std::atan2(to.z() - from.z(), to.x() - from.x());
}

bool same_angle(double a, double b) {
    return std::abs(std::remainder(a - b, 2 * std::numbers::pi)) < printed_tolerance;
}

/// The excavator's linkage turned into a joint axis that lies anywhere, with pins beside the plane through the joint.
Machine skewed_machine() {
    Machine machine = tests::three_axis_excavator();
    const Eigen::Isometry3d turn(Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, -2, 0.5).normalized()));
    for (Joint& joint : machine.joints) {
        joint.axis = turn * joint.axis;
        joint.origin.translation() = turn * joint.origin.translation();
    }
    const Eigen::Vector3d beside = turn * Eigen::Vector3d(0, 0.2, 0);
    for (Axis& axis : machine.axes) {
        if (auto* cylinder = std::get_if<Cylinder>(&axis.drive)) {
            cylinder->base = turn * cylinder->base + beside;
            cylinder->rod = turn * cylinder->rod;
        }
        if (auto* bar = std::get_if<FourBar>(&axis.drive)) {
            bar->base = turn * bar->base + beside;
            bar->rocker = turn * bar->rocker;
            bar->rod = turn * bar->rod - 0.25 * beside;
            axis.lower = 0.12;  // the offset moves the dead point into the stroke
        }
    }
    return machine;
}

}  // namespace

TEST_CASE("angles from piston positions agree with the reference grid of the excavator") {
    const std::vector<Linkage> axes = linkages(tests::three_axis_excavator());
    for (const Row& row : rows("excavator_linkage.csv")) {
        const double boom = axes[0].joint(row.at("DE") - 0.060);
        const double arm = axes[1].joint(row.at("FG") - 0.280);
        const double bucket = axes[2].joint(row.at("IJ") - 0.150);
        CHECK(std::abs(boom - row.at("boom")) < printed_tolerance);
        CHECK(std::abs(boom + arm - row.at("arm")) < printed_tolerance);
        CHECK(std::abs(boom + arm + bucket - row.at("bucket")) < printed_tolerance);
    }
}

TEST_CASE("piston positions from angles agree with the reference grid of the excavator") {
    const std::vector<Linkage> axes = linkages(tests::three_axis_excavator());
    for (const Row& row : rows("excavator_linkage.csv")) {
        const Transmission boom = axes[0].transmission(row.at("boom"));
        const Transmission arm = axes[1].transmission(row.at("arm") - row.at("boom"));
        const Transmission bucket = axes[2].transmission(row.at("bucket") - row.at("arm"));
        CHECK(std::abs(boom.position + 0.060 - row.at("DE")) < printed_tolerance);
        CHECK(std::abs(arm.position + 0.280 - row.at("FG")) < printed_tolerance);
        CHECK(std::abs(bucket.position + 0.150 - row.at("IJ")) < printed_tolerance);
        CHECK(std::abs(boom.arm - row.at("dDE_dboom")) < printed_tolerance);
        CHECK(std::abs(arm.arm - row.at("dFG_darm")) < printed_tolerance);
        CHECK(std::abs(bucket.arm - row.at("dIJ_dbucket")) < printed_tolerance);
    }
}

TEST_CASE("cylinders, H link and side link lie as in the reference grid of the excavator") {
    const std::vector<Linkage> axes = linkages(tests::three_axis_excavator());
    for (const Row& row : rows("excavator_linkage.csv")) {
        const double boom = row.at("boom"), arm = row.at("arm");
        const Pins chassis = axes[0].pins(boom);
        const Pins upper = axes[1].pins(arm - boom);
        const Pins hook = axes[2].pins(row.at("bucket") - arm);
        CHECK(same_angle(direction(chassis.base, chassis.end), row.at("cb")));
        CHECK(same_angle(direction(upper.base, upper.end) + boom, row.at("ba")));
        CHECK(same_angle(direction(hook.base, hook.end) + arm, row.at("ah")));
        CHECK(same_angle(direction(hook.rod, hook.end) + arm, row.at("side")));
        CHECK(same_angle(direction(hook.end, hook.rocker) + arm, row.at("hlink_abs_JK")));
    }
}

TEST_CASE("the ranges of the excavator are those of its strokes") {
    const std::vector<Linkage> axes = linkages(tests::three_axis_excavator());
    CHECK(axes[0].joint_limits().lower == Approx(-0.016440548024287405).margin(printed_tolerance));
    CHECK(axes[0].joint_limits().upper == Approx(0.9688812300292369).margin(printed_tolerance));
    CHECK(axes[1].joint_limits().lower == Approx(-1.9475509150155332).margin(printed_tolerance));
    CHECK(axes[1].joint_limits().upper == Approx(-0.6761611705907766).margin(printed_tolerance));
    CHECK(axes[2].joint_limits().lower == Approx(1.0492927138999082).margin(printed_tolerance));
    CHECK(axes[2].joint_limits().upper < 2.540883481070623);
}

TEST_CASE("a stroke through the dead point of the four-bar is refused with the last position that closes") {
    Machine machine = tests::three_axis_excavator();
    machine.axes[2].lower = 0;
    // J, L and M are in line at 0.2107223574, which is 0.0607223574 from the retracted end.
    CHECK_THROWS_WITH(linkages(machine), Catch::Contains("axis 'bucket'") && Catch::Contains("0 .. 0.5 m") &&
                                             Catch::Contains("closes only to 0.0607224 m"));
}

TEST_CASE("joint angles of the crossed four-bar are refused") {
    const std::vector<Linkage> axes = linkages(tests::three_axis_excavator());
    for (const double crossed : {145.6, 150.0, 160.0, 175.8})
        CHECK_THROWS_AS(axes[2].position(crossed * degree), RangeError);
    CHECK_NOTHROW(axes[2].position(144 * degree));
}

TEST_CASE("positions and angles go round over the whole stroke") {
    for (const Machine& machine : {tests::three_axis_excavator(), skewed_machine()}) {
        for (const Linkage& axis : linkages(machine)) {
            for (int i = 0; i <= 1000; ++i) {
                const double position = axis.stroke().lower + (axis.stroke().upper - axis.stroke().lower) * i / 1000;
                const double joint = axis.joint(position);
                CHECK(std::abs(axis.position(joint) - position) < 1e-12);
                CHECK(std::abs(axis.joint(axis.position(joint)) - joint) < 1e-12);
            }
        }
    }
}

TEST_CASE("the moment arm and its slope are the derivatives of the position") {
    constexpr double h = 1e-5;
    for (const Machine& machine : {tests::three_axis_excavator(), skewed_machine()}) {
        for (const Linkage& axis : linkages(machine)) {
            for (int i = 1; i < 50; ++i) {
                const Limits& range = axis.joint_limits();
                const double joint = range.lower + (range.upper - range.lower) * i / 50;
                const Transmission before = axis.transmission(joint - h), after = axis.transmission(joint + h);
                const Transmission here = axis.transmission(joint);
                // Central differences: the third derivative stays below 100 m away from the dead point.
                CHECK(std::abs((after.position - before.position) / (2 * h) - here.arm) < 2e-8);
                CHECK(std::abs((after.arm - before.arm) / (2 * h) - here.arm_slope) <
                      2e-8 * (1 + std::abs(here.arm_slope)));
            }
        }
    }
}

TEST_CASE("pins beside the plane of the joint lengthen the cylinder") {
    const Machine machine = skewed_machine();
    for (const Linkage& axis : linkages(machine)) {
        const double joint = (axis.joint_limits().lower + axis.joint_limits().upper) / 2;
        const Pins pins = axis.pins(joint);
        for (const Axis& described : machine.axes) {
            if (described.name != axis.name()) continue;
            if (const auto* cylinder = std::get_if<Cylinder>(&described.drive))
                CHECK(std::abs((pins.end - pins.base).norm() - cylinder->closed_length - axis.position(joint)) < 1e-12);
            if (const auto* bar = std::get_if<FourBar>(&described.drive)) {
                CHECK(std::abs((pins.end - pins.base).norm() - bar->closed_length - axis.position(joint)) < 1e-12);
                CHECK(std::abs((pins.end - pins.rocker).norm() - bar->rocker_length) < 1e-12);
                CHECK(std::abs((pins.end - pins.rod).norm() - bar->rod_length) < 1e-12);
            }
        }
    }
}

TEST_CASE("a position outside the range is an error that names the axis and its limits, never NaN") {
    const std::vector<Linkage> axes = linkages(tests::three_axis_excavator());
    CHECK_THROWS_WITH(axes[0].joint(0.6), Catch::Contains("axis 'boom'") && Catch::Contains("0 .. 0.5"));
    CHECK_THROWS_AS(axes[0].joint(std::nan("")), RangeError);
    CHECK_THROWS_AS(axes[1].joint(std::numeric_limits<double>::infinity()), RangeError);
    CHECK_THROWS_WITH(axes[2].position(0.5), Catch::Contains("axis 'bucket'") && Catch::Contains("1.04929"));
    // An end stop gives way: a few millimetres more are still a place.
    CHECK(std::isfinite(axes[0].joint(0.505)));
    CHECK(std::isfinite(axes[2].transmission(axes[2].joint(0.062)).arm));
}

TEST_CASE("a cylinder that cannot close is refused when the machine is built") {
    Machine machine = tests::three_axis_excavator();
    std::get<Cylinder>(machine.axes[1].drive).closed_length = 4;
    CHECK_THROWS_WITH(linkages(machine), Catch::Contains("axis 'arm'") && Catch::Contains("does not close"));
}

TEST_CASE("a direct drive divides by its ratio") {
    Machine machine = tests::three_axis_excavator();
    machine.axes[0].drive = Direct{.ratio = 30};
    machine.axes[0].lower = -100;
    machine.axes[0].upper = 100;
    const Linkage travel(machine, 0);
    CHECK(travel.joint(15) == 0.5);
    CHECK(travel.position(0.5) == 15);
    CHECK(travel.transmission(0.5).arm == 30);
    CHECK_THROWS_AS(travel.joint(101), RangeError);
    machine.axes[0].drive = Direct{.ratio = 0};
    CHECK_THROWS_WITH(Linkage(machine, 0), Catch::Contains("ratio"));
}
