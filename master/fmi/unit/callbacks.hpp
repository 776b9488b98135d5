#pragma once

#include "interfaces/fmi/fmi2.h"
#include "interfaces/fmi/fmi3.h"
#include "master/fmi/library/log_relay.hpp"

namespace master::fmi {

/// The functions an FMI 2 unit may call; must outlive its instance.
[[nodiscard]] fmi2CallbackFunctions callbacks_for(LogRelay& relay);

/// The log function of FMI 3; its environment begins with a `LogRelay*`.
struct Environment3 {
    LogRelay* relay = nullptr;
    void* unit = nullptr;  // for the intermediate update
};
void log_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message);

}  // namespace master::fmi
