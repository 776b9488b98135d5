#pragma once

#include "master/ssp/description.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace master::ssp {

/// A connection as its system's file has it. An empty element means the enclosing system.
struct RawConnection {
    struct End {
        std::string element, connector;
        std::vector<std::uint64_t> indices;
    };
    End start, end;
    Hop hop;
    core::Hold hold = core::Hold::automatic;
    std::string bond, role;
};

struct Dictionary {
    std::string name;
    Connectors entries;
};

/// A system, component or dictionary reference as read, before nesting is dissolved.
struct Element {
    enum class Form : std::uint8_t { component, system, reference };
    Form form = Form::component;
    std::string name;
    std::string where;
    Connectors connectors;
    std::vector<Parameter> parameters;  // bound here; names are relative to this element

    Component component;  // form component: all but name, connectors and parameters

    std::vector<Element> elements;  // form system
    std::vector<RawConnection> connections;
    std::vector<Dictionary> dictionaries;

    std::string dictionary;  // form reference
};

}  // namespace master::ssp
