#include "master/contracts/monitor.hpp"

#include "master/contracts/rules.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::contracts {
namespace {

// A multiple of the resolution that went through two conversions; far below a quantum.
constexpr double quantum_tolerance = 1e-6;
// Less movement than this share of its range shows nothing about a promise.
constexpr double least_movement = 0.05;
constexpr double largest_number = std::numeric_limits<double>::max();

double nan() { return std::numeric_limits<double>::quiet_NaN(); }

std::string text(double value) { return fmt::format("{:.5g}", value); }

}  // namespace

Monitor::Monitor(const std::vector<Watched>& signals, Clock clock) : clock_(std::move(clock)) {
    for (const Watched& watched : signals) {
        const build::LocatedSignal& located = *watched.request.signal();
        for (std::uint32_t i = 0; i < located.size(); ++i) {
            Watched element = watched;
            if (located.size() > 1) element.subject += fmt::format("[{}]", i + 1);
            add(element, located.first.element(i), group_of(watched.period));
        }
    }
}

Monitor::Group& Monitor::group_of(base::Duration step) {
    const auto found = std::ranges::find(groups_, step, &Group::period);
    if (found != groups_.end()) return *found;
    Group& group = groups_.emplace_back();
    group.period = step;
    group.next = group.last = clock_.start;
    return group;
}

void Monitor::add(const Watched& watched, const core::SignalRef& ref, Group& group) {
    const auto number = static_cast<std::uint32_t>(signals_.size());
    signals_.push_back({.watched = watched, .troubles = {}});
    const ssp::Contract& contract = watched.contract;
    const build::Scale& scale = watched.scale;
    const auto in_run = [&](const std::optional<double>& value, double otherwise) {
        return value ? (*value - scale.offset) / scale.gain : otherwise;
    };
    // Infinity is in no range, also where nobody states one.
    double low = in_run(contract.minimum, scale.gain > 0 ? -largest_number : largest_number);
    double high = in_run(contract.maximum, scale.gain > 0 ? largest_number : -largest_number);
    if (low > high) std::swap(low, high);
    std::uint32_t index = ref.index;
    Segment::Lane lane = ref.input ? Segment::Lane::inputs : Segment::Lane::outputs;
    if (ref.type != core::Type::real) {
        lane = Segment::Lane::others;
        index = static_cast<std::uint32_t>(group.others.size());
        group.others.push_back(ref);
        group.values.push_back(0);
    }
    Segment& segment = group.segments[static_cast<std::size_t>(lane)];
    segment.lane = lane;
    const bool second = !segment.pairs.empty() && segment.pairs.back().signal[0] == segment.pairs.back().signal[1];
    if (!second) {
        // Until there is a second one the first is looked at twice.
        segment.pairs.push_back({.low = Two{} - infinite,
                                 .high = Two{} + infinite,
                                 .rate = Two{} + infinite,
                                 .least = Two{} + infinite,
                                 .most = Two{} - infinite,
                                 .fastest = Two{},
                                 .previous = Two{},
                                 .speed = Two{},
                                 .index = {index, index},
                                 .signal = {number, number}});
    }
    PairOfSignals& pair = segment.pairs.back();
    const std::size_t half = second ? 1 : 0;
    pair.index[half] = index;
    pair.signal[half] = number;
    pair.low[half] = low;
    pair.high[half] = high;
    if (contract.rate) pair.rate[half] = *contract.rate / std::abs(scale.gain);
    if (contract.resolution)
        group.quantised.push_back(
            {number, ref, scale.gain / *contract.resolution, scale.offset / *contract.resolution});
    const double half_tick = 0.5 / static_cast<double>(clock_.timebase.ticks_per_second);
    if (contract.period)
        group.timed.push_back({number, contract.period->value() + contract.jitter.value_or(0) + half_tick});
    // A unit may be stepped more often than its values are renewed: these come when they change. Without a jitter a
    // period is the longest, and faster is no harm.
    if (contract.period && contract.jitter && *contract.jitter < contract.period->value())
        group.paced.push_back(
            {.signal = number, .ref = ref, .shortest = contract.period->value() - *contract.jitter - half_tick});
    if (contract.maximal_age && contract.age_from.empty())
        group.standing.push_back({.signal = number, .ref = ref, .longest = *contract.maximal_age});
    if (contract.maximal_age && !contract.age_from.empty())
        chains_.push_back({.signal = number,
                           .way = watched.chain,
                           .longest = *contract.maximal_age,
                           .given = std::vector<base::Time>(watched.chain.links.size(), clock_.start),
                           .made = std::vector<base::Time>(watched.chain.links.size(), clock_.start)});
}

