#pragma once

#include "models/machine/kinematics/linkage.hpp"

#include <array>
#include <span>
#include <string>
#include <vector>

namespace models::kinematics {

/// From what a machine measures to its joints and axis positions: inclinometers on the links that level hinges move
/// towards the tool, positions (draw-wire, encoder, odometer) of the other axes on the way there, nothing elsewhere.
class Sensors {
public:
    static constexpr std::size_t most_axes = 16;
    using PerAxis = std::array<double, most_axes>;

    enum class Kind : std::uint8_t { none, inclinometer, position };
    /// One reading per axis, in the machine's order: an inclination against the horizontal, or a position.
    struct Readings {
        PerAxis values{};
        double pitch = 0, roll = 0;  // of the frame
        [[nodiscard]] bool operator==(const Readings&) const = default;
    };
    /// How a reading is called between units.
    struct Signal {
        std::string name, unit, description;
    };

    Sensors() = default;
    /// Throws std::invalid_argument for a machine with more axes or links than it can hold.
    explicit Sensors(const Machine& machine);

    [[nodiscard]] std::size_t axis_count() const { return axes_.size(); }
    [[nodiscard]] const std::vector<Linkage>& axes() const { return axes_; }
    [[nodiscard]] Kind kind(std::size_t axis) const { return kinds_[axis]; }
    /// Of an axis with a sensor.
    [[nodiscard]] Signal signal(std::size_t axis) const;

    /// What a level machine measures with all axes in the middle of their strokes.
    [[nodiscard]] Readings middle() const;

    /// Sets the coordinates (one per joint of the machine) and positions (one per axis) that have a sensor; the others
    /// are read and kept. Throws RangeError, naming the axis, for what no pose of the machine gives.
    void convert(const Readings& readings, std::span<double> joints, std::span<double> positions) const;

private:
    static constexpr std::size_t most_links = 64;
    struct Hop {
        Eigen::Matrix3d origin = Eigen::Matrix3d::Identity();
        Eigen::Vector3d axis = Eigen::Vector3d::UnitZ();
        std::size_t parent = 0;
        bool turns = false;
        int driver = -1;  // the axis that moves this joint
    };
    /// Directions in the child's frame whose heights the inclinometer compares.
    struct Directions {
        Eigen::Vector3d forward = Eigen::Vector3d::UnitX(), upward = Eigen::Vector3d::UnitZ();
    };

    [[nodiscard]] double joint_from(std::size_t axis, double inclination, const Eigen::Matrix3d& unturned) const;

    std::vector<Linkage> axes_;
    std::vector<Kind> kinds_;
    std::vector<Directions> directions_;
    std::vector<bool> turns_directly_;
    std::vector<Hop> hops_;
    std::size_t tilted_ = 0;
};

}  // namespace models::kinematics
