#pragma once

#include "interfaces/canopen/abort.hpp"
#include "interfaces/canopen/dictionary.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace interfaces::canopen {

using SdoBytes = std::array<std::uint8_t, 8>;

/// What an SDO server opens to its client.
class SdoObjects {
public:
    virtual ~SdoObjects() = default;
    virtual Abort read(Key key, std::vector<std::uint8_t>& bytes) = 0;
    /// Whether a write may begin: object, sub-index, access; and the most bytes that it may bring.
    virtual Abort may_write(Key key, std::size_t& capacity) = 0;
    virtual Abort write(Key key, std::span<const std::uint8_t> bytes) = 0;
};

/// The transfer under way, if any.
struct SdoServerState {
    enum class Kind : std::uint8_t { none, upload, download };
    struct Progress {
        Kind kind = Kind::none;
        Key key;
        bool toggle = false;
        bool size_known = false;
        std::uint32_t size = 0;      // as the client announced it
        std::uint32_t capacity = 0;  // no more than this is kept
        std::uint32_t sent = 0;
        Time deadline{};
    } progress;
    std::vector<std::uint8_t> bytes;  // read at the start of an upload, or received so far

    auto members() { return std::tie(progress, bytes); }
};

/// A transfer that is not continued for so long is aborted.
inline constexpr Time sdo_server_time_out = std::chrono::seconds(1);

/// The answer to a request of the client; none to an abort.
[[nodiscard]] std::optional<SdoBytes> serve(SdoServerState& state, SdoObjects& objects, const SdoBytes& request,
                                            Time now);
/// The abort of a transfer whose time is up.
[[nodiscard]] std::optional<SdoBytes> time_out(SdoServerState& state, Time now);

[[nodiscard]] SdoBytes abort_message(Key key, Abort abort);

}  // namespace interfaces::canopen
