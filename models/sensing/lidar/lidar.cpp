#include "models/sensing/lidar/lidar.hpp"

#include "models/parameter_check.hpp"
#include "models/sensing/lidar/noise.hpp"
#include "models/sensing/lidar/rays.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::lidar {

namespace {

constexpr std::size_t most_points = 20'000'000;
constexpr std::uint8_t second_return = 1U << 4U;
// Numbers of one ray that must not repeat each other.
enum Stream : std::uint32_t { first_range, second_range, first_loss, second_loss };

constexpr ParameterCheck lidar_check("lidar");

void check_share(const char* name, double value) {
    if (!(value >= 0 && value <= 1)) lidar_check.refuse(name, value, "0 to 1");
}

/// What makes points of the echoes of one return. A copy of what is needed of the beam: the compiler then knows that a
/// point written does not change it.
class Receiver {
public:
    Receiver(const Beam& beam, Stream range, Stream loss)
        : nearest_(beam.nearest),
          range_noise_(beam.range_noise),
          loss_(beam.loss),
          wall_(255 * beam.wall_reflectance),
          machine_(255 * beam.machine_reflectance),
          range_chance_(beam.seed, range),
          loss_chance_(beam.seed, loss) {}
    /// Fills in what an echo gives and returns whether there is a return; the point is blank before. In place: a point
    /// that is returned and then copied costs more than all the rest.
    bool measure(const Rays& rays, const Rays::Echo& echo, std::size_t k, std::uint64_t ray, Point& point) const {
        if (echo.range == 0) return false;
        if (loss_ > 0 && loss_chance_.uniform(ray) < loss_) return false;
        const double noise = range_noise_ > 0 ? range_noise_ * range_chance_.normal(ray) : 0;
        const auto range = static_cast<float>(std::max(nearest_, echo.range + noise));
        const Pattern::Directions& to = rays.directions();
        point.x = range * to.x[k];
        point.y = range * to.y[k];
        point.z = range * to.z[k];
        point.object = echo.object;
        const double brightness = (echo.object == wall_object ? wall_ : machine_) * echo.cosine;
        point.intensity = static_cast<std::uint8_t>(static_cast<int>(brightness));
        return true;
    }

private:
    double nearest_, range_noise_, loss_, wall_, machine_;
    Noise range_chance_, loss_chance_;
};

}  // namespace

void check(const Beam& beam) {
    lidar_check.positive("beam.nearest", beam.nearest);
    if (!(beam.farthest > beam.nearest) || !std::isfinite(beam.farthest))
        throw std::invalid_argument("lidar: parameter 'beam.farthest' is " + std::to_string(beam.farthest) +
                                    ", expected a finite range beyond 'beam.nearest'");
    if (!(beam.range_noise >= 0) || !std::isfinite(beam.range_noise))
        throw std::invalid_argument("lidar: parameter 'beam.range_noise' is " + std::to_string(beam.range_noise) +
                                    ", expected a finite number, 0 or above");
    check_share("beam.loss", beam.loss);
    lidar_check.positive("beam.divergence", beam.divergence);
    lidar_check.positive("beam.separation", beam.separation);
    check_share("beam.wall_reflectance", beam.wall_reflectance);
    check_share("beam.machine_reflectance", beam.machine_reflectance);
}

struct Lidar::Engine {
    explicit Engine(const Lidar& lidar)
        : scan(lidar.scan),
          ring(lidar.ring),
          shapes(lidar.shapes),
          links(lidar.links),
          pattern(scan),
          scene(ring),
          bodies(shapes, links),
          sensor(lidar.sensor) {}
    [[nodiscard]] bool fits(const Lidar& lidar) const {
        return scan == lidar.scan && ring == lidar.ring && shapes == lidar.shapes && links == lidar.links &&
               sensor == lidar.sensor;
    }

    Rays rays, second;
    ScanParameters scan;
    wall::Ring ring;
    std::vector<Shape> shapes;
    std::size_t links;
    Pattern pattern;
    Scene scene;
    Bodies bodies;
    std::uint32_t sensor;
};

Lidar::Made::Made() = default;
Lidar::Made::~Made() = default;
Lidar::Made::Made(const Made&) : Made() {}
Lidar::Made& Lidar::Made::operator=(const Made&) { return *this; }

Lidar::Engine& Lidar::engine() {
    if (!made_.engine || !made_.engine->fits(*this)) made_.engine = std::make_unique<Engine>(*this);
    return *made_.engine;
}

void Lidar::configure() {
    check_grid(ring);
    inputs.heights.assign(ring.vertices(), ring.height);
    inputs.poses.assign(7 * links, 0.0);
    for (std::size_t link = 0; link < links; ++link) inputs.poses[7 * link + 6] = 1;
}

