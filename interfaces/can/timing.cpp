#include "interfaces/can/timing.hpp"

#include <algorithm>

namespace interfaces::can {

namespace {

constexpr std::uint32_t trailer_bits = 10;  // CRC delimiter, acknowledge slot and its delimiter, seven of end of frame
constexpr std::array<std::uint8_t, 16> sizes{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24, 32, 48, 64};

/// The part of a frame that is stuffed: a bit of the other level after five equal ones, which counts for the next five.
class Stuffed {
public:
    void put(std::uint32_t value, unsigned width) {
        for (unsigned i = width; i-- > 0;) put((value >> i) & 1u);
    }

    void put(std::span<const std::uint8_t> bytes) {
        for (const std::uint8_t byte : bytes) put(byte, 8);
    }

    /// Of the bits so far, stuff bits not counted in it (CAN's CRC-15).
    [[nodiscard]] std::uint32_t crc() const { return crc_; }
    [[nodiscard]] std::uint32_t count() const { return count_; }
    /// The last bit counted is a stuff bit.
    [[nodiscard]] bool ends_stuffed() const { return stuffed_; }

private:
    void put(std::uint32_t bit) {
        crc_ = ((crc_ << 1) ^ ((bit ^ (crc_ >> 14)) * 0x4599u)) & 0x7FFFu;
        run_ = bit == last_ ? run_ + 1 : 1;
        last_ = bit;
        ++count_;
        stuffed_ = run_ == 5;
        if (!stuffed_) return;
        last_ ^= 1u;
        run_ = 1;
        ++count_;
    }

    std::uint32_t crc_ = 0, count_ = 0, last_ = 2, run_ = 0;
    bool stuffed_ = false;
};

/// From the start of frame to what follows the identifier: dominant bits are 0.
void put_identifier(Stuffed& bits, const Frame& frame) {
    bits.put(0, 1);
    if (!frame.extended) {
        bits.put(frame.id & 0x7FFu, 11);
        bits.put(frame.remote ? 1 : 0, 1);
        bits.put(0, 1);
        return;
    }
    bits.put((frame.id >> 18) & 0x7FFu, 11);
    bits.put(0b11, 2);  // substitute remote request, identifier extension
    bits.put(frame.id & 0x3FFFFu, 18);
    bits.put(frame.remote ? 1 : 0, 1);
}

BitCount classic_bits(const Frame& frame) {
    Stuffed bits;
    put_identifier(bits, frame);
    bits.put(0, frame.extended ? 2 : 1);  // reserved
    bits.put(std::min<std::uint32_t>(frame.size, 8), 4);
    bits.put(std::span(frame.data).first(frame.remote ? 0 : std::min<std::size_t>(frame.size, classic_size)));
    bits.put(bits.crc(), 15);
    return {.nominal = bits.count() + trailer_bits};
}

/// Its CRC field has stuff bits at fixed places, so that the value of the CRC does not matter: one before the stuff
/// count, which is also the stuff bit that the last data bits may ask for, and one after every fourth bit.
BitCount fd_bits(const Frame& frame) {
    Stuffed bits;
    put_identifier(bits, frame);
    bits.put(0b10, 2);  // FD format, reserved
    bits.put(frame.bit_rate_switch ? 1 : 0, 1);
    const std::uint32_t arbitration = bits.count() - (bits.ends_stuffed() ? 1 : 0);  // what follows BRS is fast
    bits.put(frame.error_state ? 1 : 0, 1);
    const std::uint8_t code = length_code(frame.size);
    bits.put(code, 4);
    bits.put(std::span(frame.data).first(length_of_code(code, true)));
    const std::uint32_t crc_field = length_of_code(code, true) <= 16 ? 4 + 17 + 6 : 4 + 21 + 7;
    const std::uint32_t fast = bits.count() - (bits.ends_stuffed() ? 1 : 0) - arbitration + crc_field + 1;
    const std::uint32_t rest = trailer_bits - 1;
    if (!frame.bit_rate_switch) return {.nominal = arbitration + fast + rest};
    return {.nominal = arbitration + rest, .data = fast};
}

}  // namespace

BitCount bit_counts(const Frame& frame) {
    if (frame.error) return {};
    return frame.fd ? fd_bits(frame) : classic_bits(frame);
}

std::uint32_t bit_count(const Frame& frame) {
    const BitCount count = bit_counts(frame);
    return count.nominal + count.data;
}

std::int64_t duration(const BitCount& bits, const BitRates& rates) {
    constexpr std::int64_t second = 1'000'000'000;
    const auto nearest = [](std::int64_t count, std::int64_t rate) { return (count * second + rate / 2) / rate; };
    return nearest(bits.nominal, rates.nominal) + nearest(bits.data, rates.data == 0 ? rates.nominal : rates.data);
}

std::uint8_t length_code(std::uint8_t size) {
    const auto found = std::lower_bound(sizes.begin(), sizes.end(), size);
    return static_cast<std::uint8_t>(std::min<std::ptrdiff_t>(found - sizes.begin(), 15));
}

std::uint8_t length_of_code(std::uint8_t code, bool fd) {
    const std::uint8_t size = sizes[std::min<std::size_t>(code, 15)];
    return fd ? size : std::min<std::uint8_t>(size, 8);
}

}  // namespace interfaces::can