void Monitor::after_step(base::Time t, const core::Signals& signals) {
    for (Group& group : groups_)
        if (t >= group.next) look(group, t, signals);
    for (Chain& chain : chains_) follow(chain, t);
}

void Monitor::look(Group& group, base::Time t, const core::Signals& signals) {
    const double interval = clock_.timebase.seconds(t - group.last);
    const double seconds = clock_.timebase.seconds(t);
    // At the first point nothing has changed yet; nor does an event at one point take time.
    const Two per_second = Two{} + (group.started && interval > 0 ? 1 / interval : 0);
    for (std::size_t i = 0; i < group.others.size(); ++i) group.values[i] = core::number(group.others[i], signals);
    const std::array<const double*, 3> lanes{signals.outputs.reals.data(), signals.inputs.reals.data(),
                                             group.values.data()};
    constexpr std::int64_t no_sign = std::numeric_limits<std::int64_t>::max();
    constexpr TwoMasks magnitude{no_sign, no_sign};
    for (Segment& segment : group.segments) {
        const double* const lane = lanes[static_cast<std::size_t>(segment.lane)];
        TwoMasks good = TwoMasks{} - 1;
        for (PairOfSignals& pair : segment.pairs) {
            const Two value{lane[pair.index[0]], lane[pair.index[1]]};
            const Two change = (value - pair.previous) * per_second;
            const Two speed = reinterpret_cast<Two>(reinterpret_cast<TwoMasks>(change) & magnitude);
            good &= (value >= pair.low) & (value <= pair.high) & (speed <= pair.rate);
            pair.least = value < pair.least ? value : pair.least;
            pair.most = value > pair.most ? value : pair.most;
            pair.fastest = speed > pair.fastest ? speed : pair.fastest;
            pair.previous = value;
            pair.speed = speed;
        }
        if ((good[0] & good[1]) == 0) look_closely(segment, seconds);
    }
    if (!group.quantised.empty() || !group.standing.empty() || !group.paced.empty()) look_at_few(group, t, signals);
    if (group.started && interval > 0) {
        group.longest_interval = std::max(group.longest_interval, interval);
        for (const Timed& timed : group.timed)
            if (interval > timed.longest) broken(timed.signal, period, seconds, interval);
    }
    group.started = true;
    group.last = t;
    // A point that was laid beside the grid does not move it.
    group.next = group.period.ticks > 0
                     ? clock_.start + group.period * ((t - clock_.start).ticks / group.period.ticks + 1)
                     : base::Time{t.ticks + 1};
}

void Monitor::look_closely(const Segment& segment, double t) {
    for (const PairOfSignals& pair : segment.pairs) {
        const std::size_t count = pair.signal[0] == pair.signal[1] ? 1 : 2;
        for (std::size_t i = 0; i < count; ++i) {
            const double value = pair.previous[i];
            if (std::isnan(value))
                broken(pair.signal[i], not_a_number, t, value);
            else if (!(value >= pair.low[i] && value <= pair.high[i]))
                broken(pair.signal[i], range, t, value);
            if (pair.speed[i] > pair.rate[i]) broken(pair.signal[i], rate, t, pair.speed[i]);
        }
    }
}

void Monitor::look_at_few(Group& group, base::Time t, const core::Signals& signals) {
    const double seconds = clock_.timebase.seconds(t);
    for (const Quantised& item : group.quantised) {
        const double value = core::number(item.ref, signals);
        const double quanta = value * item.per_quantum + item.phase;
        const double rounded = 4 * std::numeric_limits<double>::epsilon() * std::abs(quanta);
        if (std::abs(quanta - std::nearbyint(quanta)) > std::max(quantum_tolerance, rounded))
            broken(item.signal, resolution, seconds, value);
    }
    for (Standing& item : group.standing) {
        const double value = core::number(item.ref, signals);
        // Whoever uses a value has it until the next one comes, also the one that is renewed at each point.
        const double stood = group.started ? clock_.timebase.seconds(t - item.since) : 0;
        item.seen = std::max(item.seen, stood);
        if (stood > item.longest * (1 + 1e-12)) broken(item.signal, standing, seconds, stood);
        if (value == item.value) continue;
        item.value = value;
        item.since = t;
    }
    for (Paced& item : group.paced) {
        const double value = core::number(item.ref, signals);
        if (value == item.value) continue;
        item.value = value;
        if (!group.started) continue;
        if (item.changed && t > *item.changed) {
            const double interval = clock_.timebase.seconds(t - *item.changed);
            item.seen = std::min(item.seen, interval);
            if (interval < item.shortest) broken(item.signal, early, seconds, interval);
        }
        item.changed = t;
    }
}

