#pragma once

#include "models/machine/kinematics/sensors.hpp"
#include "models/machine/kinematics/tree.hpp"
#include "models/sensing/edge/edge.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace models::perception {

/// What the software of the machine makes of its LiDAR: it knows the machine's description and what the machine
/// measures, nothing of true poses or of what a point was reflected by.
///
/// A point is placed relative to the ring with the machine at azimuth 0 (the path along the rim is not needed). Points
/// near the wall's inner face are its wall, unless they are near a body of the machine as the measured joints place it;
/// of the machine's other points those on the tool are counted. The wall's points make the edge. An edge is not valid
/// where the machine hides what could stand above it.
class Perception {
public:
    static constexpr std::size_t bins = 300;

    struct Parameters {
        edge::Edge::Parameters edge{.bins = bins, .start = 0, .radius = 29.91};
        double in_front = 0.1;         // m, points so far before the face still belong to it
        double behind = 0.06;          // m, and so far behind: the top of the wall lies deeper
        double margin = 0.12;          // m, around bodies of the machine
        double field_of_view = 1.228;  // rad, full angle of the sensor's cone
        [[nodiscard]] bool operator==(const Parameters&) const = default;
    } parameters;
    struct Inputs {
        kinematics::Sensors::Readings readings;
    } inputs;
    struct Outputs {
        std::array<double, bins> height{};  // m above the rim the machine stands on, 0 where not valid
        std::array<bool, bins> valid{};
        std::int64_t sequence = 0;         // grows with every estimate from new points
        std::uint64_t wall = 0, tool = 0;  // points of the last update
    } outputs;

    /// A return, in the sensor's frame.
    struct Point {
        double x = 0, y = 0, z = 0;
        double time = 0;
    };

    Perception() = default;
    /// Throws std::invalid_argument for a machine without a link named `sensor`.
    Perception(const kinematics::Machine& machine, const std::string& sensor);

    void initialize(double t);
    /// Places the machine as measured; then the new points, in the order of their times; then the estimate. With
    /// readings that no pose of the machine gives, nothing is known: no point counts and no edge is valid.
    void begin();
    void add(const Point& point);
    void finish(double t);

    [[nodiscard]] const kinematics::Sensors& sensors() const { return sensors_; }
    auto members() { return std::tie(parameters, inputs, outputs, edge_, joints_, positions_); }

private:
    /// A box around a body, grown by the margin, as a place to look points up in.
    struct Guard {
        std::size_t link = 0;
        Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();  // in the link's frame
        Eigen::Vector3d half = Eigen::Vector3d::Zero();
        bool tool = false;
        Eigen::Isometry3d to_body = Eigen::Isometry3d::Identity();  // from the ring's frame
        Eigen::Vector3d middle = Eigen::Vector3d::Zero();           // in the ring's frame
        double reach = 0;                                           // squared, of the grown box from its middle
        Eigen::Vector3d sensor = Eigen::Vector3d::Zero();  // where the lines of sight begin, in the body's frame
        Eigen::Vector3d ahead = Eigen::Vector3d::Zero();   // from the sensor to the middle, in the ring's frame
        double distance = 0;                               // squared length of that
        bool in_sight = false;                             // some of it lies in the sensor's cone
    };
    /// The sphere around a guard, kept apart from it: most points are in none.
    struct Sphere {
        Eigen::Vector3d middle = Eigen::Vector3d::Zero();  // in the ring's frame
        double reach = 0;                                  // squared
        std::size_t guard = 0;
    };
    enum class Owner : std::uint8_t { nobody, machine, tool };
    /// Whether a point is in the box around a body.
    [[nodiscard]] bool holds(const Guard& guard, const Eigen::Vector3d& point) const;
    /// Whether a body is too far from the line of sight to a point to hide or hold it.
    [[nodiscard]] static bool far_off(const Guard& guard, const Eigen::Vector3d& along, double per_square);
    [[nodiscard]] bool in_sight(const Guard& guard) const;
    /// `seen`: the point lies in the sensor's cone, where bodies out of sight cannot be.
    [[nodiscard]] Owner owner_of(const Eigen::Vector3d& point, bool seen) const;
    /// Whether the machine stands between the sensor and a point, or is at it.
    [[nodiscard]] bool hidden(const Eigen::Vector3d& point) const;
    /// Whether something just above the edge of a bin could not be seen.
    [[nodiscard]] bool hides_above(std::size_t bin) const;
    void look_up_to();
    void place_spheres();

    kinematics::Sensors sensors_;
    kinematics::Tree tree_{kinematics::Machine{.links = {{}}}};
    std::vector<Guard> guards_;
    std::vector<Sphere> spheres_;  // first those of guards in sight
    std::size_t sighted_ = 0;      // number of these
    std::size_t sensor_ = 0;
    edge::Edge edge_;
    std::vector<double> joints_, positions_;
    std::vector<Eigen::Isometry3d> poses_;
    Eigen::Isometry3d sensor_pose_ = Eigen::Isometry3d::Identity();
    double cosine_ = 1;  // of the cone's half angle
    bool fresh_ = false;
    bool placed_ = false;  // the readings are those of a pose
};

}  // namespace models::perception
