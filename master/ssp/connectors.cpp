#include "master/ssp/connectors.hpp"

#include <utility>

namespace master::ssp {

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
