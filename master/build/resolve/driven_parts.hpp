#pragma once

#include "master/build/resolve/names.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace master::build {

/// Elements of a variable that have a source, and which.
struct Driven {
    Part part;
    std::string label, where;
};

/// The parts of one variable that have a source, by their first element; no two overlap.
class DrivenParts {
public:
    /// Adds it, unless one that is there overlaps: then that one is returned.
    const Driven* add(const Driven& driven);

    [[nodiscard]] auto begin() const { return parts_.begin(); }
    [[nodiscard]] auto end() const { return parts_.end(); }

private:
    std::map<std::uint32_t, Driven> parts_;
};

}  // namespace master::build
