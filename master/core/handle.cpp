#include "master/core/handle.hpp"

namespace master::core {

double value_at(const Handle& handle, const Signals& signals, std::uint32_t element) {
    const Lanes& lanes = handle.input ? signals.inputs : signals.outputs;
    const std::uint32_t index = handle.index + element;
    double value = 0;
    switch (handle.type) {
        case Type::real:
            value = lanes.reals[index];
            break;
        case Type::integer:
            value = static_cast<double>(lanes.integers[index]);
            break;
        case Type::natural:
            value = static_cast<double>(lanes.naturals[index]);
            break;
        case Type::boolean:
            value = lanes.booleans[index];
            break;
        default:
            break;
    }
    return handle.gain * value + handle.offset;
}

}  // namespace master::core
