#include "interfaces/canopen/object_table.hpp"

#include <algorithm>

namespace interfaces::canopen {
namespace {

constexpr std::uint8_t history_length = 8, most_mapped = 8;

Entry make_entry(Key key, std::string name, Facts facts) {
    Entry entry{.key = key, .name = std::move(name), .type = facts.type, .access = facts.access};
    entry.mappable = facts.mappable;
    entry.adds_node_id = facts.adds_node_id;
    entry.initial = facts.initial;
    entry.initial_text = std::move(facts.text);
    entry.low = facts.low;
    entry.high = facts.high;
    return entry;
}

Facts text(std::string value) {
    return {.type = Type::visible_string, .access = Access::constant, .text = std::move(value)};
}

}  // namespace

ObjectTable& ObjectTable::variable(std::uint16_t index, std::string name, Facts facts) {
    objects_.push_back({index, name, ObjectKind::variable});
    entries_.push_back(make_entry({index, 0}, std::move(name), std::move(facts)));
    return *this;
}

ObjectTable& ObjectTable::record(std::uint16_t index, std::string name, std::vector<Part> list) {
    objects_.push_back({index, std::move(name), ObjectKind::record});
    return parts(index, std::move(list));
}

ObjectTable& ObjectTable::array(std::uint16_t index, std::string name, std::vector<Part> list) {
    objects_.push_back({index, std::move(name), ObjectKind::array});
    return parts(index, std::move(list));
}

ObjectTable& ObjectTable::parts(std::uint16_t index, std::vector<Part> list) {
    std::uint8_t highest = 0;
    for (const Part& part : list) highest = std::max(highest, part.sub);
    if (std::ranges::none_of(list, [](const Part& part) { return part.sub == 0; }))
        entries_.push_back(make_entry({index, 0}, "Highest sub-index supported",
                                      {.type = Type::unsigned8, .access = Access::constant, .initial = highest}));
    for (Part& part : list)
        entries_.push_back(make_entry({index, part.sub}, std::move(part.name), std::move(part.facts)));
    return *this;
}

ObjectTable& ObjectTable::device(const DeviceFacts& facts) {
    using enum Type;
    using enum Access;
    variable(0x1000, "Device type", {.access = constant, .initial = facts.type});
    variable(0x1001, "Error register", {.type = unsigned8, .mappable = true});
    std::vector<Part> errors{{0, "Number of errors", {.type = unsigned8, .access = rw}}};
    for (std::uint8_t i = 1; i <= history_length; ++i) errors.push_back({i, "Error " + std::to_string(i), {}});
    array(0x1003, "Pre-defined error field", std::move(errors));
    variable(0x1005, "COB-ID SYNC", {.access = rw, .initial = 0x80});
    variable(0x1008, "Manufacturer device name", text(facts.name));
    variable(0x1009, "Manufacturer hardware version", text(facts.hardware_version));
    variable(0x100A, "Manufacturer software version", text(facts.software_version));
    array(0x1010, "Store parameters", {{1, "Save all parameters", {.access = rw, .initial = 1}}});
    array(0x1011, "Restore default parameters", {{1, "Restore all default parameters", {.access = rw, .initial = 1}}});
    variable(0x1014, "COB-ID EMCY", {.access = rw, .initial = 0x80, .adds_node_id = true});
    variable(0x1015, "Inhibit time EMCY", {.type = unsigned16, .access = rw});
    variable(0x1017, "Producer heartbeat time", {.type = unsigned16, .access = rw, .initial = facts.heartbeat_ms});
    record(0x1018, "Identity object",
           {{1, "Vendor-ID", {.access = constant, .initial = facts.vendor}},
            {2, "Product code", {.access = constant, .initial = facts.product}},
            {3, "Revision number", {.access = constant, .initial = facts.revision}},
            {4, "Serial number", {.access = constant, .initial = facts.serial}}});
    return record(0x1200, "SDO server parameter",
                  {{1, "COB-ID client to server", {.access = constant, .initial = 0x600, .adds_node_id = true}},
                   {2, "COB-ID server to client", {.access = constant, .initial = 0x580, .adds_node_id = true}}});
}

ObjectTable& ObjectTable::tpdo(std::uint16_t number, const TpdoFacts& facts) {
    using enum Type;
    using enum Access;
    const std::string name = "TPDO" + std::to_string(number + 1);
    record(0x1800 + number, name + " communication parameter",
           {{0, "Highest sub-index supported", {.type = unsigned8, .access = constant, .initial = 6}},
            {1, "COB-ID", {.access = rw, .initial = 0x40000000 | facts.cob_id, .adds_node_id = true}},
            {2, "Transmission type", {.type = unsigned8, .access = rw, .initial = facts.type}},
            {3, "Inhibit time", {.type = unsigned16, .access = rw, .initial = facts.inhibit_100us}},
            {5, "Event timer", {.type = unsigned16, .access = rw, .initial = facts.event_timer_ms}},
            {6, "SYNC start value", {.type = unsigned8, .access = rw}}});
    std::vector<Part> mapping{
        {0, "Number of mapped objects", {.type = unsigned8, .access = rw, .initial = facts.mapping.size()}}};
    for (std::uint8_t i = 1; i <= most_mapped; ++i)
        mapping.push_back({i,
                           "Mapped object " + std::to_string(i),
                           {.access = rw, .initial = i <= facts.mapping.size() ? facts.mapping[i - 1] : 0}});
    return record(0x1A00 + number, name + " mapping parameter", std::move(mapping));
}

}  // namespace interfaces::canopen
