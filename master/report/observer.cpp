#include "master/report/observer.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace master::report {
namespace {

std::size_t elements(const core::Handle& handle) {
    return std::accumulate(handle.dimensions.begin(), handle.dimensions.end(), std::size_t{1}, std::multiplies<>());
}

}  // namespace

void Observer::watch(std::optional<core::Handle> handle, WishedFact::Take take) {
    facts_.push_back({.handle = std::move(handle), .take = take});
}

void Observer::picture(std::optional<core::Handle> handle) {
    Array array{.handle = std::move(handle), .taken = {}};
    const std::size_t count = array.handle && array.handle->type != core::Type::bytes ? elements(*array.handle) : 0;
    if (array.handle) array.taken.assign(most_pictures, {0, std::vector<double>(count), {}});
    arrays_.push_back(std::move(array));
}

void Observer::after_step(base::Time t, const core::Signals& signals) {
    const double passed = begun_ ? range_.timebase.seconds(t - last_) : 0;
    for (Watched& fact : facts_) {
        if (!fact.handle) continue;
        const double value = core::value_at(*fact.handle, signals);
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
        if (!array.handle || array.used == array.taken.size()) continue;
        Picture& picture = array.taken[array.used++];
        picture.t = t;
        for (std::uint32_t i = 0; i < picture.values.size(); ++i) {
            picture.values[i] = core::value_at(*array.handle, signals, i);
        }
        if (array.handle->type != core::Type::bytes) continue;
        const core::Lanes& lanes = array.handle->input ? signals.inputs : signals.outputs;
        const core::Bytes bytes = lanes.bytes[array.handle->index];
        picture.bytes.assign(bytes.data, bytes.data + bytes.size);
    }
}

void Observer::finish() {
    if (!begun_) return;
    const double t = range_.timebase.seconds(last_);
    const bool taken = std::ranges::any_of(
        arrays_, [&](const Array& array) { return array.used > 0 && array.taken[array.used - 1].t == t; });
    if (!taken) take_pictures(t, *signals_);
}

std::optional<double> Observer::fact(std::size_t index) const {
    using Take = WishedFact::Take;
    const Watched& fact = facts_[index];
    if (!fact.handle || !begun_) return std::nullopt;
    const double duration = range_.timebase.seconds(last_ - range_.start);
    switch (fact.take) {
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
    return std::nullopt;
}

std::vector<Observer::Picture> Observer::pictures(std::size_t index, std::size_t count) const {
    const Array& array = arrays_[index];
    std::vector<Picture> chosen;
    const std::size_t wanted = std::min(count, array.used);
    for (std::size_t i = 0; i < wanted; ++i) {
        const std::size_t at = wanted == 1 ? array.used - 1 : i * (array.used - 1) / (wanted - 1);
        chosen.push_back(array.taken[at]);
    }
    return chosen;
}

}  // namespace master::report
