#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace interfaces::can {

/// A bus that cannot be opened, a log that cannot be read: what, where, and what would do.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A frame that came in, and when.
struct Received {
    Frame frame;
    std::int64_t nanoseconds = 0;  // since 1970, by the kernel where it says
    bool own = false;              // sent by this very transport: it has been on the bus

    friend bool operator==(const Received&, const Received&) = default;
};

enum class BusState : std::uint8_t { error_active, error_warning, error_passive, bus_off, down };

[[nodiscard]] const char* name_of(BusState state);

struct Counters {
    std::uint64_t sent = 0, received = 0;
    std::uint64_t refused = 0;    // could not be sent: no room, nobody there, bus off
    std::uint64_t lost = 0;       // came in and found no room
    std::uint64_t malformed = 0;  // were no frames

    friend bool operator==(const Counters&, const Counters&) = default;
};

/// Frames with (id & mask) equal to (this id & mask) pass.
struct Filter {
    std::uint32_t id = 0, mask = 0;
    bool extended = false;
};

struct TransportOptions {
    std::vector<Filter> filters;      // one that lets pass is enough; none: everything passes. Error frames always do
    bool echo = false;                // own frames come back, marked, once they have been on the bus
    std::uint32_t bit_rate = 250000;  // bit/s; told to adapters that have to be told
};

/// One place on a bus. Opening throws `Error`; afterwards nothing throws or blocks, and what goes wrong is told by
/// `state` and `problem`.
class Transport {
public:
    virtual ~Transport() = default;

    /// False where the frame was not taken; it may be tried again.
    [[nodiscard]] virtual bool send(const Frame& frame) = 0;
    /// The next frame that is here already.
    [[nodiscard]] virtual std::optional<Received> receive() = 0;
    [[nodiscard]] virtual BusState state() const = 0;
    [[nodiscard]] virtual Counters counters() const = 0;
    /// Readable when something may have come in, for poll(); -1 where there is none.
    [[nodiscard]] virtual int descriptor() const = 0;
    /// How others reach it, such as can0 or /dev/pts/3.
    [[nodiscard]] virtual const std::string& name() const = 0;
    /// Why nothing comes or goes; empty while all is well.
    [[nodiscard]] virtual const std::string& problem() const = 0;
};

[[nodiscard]] bool passes(const std::vector<Filter>& filters, const Frame& frame);

/// Identifier, size and flags belong together, so that the frame could be on a bus.
[[nodiscard]] bool is_valid(const Frame& frame);

/// Opens what an address names:
///   socketcan:INTERFACE               a network interface of the kernel
///   udp:[GROUP][:PORT][@INTERFACE]    python-can's udp_multicast over IPv4; on the loopback interface unless told
///   slcan:DEVICE                      an adapter on a serial line
///   slcan-tcp:HOST:PORT               an adapter behind a TCP port, HOST as number
///   slcan-pty:[LINK]                  is an adapter itself, on a new pseudo terminal (and a link to it)
///   slcan-server:[HOST:]PORT          is an adapter itself, on a TCP port; of the loopback interface unless told
[[nodiscard]] std::unique_ptr<Transport> open_transport(const std::string& address,
                                                        const TransportOptions& options = {});

/// The text begins like an address of a transport.
[[nodiscard]] bool is_transport_address(const std::string& text);

}  // namespace interfaces::can
