#include "interfaces/e2e/protection.hpp"

#include "interfaces/e2e/crc.hpp"

#include <algorithm>
#include <utility>

namespace interfaces::e2e {

namespace {

template <typename Enum>
std::optional<Enum> value_of(const std::vector<std::string>& names, const std::string& name) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Enum>(found - names.begin());
}

struct Parts {  // the data before and behind the checksum
    std::span<const std::uint8_t> before, behind;
};

Parts around_checksum(const Protection& protection, std::span<const std::uint8_t> bytes) {
    if (!protection.checksum_byte) return {bytes, {}};
    return {bytes.first(*protection.checksum_byte), bytes.subspan(*protection.checksum_byte + 1u)};
}

/// AUTOSAR E2E profile 1: the id first, start and final value 0.
std::uint8_t profile_1(const Protection& protection, const Parts& parts, std::uint8_t counter) {
    const std::uint16_t id = protection.data_id.value_or(0);
    const std::array<std::uint8_t, 2> both{static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(id >> 8)};
    const std::array<std::uint8_t, 2> low_and_zero{both[0], 0};
    std::uint8_t crc = 0;
    switch (protection.mode) {
        case DataIdMode::both:
            crc = crc8_j1850(crc, both);
            break;
        case DataIdMode::alternating:
            crc = crc8_j1850(crc, std::span(both).subspan(counter % 2u, 1));
            break;
        case DataIdMode::low:
            crc = crc8_j1850(crc, std::span(both).first(1));
            break;
        case DataIdMode::nibble:
            crc = crc8_j1850(crc, low_and_zero);
            break;
    }
    return crc8_j1850(crc8_j1850(crc, parts.before), parts.behind);
}

/// AUTOSAR E2E profile 2: the id of this counter last, start and final value 0xFF.
std::uint8_t profile_2(const Protection& protection, const Parts& parts, std::uint8_t counter) {
    const std::uint8_t crc = crc8_h2f(crc8_h2f(0xFF, parts.before), parts.behind);
    return crc8_h2f(crc, std::span(protection.data_ids).subspan(counter % 16u, 1)) ^ 0xFFu;
}

std::array<std::uint8_t, 2> id_bytes(const Protection& protection) {
    const std::uint16_t id = protection.data_id.value_or(0);
    return {static_cast<std::uint8_t>(id), static_cast<std::uint8_t>(id >> 8)};
}

std::uint8_t plain_crc(const Protection& protection, const Parts& parts) {
    std::uint8_t crc = crc8_j1850(crc8_j1850(0xFF, parts.before), parts.behind);
    if (protection.data_id) crc = crc8_j1850(crc, id_bytes(protection));
    return crc ^ 0xFFu;
}

template <typename Fold>
std::uint8_t folded(const Protection& protection, const Parts& parts, Fold fold) {
    std::uint8_t value = 0;
    for (const auto& part : {parts.before, parts.behind})
        for (const std::uint8_t byte : part) value = fold(value, byte);
    for (const std::uint8_t byte : id_bytes(protection)) value = fold(value, byte);
    return value;
}

}  // namespace

const std::vector<std::string>& kind_names() {
    static const std::vector<std::string> names{"none", "e2e-profile-1", "e2e-profile-2", "crc8-j1850", "xor", "sum"};
    return names;
}

std::optional<Kind> kind_of(const std::string& name) { return value_of<Kind>(kind_names(), name); }

const std::vector<std::string>& data_id_mode_names() {
    static const std::vector<std::string> names{"both", "alternating", "low", "nibble"};
    return names;
}

std::optional<DataIdMode> data_id_mode_of(const std::string& name) {
    return value_of<DataIdMode>(data_id_mode_names(), name);
}

std::uint8_t Protection::largest_counter() const {
    if (kind == Kind::profile_1) return 14;
    return static_cast<std::uint8_t>((1u << counter_bits) - 1u);
}

std::uint8_t counter_of(const Protection& protection, std::span<const std::uint8_t> bytes) {
    if (!protection.counter_byte) return 0;
    const unsigned mask = (1u << protection.counter_bits) - 1u;
    return static_cast<std::uint8_t>(bytes[*protection.counter_byte] >> protection.counter_shift & mask);
}

