#pragma once

#include "interfaces/can/frame.hpp"
#include "master/runs/taps/can_frames.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace master::view {

/// What was on a bus since the beginning, as it goes through shared memory: this, then `rows` rows.
struct BusCount {
    std::uint64_t frames = 0, bits = 0;
    std::uint64_t beyond = 0;  // frames of identifiers for which there was no room
    std::uint64_t rows = 0;
};
struct BusRow {
    std::uint32_t id = 0;
    std::uint8_t extended = 0;
    std::uint8_t size = 0;  // of the last one
    std::uint64_t count = 0;
    double time = 0;  // s, simulated, of the last one
    std::array<std::uint8_t, interfaces::can::fd_size> data{};
};

/// Counts the frames of the buses of a run, each identifier by itself. Has room for all from the beginning: a step
/// that has frames pays for a search in a short list for each.
class BusWatch {
public:
    static constexpr std::size_t most_rows = 512;  // of a bus

    explicit BusWatch(std::span<const runs::CanBus> buses);

    [[nodiscard]] std::size_t buses() const { return buses_.size(); }
    void take(double time, const core::Signals& signals);

    /// What `write` needs.
    [[nodiscard]] std::size_t bytes(std::size_t bus) const;
    void write(std::size_t bus, std::byte* to) const;

private:
    struct Bus {
        runs::CanBus bus;
        BusCount count;
        std::vector<BusRow> rows;  // by identifier
    };
    static void add(Bus& bus, double time, const interfaces::can::Frame& frame);

    std::vector<Bus> buses_;
    runs::CanFrames frames_;
};

/// The section of a snapshot as a message for pages (README, "bus"); empty for bytes that are none.
[[nodiscard]] std::string bus_json(std::uint32_t bus, std::span<const std::byte> section);

}  // namespace master::view
