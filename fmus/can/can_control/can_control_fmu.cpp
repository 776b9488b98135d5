#include "fmus/can/gateway/control.hpp"
#include "fmus/can/gateway/gateway_unit.hpp"

namespace {

using fmus::can::Control;

class CanControlFmu final : public fmus::can::GatewayUnit<Control> {
public:
    void declare_unit(const std::string& resources) override {
        device() = Control(read_layout(resources));
        about({.name = "CanControl",
               .description = "One end of the control bus: the automation computer's (nodes = Computer) or the "
                              "controller's (nodes = Ecu), which stops safely",
               .stop = 1,
               .step = 0.001});
        declare_gateway(device().gateway, {.sent = {"applied.counter", "stop.reason", "stop.message", "stop.time"},
                                           .received = {"enable", "status"}});
        auto& [reason, message, time] = device().stop;
        output("received.enable", device().enable).depends_on({}).describe("The machine may move; off in a stop");
        output("received.status", device().status).depends_on({}).describe("Of the controller; 3, a fault, in a stop");
        input("sensor.lost", device().lost_sensor).describe("Node-id of a lost sensor; 0: none");
        output("stop.reason", reason)
            .depends_on({})
            .describe(
                "0 none, 1 wrong checksum, 2 repeated counter, 3 missing counter, 4 timeout, 5 sensor lost, "
                "6 bus off");
        output("stop.message", message).depends_on({}).describe("Identifier of the message, or the sensor's node-id");
        output("stop.time", "s", time).discrete().depends_on({}).describe("Since the start");
        output("stops", device().stops).depends_on({}).describe("How often it stopped");
    }

private:
    models::Advance step_model(double t, double h) override {
        const models::Advance advance = model_.step(t, h);
        if (device().stops > told_) report(fmus::Status::warning, device().explanation());
        told_ = device().stops;
        warn_of_misfit(device().gateway);
        return advance;
    }

    std::uint64_t told_ = 0;
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanControlFmu>(); }
