#include "models/work/planning/automation.hpp"

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

namespace models::planning {

namespace {

constexpr double largest_ring = 1000;  // m; its cells still fit into memory
constexpr double any = std::numeric_limits<double>::max();

/// Where a parameter must lie; `why` names what sets the bounds.
struct Bounds {
    double least = 0, most = any;
    bool more_than_least = false;
    const char* why = "";
};

void require(const char* name, double value, const Bounds& bounds) {
    const bool enough = bounds.more_than_least ? value > bounds.least : value >= bounds.least;
    if (enough && value <= bounds.most) return;
    std::string expected;
    if (bounds.least > -any)
        expected += (bounds.more_than_least ? "more than " : "at least ") + std::to_string(bounds.least);
    if (bounds.least > -any && bounds.most < any) expected += " and ";
    if (bounds.most < any) expected += "at most " + std::to_string(bounds.most);
    if (expected.empty() || bounds.most == any) expected += expected.empty() ? "a finite number" : ", finite";
    throw std::invalid_argument(std::string("automation: parameter '") + name + "' is " + std::to_string(value) +
                                ", expected " + expected + bounds.why);
}

}  // namespace

void Automation::check_parameters() const {
    const Eigen::Vector3d& box = mover_.box();
    const kinematics::Limits& jaw = mover_.sensors().axes()[mover_.jaw()].stroke();
    const Bounds positive{.more_than_least = true}, finite{.least = -any};
    constexpr double turn = 2 * std::numbers::pi;

    require("ring.radius", parameters.ring_radius, {.most = largest_ring, .more_than_least = true});
    require("segment.start", parameters.segment_start, finite);
    require("segment.length", parameters.segment_length,
            {.most = turn * parameters.ring_radius, .more_than_least = true, .why = ", the way around the ring"});
    require("segment.target", parameters.target, finite);
    require("segment.height", parameters.height, positive);
    require("edge.span", parameters.edge_span, {.most = turn, .more_than_least = true});
    require("edge.start", parameters.edge_start,
            {.least = -parameters.edge_span, .most = turn, .more_than_least = true, .why = ": some of it is ahead"});
    require("edge.window", parameters.edge_window, positive);
    require("edge.patience", parameters.edge_patience, positive);
    require("cut.tolerance", parameters.tolerance, positive);
    require("cut.aim", parameters.aim, {.most = parameters.tolerance, .why = ", 'cut.tolerance'"});
    require("cut.depth", parameters.depth,
            {.most = box.z(), .more_than_least = true, .why = ", the height of the tool's box"});
    require("cut.overlap", parameters.overlap, {.most = box.x() / 2, .why = ", half the length of the tool's box"});
    require("cut.clearance", parameters.clearance, {.least = loose, .why = ": the tool may be that far off its way"});
    require("cut.offset", parameters.offset,
            {.least = -box.y() / 2, .most = box.y() / 2, .why = ": the wall lies inside the tool's box"});
    require("cut.place_tolerance", parameters.place_tolerance,
            {.most = parameters.aim + parameters.tolerance,
             .more_than_least = true,
             .why = ", 'cut.aim' and 'cut.tolerance'"});
    require("travel.near", parameters.near, positive);
    require("travel.front", parameters.front, {});
    require("jaw.closed", parameters.jaw_closed,
            {.least = jaw.lower, .most = jaw.upper, .more_than_least = true, .why = ", the stroke of the jaw"});
    require("jaw.open", parameters.jaw_open,
            {.least = jaw.lower, .most = parameters.jaw_closed, .why = ", 'jaw.closed'"});
    require(
        "jaw.clear", parameters.jaw_clear,
        {.least = parameters.jaw_open, .most = parameters.jaw_closed, .why = ", between 'jaw.open' and 'jaw.closed'"});
    require("speed_share", parameters.speed_share, {.most = 1, .more_than_least = true});
}

}  // namespace models::planning
