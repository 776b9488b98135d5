#include "fmus/can/gateway/gateway_unit.hpp"

namespace {

using fmus::can::Gateway;

class CanGatewayFmu final : public fmus::can::GatewayUnit<Gateway> {
public:
    void declare_unit(const std::string& resources) override {
        device() = Gateway(read_layout(resources));
        about({.name = "CanGateway",
               .description = "Signals to CAN frames and back, by a DBC file and its mapping; rest bus of absent nodes",
               .stop = 1,
               .step = 0.001});
        declare_gateway(device(), {});
    }

private:
    models::Advance step_model(double t, double h) override {
        const models::Advance advance = model_.step(t, h);
        warn(device());
        return advance;
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanGatewayFmu>(); }
