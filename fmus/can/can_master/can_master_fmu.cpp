#include "fmus/can/common/node_unit.hpp"
#include "fmus/can/common/sensor_signals.hpp"
#include "interfaces/canopen/master/master.hpp"
#include "interfaces/canopen/sensors/excavator.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace canopen = interfaces::canopen;
using fmus::can::Nanoseconds;
using fmus::can::sensor_signals;
using interfaces::can::Frame;

canopen::Time time_of(double seconds) { return canopen::Time(fmus::can::nanoseconds(seconds)); }

/// The NMT master of the sensor bus, as in an ECU: brings the sensors up, watches them, gives their values.
struct SensorMaster {
    struct Parameters {
        double heartbeat_period = 0.1, sync_period = 0;
        std::array<double, sensor_signals> start{};
    } parameters;
    struct Outputs {
        std::array<double, sensor_signals> values{};
        bool valid = false;
        std::uint8_t sensor_lost = 0;
        std::uint64_t losses = 0;
        std::string status;
        auto members() { return std::tie(values, valid, sensor_lost, losses, status); }
    } outputs;
    std::function<void(const std::string&)> warn;

    SensorMaster() : plan_(make_plan()), master_(*plan_) {}

    void initialize(Nanoseconds) {
        plan_ = make_plan();
        master_ = canopen::Master(*plan_);
        out_.clear();
        events_.clear();
        outputs = {};
        show();
    }
    void act(Nanoseconds now, fmus::can::Node& node) {
        follow_parameters();
        master_.advance(canopen::Time(now), out_, events_);
        for (const Frame& frame : out_) node.send(frame);
        out_.clear();
        for (const canopen::MasterEvent& event : events_) take(event);
        events_.clear();
        show();
    }
    void receive(const Frame& frame, Nanoseconds now) {
        follow_parameters();
        master_.receive(frame, canopen::Time(now), out_, events_);
    }
    [[nodiscard]] std::optional<Nanoseconds> next() const {
        const auto due = master_.due();
        return due ? std::optional(due->count()) : std::nullopt;
    }
    auto members() { return std::tie(parameters, outputs, master_.state, out_); }

private:
    [[nodiscard]] std::shared_ptr<const canopen::MasterPlan> make_plan() const {
        const std::vector<canopen::Node> nodes = canopen::excavator_sensors();
        const canopen::MasterSettings settings{.heartbeat_period = time_of(parameters.heartbeat_period),
                                               .sync_period = time_of(parameters.sync_period)};
        canopen::NodeWishes wishes;
        if (settings.sync_period > canopen::Time{})
            wishes.pdos.push_back({0, {.type = 1, .inhibit_100us = 0, .event_timer_ms = 0}});
        return std::make_shared<canopen::MasterPlan>(
            canopen::make_plan(nodes, settings, std::vector(nodes.size(), wishes)));
    }
    /// A restored state may be that of other parameters.
    void follow_parameters() {
        if (plan_->settings.heartbeat_period == time_of(parameters.heartbeat_period) &&
            plan_->settings.sync_period == time_of(parameters.sync_period))
            return;
        plan_ = make_plan();
        canopen::Master master(*plan_);
        master.state = std::move(master_.state);
        master_ = std::move(master);
    }
    void take(const canopen::MasterEvent& event) {
        outputs.status = text(event, *plan_);
        if (!event.is_loss()) return;
        ++outputs.losses;
        if (outputs.sensor_lost == 0) outputs.sensor_lost = plan_->nodes[event.node].id;
        if (warn) warn("sensor lost: " + outputs.status);
    }
    void show() {
        bool complete = true;
        for (std::size_t i = 0; i < sensor_signals; ++i) {
            const double value = master_.state.values[i];
            const bool came = !std::isnan(value);
            outputs.values[i] = came ? value : parameters.start[i];
            complete = complete && came;
        }
        outputs.valid = complete && master_.all_running();
    }

    std::shared_ptr<const canopen::MasterPlan> plan_;  // follows from the parameters
    canopen::Master master_;
    canopen::Frames out_;
    canopen::Master::Events events_;
};

class CanMasterFmu final : public fmus::can::NodeUnit<SensorMaster> {
public:
    void declare_unit(const std::string&) override {
        about({.name = "CanMaster",
               .description = "CANopen master of the excavator's sensor bus, the ECU's role: values out, and which "
                              "sensor was lost",
               .stop = 1,
               .step = 0.001});
        auto& parameters = device().parameters;
        parameter("heartbeat_period", "s", parameters.heartbeat_period)
            .min(0)
            .max(65)
            .describe("Written into every sensor; 0: as they have it");
        parameter("sync_period", "s", parameters.sync_period)
            .min(0)
            .describe("Of SYNC, with which the sensors then send; 0: they send by themselves");
        declare_node("Bus");
        auto& outputs = device().outputs;
        std::size_t at = 0;
        for (const canopen::Node& node : canopen::excavator_sensors()) {
            for (const canopen::Signal& signal : node.signals) {
                const char* unit = fmus::can::unit_of_signal(signal.name);
                parameter(signal.name + ".start", unit, parameters.start[at])
                    .describe("Before sensor " + node.name + " has sent");
                output(signal.name, unit, outputs.values[at++])
                    .discrete()
                    .depends_on({})
                    .describe("What sensor " + node.name + " sent last");
            }
        }
        output("valid", outputs.valid)
            .depends_on({})
            .describe("All sensors are in operation, and all values have come");
        output("sensor_lost", outputs.sensor_lost)
            .depends_on({})
            .describe("Node-id of the first sensor that was lost since the start, also when it is back; 0: none");
        output("losses", outputs.losses).depends_on({}).describe("How often a sensor was lost");
        output("status", outputs.status).depends_on({}).describe("What happened to a sensor last");
        device().warn = [this](const std::string& text) { report(fmus::Status::warning, text); };
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanMasterFmu>(); }
