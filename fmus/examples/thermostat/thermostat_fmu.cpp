#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/thermostat/thermostat.hpp"

namespace {

class ThermostatFmu final : public fmus::InstanceOf<models::Thermostat> {
public:
    ThermostatFmu() {
        about({.description = "A heater switch, in a technician's units", .stop = 3600, .step = 10});
        parameter("T_set", "degC", model_.parameters.T_set_celsius).tunable().describe("Set point");
        parameter("band", "K", model_.parameters.band_kelvin).min(0).describe("Width of the hysteresis");
        parameter("power", "kW", model_.parameters.power_kilowatt).min(0).describe("Power of the heater");
        input("T", "degC", model_.inputs.T_celsius).describe("Temperature");
        output("P", "kW", model_.outputs.power_kilowatt).discrete().depends_on({"T"}).describe("Heating power");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<ThermostatFmu>(); }
