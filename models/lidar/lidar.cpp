#include "models/lidar/lidar.hpp"

#include "models/lidar/noise.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace models::lidar {

namespace {

constexpr std::size_t packet = 8;
constexpr std::size_t packets = Pattern::block / packet;
constexpr std::size_t most_points = 20'000'000;
constexpr std::uint8_t second_return = 1U << 4U;
// Numbers of one ray that must not repeat each other.
enum Stream : std::uint32_t { first_range, second_range, first_loss, second_loss };

void check_positive(const char* name, double value) {
    if (value > 0 && std::isfinite(value)) return;
    throw std::invalid_argument(std::string("lidar: parameter '") + name + "' is " + std::to_string(value) +
                                ", expected a finite number above 0");
}

void check_share(const char* name, double value) {
    if (value >= 0 && value <= 1) return;
    throw std::invalid_argument(std::string("lidar: parameter '") + name + "' is " + std::to_string(value) +
                                ", expected 0 to 1");
}

/// Directions of a block of rays in the sensor's frame, and what they met.
struct Block {
    std::array<float, Pattern::block> x{}, y{}, z{};
    std::array<RTCRayHit8, packets> rays;
};

using Positions = std::array<std::complex<double>, Pattern::block>;

void aim(const Positions& positions, std::complex<double> offset, Block& block) {
    for (std::size_t k = 0; k < Pattern::block; ++k) {
        const Direction to = direction(positions[k] + offset);
        block.x[k] = static_cast<float>(to.x);
        block.y[k] = static_cast<float>(to.y);
        block.z[k] = static_cast<float>(to.z);
    }
}

/// The sensor's axes in the world, as Embree wants them.
struct Mount {
    Mount() = default;
    explicit Mount(const Eigen::Isometry3d& pose)
        : origin(pose.translation().cast<float>()), axes(pose.linear().cast<float>()) {}
    Eigen::Vector3f origin = Eigen::Vector3f::Zero();
    Eigen::Matrix3f axes = Eigen::Matrix3f::Identity();
};

void trace(const Scene& scene, const Mount& mount, const Beam& beam, Block& block) {
    alignas(32) static constexpr std::array<int, packet> all{-1, -1, -1, -1, -1, -1, -1, -1};
    for (std::size_t p = 0; p < packets; ++p) {
        RTCRayHit8& bundle = block.rays[p];
        for (std::size_t i = 0; i < packet; ++i) {
            const std::size_t k = p * packet + i;
            const float x = block.x[k], y = block.y[k], z = block.z[k];
            bundle.ray.org_x[i] = mount.origin.x();
            bundle.ray.org_y[i] = mount.origin.y();
            bundle.ray.org_z[i] = mount.origin.z();
            bundle.ray.dir_x[i] = mount.axes(0, 0) * x + mount.axes(0, 1) * y + mount.axes(0, 2) * z;
            bundle.ray.dir_y[i] = mount.axes(1, 0) * x + mount.axes(1, 1) * y + mount.axes(1, 2) * z;
            bundle.ray.dir_z[i] = mount.axes(2, 0) * x + mount.axes(2, 1) * y + mount.axes(2, 2) * z;
            bundle.ray.tnear[i] = static_cast<float>(beam.nearest);
            bundle.ray.tfar[i] = static_cast<float>(beam.farthest);
            bundle.ray.time[i] = 0;
            bundle.ray.mask[i] = ~0U;
            bundle.ray.flags[i] = 0;
            bundle.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
            bundle.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
        }
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect8(all.data(), scene.handle(), &context, &bundle);
    }
}

struct Echo {
    float range = 0;  // 0: none
    float cosine = 0;
    std::uint16_t object = nothing;
};

Echo echo_of(const Scene& scene, const Block& block, std::size_t k) {
    const RTCRayHit8& bundle = block.rays[k / packet];
    const std::size_t i = k % packet;
    if (bundle.hit.geomID[i] == RTC_INVALID_GEOMETRY_ID) return {};
    const float nx = bundle.hit.Ng_x[i], ny = bundle.hit.Ng_y[i], nz = bundle.hit.Ng_z[i];
    const float along = nx * bundle.ray.dir_x[i] + ny * bundle.ray.dir_y[i] + nz * bundle.ray.dir_z[i];
    const float length = std::sqrt(nx * nx + ny * ny + nz * nz);
    return {.range = bundle.ray.tfar[i],
            .cosine = length > 0 ? std::min(1.0F, std::abs(along) / length) : 0,
            .object = scene.object_of(bundle.hit.geomID[i])};
}

struct Draws {
    Draw range, loss;
};

Point point_of(const Echo& echo, const Block& block, std::size_t k, const Beam& beam, const Draws& draws) {
    if (echo.range == 0) return {};
    if (beam.loss > 0 && uniform(draws.loss) < beam.loss) return {};
    const double noise = beam.range_noise > 0 ? beam.range_noise * normal(draws.range) : 0;
    const auto range = static_cast<float>(std::max(beam.nearest, echo.range + noise));
    const double reflectance = echo.object == wall_object ? beam.wall_reflectance : beam.machine_reflectance;
    return {.x = range * block.x[k],
            .y = range * block.y[k],
            .z = range * block.z[k],
            .object = echo.object,
            .intensity = static_cast<std::uint8_t>(255 * reflectance * echo.cosine)};
}

}  // namespace

