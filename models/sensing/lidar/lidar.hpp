#pragma once

#include "models/sensing/lidar/bodies.hpp"
#include "models/sensing/lidar/coverage.hpp"
#include "models/sensing/lidar/pattern.hpp"
#include "models/sensing/lidar/scene.hpp"
#include "models/site/wall/ring.hpp"

#include <cstdint>
#include <memory>
#include <tuple>
#include <vector>

namespace models::lidar {

/// One return, in the sensor's frame (x optical axis, y left, z up). Without a return the coordinates are zero.
struct Point {
    float x = 0, y = 0, z = 0;
    std::uint16_t object = nothing;
    std::uint8_t intensity = 0;
    std::uint8_t tag = 0;  // as Livox: bits 5-4 are the number of the return
    double time = 0;       // when the ray was fired
};

/// The sensor as an instrument.
struct Beam {
    double nearest = 0.1, farthest = 90;  // m
    double range_noise = 0.02;            // m, standard deviation
    double loss = 0;                      // share of the hits that give no return
    bool dual_return = false;             // a second point per ray, where the beam straddles an edge
    double divergence = 0.0049;           // rad, full angle of the beam (0.28 deg)
    double separation = 0.1;              // m, closer returns are one
    double wall_reflectance = 0.4, machine_reflectance = 0.2;
    std::uint64_t seed = 1;
    [[nodiscard]] bool operator==(const Beam&) const = default;
};

/// A scanning LiDAR that sees a wall and a machine, with an accumulator of the points of the last `window` seconds.
///
/// Poses and heights are samples: all rays of a step see the ones given for it. Noise belongs to the ray's number, so
/// a result does not depend on how the time was cut into steps. Intensity is 255 x reflectance x |cos(incidence)|.
class Lidar {
public:
    ScanParameters scan;
    Beam beam;
    wall::Ring ring;
    double window = 0.1;  // s
    double coverage_cell = 0.5 * 0.017453292519943295;
    std::vector<Shape> shapes;  // of the machine
    std::uint64_t links = 1;    // of the machine
    std::uint32_t sensor = 0;   // the link whose frame is the sensor's

    struct Inputs {
        std::vector<double> heights, poses;
        auto members() { return std::tie(heights, poses); }
    } inputs;
    struct Outputs {
        std::uint64_t count = 0;     // of points in the window, with or without a return
        std::uint64_t sequence = 0;  // grows by one with every step
        double rate = 0;             // points with a return per second, over the window
        double coverage = 0;         // share of the field of view that rays of the window looked at
        std::uint64_t fresh = 0;     // of points that the last step added
    } outputs;

    Lidar() { configure(); }
    /// Sizes follow ring.columns, ring.rows and links.
    void configure();
    void initialize(double t);
    void step(double t, double h);

    /// The most points the window can hold.
    [[nodiscard]] std::size_t capacity() const { return state_.points.size(); }
    /// The i-th point of the window, the oldest first; i < outputs.count.
    [[nodiscard]] const Point& point(std::size_t i) const {
        const std::size_t index = state_.oldest * points_per_ray() + i;
        return state_.points[index < state_.points.size() ? index : index - state_.points.size()];
    }
    auto members() {
        return std::tie(scan, beam, ring, window, coverage_cell, shapes, links, sensor, inputs, outputs, state_);
    }

private:
    struct State {
        double start = 0;       // when ray 0 was fired
        std::int64_t next = 0;  // ray
        std::uint64_t returns = 0;
        std::size_t oldest = 0, rays = 0;  // a ring of rays
        std::vector<Point> points;         // one or two per ray
        std::vector<std::uint32_t> cells;  // of the coverage, one per ray
        Coverage coverage;
        auto members() { return std::tie(start, next, returns, oldest, rays, points, cells, coverage); }
    };
    /// What follows from parameters and inputs. A copy of a sensor has none and makes its own when it needs it.
    struct Engine;
    class Made {
    public:
        Made();
        ~Made();
        Made(const Made&);
        Made& operator=(const Made&);
        std::unique_ptr<Engine> engine;
    };

    [[nodiscard]] Engine& engine();
    [[nodiscard]] std::size_t points_per_ray() const { return beam.dual_return ? 2 : 1; }
    void cast(Engine& engine, std::int64_t first, std::size_t count);
    [[nodiscard]] std::size_t make_room(std::size_t count);

    State state_;
    Made made_;
};

/// Throws std::invalid_argument naming the parameter that makes no beam.
void check(const Beam& beam);

}  // namespace models::lidar
