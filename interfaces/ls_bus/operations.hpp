#pragma once

#include "interfaces/can/frame.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

/// The operations of the FMI layered standard for network communication (FMI-LS-BUS), CAN part 1.0.0: what a unit and a
/// bus simulation say to each other in the binary variables of a terminal. Numbers are little-endian.
namespace interfaces::ls_bus {

using Bytes = std::vector<std::uint8_t>;
using View = std::span<const std::uint8_t>;

inline constexpr char mime_type[] = "application/org.fmi-standard.fmi-ls-bus.can; version=\"1.0.0\"";
inline constexpr std::size_t header_size = 8;
inline constexpr std::size_t most_bytes = 2048;  // of one binary value; what the public demonstration units take

/// The answer to an operation that is none: the offending bytes.
struct FormatError {
    View operation;
};
struct Transmit {
    can::Frame frame;  // classic or FD
};
struct TransmitXl {
    std::uint32_t id = 0;
    bool extended = false, simple_extended_content = false;
    std::uint8_t sdu_type = 0, virtual_network = 0;
    std::uint32_t acceptance_field = 0;
    View data;
};
/// A frame of the receiver of this operation is through.
struct Confirm {
    std::uint32_t id = 0;
};
/// A frame of the receiver of this operation was thrown away.
struct ArbitrationLost {
    std::uint32_t id = 0;
};
enum class ErrorCode : std::uint8_t { bit = 1, stuffing, form, crc, acknowledge, broken_error_frame };
struct BusError {
    std::uint32_t id = 0;
    ErrorCode code = ErrorCode::bit;
    bool primary = false;    // the receiver of this operation saw the error first
    bool is_sender = false;  // and the frame was its own
};
enum class ConfigurationKind : std::uint8_t { bit_rate = 1, fd_bit_rate, xl_bit_rate, arbitration_lost };
enum class ArbitrationLostBehavior : std::uint8_t { buffer_and_retransmit = 1, discard_and_notify };
struct Configuration {
    ConfigurationKind kind = ConfigurationKind::bit_rate;
    std::uint32_t value = 0;  // bit/s, or an ArbitrationLostBehavior
};
enum class NodeState : std::uint8_t { error_active = 1, error_passive, bus_off };
struct Status {
    NodeState state = NodeState::error_active;
};
struct Wakeup {};

using Operation =
    std::variant<FormatError, Transmit, TransmitXl, Confirm, ArbitrationLost, BusError, Configuration, Status, Wakeup>;

/// Writes one operation behind what is there. What it holds is in the ranges of the standard; offending bytes beyond
/// what a binary value can hold are left out.
void append(Bytes& to, const Operation& operation);

/// One operation, which is exactly these bytes; nothing when they are no operation. What it looks at lies in `bytes`.
[[nodiscard]] std::optional<Operation> decode(View bytes);

/// What stands in a binary value, from its beginning to its end. Where a length cannot be believed, all that is left is
/// one piece.
class Reader {
public:
    explicit Reader(View bytes) : left_(bytes) {}
    /// The bytes of the next operation, for `decode`; nothing at the end.
    [[nodiscard]] std::optional<View> next();

private:
    View left_;
};

/// Whether bytes that are no operation get a Format Error: one that is broken itself does not.
[[nodiscard]] bool deserves_format_error(View bytes);

}  // namespace interfaces::ls_bus
