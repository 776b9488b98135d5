#include "interfaces/canopen/abort.hpp"

namespace interfaces::canopen {

const char* text(Abort abort) {
    switch (abort) {
        case Abort::none:
            return "no error";
        case Abort::toggle:
            return "toggle bit not alternated";
        case Abort::time_out:
            return "SDO protocol timed out";
        case Abort::unknown_command:
            return "unknown command";
        case Abort::unsupported_access:
            return "unsupported access";
        case Abort::write_only:
            return "read of a write-only object";
        case Abort::read_only:
            return "write of a read-only object";
        case Abort::no_object:
            return "no such object";
        case Abort::not_mappable:
            return "object cannot be mapped";
        case Abort::pdo_too_long:
            return "mapped objects exceed the length of a PDO";
        case Abort::incompatible:
            return "parameters do not fit each other";
        case Abort::length:
            return "length does not match";
        case Abort::too_long:
            return "too many bytes";
        case Abort::too_short:
            return "too few bytes";
        case Abort::no_sub_index:
            return "no such sub-index";
        case Abort::value:
            return "value not allowed";
        case Abort::too_high:
            return "value too high";
        case Abort::too_low:
            return "value too low";
        case Abort::general:
            return "general error";
        case Abort::cannot_store:
            return "cannot be stored or loaded: wrong signature";
        case Abort::wrong_state:
            return "not in the present state of the device";
    }
    return "unknown reason";
}

}  // namespace interfaces::canopen
