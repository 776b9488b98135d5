#include "interfaces/point_cloud/point_cloud.hpp"

#include <limits>

namespace interfaces::point_cloud {

namespace {

constexpr std::uint32_t magic = 0x31435054U;  // "TPC1"
constexpr std::uint16_t version = 1;

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

std::optional<View> View::parse(std::span<const std::uint8_t> bytes) {
    if (bytes.size() < header_size) return std::nullopt;
    if (take<std::uint32_t>(&bytes[0]) != magic || take<std::uint16_t>(&bytes[4]) != version) return std::nullopt;
    if (take<std::uint16_t>(&bytes[6]) != point_size || take<std::uint32_t>(&bytes[28]) != 0) return std::nullopt;
    const Header header{.sequence = take<std::uint64_t>(&bytes[8]),
                        .time = static_cast<std::int64_t>(take<std::uint64_t>(&bytes[16])),
                        .count = take<std::uint32_t>(&bytes[24])};
    if (bytes.size() != size_of(header.count)) return std::nullopt;
    // The time of a point, up to 2^32 ns before, has to be one as well.
    if (header.time < std::numeric_limits<std::int64_t>::min() + (std::int64_t{1} << 32U)) return std::nullopt;
    return View(header, bytes.subspan(header_size));
}

}  // namespace interfaces::point_cloud
