#include "models/site/wall/wall.hpp"

#include "models/parameter_check.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <stdexcept>
#include <string>

namespace models::wall {

namespace {

constexpr ParameterCheck wall_check("wall");

/// Trapezoid weights: half at both ends.
double weight(std::size_t index, std::size_t count) { return index == 0 || index + 1 == count ? 0.5 : 1.0; }

/// The area of the top surface that belongs to a vertex.
double area_of(const Ring& ring, std::size_t column, std::size_t row) {
    return weight(column, ring.columns) * weight(row, ring.rows) * ring.radius_of(row) * ring.azimuth_step() *
           ring.radius_step();
}

/// A tool box prepared for questions about points.
class Footprint {
public:
    explicit Footprint(const ToolBox& box) {
        for (const double value : box.pose)
            if (!std::isfinite(value)) throw std::runtime_error("wall: input 'tool.pose' is not finite");
        for (const double value : box.size)
            if (!(value >= 0) || !std::isfinite(value))
                throw std::runtime_error("wall: input 'tool.box' has the size " + std::to_string(value) +
                                         ", expected a finite number, 0 or above");
        const Eigen::Quaterniond turn(box.pose[6], box.pose[3], box.pose[4], box.pose[5]);
        if (turn.norm() < 1e-6) throw std::runtime_error("wall: the quaternion of input 'tool.pose' is zero");
        centre_ = {box.pose[0], box.pose[1], box.pose[2]};
        to_box_ = turn.normalized().toRotationMatrix().transpose();
        half_ = Eigen::Vector3d(box.size[0], box.size[1], box.size[2]) / 2;
    }
    [[nodiscard]] const Eigen::Vector3d& centre() const { return centre_; }
    [[nodiscard]] double reach() const { return half_.norm(); }

    /// Where the vertical through a point enters the box from below (slab method); nothing if it misses the box.
    [[nodiscard]] std::optional<double> bottom(double x, double y) const {
        const Eigen::Vector3d start = to_box_ * Eigen::Vector3d(x - centre_.x(), y - centre_.y(), -centre_.z());
        double low = -std::numeric_limits<double>::infinity(), high = -low;
        for (int axis = 0; axis < 3; ++axis) {
            const double slope = to_box_(axis, 2);
            if (std::abs(slope) < 1e-12) {
                if (std::abs(start[axis]) > half_[axis]) return std::nullopt;
                continue;
            }
            const double a = (-half_[axis] - start[axis]) / slope, b = (half_[axis] - start[axis]) / slope;
            low = std::max(low, std::min(a, b));
            high = std::min(high, std::max(a, b));
        }
        if (low > high) return std::nullopt;
        return low;
    }

private:
    Eigen::Vector3d centre_, half_;
    Eigen::Matrix3d to_box_;
};

struct Columns {
    std::size_t first = 0, last = 0;  // [first, last)
};

/// The columns that a circle around the tool can reach, if the azimuth of its centre is seen `turn` radians away.
Columns columns_near(const Ring& ring, const Footprint& footprint, double turn) {
    const double distance = std::hypot(footprint.centre().x(), footprint.centre().y());
    if (distance <= footprint.reach()) return {0, ring.columns};
    const double middle = std::atan2(footprint.centre().y(), footprint.centre().x());
    const double half = std::asin(footprint.reach() / distance);
    const double offset = std::remainder(middle - ring.start - ring.span() / 2, 2 * std::numbers::pi) + turn;
    const auto last_column = static_cast<double>(ring.columns);
    const double centre_column = (offset + ring.span() / 2) / ring.azimuth_step();
    const double reach = half / ring.azimuth_step();
    const double first = std::clamp(std::floor(centre_column - reach), 0.0, last_column);
    const double last = std::clamp(std::ceil(centre_column + reach) + 1, first, last_column);
    return {static_cast<std::size_t>(first), static_cast<std::size_t>(last)};
}

/// A repeatable stream of numbers in [0, 1) (splitmix64, S. Vigna).
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}
    double operator()() {
        std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
        return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
    }

private:
    std::uint64_t state_;
};

}  // namespace

double volume_of(const Ring& ring, const std::vector<double>& heights) {
    double sum = 0;
    for (std::size_t column = 0; column < ring.columns; ++column)
        for (std::size_t row = 0; row < ring.rows; ++row)
            sum += area_of(ring, column, row) * heights[column * ring.rows + row];
    return sum;
}

void Wall::configure() {
    check_grid(ring);
    state.heights.assign(ring.vertices(), ring.height);
}