void check(const Beam& beam) {
    check_positive("beam.nearest", beam.nearest);
    if (!(beam.farthest > beam.nearest) || !std::isfinite(beam.farthest))
        throw std::invalid_argument("lidar: parameter 'beam.farthest' is " + std::to_string(beam.farthest) +
                                    ", expected a finite range beyond 'beam.nearest'");
    if (!(beam.range_noise >= 0) || !std::isfinite(beam.range_noise))
        throw std::invalid_argument("lidar: parameter 'beam.range_noise' is " + std::to_string(beam.range_noise) +
                                    ", expected a finite number, 0 or above");
    check_share("beam.loss", beam.loss);
    check_positive("beam.divergence", beam.divergence);
    check_positive("beam.separation", beam.separation);
    check_share("beam.wall_reflectance", beam.wall_reflectance);
    check_share("beam.machine_reflectance", beam.machine_reflectance);
}

struct Lidar::Engine {
    explicit Engine(const Lidar& lidar)
        : scan(lidar.scan),
          ring(lidar.ring),
          shapes(lidar.shapes),
          links(lidar.links),
          sensor(lidar.sensor),
          pattern(scan),
          scene({.ring = ring, .shapes = shapes, .links = links, .unseen = sensor}) {}
    [[nodiscard]] bool fits(const Lidar& lidar) const {
        return scan == lidar.scan && ring == lidar.ring && shapes == lidar.shapes && links == lidar.links &&
               sensor == lidar.sensor;
    }

    ScanParameters scan;
    wall::Ring ring;
    std::vector<Shape> shapes;
    std::size_t links;
    std::uint32_t sensor;
    Pattern pattern;
    Scene scene;
    Mount mount;
    Block block, second;
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
    check_positive("window", window);
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
    state_.oldest = 0;
    state_.points.assign(static_cast<std::size_t>(rays) * points_per_ray(), {});
    state_.cells.assign(static_cast<std::size_t>(rays), 0);
    state_.coverage = Coverage(scan.field_of_view, coverage_cell);
    outputs = {};
    static_cast<void>(engine());
}

void Lidar::step(double t, double h) {
    Engine& made = engine();
    made.scene.set_heights(inputs.heights);
    made.scene.set_poses(inputs.poses);
    made.scene.commit();
    made.mount =
        Mount(checked_pose(std::span<const double>(inputs.poses).subspan(std::size_t{7} * sensor).first<7>(), sensor));

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
    Positions positions;
    made.pattern.positions(first, positions);
    aim(positions, 0, made.block);
    trace(made.scene, made.mount, beam, made.block);
    if (beam.dual_return) {
        // The edge of the beam, half its angle upwards, stands for the part of it that may pass the edge of a body.
        aim(positions, {0, beam.divergence / 2}, made.second);
        trace(made.scene, made.mount, beam, made.second);
    }
    for (std::size_t k = 0; k < count; ++k) {
        if (outputs.count == state_.points.size()) drop_oldest_ray();
        const auto ray = static_cast<std::uint64_t>(first) + k;
        const double time = state_.start + static_cast<double>(ray) / scan.rate();
        state_.cells[end_of_points() / points_per_ray()] = state_.coverage.add(positions[k]);
        const Echo echo = echo_of(made.scene, made.block, k);
        Point point =
            point_of(echo, made.block, k, beam, {{beam.seed, ray, first_range}, {beam.seed, ray, first_loss}});
        point.time = time;
        store(point);
        if (!beam.dual_return) continue;
        Echo other = echo_of(made.scene, made.second, k);
        if (echo.range == 0 || std::abs(other.range - echo.range) < beam.separation) other = {};
        point = point_of(other, made.second, k, beam, {{beam.seed, ray, second_range}, {beam.seed, ray, second_loss}});
        point.time = time;
        point.tag = second_return;
        store(point);
    }
}

void Lidar::drop_oldest_ray() {
    state_.coverage.remove(state_.cells[state_.oldest / points_per_ray()]);
    for (std::size_t i = 0; i < points_per_ray(); ++i) {
        if (state_.points[state_.oldest].object != nothing) --state_.returns;
        if (++state_.oldest == state_.points.size()) state_.oldest = 0;
        --outputs.count;
    }
}

std::size_t Lidar::end_of_points() const {
    const std::size_t index = state_.oldest + outputs.count;
    return index < state_.points.size() ? index : index - state_.points.size();
}

void Lidar::store(const Point& point) {
    state_.points[end_of_points()] = point;
    if (point.object != nothing) ++state_.returns;
    ++outputs.count;
}

}  // namespace models::lidar
