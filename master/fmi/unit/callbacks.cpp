#include "master/fmi/unit/callbacks.hpp"

#include <cstdarg>
#include <cstdlib>

namespace master::fmi {
namespace {

void log_message2(fmi2ComponentEnvironment environment, fmi2String /*instance*/, fmi2Status status, fmi2String category,
                  fmi2String message, ...) {
    if (environment == nullptr || !static_cast<LogRelay*>(environment)->wants(status)) return;
    std::va_list arguments;
    va_start(arguments, message);
    try {
        static_cast<LogRelay*>(environment)->from_fmu(status, category, format_message(message, arguments));
    } catch (...) {  // called from C: a message that cannot be formatted is dropped
    }
    va_end(arguments);
}

void* allocate(std::size_t count, std::size_t size) { return std::calloc(count, size); }

void release(void* memory) { std::free(memory); }

}  // namespace

fmi2CallbackFunctions callbacks_for(LogRelay& relay) {
    // No stepFinished: a unit that answers "pending" is asked for its status.
    return {log_message2, allocate, release, nullptr, &relay};
}

void log_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category, fmi3String message) {
    if (environment == nullptr || message == nullptr) return;
    LogRelay& relay = *static_cast<Environment3*>(environment)->relay;
    if (relay.wants(status)) relay.from_fmu(status, category, message);
}

}  // namespace master::fmi
