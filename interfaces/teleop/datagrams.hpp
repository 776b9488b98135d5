#pragma once

#include "interfaces/bytes/bytes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

/// Datagrams of one instant as one value, for links inside of a simulation: "TDG1", a number that grows with every
/// instant at which there are some (uint64), then for each its size (uint16) and its bytes. All little endian.
namespace interfaces::teleop {

inline constexpr const char* datagrams_mime_type = "application/x-tandem-datagrams; version=1";
inline constexpr std::size_t datagrams_header = 12, most_datagram_bytes = 65'536;

class DatagramWriter {
public:
    explicit DatagramWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}
    void begin(std::uint64_t number) {
        bytes_.assign({'T', 'D', 'G', '1', 0, 0, 0, 0, 0, 0, 0, 0});
        bytes::put(&bytes_[4], number);
    }
    /// False, and left out, where it has no room.
    bool add(std::span<const std::uint8_t> datagram) {
        if (datagram.size() > 0xFFFF || bytes_.size() + 2 + datagram.size() > most_datagram_bytes) return false;
        bytes_.push_back(static_cast<std::uint8_t>(datagram.size()));
        bytes_.push_back(static_cast<std::uint8_t>(datagram.size() >> 8U));
        bytes_.insert(bytes_.end(), datagram.begin(), datagram.end());
        return true;
    }

private:
    std::vector<std::uint8_t>& bytes_;
};

/// Datagrams in somebody's bytes.
class DatagramReader {
public:
    /// Nothing if the bytes are no such value.
    [[nodiscard]] static std::optional<DatagramReader> parse(std::span<const std::uint8_t> bytes) {
        if (bytes.size() < datagrams_header || bytes[0] != 'T' || bytes[1] != 'D' || bytes[2] != 'G' || bytes[3] != '1')
            return std::nullopt;
        return DatagramReader(bytes);
    }
    [[nodiscard]] std::uint64_t number() const { return number_; }
    /// The next one; none at the end, and where the size of one is wrong.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next() {
        if (rest_.size() < 2) return std::nullopt;
        const std::size_t size = bytes::take<std::uint16_t>(rest_.data());
        if (size > rest_.size() - 2) return std::nullopt;
        const auto datagram = rest_.subspan(2, size);
        rest_ = rest_.subspan(2 + size);
        return datagram;
    }

private:
    explicit DatagramReader(std::span<const std::uint8_t> bytes)
        : number_(bytes::take<std::uint64_t>(&bytes[4])), rest_(bytes.subspan(datagrams_header)) {}
    std::uint64_t number_;
    std::span<const std::uint8_t> rest_;
};

}  // namespace interfaces::teleop
