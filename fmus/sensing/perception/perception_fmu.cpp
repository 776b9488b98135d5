#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/common/machine/machine.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"
#include "models/sensing/perception/perception.hpp"

#include <limits>

namespace {

namespace point_cloud = interfaces::point_cloud;
using models::kinematics::Sensors;
using models::perception::Perception;

constexpr std::size_t most_points = 100'000;

/// The estimate, and where it stands in the stream of points.
struct Software {
    Perception perception;
    fmus::Bytes data;
    std::int64_t last = std::numeric_limits<std::int64_t>::min();  // ns, of the newest point that was worked on
    std::uint64_t refused = 0;                                     // clouds that were none

    void initialize(double t) {
        perception.initialize(t);
        last = std::numeric_limits<std::int64_t>::min();
        refused = 0;
    }
    /// Works on the points that came since the last step; the object ids among them are not looked at.
    void step(double t, double h) {
        perception.begin();
        if (!data.empty()) read_points();
        perception.finish(t + h);
    }
    auto members() { return std::tie(perception, data, last, refused); }

private:
    void read_points() {
        const auto cloud = point_cloud::View::parse(data);
        if (!cloud) {
            ++refused;
            return;
        }
        const std::int64_t seen = last;
        for (std::size_t i = 0; i < cloud->size(); ++i) {
            const point_cloud::Point point = (*cloud)[i];
            if (point.time <= seen) continue;
            last = point.time;
            if (point.x == 0 && point.y == 0 && point.z == 0) continue;  // no return
            perception.add({point.x, point.y, point.z, 1e-9 * static_cast<double>(point.time)});
        }
    }
};

class PerceptionFmu final : public fmus::InstanceOf<Software> {
public:
    void declare(const std::string& resources) override {
        const auto machine = fmus::read_machine(resources + "machine.urdf");
        model_.perception = Perception(machine, "lidar");
        about({.name = "Perception",
               .description = "Top edge of the wall from LiDAR points and measured joints of '" + machine.name + "'",
               .stop = 10,
               .step = 0.1});
        input("points.data", model_.data)
            .binary(point_cloud::mime_type, point_cloud::size_of(most_points))
            .describe("Points of the LiDAR; layout: interfaces/point_cloud/point_cloud.hpp");
        declare_sensors();
        declare_parameters();
        auto& outputs = model_.perception.outputs;
        output("edge.height", "m", outputs.height)
            .discrete()
            .depends_on({})
            .describe("Top of the wall above the machine's rim, from edge.start over edge.span ahead of the machine");
        output("edge.valid", outputs.valid).depends_on({}).describe("Whether the height is known");
        output("edge.sequence", outputs.sequence).depends_on({}).describe("Grows with every estimate from new points");
        output("points.wall", outputs.wall).depends_on({}).describe("New points on the wall");
        local("points.refused", model_.refused).depends_on({}).describe("Times that points.data was no point cloud");
        output("points.tool", outputs.tool).depends_on({}).describe("New points on the tool");
    }

private:
    void declare_sensors() {
        const Sensors& sensors = model_.perception.sensors();
        auto& readings = model_.perception.inputs.readings;
        for (std::size_t axis = 0; axis < sensors.axis_count(); ++axis) {
            if (sensors.kind(axis) == Sensors::Kind::none || sensors.axes()[axis].name() == "travel") continue;
            const Sensors::Signal signal = sensors.signal(axis);
            input(signal.name, signal.unit, readings.values[axis]).discrete().describe(signal.description);
        }
        input("pitch", "rad", readings.pitch).discrete().describe("Of the frame; positive raises the front");
        input("roll", "rad", readings.roll).discrete().describe("Of the frame; positive raises the left side");
    }
    void declare_parameters() {
        auto& parameters = model_.perception.parameters;
        auto& edge = parameters.edge;
        parameter("edge.start", "rad", edge.start).describe("First azimuth, ahead of the machine");
        parameter("edge.span", "rad", edge.span).describe("Azimuths from the first to the last");
        parameter("edge.radius", "m", edge.radius).describe("Of the wall's inner face");
        parameter("edge.window", "s", edge.window).describe("How long a point counts");
        parameter("edge.noise", "m", edge.noise).describe("Standard deviation of a point's height");
        parameter("wall.in_front", "m", parameters.in_front).describe("Points so far before the face belong to it");
        parameter("wall.behind", "m", parameters.behind).describe("Points so far behind the face belong to it");
        parameter("machine.margin", "m", parameters.margin).describe("Points so near to a body are the machine's");
        parameter("field_of_view", "rad", parameters.field_of_view).describe("Full angle of the sensor's cone");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<PerceptionFmu>(); }
