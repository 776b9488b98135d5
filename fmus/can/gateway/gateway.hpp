#pragma once

#include "fmus/can/common/fixed.hpp"
#include "fmus/can/common/node.hpp"
#include "fmus/can/gateway/layout.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace fmus::can {

/// Signals to frames and back, as a DBC file and its mapping say. It plays some nodes of the DBC file: their messages
/// are sent by their cycle times, with counter and checksum, all others are received. Signals that nobody drives have
/// their start values, so the nodes may as well be absent ones (rest bus).
class Gateway {
public:
    struct Parameters {
        std::string nodes;                 // names, separated by blanks
        double receive_period = 0;         // s, between two looks at what has come; 0: at once
        std::uint32_t receive_depth = 32;  // frames that fit in between
        auto members() { return std::tie(nodes, receive_period, receive_depth); }
    } parameters;

    /// One value in the type that its variable has.
    struct Cell {
        double real = 0;
        std::int64_t whole = 0;
        bool flag = false;
    };
    /// In place of what the input of a signal says, while it is active.
    struct Override {
        Cell value;
        bool active = false;
    };
    Fixed<Cell> sent, received;      // by signal of the layout
    Fixed<std::uint8_t> indicators;  // dbc::Indicator of what came last, by place of the value in the layout
    Fixed<Override> overrides;
    bool silent = false;  // sends nothing

    /// What is known of a message of others.
    struct Reception {
        bool valid = false;  // the last one was good and is not too old
        double age = 0;      // s, since the last good one or the start
        std::uint64_t count = 0;
    };
    Fixed<Reception> receptions;
    /// The last time that a message that one of the played nodes listens to was not as it should be.
    struct Fault {
        std::uint64_t count = 0;
        interfaces::e2e::Verdict verdict = interfaces::e2e::Verdict::good;
        std::size_t message = 0;  // of the layout
        double time = 0;          // s, since the start
    } fault;
    std::uint64_t overruns = 0;  // frames that came when there was no room
    /// The first value that the bits of its signal do not hold, which was sent as the nearest that they do.
    struct Misfit {
        std::size_t signal = 0;  // of the layout
        double given = 0, time = 0;
    };
    std::optional<Misfit> misfit;

    Gateway() = default;
    /// `layout` stays where it is as long as this and its copies exist.
    explicit Gateway(const GatewayLayout& layout);

    /// Throws std::runtime_error for a node that the DBC file does not have.
    void initialize(Nanoseconds now);
    void receive(const Frame& frame, Nanoseconds now);
    /// Looks at what has come and at what is late.
    void check(Nanoseconds now);
    void send_due(Nanoseconds now, Node& node);
    void act(Nanoseconds now, Node& node) {
        check(now);
        send_due(now, node);
    }
    [[nodiscard]] std::optional<Nanoseconds> next() const;

    [[nodiscard]] const GatewayLayout& layout() const { return *layout_; }
    /// The counter of the last complete set, if there was one.
    [[nodiscard]] std::optional<std::uint8_t> applied(std::size_t set) const { return applied_[set]; }
    [[nodiscard]] bool plays(std::size_t message) const { return messages_[message].played; }
    [[nodiscard]] bool all_valid() const;
    /// What was wrong, for people.
    [[nodiscard]] std::string explanation() const;
    [[nodiscard]] std::string explanation_of_misfit() const;
    /// A value that the device itself gives a signal, unless it is overridden; none: the input's.
    std::optional<double>& forced(std::size_t signal) { return forced_[signal]; }

    auto members() {
        return std::tie(parameters, sent, received, indicators, overrides, silent, receptions, fault, overruns, misfit,
                        messages_, monitors_, sets_, applied_, forced_, values_, last_sent_, waiting_, next_look_,
                        next_send_, start_);
    }

private:
    struct State {
        bool played = false, watched = false;
        bool bad = false;  // and counted as a fault
        std::uint8_t counter = 0;
        Nanoseconds next = 0;  // cyclic: when it is to be sent
        Nanoseconds last = 0;  // good one of others
    };

    [[nodiscard]] Nanoseconds look_period() const;
    void choose_nodes();
    void take(const Frame& frame, Nanoseconds now);
    void publish(std::size_t message);
    void blame(std::size_t message, interfaces::e2e::Verdict verdict, Nanoseconds now);
    void send(std::size_t message, Nanoseconds now, Node& node);
    void look_for_misfit(std::size_t message, Nanoseconds now);
    [[nodiscard]] bool collect(std::size_t message);
    [[nodiscard]] double value(std::size_t signal) const;

    const GatewayLayout* layout_ = nullptr;
    Fixed<State> messages_;
    Fixed<interfaces::e2e::Monitor> monitors_;
    Fixed<interfaces::e2e::FrameSet> sets_;
    Fixed<std::optional<std::uint8_t>> applied_;
    Fixed<std::optional<double>> forced_;
    Fixed<double> values_;     // physical, of what is sent next or what came last
    Fixed<double> last_sent_;  // physical, of messages that are sent when they change
    std::vector<Frame> waiting_;
    Nanoseconds next_look_ = 0, next_send_ = 0, start_ = 0;
};

}  // namespace fmus::can
