#include "master/ssp/connectors.hpp"

#include <utility>

namespace master::ssp {

Kind kind_of(core::Causality causality) {
    switch (causality) {
        case core::Causality::structural_parameter:
            return Kind::structural_parameter;
        case core::Causality::parameter:
            return Kind::parameter;
        case core::Causality::calculated_parameter:
            return Kind::calculated_parameter;
        case core::Causality::input:
            return Kind::input;
        case core::Causality::output:
            return Kind::output;
        case core::Causality::local:
        case core::Causality::independent:
            return Kind::local;
    }
    return Kind::unspecified;
}

bool Connectors::add(Connector connector) {
    if (!index_of_.try_emplace(connector.name, static_cast<std::uint32_t>(list_.size())).second) return false;
    list_.push_back(std::move(connector));
    return true;
}

const Connector* Connectors::find(std::string_view name) const {
    const auto found = index_of_.find(name);
    return found == index_of_.end() ? nullptr : &list_[found->second];
}

std::vector<std::string> Connectors::names() const {
    std::vector<std::string> names;
    names.reserve(list_.size());
    for (const Connector& connector : list_) names.push_back(connector.name);
    return names;
}

}  // namespace master::ssp
