#include "interfaces/canopen/files/eds_reader.hpp"
#include "interfaces/canopen/master/master.hpp"
#include "interfaces/canopen/sensors/excavator.hpp"
#include "tests/interfaces/canopen/bench.hpp"
#include "tests/interfaces/canopen/fuzz.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace interfaces::canopen {
namespace {

void promise(bool kept) {
    if (!kept) std::abort();
}

/// The next frame, or none when the bytes are used up.
bool take(std::span<const std::uint8_t>& bytes, can::Frame& frame) {
    if (bytes.size() < 3) return false;
    frame = {.id = static_cast<std::uint32_t>(load(bytes.first(2)) & 0x7FF),
             .size = static_cast<std::uint8_t>(bytes[2] % 9)};
    bytes = bytes.subspan(3);
    const std::size_t count = std::min<std::size_t>(frame.size, bytes.size());
    std::copy_n(bytes.begin(), count, frame.data.begin());
    bytes = bytes.subspan(count);
    return true;
}

void check_sent(const Frames& sent) {
    promise(sent.size() < 100);
    for (const can::Frame& frame : sent) promise(frame.size <= 8 && frame.id <= 0x7FF && !frame.extended);
}

}  // namespace

void fuzz_slave(std::span<const std::uint8_t> bytes) {
    static const Device device = sample_device();
    static const Slave fresh(device, {.node_id = 5});  // a copy costs less than looking for PDOs again
    Slave slave = fresh;
    const std::size_t image_size = slave.state.image.size();
    Frames sent;
    Time now = 60ms;
    slave.advance(now, sent);
    for (can::Frame frame; take(bytes, frame);) {
        sent.clear();
        slave.receive(frame, now, sent);
        now += std::chrono::milliseconds(frame.size * 10);
        slave.advance(now, sent);
        check_sent(sent);
        promise(slave.state.image.size() == image_size && slave.state.sdo.bytes.size() <= 4096);
    }
}

void fuzz_lss(std::span<const std::uint8_t> bytes) {
    static const Device device = sample_device();
    static const Slave fresh(device, {.serial = 77});
    Slave slave = fresh;
    Frames sent;
    Time now{};
    while (bytes.size() >= 8) {
        sent.clear();
        slave.receive(make_frame(lss_request_id, bytes.first(8)), now, sent);
        promise(sent.size() <= 1);
        now += 100ms;
        slave.advance(now, sent);
        check_sent(sent);
        const std::uint8_t id = slave.node_id();
        promise((id >= 1 && id <= 127) || id == unconfigured_node_id);
        bytes = bytes.subspan(8);
    }
}

void fuzz_master(std::span<const std::uint8_t> bytes) {
    static const std::vector<Node> nodes = excavator_sensors();
    static const MasterPlan plan = make_plan(std::span(nodes).first(2), {.sync_period = 10ms});
    Master master(plan);
    Frames sent;
    Master::Events events;
    Time now = 1ms;
    for (can::Frame frame; take(bytes, frame);) {
        sent.clear();
        events.clear();
        master.advance(now, sent, events);
        master.receive(frame, now, sent, events);
        now += std::chrono::milliseconds(frame.size);
        check_sent(sent);
        promise(events.size() <= 4);
        for (const MasterEvent& event : events) promise(!text(event, plan).empty());
        for (const auto& node : master.state.nodes) promise(node.sdo.bytes.size() <= 1u << 16);
    }
}

void fuzz_data_sheet(std::string_view text) {
    try {
        DataSheet sheet = parse_data_sheet(text, "fuzz.eds");
        Device device{std::move(sheet.dictionary), nullptr};
        device.profile = profile_of(device.dictionary);
        Slave slave(device, {.node_id = 5});
        Frames sent;
        slave.advance(60ms, sent);
        slave.receive(frame(0, {1, 0}), 60ms, sent);
        slave.measure(std::vector{1.0, -2.0}, 61ms);
        slave.advance(61ms, sent);
        promise(sent.size() < 600);
    } catch (const FileError& error) {
        promise(std::string_view(error.what()).starts_with("fuzz.eds:"));
    }
}

}  // namespace interfaces::canopen
