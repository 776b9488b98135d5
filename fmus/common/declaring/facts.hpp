#pragma once

#include <string>

namespace fmus {

/// What the build knows of a unit: add_fmu() gives it to facts.cpp.
struct BuildFacts {
    std::string identifier;  // modelIdentifier: name of the shared library
    std::string version;     // of the project
    bool model_exchange = false;
};
[[nodiscard]] const BuildFacts& build_facts();

}  // namespace fmus
