#include "fmus/common/machine/machine.hpp"
#include "fmus/sensing/common/point_window.hpp"
#include "fmus/sensing/lidar/livox_service.hpp"
#include "fmus/site/wall/ring_unit.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"
#include "models/sensing/lidar/lidar.hpp"

#include <stdexcept>

namespace {

namespace point_cloud = interfaces::point_cloud;
using models::lidar::Curve;

using fmus::nanoseconds;

/// The sensor, the points of its window as bytes, and its place on a network.
struct Sensor {
    models::lidar::Lidar lidar;
    fmus::PointWindow window;
    fmus::LivoxService service;

    void configure() { lidar.configure(); }
    void initialize(double t) {
        lidar.initialize(t);
        if (lidar.capacity() > fmus::most_points)
            throw std::invalid_argument("lidar: parameter 'window' holds " + std::to_string(lidar.capacity()) +
                                        " points, expected at most " + std::to_string(fmus::most_points));
        window.reset(lidar.capacity(), nanoseconds(t));
        service.initialize();
    }
    void step(double t, double h) {
        lidar.step(t, h);
        const std::size_t count = lidar.outputs.count, kept = count - lidar.outputs.fresh;
        window.slide(kept, lidar.outputs.fresh);
        for (std::size_t i = kept; i < count; ++i) {
            const models::lidar::Point& from = lidar.point(i);
            const point_cloud::Point point{.x = from.x,
                                           .y = from.y,
                                           .z = from.z,
                                           .object = from.object,
                                           .intensity = from.intensity,
                                           .tag = from.tag,
                                           .time = nanoseconds(from.time)};
            window.add(point);
            service.add(point);
        }
        window.finish(lidar.outputs.sequence, nanoseconds(t + h));
        service.finish_point(nanoseconds(t + h));
    }
    auto members() { return std::tie(lidar, window, service); }
};

class LidarFmu final : public fmus::OutsideUnit<fmus::RingUnit<Sensor>> {
public:
    LidarFmu() {
        about({.name = "Lidar",
               .description = "A Livox Mid-70 that sees a wall and the machine that carries it",
               .stop = 1,
               .step = 0.01});
        enumeration<Curve>({"Curve", {{"hypotrochoid", 1}, {"eight_terms", 2}}});
        declare_scan();
        declare_beam();
        declare_ring(model_.lidar.ring);
        declare_network();
    }
    void declare(const std::string& resources) override {
        auto& lidar = model_.lidar;
        const auto machine = fmus::read_machine(resources + "machine.urdf");
        lidar.shapes = models::lidar::shapes_of(machine);
        lidar.links = machine.links.size();
        lidar.sensor = link_named("lidar", machine);
        lidar.configure();

        input("heights", "m", lidar.inputs.heights)
            .discrete()
            .dimensions({"n_phi", "n_r"})
            .describe("Heights of the wall's top vertices above its base");
        input("links.poses", lidar.inputs.poses)
            .discrete()
            .dimensions({static_cast<int>(lidar.links), 7})
            .describe("x y z (m) qx qy qz qw of every link, world");
        output("points.data", model_.window.data)
            .binary(point_cloud::mime_type, point_cloud::size_of(fmus::most_points))
            .part(model_.window.part)
            .depends_on({})
            .describe("The points of the window; layout: interfaces/point_cloud/point_cloud.hpp");
        auto& outputs = lidar.outputs;
        output("points.count", outputs.count).depends_on({}).describe("Number of points, with or without a return");
        output("points.sequence", outputs.sequence).depends_on({}).describe("Grows by one with every step");
        output("points.rate", "1/s", outputs.rate)
            .discrete()
            .depends_on({})
            .describe("Points with a return per second, over the window");
        local("coverage", outputs.coverage)
            .discrete()
            .depends_on({})
            .describe("Share of the field of view that the rays of the window looked at");
        declare_statistics();
    }

private:
    static std::uint32_t link_named(const std::string& name, const models::kinematics::Machine& machine) {
        std::string known;
        for (std::size_t i = 0; i < machine.links.size(); ++i) {
            if (machine.links[i].name == name) return static_cast<std::uint32_t>(i);
            known += (i == 0 ? "" : ", ") + machine.links[i].name;
        }
        throw std::runtime_error("the machine '" + machine.name + "' has no link '" + name + "' for the sensor, only " +
                                 known);
    }
    void declare_scan() {
        auto& scan = model_.lidar.scan;
        parameter("scan.curve", scan.curve)
            .describe(
                "hypotrochoid, or the sum of eight rotations fitted to the maker's (speeds and ratio do not apply)");
        parameter("scan.field_of_view", "rad", scan.field_of_view).describe("Full angle of the cone of rays");
        parameter("scan.first_speed", "Hz", scan.first_speed).describe("Turns per second of the first rotation");
        parameter("scan.second_speed", "Hz", scan.second_speed).describe("Turns per second of the opposite rotation");
        parameter("scan.radius_ratio", scan.radius_ratio).describe("Second over first radius; 1: no hole");
        parameter("scan.start_phase", "rad", scan.start_phase).describe("Of the first rotation");
        parameter("scan.rays_per_shot", scan.rays_per_shot).describe("Rays in one shot");
        parameter("scan.shots_per_second", "Hz", scan.shots_per_second).describe("Shots per second");
        parameter("window", "s", model_.lidar.window).describe("How long a point stays in points.data");
        parameter("coverage.cell", "rad", model_.lidar.coverage_cell)
            .describe("Side of the cells of the coverage figure");
    }
    void declare_network() {
        auto& parameters = model_.service.parameters;
        declare_outside(parameters.outside,
                        "Serves the points as a Livox Mid-70 on the network; off: nothing is opened");
        parameter("livox.address", parameters.address)
            .describe("IPv4 address of the device, one each, of an interface of this computer");
        parameter("livox.advert_to", parameters.advert_to)
            .describe("Host or broadcast address that hears of the device");
        parameter("livox.code", parameters.code).describe("Broadcast code, 15 letters and digits");
        model_.service.warn = [this](const std::string& text) { report(fmus::Status::warning, text); };
    }
    /// Locals, so that results of runs without a network have no columns for them.
    void declare_statistics() {
        auto& outputs = model_.service.outputs;
        local("livox.connected", outputs.connected).depends_on({}).describe("A client holds a session");
        local("livox.sampling", outputs.sampling).depends_on({}).describe("It asked for points");
        local("livox.points", outputs.points).discrete().depends_on({}).describe("Points sent");
        local("livox.packets", outputs.packets).depends_on({}).describe("Packets sent");
        local("livox.late", outputs.late).depends_on({}).describe("Packets that left more than 5 ms late");
        local("livox.dropped", outputs.dropped).discrete().depends_on({}).describe("Points that found the queue full");
        local("livox.failed", outputs.failed).depends_on({}).describe("Packets that the operating system did not take");
    }
    void declare_beam() {
        auto& beam = model_.lidar.beam;
        parameter("beam.nearest", "m", beam.nearest).describe("Nothing nearer is seen");
        parameter("beam.farthest", "m", beam.farthest).describe("Nothing farther is seen");
        parameter("beam.range_noise", "m", beam.range_noise).describe("Standard deviation of the range");
        parameter("beam.loss", beam.loss).describe("Share of hits without a return");
        parameter("beam.dual_return", beam.dual_return)
            .describe("Two points per ray; the second where the beam straddles an edge");
        parameter("beam.divergence", "rad", beam.divergence).describe("Full angle of the beam, for the second return");
        parameter("beam.separation", "m", beam.separation).describe("Returns closer than this are one");
        parameter("beam.wall_reflectance", beam.wall_reflectance).describe("Share of light that the wall returns");
        parameter("beam.machine_reflectance", beam.machine_reflectance).describe("Share that the machine returns");
        parameter("beam.seed", beam.seed).describe("Of noise and losses");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<LidarFmu>(); }
