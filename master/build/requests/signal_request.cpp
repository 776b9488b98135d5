#include "master/build/requests/signal_request.hpp"

#include <functional>
#include <numeric>

namespace master::build {

std::size_t LocatedSignal::size() const {
    return std::accumulate(dimensions.begin(), dimensions.end(), std::size_t{1}, std::multiplies<>());
}

double number(const LocatedSignal& signal, const core::Signals& signals, std::uint32_t element) {
    return signal.gain * core::number(signal.first.element(element), signals) + signal.offset;
}

}  // namespace master::build
