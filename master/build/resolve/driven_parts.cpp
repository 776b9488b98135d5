#include "master/build/resolve/driven_parts.hpp"

#include <iterator>

namespace master::build {

const Driven* DrivenParts::add(const Driven& driven) {
    const Part& part = driven.part;
    // Only the two neighbours can overlap.
    const auto next = parts_.lower_bound(part.element);
    if (next != parts_.begin()) {
        const Driven& before = std::prev(next)->second;
        if (before.part.element + before.part.count > part.element) return &before;
    }
    if (next != parts_.end() && next->first < part.element + part.count) return &next->second;
    parts_.emplace_hint(next, part.element, driven);
    return nullptr;
}

}  // namespace master::build
