#pragma once

#include "interfaces/canopen/abort.hpp"
#include "interfaces/canopen/dictionary.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace interfaces::canopen {

inline constexpr std::uint32_t cob_id_off = 0x80000000, cob_id_number = 0x7FF;

/// The objects of PDO n, counted from 0: communication parameters, and the mapping 0x200 behind them.
inline constexpr std::uint16_t first_rpdo = 0x1400, first_tpdo = 0x1800, mapping_distance = 0x200, most_pdos = 0x200;

enum class Direction : std::uint8_t { transmit, receive };

/// One object in a PDO, as its place in an image; none for a gap.
struct PdoItem {
    std::uint32_t offset = 0;
    std::uint8_t size = 0;  // bytes in the image; 0 for a gap
    std::uint8_t bits = 0;
    friend bool operator==(const PdoItem&, const PdoItem&) = default;
};

using PdoBytes = std::array<std::uint8_t, 8>;

/// What the objects 0x1400.., 0x1600.., 0x1800.. and 0x1A00.. say, with names resolved.
struct PdoSettings {
    bool valid = false;
    std::uint16_t cob_id = 0;
    std::uint8_t type = 255;
    std::uint8_t sync_start = 0;
    std::uint8_t count = 0;
    std::uint8_t size = 0;           // bytes on the bus
    Time inhibit{}, event_period{};  // of event-driven ones
    std::array<PdoItem, 64> items{};

    [[nodiscard]] bool on_event() const { return type >= 254; }
    [[nodiscard]] bool on_sync() const { return type <= 240; }
    friend bool operator==(const PdoSettings&, const PdoSettings&) = default;
};

/// What stands in the image; mapped objects that do not exist are gaps.
[[nodiscard]] PdoSettings pdo_settings(const Dictionary& dictionary, const Image& image, std::uint16_t communication);

[[nodiscard]] PdoBytes pack(const PdoSettings& pdo, const Image& image);
/// Numbers that the bytes do not reach keep their values.
void unpack(const PdoSettings& pdo, Image& image, std::span<const std::uint8_t> bytes);

/// Whether a communication parameter may get this value now.
[[nodiscard]] Abort check_communication(const Dictionary& dictionary, const Image& image, Key key, std::uint64_t raw);
/// Whether a mapping may be changed so: only while the PDO is off, and entries only while their count is 0.
[[nodiscard]] Abort check_mapping(const Dictionary& dictionary, const Image& image, Key key, std::uint64_t raw);

/// Whether an 11-bit identifier is free for PDOs, SYNC and EMCY: not one that CiA 301 keeps for itself.
[[nodiscard]] bool is_free_cob_id(std::uint32_t id);

/// A PDO that a node sends.
struct Tpdo {
    PdoSettings settings;
    bool sent = false;  // since the node became operational
    bool counting = false;
    std::uint8_t syncs = 0;
    Time sent_at{};
    PdoBytes last{};

    void restart();
    /// Whether it goes out with this SYNC; `counter` is what the SYNC carries.
    [[nodiscard]] bool is_due_on_sync(std::optional<std::uint8_t> counter, const PdoBytes& bytes);
    /// When an event-driven one goes out if nothing changes any more; none if never.
    [[nodiscard]] std::optional<Time> due(Time now, const PdoBytes& bytes) const;
    /// A timer's transmission counts from when it was due, so that a late caller causes no drift.
    void note_event_sent(Time now, const PdoBytes& bytes);
};

/// A PDO that a node receives; one of a synchronous type waits for the next SYNC.
struct Rpdo {
    PdoSettings settings;
    bool waiting = false;
    std::uint8_t received = 0;
    PdoBytes bytes{};

    void restart() { waiting = false; }
};

}  // namespace interfaces::canopen
