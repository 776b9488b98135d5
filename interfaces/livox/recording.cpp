#include "interfaces/livox/recording.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <ostream>
#include <string_view>

namespace interfaces::livox {

namespace {

using point_cloud::put;
using point_cloud::take;

constexpr std::string_view signature = "livox_tech";
constexpr std::array<std::uint8_t, 4> lvx_version{1, 1, 0, 0};
constexpr std::uint32_t lvx_magic = 0xAC0EA767;
constexpr std::uint32_t frame_milliseconds = 50;
constexpr std::size_t public_header = 24, private_header = 5, device_size = 59, frame_header = 24;

void put_float(std::uint8_t* at, float value) { put(at, std::bit_cast<std::uint32_t>(value)); }
float take_float(const std::uint8_t* at) { return std::bit_cast<float>(take<std::uint32_t>(at)); }

void put_device(std::uint8_t* at, const RecordedDevice& device, std::size_t index) {
    std::copy_n(device.code.begin(), std::min(device.code.size(), code_length), at);
    at += 32;  // the code of a hub stays zero
    at[0] = static_cast<std::uint8_t>(index);
    at[1] = static_cast<std::uint8_t>(device.type);
    at[2] = device.placed ? 1 : 0;
    at += 3;
    for (const float value : {device.roll, device.pitch, device.yaw, device.x, device.y, device.z}) {
        put_float(at, value);
        at += 4;
    }
}

RecordedDevice take_device(const std::uint8_t* at) {
    const auto* end = std::find(at, at + code_length, std::uint8_t{0});
    return {.code = std::string(at, end),
            .type = static_cast<DeviceType>(at[33]),
            .placed = at[34] != 0,
            .roll = take_float(at + 35),
            .pitch = take_float(at + 39),
            .yaw = take_float(at + 43),
            .x = take_float(at + 47),
            .y = take_float(at + 51),
            .z = take_float(at + 55)};
}

void write(std::ostream& out, std::span<const std::uint8_t> bytes) {
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

LvxWriter::LvxWriter(std::ostream& out, std::span<const RecordedDevice> devices)
    : out_(out), devices_(devices.size()), frame_(frame_header) {
    assert(devices.size() <= most_recorded_devices);
    std::vector<std::uint8_t> head(public_header + private_header + device_size * devices.size());
    std::copy(signature.begin(), signature.end(), head.begin());
    std::copy(lvx_version.begin(), lvx_version.end(), head.begin() + 16);
    put(&head[20], lvx_magic);
    put(&head[public_header], frame_milliseconds);
    head[public_header + 4] = static_cast<std::uint8_t>(devices.size());
    for (std::size_t i = 0; i < devices.size(); ++i)
        put_device(&head[public_header + private_header + device_size * i], devices[i], i);
    write(out_, head);
    offset_ = head.size();
}

LvxWriter::~LvxWriter() { finish(); }

bool LvxWriter::add(std::uint8_t device, std::span<const std::uint8_t> packet) {
    const auto view = PacketView::parse(packet);
    if (!view || device >= devices_) return false;
    if (packet.size() != packet_header_size + layout_of(view->header().data_type).data_size()) return false;
    // Without a time a packet stays in the frame that is open.
    if (const auto time = time_of(view->header())) {
        if (frame_end_ && *time >= *frame_end_) finish();
        if (!frame_end_) frame_end_ = *time + std::int64_t{frame_milliseconds} * 1'000'000;
    }
    frame_.push_back(device);
    frame_.insert(frame_.end(), packet.begin(), packet.end());
    return true;
}

void LvxWriter::finish() {
    if (frame_.size() == frame_header) return;
    put(&frame_[0], offset_);
    offset_ += frame_.size();
    put(&frame_[8], offset_);
    put(&frame_[16], index_++);
    write(out_, frame_);
    out_.flush();
    frame_.resize(frame_header);
    frame_end_.reset();
}

std::optional<LvxReader> LvxReader::parse(std::span<const std::uint8_t> file) {
    if (file.size() < public_header + private_header) return std::nullopt;
    std::array<std::uint8_t, 16> expected{};
    std::copy(signature.begin(), signature.end(), expected.begin());
    if (!std::equal(expected.begin(), expected.end(), file.begin())) return std::nullopt;
    if (!std::equal(lvx_version.begin(), lvx_version.end(), file.begin() + 16)) return std::nullopt;
    if (take<std::uint32_t>(&file[20]) != lvx_magic) return std::nullopt;
    const std::size_t count = file[public_header + 4], begin = public_header + private_header;
    if (file.size() < begin + count * device_size) return std::nullopt;
    LvxReader reader(file);
    for (std::size_t i = 0; i < count; ++i) reader.devices_.push_back(take_device(&file[begin + i * device_size]));
    reader.at_ = reader.frame_end_ = begin + count * device_size;
    return reader;
}

std::optional<LvxReader::Packet> LvxReader::next() {
    while (!damaged_ && at_ == frame_end_) {
        if (at_ == file_.size()) return std::nullopt;
        damaged_ = !enter_frame();
    }
    if (damaged_) return std::nullopt;
    damaged_ = true;  // unless the packet turns out whole
    const auto rest = file_.subspan(at_, std::min(frame_end_, file_.size()) - at_);
    if (rest.size() < 1 + packet_header_size || rest[0] >= devices_.size()) return std::nullopt;
    const auto view = PacketView::parse(rest.subspan(1));
    if (!view) return std::nullopt;
    const std::size_t size = packet_header_size + layout_of(view->header().data_type).data_size();
    if (rest.size() < 1 + size) return std::nullopt;
    damaged_ = false;
    at_ += 1 + size;
    return Packet{.device = rest[0], .bytes = rest.subspan(1, size)};
}

/// A frame that goes beyond the end of the file was being written when the recorder died: its whole packets count.
bool LvxReader::enter_frame() {
    if (file_.size() - at_ < frame_header || take<std::uint64_t>(&file_[at_]) != at_) return false;
    const auto following = take<std::uint64_t>(&file_[at_ + 8]);
    if (following < at_ + frame_header) return false;
    frame_end_ = static_cast<std::size_t>(following);
    at_ += frame_header;
    return true;
}

void write_pcd(std::ostream& out, std::span<const Point> points) {
    std::vector<std::uint8_t> bytes;
    bytes.reserve(16 * points.size());
    for (const Point& point : points) {
        if (point.x == 0 && point.y == 0 && point.z == 0) continue;
        bytes.resize(bytes.size() + 16);
        std::uint8_t* at = bytes.data() + bytes.size() - 16;
        for (const float value : {point.x, point.y, point.z, static_cast<float>(point.intensity)}) {
            put_float(at, value);
            at += 4;
        }
    }
    const std::string count = std::to_string(bytes.size() / 16);
    out << "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\nFIELDS x y z intensity\nSIZE 4 4 4 4\n"
           "TYPE F F F F\nCOUNT 1 1 1 1\nWIDTH "
        << count << "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " << count << "\nDATA binary\n";
    write(out, bytes);
}

}  // namespace interfaces::livox
