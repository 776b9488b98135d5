#pragma once

#include "master/contracts/interface.hpp"

#include <vector>

namespace master::contracts {

/// Two elements that are compared; `actual` is null where there is none.
struct Pair {
    const Element* actual = nullptr;
    const Element* expected = nullptr;
};

struct Pairing {
    std::vector<Pair> pairs;            // one for each expected element
    std::vector<const Element*> extra;  // actual ones without a partner
    std::vector<Element> merged;        // made here, where names are not grouped by components
};

/// Which component is to keep the promises of which: by name, or by the names inside. Throws `Error` for a
/// specification of something else.
[[nodiscard]] Pairing pair_up(const Interface& actual, const Interface& expected);

/// The entry of that name, or of another name of it; null where there is none or where several could be meant.
[[nodiscard]] const Entry* find(const Element& element, const Entry& wanted);

}  // namespace master::contracts
