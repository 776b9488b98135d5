#pragma once

#include "fmus/common/state/instance.hpp"

#include <exception>
#include <string>

namespace fmus {

/// What an FMI call is, for the state machine and for messages.
struct Call {
    const char* function;
    Modes allowed = any_mode;
};

/// Runs the body of an FMI function: no exception leaves the library, every refusal becomes a status and a message.
template <class Body>
[[nodiscard]] Status guard(Instance* instance, Call call, Body body) noexcept {
    if (instance == nullptr) return Status::error;
    try {
        instance->require(call.allowed);
        body(*instance);
        return Status::ok;
    } catch (const std::exception& problem) {
        try {
            instance->report(Status::error, std::string(call.function) + ": " + problem.what());
        } catch (...) {
            return Status::fatal;  // not even the message could be made
        }
        return Status::error;
    } catch (...) {
        return Status::fatal;
    }
}

}  // namespace fmus
