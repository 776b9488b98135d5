#pragma once

#include "interfaces/can/frame.hpp"
#include "interfaces/dbc/database.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace interfaces::dbc {

/// The bits of a signal: an integer with its sign extended, or the pattern of a float or double.
struct Raw {
    std::uint64_t bits = 0;
    bool present = false;  // not where a multiplexor selects another signal
};

/// What a raw value of J1939 says (SAE J1939-71).
enum class Indicator : std::uint8_t {
    number,
    specific,       // to the parameter, or reserved: 0xFB.. to 0xFD..
    error,          // 0xFE..
    not_available,  // 0xFF..
};

/// A message's signals as places in its bytes: what encoding and decoding go through, without a name in it.
class MessagePlan {
public:
    explicit MessagePlan(const Message& message);

    /// Of the message; values are given and taken in the order of its signals.
    [[nodiscard]] std::size_t signal_count() const { return fields_.size(); }
    [[nodiscard]] std::size_t size() const { return size_; }

    /// False, and nothing done, where the bytes are fewer than the message has.
    [[nodiscard]] bool decode_raw(std::span<const std::uint8_t> bytes, std::span<Raw> raws) const;
    /// Only the bits of the signals that the multiplexors select are touched; `present` is not asked. False, and
    /// nothing done, where the bytes are fewer than the message has.
    [[nodiscard]] bool encode_raw(std::span<const Raw> raws, std::span<std::uint8_t> bytes) const;

    /// Physical values. One that the multiplexors do not select keeps the value it had; one that is no number in J1939
    /// becomes NaN.
    [[nodiscard]] bool decode(std::span<const std::uint8_t> bytes, std::span<double> values) const;
    /// A value outside of what the bits hold becomes the nearest one that they do, NaN the initial value, or "not
    /// available" in J1939. Returns false as `encode_raw`.
    [[nodiscard]] bool encode(std::span<const double> values, std::span<std::uint8_t> bytes) const;

    /// Why a value is no number, as numbers of `Indicator`; outside of J1939 all are numbers. Keeps and returns as
    /// `decode`.
    [[nodiscard]] bool indicate(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> indicators) const;

    [[nodiscard]] double physical(std::size_t signal, std::uint64_t bits) const;
    [[nodiscard]] std::uint64_t raw(std::size_t signal, double physical) const;
    /// The value fits into the bits without being moved to an end of their range.
    [[nodiscard]] bool fits(std::size_t signal, double physical) const;

private:
    struct Field {
        std::uint64_t mask = 0;  // of the value, not of its place
        double factor = 1, offset = 0, lowest = 0, highest = 0;
        std::uint64_t for_nan = 0;
        std::uint16_t first = 0;
        std::uint8_t count = 0, shift = 0, length = 0;
        ValueKind kind = ValueKind::unsigned_integer;
        bool big_endian = false, j1939 = false;
        std::uint32_t selector = 0, range_begin = 0, range_end = 0;  // no ranges: always present
    };

    [[nodiscard]] static std::uint64_t get(const Field& field, const std::uint8_t* bytes);
    static void put(const Field& field, std::uint64_t bits, std::uint8_t* bytes);
    template <typename Bits>
    static void put_bytes(const Field& field, Bits value, Bits mask, std::uint8_t* bytes);
    template <typename Bits>
    [[nodiscard]] bool selected(const Field& field, const Bits& bits_of) const;
    [[nodiscard]] static double scaled(const Field& field, std::uint64_t bits);
    [[nodiscard]] static std::uint64_t unscaled(const Field& field, double physical);

    std::size_t size_ = 0;
    std::vector<Field> fields_;         // in the order of the message
    std::vector<std::uint32_t> order_;  // multiplexors before what they select
    std::vector<Range> ranges_;
    bool multiplexed_ = false;
};

/// All messages of a database, found by the identifier of a frame.
class Plans {
public:
    /// Of J1939 messages that are taken from one address only, that address, in the order of the database.
    using Sources = std::vector<std::optional<std::uint8_t>>;

    explicit Plans(const Database& database, const Sources& sources = {});

    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    /// The index of the message in the database; J1939 messages by parameter group, to any destination. Of several with
    /// one group the one with the frame's source counts, then the first that is taken from any.
    [[nodiscard]] std::size_t find(const can::Frame& frame) const;
    [[nodiscard]] const MessagePlan& operator[](std::size_t message) const { return plans_[message]; }
    [[nodiscard]] std::size_t size() const { return plans_.size(); }

private:
    struct Key {
        std::uint64_t key;
        std::size_t message;
    };
    [[nodiscard]] std::size_t look_up(std::uint64_t key) const;

    std::vector<MessagePlan> plans_;
    std::vector<Key> keys_;  // sorted
};

/// The parameter group of a 29-bit identifier; without the destination where the identifier carries one (PDU1).
[[nodiscard]] std::uint32_t parameter_group(std::uint32_t id);

}  // namespace interfaces::dbc
