#include "models/planning/automation.hpp"

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
    const Parameters& p = parameters;
    const Eigen::Vector3d& box = mover_.box();
    const kinematics::Limits& jaw = mover_.sensors().axes()[mover_.jaw()].stroke();
    const Bounds positive{.more_than_least = true}, finite{.least = -any};
    constexpr double turn = 2 * std::numbers::pi;

    require("ring.radius", p.ring_radius, {.most = largest_ring, .more_than_least = true});
    require("segment.start", p.segment_start, finite);
    require("segment.length", p.segment_length,
            {.most = turn * p.ring_radius, .more_than_least = true, .why = ", the way around the ring"});
    require("segment.target", p.target, finite);
    require("segment.height", p.height, positive);
    require("edge.span", p.edge_span, {.most = turn, .more_than_least = true});
    require("edge.start", p.edge_start,
            {.least = -p.edge_span, .most = turn, .more_than_least = true, .why = ": some of it is ahead"});
    require("edge.window", p.edge_window, positive);
    require("edge.patience", p.edge_patience, positive);
    require("cut.tolerance", p.tolerance, positive);
    require("cut.aim", p.aim, {.most = p.tolerance, .why = ", 'cut.tolerance'"});
    require("cut.depth", p.depth, {.most = box.z(), .more_than_least = true, .why = ", the height of the tool's box"});
    require("cut.overlap", p.overlap, {.most = box.x() / 2, .why = ", half the length of the tool's box"});
    require("cut.clearance", p.clearance, {.least = loose, .why = ": the tool may be that far off its way"});
    require("cut.offset", p.offset,
            {.least = -box.y() / 2, .most = box.y() / 2, .why = ": the wall lies inside the tool's box"});
    require("cut.place_tolerance", p.place_tolerance,
            {.most = p.aim + p.tolerance, .more_than_least = true, .why = ", 'cut.aim' and 'cut.tolerance'"});
    require("travel.near", p.near, positive);
    require("travel.front", p.front, {});
    require("jaw.closed", p.jaw_closed,
            {.least = jaw.lower, .most = jaw.upper, .more_than_least = true, .why = ", the stroke of the jaw"});
    require("jaw.open", p.jaw_open, {.least = jaw.lower, .most = p.jaw_closed, .why = ", 'jaw.closed'"});
    require("jaw.clear", p.jaw_clear,
            {.least = p.jaw_open, .most = p.jaw_closed, .why = ", between 'jaw.open' and 'jaw.closed'"});
    require("speed_share", p.speed_share, {.most = 1, .more_than_least = true});
}

}  // namespace models::planning