std::uint8_t checksum_of(const Protection& protection, std::span<const std::uint8_t> bytes) {
    const Parts parts = around_checksum(protection, bytes);
    switch (protection.kind) {
        case Kind::none:
            return 0;
        case Kind::profile_1:
            return profile_1(protection, parts, counter_of(protection, bytes));
        case Kind::profile_2:
            return profile_2(protection, parts, counter_of(protection, bytes));
        case Kind::crc8_j1850:
            return plain_crc(protection, parts);
        case Kind::exclusive_or:
            return folded(protection, parts,
                          [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a ^ b); });
        case Kind::sum:
            return folded(protection, parts,
                          [](std::uint8_t a, std::uint8_t b) { return static_cast<std::uint8_t>(a + b); });
    }
    return 0;
}

void protect(const Protection& protection, std::uint8_t counter, std::span<std::uint8_t> bytes) {
    const auto put = [&](std::uint8_t byte, unsigned shift, unsigned bits, unsigned value) {
        const unsigned mask = ((1u << bits) - 1u) << shift;
        bytes[byte] = static_cast<std::uint8_t>((bytes[byte] & ~mask) | (value << shift & mask));
    };
    if (protection.counter_byte)
        put(*protection.counter_byte, protection.counter_shift, protection.counter_bits, counter);
    if (protection.kind == Kind::profile_1 && protection.mode == DataIdMode::nibble)
        put(protection.nibble_byte, protection.nibble_shift, 4, protection.data_id.value_or(0) >> 8u);
    if (protection.checksum_byte) bytes[*protection.checksum_byte] = checksum_of(protection, bytes);
}

bool is_intact(const Protection& protection, std::span<const std::uint8_t> bytes) {
    if (!protection.checksum_byte) return true;
    if (bytes[*protection.checksum_byte] != checksum_of(protection, bytes)) return false;
    if (protection.kind != Kind::profile_1 || protection.mode != DataIdMode::nibble) return true;
    return (bytes[protection.nibble_byte] >> protection.nibble_shift & 0xFu) ==
           (protection.data_id.value_or(0) >> 8u & 0xFu);
}

const char* name_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::good:
            return "good";
        case Verdict::wrong_checksum:
            return "wrong checksum";
        case Verdict::repeated:
            return "repeated counter";
        case Verdict::missing:
            return "missing counter";
        case Verdict::late:
            return "timeout";
    }
    return "";
}

Verdict Monitor::take(double t, std::span<const std::uint8_t> bytes) {
    if (!is_intact(protection_, bytes)) return Verdict::wrong_checksum;
    last_ = t;
    if (!protection_.counter_byte) return Verdict::good;
    const std::uint8_t counter = counter_of(protection_, bytes);
    const unsigned count = protection_.largest_counter() + 1u;
    if (counter >= count) return Verdict::missing;
    const std::optional<std::uint8_t> before = std::exchange(counter_, counter);
    if (!before) return Verdict::good;
    const unsigned steps = (counter + count - *before) % count;
    if (steps == 0) return Verdict::repeated;
    return steps - 1 <= limits_.most_missing ? Verdict::good : Verdict::missing;
}

Verdict Monitor::at(double t) const {
    return limits_.timeout > 0 && t - last_ > limits_.timeout ? Verdict::late : Verdict::good;
}

bool FrameSet::take(std::size_t member, std::uint8_t counter) {
    // Complete ones are forgotten at once, so that `count_` > 0 is a set that waits.
    if (count_ > 0 && counter != counter_) {
        ++given_up_;
        std::fill(present_.begin(), present_.end(), std::uint8_t{0});
        count_ = 0;
    }
    counter_ = counter;
    if (present_[member] == 0) ++count_;
    present_[member] = 1;
    if (count_ < present_.size()) return false;
    std::fill(present_.begin(), present_.end(), std::uint8_t{0});
    count_ = 0;
    return true;
}

}  // namespace interfaces::e2e
