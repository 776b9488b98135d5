#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

/// Alive counter and checksum of a message, end to end.
namespace interfaces::e2e {

/// How the checksum is computed, always without its own byte:
/// profile_1, profile_2  AUTOSAR E2E
/// crc8_j1850            SAE J1850 (start and final value 0xFF), over the data, then the data id if there is one
/// exclusive_or, sum     of all bytes and those of the data id
enum class Kind : std::uint8_t { none, profile_1, profile_2, crc8_j1850, exclusive_or, sum };

/// Which bytes of the data id profile 1 takes in.
enum class DataIdMode : std::uint8_t { both, alternating, low, nibble };

[[nodiscard]] const std::vector<std::string>& kind_names();
[[nodiscard]] std::optional<Kind> kind_of(const std::string& name);
[[nodiscard]] const std::vector<std::string>& data_id_mode_names();
[[nodiscard]] std::optional<DataIdMode> data_id_mode_of(const std::string& name);

struct Protection {
    Kind kind = Kind::none;
    std::optional<std::uint8_t> checksum_byte;         // none: only a counter
    std::optional<std::uint8_t> counter_byte;          // none: only a checksum
    std::uint8_t counter_shift = 0, counter_bits = 4;  // within that byte
    std::uint8_t nibble_byte = 1, nibble_shift = 4;    // where mode `nibble` writes the high byte's low half
    std::optional<std::uint16_t> data_id;
    std::array<std::uint8_t, 16> data_ids{};  // of profile 2, by counter
    DataIdMode mode = DataIdMode::both;

    /// Counters run from 0 to this one: 14 in profile 1, else all that the bits hold.
    [[nodiscard]] std::uint8_t largest_counter() const;
};

[[nodiscard]] std::uint8_t counter_of(const Protection& protection, std::span<const std::uint8_t> bytes);
[[nodiscard]] std::uint8_t checksum_of(const Protection& protection, std::span<const std::uint8_t> bytes);

/// Writes counter and checksum into the bytes of a message, which are as many as its places say.
void protect(const Protection& protection, std::uint8_t counter, std::span<std::uint8_t> bytes);
/// The checksum is right.
[[nodiscard]] bool is_intact(const Protection& protection, std::span<const std::uint8_t> bytes);

enum class Verdict : std::uint8_t { good, wrong_checksum, repeated, missing, late };

[[nodiscard]] const char* name_of(Verdict verdict);

/// Watches the messages of one kind as they come in.
class Monitor {
public:
    struct Limits {
        double timeout = 0;             // s, 0: none
        std::uint8_t most_missing = 0;  // lost messages in a row that are still good
    };

    Monitor(const Protection& protection, Limits limits) : protection_(protection), limits_(limits) {}

    /// From here on a message is waited for.
    void start(double t) { last_ = t; }
    /// Of a message that has come in. Only one with the right checksum counts as a sign of life.
    [[nodiscard]] Verdict take(double t, std::span<const std::uint8_t> bytes);
    /// Without a message: good or late.
    [[nodiscard]] Verdict at(double t) const;

private:
    Protection protection_;
    Limits limits_;
    double last_ = 0;
    std::optional<std::uint8_t> counter_;
};

/// Messages that belong together by equal counters: they count once all are there.
class FrameSet {
public:
    explicit FrameSet(std::size_t members) : present_(members) {}

    /// A member has come in; true where it completes the set. One with another counter begins the next set, and what
    /// was there of the last one is given up.
    [[nodiscard]] bool take(std::size_t member, std::uint8_t counter);
    [[nodiscard]] std::uint64_t given_up() const { return given_up_; }
    auto members() { return std::tie(present_, count_, counter_, given_up_); }

private:
    std::vector<std::uint8_t> present_;  // 1: there
    std::size_t count_ = 0;
    std::uint8_t counter_ = 0;
    std::uint64_t given_up_ = 0;
};

}  // namespace interfaces::e2e
