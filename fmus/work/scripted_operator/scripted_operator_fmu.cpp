#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/common/machine/machine.hpp"
#include "interfaces/teleop/datagrams.hpp"
#include "interfaces/teleop/operator_station.hpp"
#include "models/work/steering/steering.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

namespace {

namespace teleop = interfaces::teleop;
using models::steering::Steering;

/// Somebody at a station who sees only the stream and sends only commands.
struct Person {
    Steering steering;
    struct Parameters {
        double period = 0.02, quits_at = 0;
        std::uint64_t id = 7;
        [[nodiscard]] bool operator==(const Parameters&) const = default;
    } parameters;
    fmus::Bytes down, up;
    double age = 0;                                        // of the newest pose, by the machine's clock
    std::array<std::size_t, teleop::pose_size> axis_of{};  // readings that the stream has
    bool done = false;

    void initialize(double) {
        steering.initialize();
        station_ = teleop::OperatorStation(static_cast<std::uint32_t>(parameters.id));
        next_ = 0;
        batch_ = taken_ = 0;
        age = 0;
        done = false;
        teleop::DatagramWriter(up).begin(0);
    }
    void step(double t, double h) {
        const std::int64_t now = std::llround((t + h) * 1e9);
        if (auto batch = teleop::DatagramReader::parse(down); batch && batch->number() > taken_) {
            taken_ = batch->number();
            while (const auto datagram = batch->next())
                if (const auto packet = teleop::decode(*datagram, nullptr)) station_.receive(*packet, now);
        }
        if (station_.pose()) age = 1e-9 * static_cast<double>(now - station_.pose()->time);
        const bool gone = parameters.quits_at > 0 && t + h >= parameters.quits_at;
        if (now < next_ || gone) return;
        next_ = now + std::llround(parameters.period * 1e9);
        const Steering::Levers wanted = steering.steer(view(), t + h);
        done = steering.outputs.stage == Steering::Stage::done;
        std::array<double, teleop::axis_count> levers{};
        levers[boom] = wanted.boom;
        levers[jaw] = wanted.jaw;
        const auto packet = done ? station_.release(now) : station_.command(levers, true, now);
        if (!packet) return;
        teleop::DatagramWriter writer(up);
        writer.begin(++batch_);
        (void)writer.add(teleop::encode(*packet, nullptr));
    }
    auto members() {
        return std::tie(steering, parameters, down, up, age, axis_of, done, station_, next_, batch_, taken_);
    }

private:
    static constexpr std::size_t boom = 0, jaw = 6, pitch = 7, roll = 8;  // places in the stream

    [[nodiscard]] std::optional<Steering::View> view() const {
        if (!station_.pose() || !station_.edge()) return std::nullopt;
        const auto& values = station_.pose()->content.values;
        Steering::View view{.readings = {}, .jaw = values[jaw], .edge = station_.edge()->content.heights};
        for (std::size_t i = 0; i < jaw; ++i) view.readings.values[axis_of[i]] = values[i];
        view.readings.pitch = values[pitch];
        view.readings.roll = values[roll];
        return view;
    }

    teleop::OperatorStation station_{7};
    std::int64_t next_ = 0;
    std::uint64_t batch_ = 0, taken_ = 0;
};

class ScriptedOperatorFmu final : public fmus::InstanceOf<Person> {
public:
    void declare(const std::string& resources) override {
        const auto machine = fmus::read_machine(resources + "machine.urdf");
        model_.steering = Steering(machine);
        find_axes();
        about({.name = "ScriptedOperator",
               .description = "Takes one bite with '" + machine.name + "' by teleoperation: sees only the stream",
               .stop = 60,
               .step = 0.01});
        enumeration<Steering::Stage>(
            {"Stage", {{"watch", 0}, {"lower", 1}, {"close", 2}, {"open", 3}, {"raise", 4}, {"done", 5}}});
        auto& parameters = model_.parameters;
        parameter("period", "s", parameters.period).describe("Between two commands");
        parameter("id", parameters.id).describe("Of the operator");
        parameter("quits_at", "s", parameters.quits_at).describe("When his commands end without a word; 0: never");
        auto& habits = model_.steering.parameters;
        parameter("gain", "1/m", habits.gain).describe("Lever per distance");
        parameter("slowest", habits.slowest).describe("Lever while he is not there");
        parameter("pull", "s", habits.pull).describe("Length of a pull once he went too far");
        parameter("patience", "s", habits.patience).describe("Between such pulls");
        parameter("close_enough", "m", habits.close_enough).describe("Distance at which he is there");
        parameter("settled", "s", habits.settled).describe("How long something must stand until he believes it");
        parameter("depth", "m", habits.depth).describe("Middle of the chamber below the edge");
        input("down.data", model_.down)
            .binary(teleop::datagrams_mime_type, teleop::most_datagram_bytes)
            .describe("Datagrams that reach him; layout: interfaces/teleop/datagrams.hpp");
        output("up.data", model_.up)
            .binary(teleop::datagrams_mime_type, teleop::most_datagram_bytes)
            .depends_on({})
            .describe("Datagrams that he sends");
        auto& outputs = model_.steering.outputs;
        output("stage", outputs.stage).depends_on({}).describe("What he is at");
        output("done", model_.done).depends_on({}).describe("The bite is taken, the tool is back");
        output("finished", "s", outputs.finished).discrete().depends_on({}).describe("When that was; 0: not yet");
        output("view.height", "m", outputs.height).discrete().depends_on({}).describe("Of the tool, as he sees it");
        output("view.target", "m", outputs.target).discrete().depends_on({}).describe("Where he wants it");
        output("view.age", "s", model_.age).discrete().depends_on({}).describe("Of the newest pose that he has");
    }

private:
    void find_axes() {
        const auto& sensors = model_.steering.sensors();
        for (std::size_t i = 0; i < 6; ++i) {
            const std::string_view wanted = teleop::pose_channels[i].name;
            std::size_t axis = 0;
            while (axis < sensors.axis_count() && sensors.axes()[axis].name() != wanted) ++axis;
            if (axis == sensors.axis_count())
                throw std::runtime_error("the machine has no axis '" + std::string(wanted) + "'");
            model_.axis_of[i] = axis;
        }
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<ScriptedOperatorFmu>(); }
