#pragma once

namespace fmus {

/// What the build knows of a unit: add_fmu() gives it to facts.cpp, which every unit compiles. So no library here.
struct BuildFacts {
    const char* identifier = "";  // modelIdentifier: name of the shared library
    const char* version = "";     // of the project
    bool model_exchange = false;
};
[[nodiscard]] const BuildFacts& build_facts();

}  // namespace fmus
