#pragma once

#include "interfaces/can/transport.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace interfaces::can {

/// A transport with a thread of its own. Its user meets that thread only at queues of fixed size: nothing here waits
/// for the bus. What finds a queue full is lost and counted.
class Endpoint {
public:
    /// How the bus stands; all numbers since the start.
    struct Report {
        BusState state = BusState::error_active;
        std::uint64_t refused = 0;        // frames that could not be sent within the patience below
        std::uint64_t lost = 0;           // frames that came and found no room
        std::uint64_t malformed = 0;      // what came and was no frame
        std::array<char, 160> problem{};  // why nothing comes or goes, ended by 0; empty while all is well

        friend bool operator==(const Report&, const Report&) = default;
    };

    static constexpr std::size_t capacity = 1024;  // of each queue
    static constexpr int patience_ms = 20;         // a frame that is older is not worth sending

    /// Throws `Error` where the transport cannot be opened.
    Endpoint(const std::string& address, const TransportOptions& options);
    ~Endpoint();
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;

    void send(const Frame& frame);
    [[nodiscard]] std::optional<Received> receive();
    /// The next frame that was given to `send`, could not be sent in time, and was thrown away.
    [[nodiscard]] std::optional<Frame> refused();
    /// The next change of how the bus stands.
    [[nodiscard]] std::optional<Report> report();
    [[nodiscard]] const std::string& name() const;

private:
    class Worker;
    std::unique_ptr<Worker> worker_;
};

}  // namespace interfaces::can
