#pragma once

#include "models/machine/kinematics/attachment.hpp"
#include "models/machine/kinematics/sensors.hpp"
#include "models/work/planning/trajectory.hpp"

#include <optional>

namespace models::planning {

/// The upright tool above or on the wall, its box along the rim.
struct ToolPlace {
    double along = 0;   // middle of the box, m along the rim from azimuth 0
    double bottom = 0;  // of the box, above the rim that carries the machine
    double travel = 0;  // of the machine, m along the rim
};

/// The ring and how the tool straddles its wall.
struct Site {
    double radius = 30;
    double offset = 0;              // of the tool's middle from that of the wall, towards the ring's axis
    double pitch = 0, roll = 0;     // of the machine's frame
    double smallest_margin = 0.01;  // parts of a joint's range that must be left
};

/// Where the tool is and which axis positions bring it to a place. Nothing is allocated after construction.
class ToolMover {
public:
    ToolMover() = default;
    /// Throws std::invalid_argument if the machine has no attachment with a tool, or no axis `travel` or `jaw`.
    explicit ToolMover(const kinematics::Machine& machine);

    [[nodiscard]] const kinematics::Sensors& sensors() const { return sensors_; }
    [[nodiscard]] std::size_t axis_count() const { return sensors_.axis_count(); }
    [[nodiscard]] std::size_t travel() const { return travel_; }
    [[nodiscard]] std::size_t jaw() const { return jaw_; }
    [[nodiscard]] const Eigen::Vector3d& box() const { return box_; }

    /// What the sensors say: axis positions (the jaw's is kept) and the place of the tool.
    struct Measured {
        Axes positions{};
        ToolPlace place;
    };
    [[nodiscard]] Measured measure(const kinematics::Sensors::Readings& readings, const Site& site);

    /// Axis positions for a place; nothing if it is out of reach. The jaw's is 0.
    [[nodiscard]] std::optional<Axes> reach(const ToolPlace& place, const Site& site);

    /// Knots from the last one of the path along straight lines between places, corners rounded; the first place is
    /// where the path ends now. Returns whether all of it is within reach and fits.
    [[nodiscard]] bool add(Path& path, std::span<const ToolPlace> places, const Site& site);

private:
    [[nodiscard]] bool add_line(Path& path, const ToolPlace& from, const ToolPlace& to, const Site& site);
    [[nodiscard]] bool add_corner(Path& path, const std::array<ToolPlace, 3>& places, const Site& site);

    kinematics::Sensors sensors_;
    std::optional<kinematics::Attachment> attachment_;
    std::optional<kinematics::Tree> tree_;
    std::size_t travel_ = 0, jaw_ = 0;
    Eigen::Vector3d box_ = Eigen::Vector3d::Zero();
    std::vector<double> joints_;
    std::vector<Eigen::Isometry3d> poses_;
};

}  // namespace models::planning
