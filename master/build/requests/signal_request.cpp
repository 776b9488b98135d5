#include "master/build/requests/signal_request.hpp"

#include "master/build/native_types.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <type_traits>

namespace master::build {

std::size_t LocatedSignal::size() const {
    return std::accumulate(dimensions.begin(), dimensions.end(), std::size_t{1}, std::multiplies<>());
}

double number(const LocatedSignal& signal, const core::Signals& signals, std::uint32_t element) {
    return signal.gain * core::number(signal.first.element(element), signals) + signal.offset;
}

void set_number(const LocatedSignal& signal, double value, core::Lanes& inputs) {
    const double converted = signal.gain * value + signal.offset;
    core::with_lane(signal.first.type, inputs, [&]<class Element>(std::vector<Element>& lane) {
        if constexpr (std::is_same_v<Element, double>) {
            lane[signal.first.index] = converted;
        } else if constexpr (std::is_same_v<Element, std::uint8_t>) {
            lane[signal.first.index] = converted != 0 ? 1 : 0;
        } else if constexpr (std::is_integral_v<Element>) {
            lane[signal.first.index] = static_cast<Element>(std::llround(converted));
        }
    });
}

bool takes_number(const LocatedSignal& signal, double value) {
    constexpr double largest_exact = 9007199254740992;  // 2^53: above, doubles are further apart than whole numbers
    const double converted = signal.gain * value + signal.offset;
    if (!std::isfinite(converted)) return false;
    const auto type = signal.variable == nullptr ? std::nullopt : native_type(signal.variable->declared_type);
    switch (signal.first.type) {
        case core::Type::real:
            return !type || holds(*type, converted);
        case core::Type::integer:
        case core::Type::natural: {
            if (std::abs(converted) > largest_exact) return false;
            const auto whole = static_cast<std::int64_t>(std::llround(converted));
            return (whole >= 0 || signal.first.type == core::Type::integer) && (!type || holds(*type, whole));
        }
        case core::Type::boolean:
            return converted == 0 || converted == 1;
        default:
            return true;
    }
}

}  // namespace master::build
