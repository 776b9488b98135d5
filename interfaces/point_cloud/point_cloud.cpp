#include "interfaces/point_cloud/point_cloud.hpp"

#include <bit>
#include <cstring>

namespace interfaces::point_cloud {

namespace {

constexpr std::uint32_t magic = 0x31435054U;  // "TPC1"
constexpr std::uint16_t version = 1;

template <class Bits>
void put(std::uint8_t* at, Bits bits) {
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(at, &bits, sizeof(Bits));
    } else {
        for (std::size_t i = 0; i < sizeof(Bits); ++i) at[i] = static_cast<std::uint8_t>(bits >> (8 * i));
    }
}

template <class Bits>
Bits take(const std::uint8_t* at) {
    Bits bits = 0;
    if constexpr (std::endian::native == std::endian::little) {
        std::memcpy(&bits, at, sizeof(Bits));
    } else {
        for (std::size_t i = 0; i < sizeof(Bits); ++i)
            bits = static_cast<Bits>(bits | static_cast<Bits>(at[i]) << (8 * i));
    }
    return bits;
}

}  // namespace

void encode(const Header& header, std::span<std::uint8_t, header_size> bytes) {
    put(&bytes[0], magic);
    put(&bytes[4], version);
    put(&bytes[6], static_cast<std::uint16_t>(point_size));
    put(&bytes[8], header.sequence);
    put(&bytes[16], static_cast<std::uint64_t>(header.time));
    put(&bytes[24], header.count);
    put(&bytes[28], std::uint32_t{0});
}

void encode(const Point& point, std::span<std::uint8_t, point_size> bytes) {
    put(&bytes[0], std::bit_cast<std::uint32_t>(point.x));
    put(&bytes[4], std::bit_cast<std::uint32_t>(point.y));
    put(&bytes[8], std::bit_cast<std::uint32_t>(point.z));
    put(&bytes[12], static_cast<std::uint32_t>(static_cast<std::uint64_t>(point.time)));
    put(&bytes[16], point.object);
    bytes[18] = point.intensity;
    bytes[19] = point.tag;
}

std::optional<View> View::parse(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < header_size) return std::nullopt;
    if (take<std::uint32_t>(&bytes[0]) != magic || take<std::uint16_t>(&bytes[4]) != version) return std::nullopt;
    if (take<std::uint16_t>(&bytes[6]) != point_size || take<std::uint32_t>(&bytes[28]) != 0) return std::nullopt;
    const Header header{.sequence = take<std::uint64_t>(&bytes[8]),
                        .time = static_cast<std::int64_t>(take<std::uint64_t>(&bytes[16])),
                        .count = take<std::uint32_t>(&bytes[24])};
    if (bytes.size() != size_of(header.count)) return std::nullopt;
    return View(header, bytes.subspan(header_size));
}

Point View::operator[](std::size_t i) const {
    const std::uint8_t* at = points_.data() + point_size * i;
    const auto end = static_cast<std::uint64_t>(header_.time);
    const auto age = static_cast<std::uint32_t>(static_cast<std::uint32_t>(end) - take<std::uint32_t>(at + 12));
    return {.x = std::bit_cast<float>(take<std::uint32_t>(at)),
            .y = std::bit_cast<float>(take<std::uint32_t>(at + 4)),
            .z = std::bit_cast<float>(take<std::uint32_t>(at + 8)),
            .object = take<std::uint16_t>(at + 16),
            .intensity = at[18],
            .tag = at[19],
            .time = static_cast<std::int64_t>(end - age)};
}

}  // namespace interfaces::point_cloud
