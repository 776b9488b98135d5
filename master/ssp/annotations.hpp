#pragma once

#include "master/base/xml/page.hpp"
#include "master/ssp/tree.hpp"

#include <optional>
#include <string>
#include <vector>

namespace master::ssp {

/// How the whole system is to be run, and who said so.
struct MasterSettings {
    std::optional<base::Fraction> step;
    std::string step_origin;
    std::string algorithm, algorithm_where;
    std::vector<std::string> order;
    std::string order_where;
    std::optional<double> tolerance;
};

/// Annotations of a component: ours (rate, isolation) and the step hints of other masters. Ours win.
void read_component_annotations(pugi::xml_node component, base::Page& page, Component& result);

/// Our coupling annotation of a connection.
void read_connection_annotations(pugi::xml_node connection, base::Page& page, RawConnection& result);

/// Annotations of the default experiment and of the root system. Ours win, whatever the order of the calls.
void read_master_annotations(pugi::xml_node parent, base::Page& page, MasterSettings& result);

/// What another master notes for a nested system: its step holds for the components in it, unless they have their own.
void read_nested_annotations(pugi::xml_node system, base::Page& page, Element& result);

/// Our contract of a connector or an entry of a dictionary.
void read_connector_annotations(pugi::xml_node connector, base::Page& page, Connector& result);

/// Reports annotations in places where none is read.
void report_annotations(pugi::xml_node parent, base::Page& page);

}  // namespace master::ssp
