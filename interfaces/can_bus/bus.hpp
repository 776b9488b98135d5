#pragma once

#include "interfaces/can/frame.hpp"
#include "interfaces/can/timing.hpp"
#include "interfaces/can_bus/fault_confinement.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>

/// A CAN bus simulated: who sends when, how long it takes, what goes wrong. Frames and nanoseconds in, frames out.
namespace interfaces::can_bus {

using can::Frame;
using Nanoseconds = std::int64_t;

inline constexpr std::size_t most_terminals = 16;
inline constexpr std::size_t queue_depth = 64;  // frames that a controller holds

/// What an error was, numbered as FMI-LS-BUS does.
enum class ErrorKind : std::uint8_t { bit = 1, stuffing, form, crc, acknowledge };

/// Hears what happens at the terminals.
class Observer {
public:
    virtual ~Observer() = default;
    virtual void received(std::size_t terminal, const Frame& frame) = 0;
    virtual void confirmed(std::size_t terminal, const Frame& frame) = 0;
    virtual void arbitration_lost(std::size_t terminal, const Frame& frame) = 0;
    struct Error {
        std::uint32_t id = 0;
        ErrorKind kind = ErrorKind::bit;
        bool first = false;      // this terminal saw it first
        bool is_sender = false;  // and the frame was its own
    };
    virtual void disturbed(std::size_t terminal, const Error& error) = 0;
};

struct Parameters {
    can::BitRates rates;     // where no terminal says another
    double error_share = 0;  // share of frames that are hit by a bit error
    std::uint64_t seed = 1;  // of the errors
};

struct Statistics {
    std::uint64_t frames = 0, errors = 0, lost = 0;  // sent; hit by an error; thrown away: no room, or a wrong bit rate
};

/// The frames of one identifier that are through.
struct Watch {
    std::optional<std::uint32_t> id = {};
    bool extended = false;
    std::uint64_t frames = 0;
    Nanoseconds worst_latency = 0;  // from `send` to the end of the frame
};
inline constexpr std::size_t most_watches = 32;

/// All of it is state and can be copied. A terminal takes part once it joined; its controller sends its frames in the
/// order they came and repeats what an error hit until it is through or the controller is off.
class Bus {
public:
    Parameters parameters;
    std::array<Watch, most_watches> watches;  // those with an identifier

    void join(std::size_t terminal, Nanoseconds now);
    /// The bit rates of a controller. The first terminal that has some gives the bus its own; a controller with other
    /// ones is cut off.
    void set_rate(std::size_t terminal, std::uint32_t nominal, Nanoseconds now);
    void set_fast_rate(std::size_t terminal, std::uint32_t fast, Nanoseconds now);
    /// A frame that loses arbitration is thrown away, and its terminal told.
    void discard_losers(std::size_t terminal, bool discard);
    /// A controller that keeps its own error counters says its state; the bus's counters for it no longer matter.
    void set_state(std::size_t terminal, ErrorState state, Nanoseconds now);

    /// A data or remote frame for the bus at this time; false when the controller has no room for it or is cut off.
    bool send(std::size_t terminal, const Frame& frame, Nanoseconds now);
    /// When the frame on the bus ends, or the one that will be next, if nothing more urgent comes before it starts.
    [[nodiscard]] std::optional<Nanoseconds> next() const;
    /// All that ends up to this time.
    void advance(Nanoseconds now, Observer& observer);

    [[nodiscard]] bool joined(std::size_t terminal) const { return controllers_[terminal].joined; }
    [[nodiscard]] ErrorState state(std::size_t terminal) const;
    [[nodiscard]] const ErrorCounters& counters(std::size_t terminal) const { return controllers_[terminal].counters; }
    [[nodiscard]] std::size_t waiting(std::size_t terminal) const { return controllers_[terminal].count; }
    /// The longest time from `send` to the end of the frame.
    [[nodiscard]] Nanoseconds worst_latency(std::size_t terminal) const { return controllers_[terminal].worst_latency; }
    [[nodiscard]] const Statistics& statistics() const { return statistics_; }
    /// Time up to now with frames, error frames and the intermissions behind them.
    [[nodiscard]] Nanoseconds busy(Nanoseconds now) const;
    [[nodiscard]] const can::BitRates& rates() const { return rates_; }

private:
    struct Entry {
        Frame frame;
        can::BitCount bits;
        Nanoseconds arrival = 0;
    };
    struct Controller {
        bool joined = false, discards = false;
        can::BitRates rates{.nominal = 0};
        ErrorCounters counters;
        std::optional<ErrorState> reported;
        std::int64_t recovery = 0;  // groups of eleven recessive bits that a controller that is off still waits for
        Nanoseconds worst_latency = 0;
        std::array<Entry, queue_depth> queue;
        std::size_t first = 0, count = 0;
    };
    /// A frame on the bus, or the one that will be.
    struct Attempt {
        std::size_t sender = most_terminals;
        Nanoseconds start = 0, end = 0;
        std::optional<ErrorKind> error = std::nullopt;
        std::size_t finder = 0;  // the terminal that sees the error first
    };
    static constexpr Nanoseconds never = std::numeric_limits<Nanoseconds>::max();

    [[nodiscard]] Nanoseconds bits(std::int64_t count) const;
    [[nodiscard]] bool takes_part(const Controller& controller) const;
    [[nodiscard]] bool hears(std::size_t terminal) const;
    [[nodiscard]] std::size_t hearers(std::size_t except) const;
    [[nodiscard]] Nanoseconds ready(std::size_t terminal) const;
    void choose_rates(Nanoseconds now);
    void reconsider(Nanoseconds now);
    void contend(Nanoseconds now);
    void plan(Attempt& attempt, const can::BitCount& bit_count) const;
    void find_error(Attempt& attempt, Nanoseconds length, const can::BitCount& bit_count) const;
    void finish(Observer& observer);
    void succeed(const Attempt& attempt, Observer& observer);
    void count(const Frame& frame, Nanoseconds latency);
    void fail(const Attempt& attempt, Observer& observer);
    void drop_losers(const Attempt& attempt, Observer& observer);
    void recover(Nanoseconds now);
    void count_recessive(Nanoseconds start);
    static void pop(Controller& controller);

    std::array<Controller, most_terminals> controllers_;
    std::optional<Attempt> attempt_;
    can::BitRates rates_;
    Nanoseconds quiet_since_ = std::numeric_limits<Nanoseconds>::min() / 4;  // end of the last frame or error frame
    std::size_t last_sender_ = most_terminals;
    std::uint64_t attempts_ = 0;
    Statistics statistics_;
    Nanoseconds busy_ = 0;  // up to the end of the last intermission
};

}  // namespace interfaces::can_bus
