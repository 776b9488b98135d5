#include "master/view/traffic/bus_watch.hpp"

#include "interfaces/can/timing.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace master::view {
namespace {

static_assert(std::is_trivially_copyable_v<BusCount> && std::is_trivially_copyable_v<BusRow>);

std::pair<std::uint8_t, std::uint32_t> key(const BusRow& row) { return {row.extended, row.id}; }

}  // namespace

BusWatch::BusWatch(std::span<const runs::CanBus> buses) {
    for (const runs::CanBus& bus : buses) buses_.push_back({.bus = bus, .count = {}, .rows = {}});
    for (Bus& bus : buses_) bus.rows.reserve(most_rows);
}

void BusWatch::take(double time, const core::Signals& signals) {
    for (Bus& bus : buses_)
        for (const runs::SeenFrame& seen : frames_.take(bus.bus, signals)) add(bus, time, seen.frame);
}

void BusWatch::add(Bus& bus, double time, const interfaces::can::Frame& frame) {
    ++bus.count.frames;
    bus.count.bits += interfaces::can::bit_count(frame) + interfaces::can::interframe_bits;
    BusRow last{.id = frame.id, .extended = frame.extended ? std::uint8_t{1} : std::uint8_t{0}, .time = time};
    auto row = std::ranges::lower_bound(bus.rows, key(last), {}, key);
    if (row == bus.rows.end() || key(*row) != key(last)) {
        if (bus.rows.size() == most_rows) {
            ++bus.count.beyond;
            return;
        }
        row = bus.rows.insert(row, last);
    }
    last.count = row->count + 1;
    last.size = static_cast<std::uint8_t>(frame.bytes().size());
    std::ranges::copy(frame.bytes(), last.data.begin());
    *row = last;
}

std::size_t BusWatch::bytes(std::size_t bus) const {
    return sizeof(BusCount) + buses_[bus].rows.size() * sizeof(BusRow);
}

void BusWatch::write(std::size_t bus, std::byte* to) const {
    BusCount count = buses_[bus].count;
    count.rows = buses_[bus].rows.size();
    std::memcpy(to, &count, sizeof count);
    if (count.rows > 0) std::memcpy(to + sizeof count, buses_[bus].rows.data(), count.rows * sizeof(BusRow));
}

std::string bus_json(std::uint32_t bus, std::span<const std::byte> section) {
    BusCount count;
    if (section.size() < sizeof count) return {};
    std::memcpy(&count, section.data(), sizeof count);
    section = section.subspan(sizeof count);
    if (count.rows > BusWatch::most_rows || section.size() != count.rows * sizeof(BusRow)) return {};
    std::string json = fmt::format(R"({{"type":"bus","bus":{},"frames":{},"bits":{},"beyond":{},"messages":[)", bus,
                                   count.frames, count.bits, count.beyond);
    for (std::size_t i = 0; i < count.rows; ++i) {
        BusRow row;
        std::memcpy(&row, section.data() + i * sizeof row, sizeof row);
        // It comes from a process that may have gone wild.
        if (row.size > row.data.size() || !std::isfinite(row.time)) return {};
        json += fmt::format(R"({}{{"id":{},"extended":{},"count":{},"t":{},"data":")", i == 0 ? "" : ",", row.id,
                            row.extended != 0, row.count, row.time);
        for (const std::uint8_t byte : std::span(row.data).first(row.size)) json += fmt::format("{:02x}", byte);
        json += "\"}";
    }
    return json + "]}";
}

}  // namespace master::view
