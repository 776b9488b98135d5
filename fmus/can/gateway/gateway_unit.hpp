#pragma once

#include "fmus/can/common/node_unit.hpp"
#include "fmus/can/gateway/gateway.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace fmus::can {

/// A unit with a gateway in it. Its variables follow from resources/mapping.xml and the DBC file that it names.
template <class Device>
class GatewayUnit : public NodeUnit<Device> {
protected:
    /// Of the mapping file; stays as long as the unit.
    const GatewayLayout& read_layout(const std::string& resources) {
        layout_ = std::make_unique<GatewayLayout>(interfaces::can_mapping::read_file(resources + "mapping.xml"));
        return *layout_;
    }

    /// Signals whose input or output the unit itself declares, or does not have.
    struct Own {
        std::vector<std::string> sent = {}, received = {};
    };
    void declare_gateway(Gateway& gateway, const Own& own) {
        auto& [nodes, period, depth] = gateway.parameters;
        this->parameter("nodes", nodes).describe("Nodes of the DBC file that this unit plays, separated by blanks");
        this->declare_node("Bus");
        this->parameter("receive.period", "s", period)
            .min(0)
            .describe("Between two looks at what has come; 0: at once");
        this->parameter("receive.depth", depth)
            .max(65536)
            .describe("Frames that fit in between; others are lost and counted");
        this->input("silent", gateway.silent).describe("Send nothing");
        const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
            return std::find(names.begin(), names.end(), name) != names.end();
        };
        for (std::size_t i = 0; i < layout_->signals.size(); ++i) {
            const GatewaySignal& signal = layout_->signals[i];
            if (!is_in(own.sent, signal.name))
                declare_value(Causality::input, "send." + signal.name, signal, gateway.sent[i]);
            if (!is_in(own.received, signal.name))
                declare_value(Causality::output, "received." + signal.name, signal, gateway.received[i]);
            declare_value(Causality::parameter, "override.value." + signal.name, signal, gateway.overrides[i].value);
            if (signal.has_indicator)
                this->output("indicator." + signal.name,
                             gateway.indicators[layout_->messages[layout_->message_of(i)].place + signal.signal])
                    .depends_on({})
                    .describe(
                        "What came last: 0 a number, 1 specific or reserved, 2 error, 3 not available (J1939-71); "
                        "received." +
                        signal.name + " holds the last number");
            this->parameter("override.active." + signal.name, gateway.overrides[i].active)
                .tunable()
                .describe("Send override.value." + signal.name + " in place of the input");
        }
        declare_messages(gateway);
    }

    void warn_of_misfit(const Gateway& gateway) {
        if (gateway.misfit && !warned_of_misfit_) this->report(Status::warning, gateway.explanation_of_misfit());
        warned_of_misfit_ = gateway.misfit.has_value();
    }
    /// Warns once of each message that turned bad, and of the first value that did not fit.
    void warn(const Gateway& gateway) {
        warn_of_misfit(gateway);
        if (gateway.fault.count > warned_) this->report(Status::warning, gateway.explanation());
        warned_ = gateway.fault.count;
    }

private:
    /// What is odd in the files may be a wrong value on the bus: whoever runs the unit sees it, too.
    void load_resources(const std::string&) override {
        constexpr std::size_t most = 16;
        const std::vector<std::string>& remarks = layout_->remarks;
        for (std::size_t i = 0; i < std::min(most, remarks.size()); ++i) this->report(Status::warning, remarks[i]);
        if (remarks.size() > most)
            this->report(Status::warning, "and " + std::to_string(remarks.size() - most) + " more of that kind");
    }
    void declare_value(Causality causality, const std::string& name, const GatewaySignal& signal, Gateway::Cell& cell) {
        switch (signal.kind) {
            case GatewaySignal::Kind::real:
                return declare_as(causality, name, signal, cell.real);
            case GatewaySignal::Kind::whole:
                return declare_as(causality, name, signal, cell.whole);
            case GatewaySignal::Kind::flag:
                return declare_as(causality, name, signal, cell.flag);
        }
    }
    template <class T>
    void declare_as(Causality causality, const std::string& name, const GatewaySignal& signal, T& value) {
        if (causality == Causality::input)
            this->input(name, signal.unit, value).discrete().describe(signal.description);
        else if (causality == Causality::output)
            this->output(name, signal.unit, value).discrete().depends_on({}).describe(signal.description);
        else
            this->parameter(name, signal.unit, value).tunable().describe(signal.description);
    }
    void declare_messages(Gateway& gateway) {
        for (std::size_t i = 0; i < layout_->messages.size(); ++i) {
            if (!layout_->messages[i].is_one_frame) continue;
            const std::string name = "message." + layout_->messages[i].name;
            auto& [valid, age, count] = gateway.receptions[i];
            this->output(name + ".valid", valid)
                .depends_on({})
                .describe("The last one of another node was good and is not too old");
            this->output(name + ".age", "s", age)
                .discrete()
                .depends_on({})
                .describe("Since the last good one of another node");
            this->output(name + ".count", count).depends_on({}).describe("Good ones of another node");
        }
        this->output("faults", gateway.fault.count).depends_on({}).describe("How often a message turned bad");
        this->output("overruns", gateway.overruns)
            .depends_on({})
            .describe("Frames that came when there was no room for them");
    }

    std::unique_ptr<const GatewayLayout> layout_;
    std::uint64_t warned_ = 0;
    bool warned_of_misfit_ = false;
};

}  // namespace fmus::can
