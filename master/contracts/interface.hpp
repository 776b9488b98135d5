#pragma once

#include "interfaces/dbc/database.hpp"
#include "master/base/time.hpp"
#include "master/core/physical_unit.hpp"
#include "master/core/unit.hpp"
#include "master/ssp/description.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What parts of a system promise each other, whoever wrote it down: FMU, SSD, SSP, SSB or DBC.
namespace master::contracts {

/// Where a signal lies in the frames of a bus.
struct BusSignal {
    interfaces::dbc::Signal signal;
    std::string selector;            // the multiplexor that selects it; empty = always there
    double gain = 1, offset = 0;     // value of the entry = gain * physical + offset
    double lowest = 0, highest = 0;  // values of the entry that its bits hold
};

/// One signal or parameter of an interface; what is empty is not stated.
struct Entry {
    std::string name;
    std::vector<std::string> other_names = {};
    ssp::Kind kind = ssp::Kind::unspecified;
    std::string type = {};  // as FMI 3 spells it
    std::vector<std::optional<std::uint64_t>> dimensions = {};
    std::optional<core::PhysicalUnit> unit = {};
    std::optional<core::Enumeration> enumeration = {};
    ssp::Contract contract = {};
    /// Inputs that an output depends on in the same instant; nothing: on any.
    std::optional<std::vector<std::string>> dependencies = {};
    bool implemented = false;  // stands in an FMU, so that what it does not state has the meaning that FMI gives
    std::optional<BusSignal> bus = {};
    std::optional<base::Fraction> step = {};  // of its component, where it stands among those of others
    std::string where = {};
};

/// What is known of an FMU from its files.
struct UnitFacts {
    std::string fmi_version;
    std::vector<std::string> platforms;  // as FMI 3 spells them
    std::string missing_binary;          // why it cannot run here; empty where it can
    core::Capabilities can;
    bool event_mode = false, standalone = true;
};

/// What is known of a message of a bus.
struct MessageFacts {
    std::uint32_t id = 0;
    bool extended = false, fd = false;
    std::uint16_t size = 0;
    double cycle_time = 0;
    std::string sender;
};

/// A component, a message, or the outside of a system (whose name is empty).
struct Element {
    std::string name;
    std::vector<Entry> entries;
    std::optional<UnitFacts> unit = {};
    std::optional<MessageFacts> message = {};
    std::optional<ssp::UnitRequirements> requirements = {};
    std::optional<base::Fraction> step = {};  // with which it is stepped
    std::string where = {};
};

struct Interface {
    enum class Form : std::uint8_t {
        unit,           // an FMU
        system,         // with units in it
        specification,  // a system without any unit
        dictionary,
        bus
    };
    Form form = Form::system;
    std::string file;  // as it was given
    std::vector<Element> elements;

    /// True where names are not grouped by components.
    [[nodiscard]] bool flat() const { return form == Form::dictionary || form == Form::bus; }
};

}  // namespace master::contracts