void Lidar::initialize(double t) {
    check(scan);
    check(beam);
    check(ring);
    lidar_check.positive("window", window);
    if (sensor >= links)
        throw std::invalid_argument("lidar: the sensor is on link " + std::to_string(sensor) + " of " +
                                    std::to_string(links));
    const double rays = std::round(window * scan.rate());
    if (!(rays >= 1) || rays * static_cast<double>(points_per_ray()) > static_cast<double>(most_points))
        throw std::invalid_argument("lidar: parameter 'window' is " + std::to_string(window) + " s, that is " +
                                    std::to_string(rays) + " rays, expected 1 to " + std::to_string(most_points) +
                                    " points");
    state_.start = t;
    state_.next = 0;
    state_.returns = 0;
    state_.oldest = state_.rays = 0;
    state_.points.assign(static_cast<std::size_t>(rays) * points_per_ray(), {});
    state_.cells.assign(static_cast<std::size_t>(rays), 0);
    state_.coverage = Coverage(scan.field_of_view, coverage_cell);
    outputs = {};
    static_cast<void>(engine());
}

void Lidar::step(double t, double h) {
    Engine& made = engine();
    made.scene.set_heights(inputs.heights);
    made.scene.commit();
    made.bodies.place(inputs.poses, {.sensor = sensor,
                                     .half_angle = (scan.field_of_view + beam.divergence) / 2,
                                     .nearest = beam.nearest,
                                     .farthest = beam.farthest});
    const auto pose = std::span<const double>(inputs.poses).subspan(std::size_t{7} * sensor).first<7>();
    const Rays::Mount mount{checked_pose(pose, sensor), beam.nearest, beam.farthest};
    made.rays.mount(mount);
    if (beam.dual_return) made.second.mount(mount);

    const auto rays = static_cast<std::int64_t>(state_.cells.size());
    const auto end = static_cast<std::int64_t>(std::llround((t + h - state_.start) * scan.rate()));
    // Rays that would be older than the window at the end are not fired at all; the noise does not notice.
    const std::int64_t begin = std::max(state_.next, end - rays);
    for (std::int64_t first = begin; first < end; first += Pattern::block)
        cast(made, first, static_cast<std::size_t>(std::min<std::int64_t>(Pattern::block, end - first)));
    outputs.fresh = static_cast<std::uint64_t>(std::max<std::int64_t>(end - begin, 0)) * points_per_ray();
    state_.next = std::max(state_.next, end);
    ++outputs.sequence;
    outputs.rate = static_cast<double>(state_.returns) / window;
    outputs.coverage = state_.coverage.share();
}

void Lidar::cast(Engine& made, std::int64_t first, std::size_t count) {
    Pattern::Positions positions;
    made.pattern.positions(first, positions);
    made.rays.trace(made.pattern, made.scene, made.bodies, positions, count);
    if (beam.dual_return) {
        // The edge of the beam, half its angle upwards, stands for the part of it that may pass the edge of a body.
        Pattern::Positions shifted = positions;
        for (double& y : shifted.y) y += beam.divergence / 2;
        made.second.trace(made.pattern, made.scene, made.bodies, shifted, count);
    }
    const Receiver receiver(beam, first_range, first_loss), second_receiver(beam, second_range, second_loss);
    const double period = 1 / scan.rate(), start = state_.start;
    const std::size_t per_ray = points_per_ray(), most = state_.cells.size();
    std::array<std::uint32_t, Pattern::block> cells;
    state_.coverage.cells_of(positions.x, positions.y, cells);
    std::size_t slot = make_room(count);
    std::uint64_t returns = 0;
    for (std::size_t k = 0; k < count; ++k, slot = slot + 1 < most ? slot + 1 : 0) {
        const auto ray = static_cast<std::uint64_t>(first) + k;
        Point& point = state_.points[slot * per_ray];
        state_.cells[slot] = cells[k];
        state_.coverage.add(cells[k]);
        const Rays::Echo echo = made.rays.echo(k);
        point = {.time = start + static_cast<double>(static_cast<std::int64_t>(ray)) * period};
        returns += receiver.measure(made.rays, echo, k, ray, point) ? 1 : 0;
        if (per_ray == 1) continue;
        Point& second = *(&point + 1);
        Rays::Echo other = made.second.echo(k);
        if (echo.range == 0 || std::abs(other.range - echo.range) < beam.separation) other = {};
        second = {.tag = second_return, .time = point.time};
        returns += second_receiver.measure(made.second, other, k, ray, second) ? 1 : 0;
    }
    state_.returns += returns;
    outputs.count = state_.rays * per_ray;
}

/// The place of the first of these rays in the window; the oldest give way.
std::size_t Lidar::make_room(std::size_t count) {
    const std::size_t most = state_.cells.size();
    const std::size_t leave = state_.rays + count > most ? state_.rays + count - most : 0;
    for (std::size_t i = 0; i < leave; ++i) {
        state_.coverage.remove(state_.cells[state_.oldest]);
        for (std::size_t k = 0; k < points_per_ray(); ++k)
            if (state_.points[state_.oldest * points_per_ray() + k].object != nothing) --state_.returns;
        if (++state_.oldest == most) state_.oldest = 0;
    }
    const std::size_t first = state_.oldest + state_.rays - leave;
    state_.rays += count - leave;
    return first < most ? first : first - most;
}

}  // namespace models::lidar
