#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/work/teleop/outside.hpp"
#include "interfaces/teleop/datagrams.hpp"

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace {

namespace teleop = interfaces::teleop;
using fmus::teleoperation::Control;
using fmus::teleoperation::Outside;
using fmus::teleoperation::Parameters;

/// The machine's end of teleoperation. Without a network the operator is a unit of the same simulation, and the link
/// between them is a function of simulated time: the same seed gives the same bits.
struct Machine {
    Parameters parameters;
    struct Inputs {
        teleop::Pose pose;
        std::array<double, teleop::edge_size> heights{};
        std::array<bool, teleop::edge_size> valid{};
        fmus::Bytes up;
        auto members() { return std::tie(pose, heights, valid, up); }
    } inputs;
    Control control;
    double content_bits = 0;  // sent, of Int16 numbers alone
    fmus::Bytes down;
    std::function<void(const std::string&)> warn;

    void initialize(double) {
        control = {};
        content_bits = 0;
        last_ = {};
        sequence_ = 0;
        batch_ = taken_ = 0;
        teleop::LinkSettings settings = teleop::parse_link(parameters.link);
        link_down_ = teleop::Link(settings);
        ++settings.seed;
        link_up_ = teleop::Link(settings);
        gate_ = teleop::ControlGate(session, fmus::teleoperation::gate_settings(parameters));
        teleop::DatagramWriter(down).begin(0);
        outside_.open(parameters, [this] { return std::make_unique<Outside>(parameters); });
    }
    void step(double t, double h) {
        const std::int64_t now = std::llround((t + h) * 1e9);
        teleop::Edge edge;
        for (std::size_t i = 0; i < teleop::edge_size; ++i)
            edge.heights[i] = inputs.valid[i] ? inputs.heights[i] : std::numeric_limits<double>::quiet_NaN();
        const bool had = control.holder != 0;
        const std::uint64_t failed = control.failed, refused = control.refused;
        if (outside_) {
            outside_->exchange(now, inputs.pose, edge, control);
        } else {
            receive(now);
            send(now, edge);
            control = fmus::teleoperation::control_of(gate_, now);
        }
        if (warn && had && control.holder == 0 && control.statistics.timeouts > 0)
            warn("the operator's commands stay away: every axis stops");
        if (warn && refused <= flood && control.refused > flood)
            warn("more than " + std::to_string(flood) +
                 " packets were no commands of an operator; they are refused and counted");
        if (warn && failed == 0 && control.failed > 0)
            warn("the stream cannot be sent: " + std::string(std::strerror(static_cast<int>(control.failure))) +
                 "; packets are thrown away and counted, the simulation goes on");
    }
    auto members() {
        return std::tie(parameters, inputs, control, content_bits, down, gate_, link_down_, link_up_, last_, sequence_,
                        batch_, taken_);
    }

private:
    static constexpr std::uint64_t flood = 1000;
    static constexpr std::uint32_t session = 1;
    struct Last {
        std::int64_t pose = -1, edge = -1, status = -1;  // numbers of their periods
    };

    void receive(std::int64_t now) {
        if (auto batch = teleop::DatagramReader::parse(inputs.up); batch && batch->number() > taken_) {
            taken_ = batch->number();
            while (const auto datagram = batch->next()) link_up_.put(*datagram, now);
        }
        while (const auto arrival = link_up_.take(now)) {
            const auto packet = teleop::decode(arrival->datagram, nullptr);
            if (!packet) continue;
            if (const auto* command = std::get_if<teleop::Command>(&packet->content))
                gate_.receive(packet->header, *command, now);
        }
    }
    void send(std::int64_t now, const teleop::Edge& edge) {
        const auto due = [&](std::int64_t& last, std::int64_t period) {
            const std::int64_t number = now / period;
            return std::exchange(last, number) != number;
        };
        const auto put = [&](const auto& content) {
            link_down_.put(teleop::encode({{session, ++sequence_, now}, content}, nullptr), now);
        };
        if (due(last_.pose, teleop::pose_period)) {
            put(inputs.pose);
            content_bits += 16.0 * teleop::pose_size;
        }
        if (due(last_.edge, teleop::edge_period)) {
            put(edge);
            content_bits += 16.0 * teleop::edge_size;
        }
        if (due(last_.status, teleop::status_period)) put(gate_.status());
        if (!link_down_.next() || *link_down_.next() > now) return;
        teleop::DatagramWriter writer(down);
        writer.begin(++batch_);
        while (const auto arrival = link_down_.take(now)) (void)writer.add(arrival->datagram);
    }

    teleop::ControlGate gate_{session};
    teleop::Link link_down_{{}}, link_up_{{}};
    Last last_;
    std::uint32_t sequence_ = 0;
    std::uint64_t batch_ = 0, taken_ = 0;
    fmus::Opened<Outside, Parameters> outside_;
};

class TeleopFmu final : public fmus::OutsideUnit<fmus::InstanceOf<Machine>> {
public:
    TeleopFmu() {
        about({.name = "Teleop",
               .description = "The machine's end of teleoperation: pose and edge to an operator, his levers back",
               .stop = 10,
               .step = 0.01});
        declare_outside(
            model_.parameters.outside,
            "An operator outside of the simulation, over UDP; off: the operator is the unit at up and down");
        declare_link();
        declare_machine();
        declare_control();
        model_.warn = [this](const std::string& text) { report(fmus::Status::warning, text); };
    }

private:
    void declare_link() {
        auto& parameters = model_.parameters;
        parameter("address", parameters.address)
            .describe("ADDRESS[:PORT] that operators send to; any but 127.0.0.0/8 needs a key");
        parameter("key_file", parameters.key_file)
            .describe("File with the secret of both ends, at least 16 bytes; empty: packets are not signed");
        parameter("link", parameters.link)
            .describe(
                "How bad the link is, both ways: delay=80ms,jitter=20ms,loss=2%,rate=100kbit/s,seed=7; empty: good");
        terminal({.name = "teleoperation",
                  .kind = "io.tandem.cosim.teleoperation",
                  .members = {{"network", "network"}, {"address", "address"}, {"link", "link"}}});
        parameter("dead_man", "s", parameters.dead_man).describe("Without a command so long, every axis stops");
        parameter("stale_view", "s", parameters.stale_view)
            .describe("An operator whose picture of the machine is older moves nothing");
    }
    void declare_machine() {
        auto& values = model_.inputs.pose.values;
        constexpr std::array<std::pair<const char*, const char*>, teleop::pose_size> names{
            {{"inclination.boom", "rad"},
             {"inclination.adjust", "rad"},
             {"inclination.arm", "rad"},
             {"inclination.coupler", "rad"},
             {"slew.length", "m"},
             {"rotate.angle", "rad"},
             {"jaw.position", "m"},
             {"pitch", "rad"},
             {"roll", "rad"}}};
        for (std::size_t i = 0; i < names.size(); ++i)
            input(names[i].first, names[i].second, values[i]).discrete().describe("Sent 50 times per second");
        input("edge.height", "m", model_.inputs.heights)
            .discrete()
            .describe("Top of the wall, sent 10 times per second");
        input("edge.valid", model_.inputs.valid).describe("Whether the height is known");
        input("up.data", model_.inputs.up)
            .binary(teleop::datagrams_mime_type, teleop::most_datagram_bytes)
            .describe("Datagrams of an operator in the simulation; layout: interfaces/teleop/datagrams.hpp");
        output("down.data", model_.down)
            .binary(teleop::datagrams_mime_type, teleop::most_datagram_bytes)
            .depends_on({})
            .describe("Datagrams that reach him");
    }
    void declare_control() {
        auto& control = model_.control;
        for (std::size_t i = 0; i < teleop::axis_count; ++i)
            output(std::string(teleop::axes[i]) + ".command", "1", control.axes[i])
                .discrete()
                .depends_on({})
                .describe("What the operator in control wants, as far as it is allowed");
        output("control.holder", control.holder).depends_on({}).describe("The operator in control; 0: nobody");
        output("control.may_move", control.may_move).depends_on({}).describe("His dead-man is held, his view fresh");
        auto& statistics = control.statistics;
        output("commands.accepted", statistics.accepted).depends_on({}).describe("Commands that counted");
        output("commands.old", statistics.old).depends_on({}).describe("Overtaken by later ones, or replayed");
        output("commands.refused", control.refused)
            .depends_on({})
            .describe("Of another session or operator, forged, or wrongly signed");
        output("commands.stale", statistics.stale).depends_on({}).describe("By an operator whose view was too old");
        output("commands.timeouts", statistics.timeouts).depends_on({}).describe("Times that they stayed away");
        output("sent.content", "bit", model_.content_bits)
            .discrete()
            .depends_on({})
            .describe("Bits of the numbers alone that were sent inside of the simulation");
        // Locals, so that results of runs without a network have no columns for them.
        local("telemetry.operators", control.operators).depends_on({}).describe("Those outside who get the stream");
        local("telemetry.failed", control.failed)
            .depends_on({})
            .describe("Packets that the operating system did not take");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<TeleopFmu>(); }