/// A unit whose step ends gives what it made of what it was given when that step began; or, where it is stepped behind
/// the one before it, of what that one gives at the end of the same step.
void Monitor::follow(Chain& chain, base::Time t) {
    const auto ends = [&](std::uint32_t unit) {
        const std::int64_t step = clock_.units[unit].ticks;
        return step <= 0 || (t - clock_.start).ticks % step == 0;
    };
    const std::vector<AgeChain::Link>& links = chain.way.links;
    if (ends(links[0].unit)) chain.made[0] = (chain.way.from_input ? chain.given[0] : t) - links[0].delay;
    for (std::size_t i = 1; i < links.size(); ++i)
        if (ends(links[i].unit))
            chain.made[i] = (links[i].younger ? chain.made[i - 1] : chain.given[i]) - links[i].delay;
    if (ends(links[0].unit)) chain.given[0] = t;
    for (std::size_t i = 1; i < links.size(); ++i)
        if (ends(links[i].unit)) chain.given[i] = chain.made[i - 1];
    if (t == clock_.start || !ends(links.back().unit)) return;
    const double old = clock_.timebase.seconds(t - (chain.way.to_input ? chain.given.back() : chain.made.back()));
    chain.seen = std::max(chain.seen, old);
    if (old > chain.longest * (1 + 1e-12)) broken(chain.signal, age, clock_.timebase.seconds(t), old);
}

void Monitor::broken(std::uint32_t signal, Kind kind, double t, double value) {
    Trouble& trouble = signals_[signal].troubles[kind];
    const build::Scale& scale = signals_[signal].watched.scale;
    const double shown = kind == range || kind == resolution ? scale(value)
                         : kind == rate                      ? std::abs(scale.gain) * value
                                                             : value;
    const ssp::Contract& contract = signals_[signal].watched.contract;
    const auto beyond = [&](double x) {
        if (kind == early) return -x;
        if (kind != range) return x;
        double most = -infinite;
        if (contract.minimum) most = std::max(most, *contract.minimum - x);
        if (contract.maximum) most = std::max(most, x - *contract.maximum);
        return most;
    };
    if (trouble.count == 0) trouble.first = t;
    if (trouble.count == 0 || beyond(shown) > beyond(trouble.worst)) trouble.worst = shown;
    ++trouble.count;
    any_broken_ = true;
}

std::vector<Verdict> Monitor::verdicts() const {
    std::vector<Verdict> all;
    for (std::uint32_t i = 0; i < signals_.size(); ++i) all.push_back(verdict(signals_[i], i));
    return all;
}

