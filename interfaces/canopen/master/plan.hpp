#pragma once

#include "interfaces/canopen/node.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace interfaces::canopen {

/// A value that the master writes into a node before it starts it.
struct Write {
    Key key;
    std::vector<std::uint8_t> bytes;
};

/// What the master's user wants of one PDO of a node; what is not given stays as it is.
struct TpdoWishes {
    std::optional<std::uint8_t> type{};
    std::optional<std::uint16_t> inhibit_100us{}, event_timer_ms{};
    std::optional<std::vector<std::uint32_t>> mapping{};
};

struct MasterSettings {
    Time boot_patience = std::chrono::seconds(1);            // for a boot-up message after the reset
    Time sdo_patience = std::chrono::milliseconds(500);      // for an answer
    Time heartbeat_period = std::chrono::milliseconds(100);  // written into every node; 0: as the node has it
    double heartbeat_factor = 1.5;                           // a node is lost after so many periods
    double pdo_factor = 5;                                   // a cyclic PDO is lost after so many periods
    Time sync_period{};                                      // 0: no SYNC
    std::uint8_t sync_overflow = 0;                          // 2 to 240: SYNC carries a counter up to this
};

/// One number of a received PDO.
struct ReceivedSignal {
    std::uint32_t signal = 0;
    std::uint8_t first_bit = 0, bits = 0;
    Type type = Type::unsigned32;
    Scale scale{};
};

struct ReceivedPdo {
    std::uint16_t cob_id = 0;
    std::uint8_t size = 0;
    Time time_out{};  // 0: comes only with events
    std::vector<ReceivedSignal> signals;
};

/// What the master knows of a node, and does with it.
struct PlannedNode {
    std::string name;
    std::uint8_t id = 0;
    std::vector<Write> checks;  // objects that must have these values: device type and identity
    std::vector<Write> writes;
    Time heartbeat_time_out{};  // 0: not supervised
    std::vector<ReceivedPdo> pdos;
};

/// Names resolved: what a master runs by. Signals are numbered node by node.
struct MasterPlan {
    MasterSettings settings;
    std::vector<PlannedNode> nodes;
    std::vector<std::string> signals;
};

/// Several PDOs of a node, in the order in which they are given.
struct NodeWishes {
    std::vector<std::pair<std::uint16_t, TpdoWishes>> pdos;  // number from 0
    std::vector<Write> writes;
};

/// The writes that change a PDO in the one order that nodes allow: off, parameters, mapping, on.
[[nodiscard]] std::vector<Write> tpdo_writes(const Node& node, std::uint16_t number, const TpdoWishes& wishes);

/// `wishes` holds none, or one per node.
[[nodiscard]] MasterPlan make_plan(std::span<const Node> nodes, const MasterSettings& settings,
                                   std::span<const NodeWishes> wishes = {});

}  // namespace interfaces::canopen
