#include "interfaces/can/timing.hpp"

#include <algorithm>

namespace interfaces::can {

namespace {

constexpr std::uint32_t acknowledge_and_end = 9;  // acknowledge slot and delimiter, end of frame (7)

/// The stuffed part of a frame, bit by bit: a stuff bit follows five equal ones and begins the next run.
class Stream {
public:
    void put(std::uint32_t value, int bits) {
        for (int i = bits - 1; i >= 0; --i) put_bit((value >> i & 1U) != 0);
    }
    void checksum() { put(crc_, 15); }
    /// Five equal bits at the end of the stuffed part have a stuff bit behind them, too.
    void close() {
        if (run_ == 5) ++count_;
    }
    [[nodiscard]] std::uint32_t count() const { return count_; }

private:
    void put_bit(bool bit) {
        if (run_ == 5) {
            ++count_;
            last_ = !last_;
            run_ = 1;
        }
        run_ = bit == last_ ? run_ + 1 : 1;
        last_ = bit;
        ++count_;
        const bool divide = bit != ((crc_ >> 14 & 1U) != 0);
        crc_ = crc_ << 1 & 0x7FFFU;
        if (divide) crc_ ^= 0x4599U;  // the generator of ISO 11898-1 for classic frames
    }

    std::uint32_t count_ = 0, crc_ = 0;
    int run_ = 0;
    bool last_ = true;  // the bus is recessive before
};

void put_identifier(Stream& stream, const Frame& frame, bool last_is_recessive) {
    stream.put(0, 1);  // start of frame
    if (!frame.extended) {
        stream.put(frame.id, 11);
        stream.put(last_is_recessive ? 1 : 0, 1);
        stream.put(0, 1);  // IDE
        return;
    }
    stream.put(frame.id >> 18, 11);
    stream.put(3, 2);  // SRR, IDE
    stream.put(frame.id & 0x3FFFFU, 18);
    stream.put(last_is_recessive ? 1 : 0, 1);
}

BitCount classic_bits(const Frame& frame) {
    Stream stream;
    put_identifier(stream, frame, frame.remote);
    stream.put(0, frame.extended ? 2 : 1);  // reserved
    stream.put(std::min<std::uint32_t>(frame.size, classic_size), 4);
    for (const std::uint8_t byte : frame.bytes()) stream.put(byte, 8);
    stream.checksum();
    stream.close();
    return {.nominal = stream.count() + 1 + acknowledge_and_end};
}

std::uint32_t length_code(std::size_t size) {
    if (size <= 8) return static_cast<std::uint32_t>(size);
    if (size <= 24) return static_cast<std::uint32_t>(9 + (size - 9) / 4);
    if (size <= 32) return 13;
    return size <= 48 ? 14 : 15;
}

/// Up to the data ordinary stuff bits; stuff count and checksum have fixed ones (ISO 11898-1:2015). The bit that
/// switches the rate and the delimiter that switches it back are slow before and fast behind their sample points or the
/// other way round: together one slow and one fast bit.
BitCount fd_bits(const Frame& frame) {
    Stream stream;
    put_identifier(stream, frame, false);
    stream.put(2, 2);  // FDF, reserved
    stream.put(frame.bit_rate_switch ? 1 : 0, 1);
    const std::uint32_t before = stream.count();
    stream.put(frame.error_state ? 1 : 0, 1);
    stream.put(length_code(frame.size), 4);
    for (const std::uint8_t byte : frame.bytes()) stream.put(byte, 8);
    const std::uint32_t checksum = frame.size <= 16 ? 4 + 17 + 6 : 4 + 21 + 7;
    const std::uint32_t fast = stream.count() - before + checksum + 1;
    if (!frame.bit_rate_switch) return {.nominal = before + fast + acknowledge_and_end};
    return {.nominal = before + acknowledge_and_end, .fast = fast};
}

}  // namespace

BitCount bit_count(const Frame& frame) { return frame.fd ? fd_bits(frame) : classic_bits(frame); }

std::int64_t duration(const BitCount& bits, const BitRates& rates) {
    constexpr std::int64_t second = 1'000'000'000;
    const auto nearest = [](std::int64_t count, std::int64_t rate) { return (count * second + rate / 2) / rate; };
    return nearest(bits.nominal, rates.nominal) + nearest(bits.fast, rates.fast == 0 ? rates.nominal : rates.fast);
}

}  // namespace interfaces::can
