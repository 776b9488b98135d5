#pragma once

#include "interfaces/canopen/master/plan.hpp"
#include "interfaces/canopen/master/sdo_client.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace interfaces::canopen {

/// What the master has to say about a node.
struct MasterEvent {
    enum class Kind : std::uint8_t {
        started,
        no_boot_up,
        wrong_identity,  // of an object: found, expected
        taken_id,        // two nodes answer to one id
        sdo_abort,       // at an object: the code is in `found`
        no_answer,       // to an SDO request
        heartbeat_lost,
        left_operational,  // by itself; its state is in `found`
        restarted,         // by itself
        pdo_lost,          // of the identifier in `found`
        pdo_length,        // bytes found, expected
        emergency,         // code in `found`, error register in `expected`
    };
    Kind kind = Kind::started;
    std::size_t node = 0;  // of the plan
    Time time{};
    Key key{};
    std::uint32_t found = 0, expected = 0;

    /// Whether the node's values can no longer be used.
    [[nodiscard]] bool is_loss() const;
};

/// The message: the node, what happened, what was expected.
[[nodiscard]] std::string text(const MasterEvent& event, const MasterPlan& plan);

/// The NMT master of a bus: brings its nodes up, watches them, and gives the values of their PDOs. Everything that
/// changes is in `state`; the plan must outlive it.
class Master {
public:
    enum class Phase : std::uint8_t { waiting, checking, writing, running, lost, refused };

    struct NodeState {
        struct Running {
            Phase phase = Phase::waiting;
            std::uint32_t step = 0;  // of the checks or writes
            Time since{};            // of the phase
            Time heard_at{};
            Time booted_at{};
        } running;
        SdoClientState sdo;
        std::vector<Time> pdo_at;  // by PDO of the plan
        auto members() { return std::tie(running, sdo, pdo_at); }
    };
    struct State {
        struct Running {
            bool started = false;
            std::uint8_t sync_counter = 1;
            Time sync_at{};
            std::uint64_t unknown_frames = 0;
        } running;
        std::vector<NodeState> nodes;
        std::vector<double> values;     // by signal of the plan; NaN before the first one came
        std::vector<Time> received_at;  // the same
        auto members() { return std::tie(running, nodes, values, received_at); }
    };
    using Events = std::vector<MasterEvent>;

    explicit Master(const MasterPlan& plan);

    void receive(const can::Frame& frame, Time now, Frames& out, Events& events);
    /// The first call resets all nodes; to be called at least once per millisecond, or when `due` says.
    void advance(Time now, Frames& out, Events& events);
    /// When `advance` has something to do at the latest, if nothing is received before.
    [[nodiscard]] std::optional<Time> due() const;

    [[nodiscard]] Phase phase(std::size_t node) const { return state.nodes[node].running.phase; }
    [[nodiscard]] bool all_running() const;

    State state;

private:
    void start(Time now, Frames& out);
    void enter(std::size_t node, Phase phase, Time now);
    void lose(const MasterEvent& event, Events& events);
    void go_on(std::size_t node, Time now, Frames& out, Events& events);
    void take_sdo(std::size_t node, const can::Frame& frame, Time now, Frames& out, Events& events);
    void take_heartbeat(std::size_t node, std::uint8_t code, Time now, Frames& out, Events& events);
    void take_boot_up(std::size_t node, Time now, Frames& out, Events& events);
    void take_pdo(std::size_t node, std::size_t pdo, const can::Frame& frame, Time now, Events& events);
    void take_check(std::size_t node, Time now, Events& events);
    void watch(std::size_t node, Time now, Events& events);
    [[nodiscard]] std::optional<Time> patience(std::size_t node) const;
    void send_sdo(std::size_t node, const SdoBytes& request, Frames& out) const;

    const MasterPlan* plan_;
};

}  // namespace interfaces::canopen
