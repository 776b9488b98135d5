// Rays per second of the LiDAR unit (pattern, tracing, noise, window, bytes, all through FMI) against Embree alone: one
// mesh of wall and machine that never changes, and the same rays in packets of 8. And what a bite costs the unit's
// scene, with 6 m and 60 m of wall. Exit code 1 if the unit has less than half of Embree's rate, if a bite costs more
// than 1 ms, or if it costs more with the longer wall than measuring explains.

#include "models/sensing/lidar/lidar.hpp"

#include "fmus/common/machine/machine.hpp"
#include "models/machine/kinematics/tree.hpp"
#include "models/site/wall/mesh.hpp"
#include "models/site/wall/wall.hpp"
#include "tests/support/fmi3_unit.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <exception>

namespace {

constexpr double least_ratio = 0.5;
constexpr double most_seconds_per_bite = 1e-3;
constexpr double most_growth = 2;  // of the cost of a bite from 6 m to 60 m
constexpr int repetitions = 7;
constexpr int steps = 100;
constexpr double step_size = 0.01;

double cpu_seconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// x y z qx qy qz qw of every link, with all joints in the middle of their ranges.
std::vector<double> poses_of(const models::kinematics::Machine& machine) {
    std::vector<double> coordinates;
    for (const auto& joint : machine.joints)
        coordinates.push_back(std::isfinite(joint.lower + joint.upper) ? (joint.lower + joint.upper) / 2 : 0);
    std::vector<Eigen::Isometry3d> placed(machine.links.size());
    models::kinematics::Tree(machine).place({}, coordinates, placed);
    std::vector<double> poses;
    for (const Eigen::Isometry3d& pose : placed)
        for (const double value : models::kinematics::values_of(pose)) poses.push_back(value);
    return poses;
}

/// One second of rays, ready for Embree.
std::vector<RTCRayHit8> rays(const Eigen::Isometry3d& sensor) {
    const models::lidar::ScanParameters scan;
    const models::lidar::Pattern pattern(scan);
    std::vector<RTCRayHit8> packets(static_cast<std::size_t>(scan.rate()) / 8);
    for (std::size_t ray = 0; ray < 8 * packets.size(); ++ray) {
        const auto to = models::lidar::direction(pattern.position(static_cast<std::int64_t>(ray)));
        const Eigen::Vector3f world = (sensor.linear() * Eigen::Vector3d(to.x, to.y, to.z)).cast<float>();
        RTCRayHit8& packet = packets[ray / 8];
        const std::size_t i = ray % 8;
        packet.ray.org_x[i] = static_cast<float>(sensor.translation().x());
        packet.ray.org_y[i] = static_cast<float>(sensor.translation().y());
        packet.ray.org_z[i] = static_cast<float>(sensor.translation().z());
        packet.ray.dir_x[i] = world.x();
        packet.ray.dir_y[i] = world.y();
        packet.ray.dir_z[i] = world.z();
        packet.ray.tnear[i] = 0.1F;
        packet.ray.tfar[i] = 90;
        packet.ray.mask[i] = ~0U;
        packet.hit.geomID[i] = RTC_INVALID_GEOMETRY_ID;
        packet.hit.instID[0][i] = RTC_INVALID_GEOMETRY_ID;
    }
    return packets;
}

/// Adds the box around a body of the machine.
void add_box(const models::lidar::Shape& shape, const Eigen::Isometry3d& link, models::wall::Mesh& mesh) {
    const Eigen::Vector3d size =
        shape.round ? Eigen::Vector3d(2 * shape.size[0], 2 * shape.size[0], 2 * shape.size[0] + shape.size[1])
                    : Eigen::Vector3d(shape.size[0], shape.size[1], shape.size[2]);
    const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
    for (int i = 0; i < 8; ++i) {
        const Eigen::Vector3d signs((i & 1) ? 0.5 : -0.5, (i & 2) ? 0.5 : -0.5, (i & 4) ? 0.5 : -0.5);
        const Eigen::Vector3d corner = link * models::lidar::pose_of(shape.pose) * signs.cwiseProduct(size);
        mesh.vertices.push_back({corner.x(), corner.y(), corner.z()});
    }
    static constexpr std::array<std::array<std::uint32_t, 4>, 6> faces{
        {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
    for (const auto& face : faces) {
        mesh.triangles.push_back({first + face[0], first + face[1], first + face[2]});
        mesh.triangles.push_back({first + face[0], first + face[2], first + face[3]});
    }
}

/// Embree with a mesh, as its manual puts it.
class Embree {
public:
    explicit Embree(const models::wall::Mesh& mesh) : device_(rtcNewDevice("threads=1")), scene_(rtcNewScene(device_)) {
        RTCGeometry geometry = rtcNewGeometry(device_, RTC_GEOMETRY_TYPE_TRIANGLE);
        auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), mesh.vertices.size()));
        auto* corners = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
            geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), mesh.triangles.size()));
        if (vertices == nullptr || corners == nullptr) throw std::runtime_error("Embree has no memory");
        for (const auto& vertex : mesh.vertices)
            for (const double coordinate : vertex) *vertices++ = static_cast<float>(coordinate);
        for (const auto& triangle : mesh.triangles)
            for (const std::uint32_t corner : triangle) *corners++ = corner;
        rtcCommitGeometry(geometry);
        rtcAttachGeometry(scene_, geometry);
        rtcReleaseGeometry(geometry);
        rtcCommitScene(scene_);
    }
    ~Embree() {
        rtcReleaseScene(scene_);
        rtcReleaseDevice(device_);
    }
    Embree(const Embree&) = delete;
    Embree& operator=(const Embree&) = delete;

    [[nodiscard]] double seconds(const std::vector<RTCRayHit8>& packets) const {
        alignas(32) static constexpr std::array<int, 8> all{-1, -1, -1, -1, -1, -1, -1, -1};
        const double start = cpu_seconds();
        RTCRayHit8 packet;
        for (const RTCRayHit8& fresh : packets) {
            packet = fresh;
            RTCIntersectContext context;
            rtcInitIntersectContext(&context);
            rtcIntersect8(all.data(), scene_, &context, &packet);
        }
        return cpu_seconds() - start;
    }

