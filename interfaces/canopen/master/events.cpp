#include "interfaces/canopen/master/master.hpp"

#include <array>
#include <cstdio>

namespace interfaces::canopen {
namespace {

std::string shown_number(std::uint32_t number) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%X", static_cast<unsigned>(number));
    return text.data();
}

std::string milliseconds(Time time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

std::string what(const MasterEvent& event, const PlannedNode& node, const MasterSettings& settings) {
    using Kind = MasterEvent::Kind;
    switch (event.kind) {
        case Kind::started:
            return "started";
        case Kind::no_boot_up:
            return "no boot-up message within " + milliseconds(settings.boot_patience) + " after the reset";
        case Kind::wrong_identity:
            return shown(event.key) + " is " + shown_number(event.found) + ", expected " +
                   shown_number(event.expected) + ": not the device that was planned here";
        case Kind::taken_id:
            return "another node answers to this id";
        case Kind::sdo_abort:
            return "refused " + shown(event.key) + " with abort " + shown_number(event.found) + " (" +
                   text(static_cast<Abort>(event.found)) + ")";
        case Kind::no_answer:
            return "no answer for " + shown(event.key) + " within " + milliseconds(settings.sdo_patience);
        case Kind::heartbeat_lost:
            return "no heartbeat for " + milliseconds(node.heartbeat_time_out);
        case Kind::left_operational:
            return "left the operational state by itself, its state is " + shown_number(event.found);
        case Kind::restarted:
            return "restarted by itself";
        case Kind::pdo_lost:
            return "its PDO " + shown_number(event.found) + " no longer comes";
        case Kind::pdo_length:
            return "sent a PDO of " + std::to_string(event.found) + " bytes, expected " +
                   std::to_string(event.expected);
        case Kind::emergency:
            if (event.found == 0) return "all errors are gone";
            return "emergency " + shown_number(event.found) + ", error register " + shown_number(event.expected);
    }
    return {};
}

}  // namespace

bool MasterEvent::is_loss() const { return kind != Kind::started && kind != Kind::emergency; }

std::string text(const MasterEvent& event, const MasterPlan& plan) {
    const PlannedNode& node = plan.nodes[event.node];
    return "node " + std::to_string(node.id) + " (" + node.name + "): " + what(event, node, plan.settings);
}

}  // namespace interfaces::canopen
