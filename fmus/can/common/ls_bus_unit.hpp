#pragma once

#include "fmus/can/common/port.hpp"
#include "fmus/common/declaring/instance_of.hpp"

#include <filesystem>
#include <string>

namespace fmus::can {

enum class Role : std::uint8_t { node, bus_simulation };

/// A unit that speaks FMI-LS-BUS: declares the variables and the terminal of each of its ports, and the manifest.
/// With the file triggered_clocks.txt among its resources it activates its Tx_Clocks itself (outputs, triggered) and
/// says its time events; without, they are countdown clocks that the importer ticks.
template <class Model>
class LsBusUnit : public InstanceOf<Model> {
public:
    void declare(const std::string& resources) final {
        triggered_ = std::filesystem::is_regular_file(resources + "triggered_clocks.txt");
        declare_unit(resources);
    }

protected:
    /// Declares the variables of the unit.
    virtual void declare_unit(const std::string& resources) = 0;

    explicit LsBusUnit(Role role) {
        this->follows({.folder = "org.fmi-standard.fmi-ls-bus",
                       .name = "org.fmi-standard.fmi-ls-bus",
                       .version = "1.0.0",
                       .description = "Layered Standard for the simulation of bus communication on a Physical Signal "
                                      "Abstraction or Network Abstraction based level.",
                       .element = "fmiLayeredStandardManifest",
                       .attributes = {{"isBusSimulationFMU", role == Role::bus_simulation ? "true" : "false"}}});
    }

    /// `notifications` is the variable that says whether the bus confirms; the caller declares it.
    void bus_terminal(const std::string& name, Port& port, const std::string& notifications) {
        const auto member = [&](const char* which) { return name + '.' + which; };
        const std::string rx_clock = member("Rx_Clock"), rx_data = member("Rx_Data");
        const std::string tx_clock = member("Tx_Clock"), tx_data = member("Tx_Data");
        this->input_clock(rx_clock, port.rx_clock, {.kind = ClockKind::triggered});
        port.triggered = triggered_;
        if (triggered_)
            this->output_clock(tx_clock, port.tx_clock, {.kind = ClockKind::triggered}).depends_on({});
        else
            this->input_clock(tx_clock, port.tx_clock,
                              {.kind = ClockKind::countdown, .countdown = scalar_cell(port.countdown)});
        this->input(rx_data, port.rx_data)
            .binary(interfaces::ls_bus::mime_type, interfaces::ls_bus::most_bytes)
            .of_clocks({rx_clock});
        auto data = this->output(tx_data, port.out.data);
        data.binary(interfaces::ls_bus::mime_type, interfaces::ls_bus::most_bytes).of_clocks({tx_clock});
        if (triggered_)
            data.depends_on({});
        else
            data.depends_on({tx_clock});
        this->terminal(
            {.name = name,
             .kind = "org.fmi-ls-bus.network-terminal",
             .rule = "org.fmi-ls-bus.transceiver",
             .members = {{tx_data, "Tx_Data"}, {tx_clock, "Tx_Clock"}, {rx_data, "Rx_Data"}, {rx_clock, "Rx_Clock"}},
             .terminals = {{.name = "Configuration",
                            .kind = "org.fmi-ls-bus.network-terminal.configuration",
                            .rule = "bus",
                            .members = {{notifications, "BusNotifications"}}}}});
    }

private:
    bool triggered_ = false;
};

}  // namespace fmus::can
