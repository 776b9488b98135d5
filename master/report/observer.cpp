#include "master/report/observer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace master::report {

void Observer::watch(const WishedFact& wish) {
    const build::LocatedSignal* signal = wish.signal.signal();
    if (signal != nullptr && core::is_number(signal->first.type)) watched_.push_back({.wish = wish});
}

void Observer::picture(const build::SignalRequest& array) {
    const build::LocatedSignal* signal = array.signal();
    if (signal == nullptr || std::ranges::find(arrays_, array.name, &Array::name) != arrays_.end()) return;
    const std::size_t count = core::is_number(signal->first.type) ? signal->size() : 0;
    arrays_.push_back({.name = array.name,
                       .signal = *signal,
                       .taken = std::vector<Picture>(most_pictures, {0, std::vector<double>(count), {}})});
}

void Observer::take_last(const build::SignalRequest& value) {
    const build::LocatedSignal* signal = value.signal();
    if (signal == nullptr || !core::is_number(signal->first.type) || last(value)) return;
    lasts_.push_back({.name = value.name, .signal = *signal});
}

void Observer::after_step(base::Time t, const core::Signals& signals) {
    const double passed = begun_ ? range_.timebase.seconds(t - last_) : 0;
    for (Watched& fact : watched_) {
        const double value = build::number(*fact.wish.signal.signal(), signals);
        if (!begun_) fact.first = fact.last = fact.smallest = fact.largest = value;
        fact.integral += passed * (fact.last + value) / 2;
        fact.last = value;
        fact.smallest = std::min(fact.smallest, value);
        fact.largest = std::max(fact.largest, value);
    }
    begun_ = true;
    last_ = t;
    signals_ = &signals;
    if (t < next_picture_) return;
    take_pictures(range_.timebase.seconds(t), signals);
    // Rounded up, so that there is room for the last picture.
    constexpr auto gaps = static_cast<std::int64_t>(most_pictures - 2);
    next_picture_ = t + base::Duration{((range_.stop - range_.start).ticks + gaps - 1) / gaps};
}

void Observer::take_pictures(double t, const core::Signals& signals) {
    for (Array& array : arrays_) {
        if (array.used == array.taken.size()) continue;
        Picture& picture = array.taken[array.used++];
        picture.t = t;
        for (std::uint32_t i = 0; i < picture.values.size(); ++i) {
            picture.values[i] = build::number(array.signal, signals, i);
        }
        if (array.signal.first.type != core::Type::bytes) continue;
        const core::Bytes bytes = array.signal.first.lanes(signals).bytes[array.signal.first.index];
        picture.bytes.assign(bytes.data, bytes.data + bytes.size);
    }
}

void Observer::finish() {
    if (!begun_) return;
    for (Last& entry : lasts_) entry.value = build::number(entry.signal, *signals_);
    const double t = range_.timebase.seconds(last_);
    const bool taken = std::ranges::any_of(
        arrays_, [&](const Array& array) { return array.used > 0 && array.taken[array.used - 1].t == t; });
    if (!taken) take_pictures(t, *signals_);
}

std::vector<Observer::Fact> Observer::facts() const {
    std::vector<Fact> all;
    if (!begun_) return all;
    for (const Watched& fact : watched_) all.push_back({fact.wish, value_of(fact)});
    return all;
}

std::optional<double> Observer::last(const build::SignalRequest& value) const {
    const auto found = std::ranges::find(lasts_, value.name, &Last::name);
    if (found == lasts_.end()) return std::nullopt;
    return found->value;
}

double Observer::number(const Quantity& quantity) const {
    if (quantity.signal.name.empty()) return quantity.number;
    return last(quantity.signal).value_or(std::numeric_limits<double>::quiet_NaN());
}

double Observer::value_of(const Watched& fact) const {
    using Take = WishedFact::Take;
    const double duration = range_.timebase.seconds(last_ - range_.start);
    switch (fact.wish.take) {
        case Take::last:
            return fact.last;
        case Take::largest:
            return fact.largest;
        case Take::smallest:
            return fact.smallest;
        case Take::integral:
            return fact.integral;
        case Take::change:
            return fact.last - fact.first;
        case Take::mean:
            return duration > 0 ? fact.integral / duration : fact.last;
    }
    return fact.last;
}

std::vector<Observer::Picture> Observer::pictures(const build::SignalRequest& array, std::size_t count) const {
    std::vector<Picture> chosen;
    const auto found = std::ranges::find(arrays_, array.name, &Array::name);
    if (found == arrays_.end()) return chosen;
    const std::size_t wanted = std::min(count, found->used);
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t at = wanted == 1 ? found->used - 1 : i * (found->used - 1) / (wanted - 1);
        chosen.push_back(found->taken[at]);
    }
    return chosen;
}

}  // namespace master::report
