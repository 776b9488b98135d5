#pragma once

#include "interfaces/canopen/dictionary.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace interfaces::canopen {

/// What an entry is, beside its place and its name.
struct Facts {
    Type type = Type::unsigned32;
    Access access = Access::ro;
    std::uint64_t initial = 0;
    bool mappable = false;
    std::optional<std::uint64_t> low{}, high{};
    bool adds_node_id = false;
    std::string text{};
};

struct Part {
    std::uint8_t sub = 0;
    std::string name;
    Facts facts;
};

/// The objects that every device here has (CiA 301).
struct DeviceFacts {
    std::uint32_t type = 0;  // 0x1000: profile number, and its details in the upper half
    std::string name, hardware_version = "1.0", software_version = "1.0";
    std::uint32_t vendor = 0, product = 0, revision = 0x00010000, serial = 0;
    std::uint16_t heartbeat_ms = 1000;
};

/// A PDO that the device sends by default; further entries may be mapped up to eight.
struct TpdoFacts {
    std::uint32_t cob_id = 0x180;  // plus node-id; with bit 31 it is off
    std::uint8_t type = 254;
    std::uint16_t inhibit_100us = 100, event_timer_ms = 10;
    std::vector<std::uint32_t> mapping;  // index << 16 | sub-index << 8 | bits
};

/// An object dictionary as it is written down in a source: object by object.
class ObjectTable {
public:
    ObjectTable& variable(std::uint16_t index, std::string name, Facts facts);
    /// Sub-index 0 is added unless it is among the parts.
    ObjectTable& record(std::uint16_t index, std::string name, std::vector<Part> parts);
    ObjectTable& array(std::uint16_t index, std::string name, std::vector<Part> parts);

    ObjectTable& device(const DeviceFacts& facts);
    ObjectTable& tpdo(std::uint16_t number, const TpdoFacts& facts);  // from 0

    [[nodiscard]] Dictionary dictionary() const { return {objects_, entries_}; }

private:
    ObjectTable& parts(std::uint16_t index, std::vector<Part> parts);

    std::vector<Object> objects_;
    std::vector<Entry> entries_;
};

}  // namespace interfaces::canopen