void Wall::initialize(double) {
    check(ring);
    wall_check.positive("notch.width", notches.width);
    wall_check.not_negative("notch.depth", notches.depth);
    wall_check.not_negative("jaw.smallest_speed", jaw.smallest_speed);
    wall_check.not_negative("contact.strength", contact.strength);
    wall_check.not_negative("contact.largest_force", contact.largest_force);
    wall_check.not_negative("contact.reaction", contact.reaction);
    if (std::abs(jaw.closing_sign) != 1)
        throw std::invalid_argument("wall: parameter 'jaw.closing_sign' is " + std::to_string(jaw.closing_sign) +
                                    ", expected 1 or -1");
    if (notches.depth > ring.height)
        throw std::invalid_argument("wall: parameter 'notch.depth' is " + std::to_string(notches.depth) +
                                    ", expected at most 'ring.height'");
    sizes = {.face_radius = ring.radius_of(0), .span = ring.span(), .length = ring.span() * ring.radius};
    state.heights.assign(ring.vertices(), ring.height);
    cut_notches();
    state.initial_volume = volume_of(ring, state.heights);
    state.volume = state.initial_volume;
    state.removed = 0;
    state.contact_active = false;
    state.contact_force = 0;
    state.tool_external = {};
}

void Wall::cut_notches() {
    if (notches.seed == 0) return;
    Random random(notches.seed);
    const double length = static_cast<double>(ring.columns - 1) * ring.spacing;
    for (std::uint64_t i = 0; i < notches.count; ++i) {
        const double middle = random() * length;
        const double half = (0.2 + 0.8 * random()) * notches.width / 2;
        const double top = ring.height - (0.2 + 0.8 * random()) * notches.depth;
        for (std::size_t column = 0; column < ring.columns; ++column) {
            if (std::abs(static_cast<double>(column) * ring.spacing - middle) > half) continue;
            for (std::size_t row = 0; row < ring.rows; ++row) {
                double& height = state.heights[column * ring.rows + row];
                height = std::min(height, top);
            }
        }
    }
}

bool Wall::closes_on_wall() const {
    if (!std::isfinite(inputs.jaw_position)) throw std::runtime_error("wall: input 'jaw.position' is not finite");
    if (!std::isfinite(inputs.jaw_velocity)) throw std::runtime_error("wall: input 'jaw.velocity' is not finite");
    const bool closing = inputs.jaw_velocity * jaw.closing_sign > jaw.smallest_speed;
    return closing && (inputs.jaw_position - jaw.contact_position) * jaw.closing_sign >= 0;
}

void Wall::step(double, double) {
    state.contact_active = false;
    state.contact_force = 0;
    state.tool_external = {};
    if (!closes_on_wall()) return;
    const Bite bite = push_down(inputs.tool);
    if (bite.moved == 0) return;

    state.contact_active = true;
    state.contact_force = std::min(contact.largest_force, contact.strength * bite.area);
    const double up = contact.reaction * state.contact_force;
    const double x = bite.centre[0] - inputs.tool.pose[0], y = bite.centre[1] - inputs.tool.pose[1];
    state.tool_external = {0, 0, up, y * up, -x * up, 0};
}

Bite Wall::push_down(const ToolBox& box) {
    const Footprint footprint(box);
    Bite bite;
    Eigen::Vector3d moment = Eigen::Vector3d::Zero();
    // A tool at the seam of a closed ring reaches both of its ends.
    for (const double turn : {0.0, 2 * std::numbers::pi, -2 * std::numbers::pi}) {
        const Columns columns = columns_near(ring, footprint, turn);
        for (std::size_t column = columns.first; column < columns.last; ++column) {
            const double cosine = std::cos(ring.azimuth(column)), sine = std::sin(ring.azimuth(column));
            for (std::size_t row = 0; row < ring.rows; ++row) {
                const double x = ring.radius_of(row) * cosine, y = ring.radius_of(row) * sine;
                const std::optional<double> bottom = footprint.bottom(x, y);
                if (!bottom) continue;
                double& height = state.heights[column * ring.rows + row];
                const double lowered = std::max(0.0, *bottom - ring.base);
                if (!(height > lowered)) continue;
                const double area = area_of(ring, column, row);
                ++bite.moved;
                bite.volume += area * (height - lowered);
                bite.area += area;
                moment += area * Eigen::Vector3d(x, y, ring.base + lowered);
                height = lowered;
            }
        }
    }
    if (bite.moved == 0) return bite;
    moment /= bite.area;
    bite.centre = {moment.x(), moment.y(), moment.z()};
    state.removed += bite.volume;
    state.volume = state.initial_volume - state.removed;
    return bite;
}

}  // namespace models::wall