Verdict Monitor::verdict(const Signal& signal, std::uint32_t index) const {
    const Watched& watched = signal.watched;
    const ssp::Contract& contract = watched.contract;
    const build::Scale& scale = watched.scale;
    const std::string unit = watched.unit && !watched.unit->name.empty() ? " " + watched.unit->name : "";
    Verdict verdict{.requirement = contract.requirement.empty() ? watched.subject : contract.requirement,
                    .subject = watched.subject,
                    .warning = contract.severity == ssp::Severity::warning,
                    .violations = {},
                    .evidence = {},
                    .where = watched.where};
    double low = nan(), high = nan(), fastest = 0, interval = 0, soonest = infinite, stood = 0, oldest = 0;
    for (const Group& group : groups_) {
        for (const Segment& segment : group.segments)
            for (const PairOfSignals& pair : segment.pairs)
                for (const std::size_t half : {1U, 0U})
                    if (pair.signal[half] == index) {
                        low = scale(pair.least[half]);
                        high = scale(pair.most[half]);
                        fastest = std::abs(scale.gain) * pair.fastest[half];
                    }
        for (const Timed& timed : group.timed)
            if (timed.signal == index) interval = group.longest_interval;
        for (const Paced& item : group.paced)
            if (item.signal == index) soonest = item.seen;
        for (const Standing& item : group.standing)
            if (item.signal == index) stood = item.seen;
    }
    for (const Chain& chain : chains_)
        if (chain.signal == index) oldest = chain.seen;
    if (low > high) std::swap(low, high);

    const auto promise = [&](const std::string& words, double share) {
        verdict.evidence += (verdict.evidence.empty() ? "" : "; ") + words;
        verdict.used = std::max(verdict.used, share);
    };
    const bool moved = high >= low;
    if (!moved) promise("no value was seen", 0);
    if (moved && contract.minimum && contract.maximum) {
        const double middle = (*contract.minimum + *contract.maximum) / 2;
        const double half = std::max((*contract.maximum - *contract.minimum) / 2, std::numeric_limits<double>::min());
        promise(fmt::format("{} to {} of {} to {}{}", text(low), text(high), text(*contract.minimum),
                            text(*contract.maximum), unit),
                std::max(std::abs(high - middle), std::abs(low - middle)) / half);
    } else if (moved && contract.maximum) {
        promise(fmt::format("up to {} of {}{}", text(high), text(*contract.maximum), unit),
                *contract.maximum > 0      ? std::max(0.0, high / *contract.maximum)
                : high > *contract.maximum ? 2
                                           : 0);
    } else if (moved && contract.minimum) {
        promise(fmt::format("down to {} of {}{}", text(low), text(*contract.minimum), unit),
                *contract.minimum < 0     ? std::max(0.0, low / *contract.minimum)
                : low < *contract.minimum ? 2
                                          : 0);
    }
    if (contract.rate)
        promise(fmt::format("{} of {}{} per s", text(fastest), text(*contract.rate), unit), fastest / *contract.rate);
    // A step is no margin that a run uses up: it fits or it does not.
    const double late = contract.period ? interval / (contract.period->value() + contract.jitter.value_or(0)) : 0;
    if (contract.period && interval > 0)
        promise(fmt::format("every {} s of {} s", text(interval), text(contract.period->value())), late > 1 ? late : 0);
    if (soonest < infinite) {
        const double shortest = contract.period->value() - *contract.jitter;
        promise(fmt::format("again after {} s of {} s", text(soonest), text(shortest)),
                signal.troubles[early].count > 0 ? shortest / soonest : 0);
    }
    if (contract.maximal_age && contract.age_from.empty())
        promise(fmt::format("stood for {} s of {} s", text(stood), text(*contract.maximal_age)),
                stood / *contract.maximal_age);
    if (contract.maximal_age && !contract.age_from.empty())
        promise(fmt::format("{} s of {} s after {} over {}", text(oldest), text(*contract.maximal_age),
                            contract.age_from, watched.chain.words),
                oldest / *contract.maximal_age);
    if (contract.resolution) promise("multiples of " + text(*contract.resolution) + unit, 0);

    static constexpr std::array<const char*, kinds> words{
        "outside its range", "not a number",   "changes too fast", "between two multiples of its resolution",
        "stands too long",   "comes too late", "comes too early",  "is too old"};
    for (std::size_t kind = 0; kind < kinds; ++kind) {
        const Trouble& trouble = signal.troubles[kind];
        if (trouble.count > 0) verdict.violations.push_back({words[kind], trouble.first, trouble.count, trouble.worst});
    }
    // With one end alone, what was seen says how wide the rest is.
    const double end = std::abs(contract.maximum.value_or(contract.minimum.value_or(0)));
    const double span = contract.minimum && contract.maximum   ? *contract.maximum - *contract.minimum
                        : contract.nominal                     ? *contract.nominal
                        : contract.minimum || contract.maximum ? std::max({end, std::abs(low), std::abs(high)})
                                                               : 0;
    // Where nobody says how far it may go, a rate says what moving is, and a resolution what a step is.
    const bool shown = span > 0              ? high - low >= least_movement * span
                       : contract.rate       ? fastest >= least_movement * *contract.rate
                       : contract.resolution ? high - low >= *contract.resolution * (1 - rounding)
                                             : true;
    const bool exercised = moved && high > low && shown;
    verdict.outcome = !verdict.violations.empty() ? Verdict::Outcome::failed
                      : exercised                 ? Verdict::Outcome::passed
                                                  : Verdict::Outcome::not_exercised;
    return verdict;
}

const char* name_of(Verdict::Outcome outcome) {
    switch (outcome) {
        case Verdict::Outcome::passed:
            return "passed";
        case Verdict::Outcome::failed:
            return "failed";
        case Verdict::Outcome::not_exercised:
            break;
    }
    return "not exercised";
}

}  // namespace master::contracts
