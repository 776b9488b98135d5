#pragma once

#include "interfaces/livox/points.hpp"

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Recordings that other programs open: .lvx 1.1 of the maker's viewer, and .pcd of the Point Cloud Library.
namespace interfaces::livox {

/// A device of an .lvx file.
struct RecordedDevice {
    std::string code;
    DeviceType type = DeviceType::mid_70;
    bool placed = false;                 // the numbers below apply
    float roll = 0, pitch = 0, yaw = 0;  // degrees
    float x = 0, y = 0, z = 0;           // m
};
inline constexpr std::size_t most_recorded_devices = 32;  // that the SDK accepts

/// Writes packets, as they go over the network, into an .lvx file: one frame per 50 ms of their times. It keeps one
/// frame in memory; what was written before can be read if the writer dies.
class LvxWriter {
public:
    /// The stream must begin at its start; at most `most_recorded_devices`.
    LvxWriter(std::ostream& out, std::span<const RecordedDevice> devices);
    ~LvxWriter();
    LvxWriter(const LvxWriter&) = delete;
    LvxWriter& operator=(const LvxWriter&) = delete;

    /// Packets in the order of their times; only full ones of a known type are taken. False if it was not.
    bool add(std::uint8_t device, std::span<const std::uint8_t> packet);
    /// Writes what is still here; the destructor does it too.
    void finish();

private:
    std::ostream& out_;
    std::size_t devices_;
    std::vector<std::uint8_t> frame_;  // with room for its header
    std::uint64_t offset_ = 0, index_ = 0;
    std::optional<std::int64_t> frame_end_;
};

/// Reads an .lvx file that somebody holds in memory, or has mapped.
class LvxReader {
public:
    /// Nothing if the bytes are no .lvx file of version 1.1, or name more devices than they have bytes for.
    [[nodiscard]] static std::optional<LvxReader> parse(std::span<const std::uint8_t> file);

    [[nodiscard]] const std::vector<RecordedDevice>& devices() const { return devices_; }
    struct Packet {
        std::uint8_t device = 0;
        std::span<const std::uint8_t> bytes;  // for PacketView
    };
    /// The next packet of the file; none at its end, and where it is damaged.
    [[nodiscard]] std::optional<Packet> next();
    /// True if reading stopped before the end of the file: it was cut off or damaged.
    [[nodiscard]] bool damaged() const { return damaged_; }
    /// Where in the file reading is, or stopped.
    [[nodiscard]] std::size_t position() const { return at_; }

private:
    explicit LvxReader(std::span<const std::uint8_t> file) : file_(file) {}
    [[nodiscard]] bool enter_frame();

    std::span<const std::uint8_t> file_;
    std::vector<RecordedDevice> devices_;
    std::size_t at_ = 0, frame_end_ = 0;
    bool damaged_ = false;
};

/// A .pcd file (version 0.7, binary) with x, y, z in m and the intensity; points without a return are left out.
void write_pcd(std::ostream& out, std::span<const Point> points);

}  // namespace interfaces::livox
