#pragma once

#include "interfaces/canopen/object_table.hpp"
#include "interfaces/canopen/slave/slave.hpp"

#include <initializer_list>
#include <vector>

namespace interfaces::canopen {

using namespace std::chrono_literals;

using Bytes = std::vector<std::uint8_t>;

inline can::Frame frame(std::uint32_t id, const Bytes& bytes) { return make_frame(id, bytes); }

inline Bytes bytes_of(const can::Frame& frame) { return {frame.bytes().begin(), frame.bytes().end()}; }

/// A device with one object of many kinds, for tests of the communication.
inline Device sample_device() {
    using enum Type;
    using enum Access;
    ObjectTable table;
    table.device({.type = 0x00020194,
                  .name = "sample device for tests",
                  .vendor = 0x11,
                  .product = 0x22,
                  .revision = 0x33,
                  .serial = 0x44,
                  .heartbeat_ms = 0});
    table.tpdo(0, {.inhibit_100us = 0, .event_timer_ms = 0, .mapping = {0x20000010, 0x20010008}});
    table.tpdo(1, {.cob_id = 0x280, .type = 1, .inhibit_100us = 0, .event_timer_ms = 0, .mapping = {0x20020020}});
    table.record(0x1400, "RPDO1 communication parameter",
                 {{1, "COB-ID", {.access = rw, .initial = 0x200, .adds_node_id = true}},
                  {2, "Transmission type", {.type = unsigned8, .access = rw, .initial = 255}}});
    table.record(0x1600, "RPDO1 mapping parameter",
                 {{0, "Number of mapped objects", {.type = unsigned8, .access = rw, .initial = 1}},
                  {1, "Mapped object 1", {.access = rw, .initial = 0x20030010}},
                  {2, "Mapped object 2", {.access = rw}}});
    table.variable(0x2000, "Position", {.type = integer16, .mappable = true});
    table.variable(0x2001, "Status", {.type = unsigned8, .mappable = true});
    table.variable(0x2002, "Pressure", {.type = real32, .mappable = true});
    table.variable(0x2003, "Command", {.type = integer16, .access = rww, .mappable = true});
    table.variable(0x2004, "Key", {.type = unsigned16, .access = wo});
    table.variable(0x2005, "Limited", {.type = integer16, .access = rw, .initial = 5, .low = 0xFFF6, .high = 10});
    table.variable(0x2006, "Note", {.type = visible_string, .access = rw, .text = "nothing"});
    table.variable(0x2007, "Wide", {.type = unsigned64, .access = rw, .mappable = true});
    table.variable(0x2008, "Switch", {.type = boolean, .access = rw, .mappable = true});
    return {table.dictionary(), nullptr};
}

/// One slave, time, and what it sent.
struct Bench {
    explicit Bench(const Commissioning& commissioning = {.node_id = 5}, Device which = sample_device())
        : device(std::move(which)), slave(device, commissioning) {}

    /// In steps of a millisecond; what was sent before is forgotten.
    Frames& run(Time span) {
        sent.clear();
        for (const Time end = now + span; now < end;) {
            now += 1ms;
            slave.advance(now, sent);
        }
        return sent;
    }
    Frames& tell(std::uint32_t id, const Bytes& bytes) {
        sent.clear();
        slave.receive(frame(id, bytes), now, sent);
        return sent;
    }
    /// The one answer of the SDO server.
    Bytes ask(const Bytes& request) {
        tell(0x600u + slave.node_id(), request);
        return sent.size() == 1 && sent[0].id == 0x580u + slave.node_id() ? bytes_of(sent[0]) : Bytes{};
    }
    Abort write(Key key, std::uint64_t raw, std::size_t size) {
        Bytes request{static_cast<std::uint8_t>(0x23 | (4 - size) << 2),
                      static_cast<std::uint8_t>(key.index),
                      static_cast<std::uint8_t>(key.index >> 8),
                      key.sub,
                      0,
                      0,
                      0,
                      0};
        store(std::span(request).subspan(4, size), raw);
        return abort_in(ask(request));
    }
    Abort abort_of_read(Key key) { return abort_in(ask(upload(key))); }
    std::uint64_t read(Key key) {
        const Bytes answer = ask(upload(key));
        if (answer.size() != 8 || (answer[0] & 0xE3) != 0x43) throw std::runtime_error("no expedited answer");
        return load(std::span(answer).subspan(4, 4u - (answer[0] >> 2 & 3u)));
    }
    void start() {
        run(60ms);
        tell(0, {0x01, 0x00});
    }

    static Bytes upload(Key key) {
        return {0x40, static_cast<std::uint8_t>(key.index), static_cast<std::uint8_t>(key.index >> 8), key.sub, 0, 0, 0,
                0};
    }
    static Abort abort_in(const Bytes& answer) {
        if (answer.size() != 8) throw std::runtime_error("no answer");
        return answer[0] == 0x80 ? static_cast<Abort>(load(std::span(answer).subspan(4))) : Abort::none;
    }

    Device device;
    Slave slave;
    Time now{};
    Frames sent;
};

}  // namespace interfaces::canopen
