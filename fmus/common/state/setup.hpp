#pragma once

#include "fmus/common/state/modes.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fmus {

/// How an importer instantiated the unit.
struct Setup {
    std::string resources;  // native path of the resources folder, with a trailing separator; may be empty
    Interface interface = Interface::co_simulation;
    bool event_mode = false, early_return = false, logging = false;
    std::vector<std::uint32_t> intermediate;  // references the importer exchanges inside a step
    std::function<void(Status, const char* category, const std::string& text)> log;
    std::function<void(double time)> ask_inputs;  // the importer sets the intermediate inputs for this time
};

}  // namespace fmus