private:
    RTCDevice device_;
    RTCScene scene_;
};

double seconds_of_unit(const tests::Fmi3Unit& unit, int round) {
    const double start = cpu_seconds();
    for (int i = 0; i < steps; ++i)
        if (unit.step((round * steps + i) * step_size, step_size).status != fmi3OK)
            throw std::runtime_error("the unit does not step");
    return cpu_seconds() - start;
}

bool unit_keeps_up() {
    const auto machine = fmus::read_machine(tests::built_folder("lidar", 3).string() + "/resources/machine.urdf");
    const std::vector<double> poses = poses_of(machine);
    const auto sensor = static_cast<std::size_t>(std::find_if(machine.links.begin(), machine.links.end(),
                                                              [](const auto& link) { return link.name == "lidar"; }) -
                                                 machine.links.begin());
    const auto pose_of_link = [&](std::size_t link) {
        return models::lidar::pose_of(std::span(poses).subspan(7 * link).first<7>());
    };
    const models::wall::Wall wall;
    models::wall::Mesh mesh = models::wall::make_mesh(wall.ring, wall.state.heights);
    for (const models::lidar::Shape& shape : models::lidar::shapes_of(machine))
        if (shape.link != sensor) add_box(shape, pose_of_link(shape.link), mesh);
    const Embree alone(mesh);
    const auto packets = rays(pose_of_link(sensor));

    const tests::Fmi3Unit unit("lidar");
    const fmi3ValueReference reference = unit.fmu()["links.poses"].reference;
    unit.call<fmi3SetFloat64TYPE>("fmi3SetFloat64")(unit.instance(), &reference, 1, poses.data(), poses.size());
    if (unit.initialize() != fmi3OK) throw std::runtime_error("the unit does not start");
    double embree = 1e9, whole = 1e9;
    for (int i = 0; i < repetitions; ++i) {
        embree = std::min(embree, alone.seconds(packets));
        whole = std::min(whole, seconds_of_unit(unit, i));
    }
    const double count = 8.0 * static_cast<double>(packets.size());
    std::printf(
        "LiDAR: unit %.1f Mray/s, Embree in packets of 8 %.1f Mray/s, ratio %.2f (at least %.2f); %.2f %% of a core\n",
        count / whole * 1e-6, count / embree * 1e-6, embree / whole, least_ratio, 100 * whole);
    return embree / whole >= least_ratio;
}

/// Median seconds for one bite: lower the wall, refit, commit.
double seconds_per_bite(double length) {
    models::wall::Wall wall;
    wall.ring.columns = static_cast<std::uint64_t>(std::lround(length / wall.ring.spacing)) + 1;
    wall.configure();
    wall.initialize(0);
    models::lidar::Scene scene(wall.ring);
    wall.inputs.jaw_position = 1;
    wall.inputs.jaw_velocity = 0.1;
    std::vector<double> seconds;
    for (int i = 0; i < 200; ++i) {
        const double azimuth = wall.ring.start + wall.ring.span() * (0.1 + 0.8 * std::fmod(i * 0.618, 1));
        const double bottom = 1.9 - 0.01 * i;
        wall.inputs.tool = {.pose = {30 * std::cos(azimuth), 30 * std::sin(azimuth), bottom + 0.5, 0, 0,
                                     std::sin(azimuth / 2), std::cos(azimuth / 2)},
                            .size = {0.6, 0.5, 1}};
        const double start = cpu_seconds();
        wall.step(0, step_size);
        scene.set_heights(wall.state.heights);
        scene.commit();
        if (wall.state.contact_active) seconds.push_back(cpu_seconds() - start);
    }
    std::nth_element(seconds.begin(), seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2), seconds.end());
    return seconds[seconds.size() / 2];
}

bool bites_are_cheap() {
    double small = 1e9, large = 1e9;
    for (int i = 0; i < repetitions; ++i) {
        small = std::min(small, seconds_per_bite(6));
        large = std::min(large, seconds_per_bite(60));
    }
    std::printf("wall: a bite costs %.0f us with 6 m, %.0f us with 60 m (at most %.0f us, and %.1f times as much)\n",
                small * 1e6, large * 1e6, most_seconds_per_bite * 1e6, most_growth);
    return large <= most_seconds_per_bite && small <= most_seconds_per_bite && large <= most_growth * small;
}

}  // namespace

int main() {
    try {
        const bool fast = unit_keeps_up(), cheap = bites_are_cheap();
        return fast && cheap ? 0 : 1;
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "error: %s\n", problem.what());
        return 2;
    }
}
