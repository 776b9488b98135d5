// The FMI 3.0 entry points that read and write variables and clocks.
#include "fmus/common/declaring/values.hpp"
#include "fmus/common/fmi3/fmi3_layer.hpp"

#include <stdexcept>

namespace {

using namespace fmus;
using namespace fmus::fmi3;

using References = std::span<const std::uint32_t>;

template <class T>
fmi3Status get(fmi3Instance handle, const char* function, References references, T values[], size_t count) {
    return call(handle, {function},
                [&](Instance& instance) { get_numbers<T>(instance, references, std::span(values, count)); });
}

template <class T>
fmi3Status set(fmi3Instance handle, const char* function, References references, const T values[], size_t count) {
    return call(handle, {function},
                [&](Instance& instance) { set_numbers<T>(instance, references, std::span(values, count)); });
}

const Variable& find_clock(const Instance& instance, fmi3ValueReference reference) {
    const Variable& variable = instance.find(reference);
    if (variable.type != Type::clock) throw std::runtime_error("'" + variable.name + "' is no clock");
    return variable;
}

/// The interval of a clock as it stands: periodic clocks state it once and for all, countdown clocks when it is new.
struct Interval {
    double seconds = 0;
    fmi3IntervalQualifier qualifier = fmi3IntervalNotYetKnown;
};

Interval interval_of(const Variable& clock) {
    if (clock.clock.kind == ClockKind::triggered)
        throw std::runtime_error("'" + clock.name + "' is a triggered clock and has no interval");
    if (clock.clock.kind != ClockKind::countdown)
        return {static_cast<double>(clock.clock.interval) / static_cast<double>(clock.clock.resolution),
                fmi3IntervalUnchanged};
    auto& countdown = *clock.clock.countdown.as<std::optional<double>>();
    if (!countdown) return {};
    const Interval interval{*countdown, fmi3IntervalChanged};
    countdown.reset();
    return interval;
}

/// Clocks of this kit own their intervals: constant ones are facts of the model, countdown ones come from its state.
[[noreturn]] void refuse_interval() {
    throw std::runtime_error("the intervals of this unit's clocks are its own and cannot be set");
}

constexpr Modes clock_modes = Mode::instantiated | Mode::initialization | Modes(Mode::event) | Mode::step;

}  // namespace

#define FMI3_ACCESS(Name)                                                                                          \
    FMI3_EXPORT fmi3Status fmi3Get##Name(fmi3Instance handle, const fmi3ValueReference references[], size_t count, \
                                         fmi3##Name values[], size_t value_count) {                                \
        return get<fmi3##Name>(handle, "fmi3Get" #Name, {references, count}, values, value_count);                 \
    }                                                                                                              \
    FMI3_EXPORT fmi3Status fmi3Set##Name(fmi3Instance handle, const fmi3ValueReference references[], size_t count, \
                                         const fmi3##Name values[], size_t value_count) {                          \
        return set<fmi3##Name>(handle, "fmi3Set" #Name, {references, count}, values, value_count);                 \
    }
FMI3_ACCESS(Float32)
FMI3_ACCESS(Float64)
FMI3_ACCESS(Int8)
FMI3_ACCESS(UInt8)
FMI3_ACCESS(Int16)
FMI3_ACCESS(UInt16)
FMI3_ACCESS(Int32)
FMI3_ACCESS(UInt32)
FMI3_ACCESS(Int64)
FMI3_ACCESS(UInt64)
FMI3_ACCESS(Boolean)
#undef FMI3_ACCESS

FMI3_EXPORT fmi3Status fmi3GetString(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                     fmi3String values[], size_t value_count) {
    return call(handle, {"fmi3GetString"}, [&](Instance& instance) {
        get_values<std::string>(instance, References(references, count), value_count,
                                [&](const std::string& value, const Variable&) { *values++ = value.c_str(); });
    });
}

FMI3_EXPORT fmi3Status fmi3SetString(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                     const fmi3String values[], size_t value_count) {
    return call(handle, {"fmi3SetString"}, [&](Instance& instance) {
        set_values<std::string>(instance, References(references, count), value_count, [&](size_t i) {
            if (values[i] == nullptr) throw std::runtime_error("a string is a null pointer");
            return std::string(values[i]);
        });
    });
}

FMI3_EXPORT fmi3Status fmi3GetBinary(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                     size_t sizes[], fmi3Binary values[], size_t value_count) {
    return call(handle, {"fmi3GetBinary"}, [&](Instance& instance) {
        get_values<Bytes>(instance, References(references, count), value_count,
                          [&](const Bytes& value, const Variable& variable) {
                              const Part part = variable.part != nullptr ? *variable.part : Part{0, value.size()};
                              *sizes++ = part.size;
                              *values++ = value.data() + part.begin;
                          });
    });
}

FMI3_EXPORT fmi3Status fmi3SetBinary(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                     const size_t sizes[], const fmi3Binary values[], size_t value_count) {
    return call(handle, {"fmi3SetBinary"}, [&](Instance& instance) {
        set_values<Bytes>(instance, References(references, count), value_count, [&](size_t i) {
            if (values[i] == nullptr && sizes[i] != 0) throw std::runtime_error("a binary is a null pointer");
            return Bytes(values[i], values[i] + sizes[i]);
        });
    });
}

FMI3_EXPORT fmi3Status fmi3GetClock(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                    fmi3Clock values[]) {
    return call(handle, {"fmi3GetClock", Mode::initialization | Mode::event}, [&](Instance& instance) {
        for (size_t i = 0; i < count; ++i) static_cast<void>(find_clock(instance, references[i]));
        instance.refresh();
        for (size_t i = 0; i < count; ++i) values[i] = *find_clock(instance, references[i]).cells.as<bool>();
    });
}

FMI3_EXPORT fmi3Status fmi3SetClock(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                    const fmi3Clock values[]) {
    return call(handle, {"fmi3SetClock", Mode::event}, [&](Instance& instance) {
        for (size_t i = 0; i < count; ++i) instance.require_settable(find_clock(instance, references[i]));
        for (size_t i = 0; i < count; ++i) *find_clock(instance, references[i]).cells.as<bool>() = values[i];
        instance.mark_changed();
    });
}

FMI3_EXPORT fmi3Status fmi3GetIntervalDecimal(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                              fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]) {
    return call(handle, {"fmi3GetIntervalDecimal", clock_modes}, [&](Instance& instance) {
        instance.refresh();
        for (size_t i = 0; i < count; ++i) {
            const Interval interval = interval_of(find_clock(instance, references[i]));
            intervals[i] = interval.seconds;
            qualifiers[i] = interval.qualifier;
        }
    });
}

FMI3_EXPORT fmi3Status fmi3GetIntervalFraction(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                               fmi3UInt64 counters[], fmi3UInt64 resolutions[],
                                               fmi3IntervalQualifier qualifiers[]) {
    return call(handle, {"fmi3GetIntervalFraction", clock_modes}, [&](Instance& instance) {
        for (size_t i = 0; i < count; ++i) {
            const Variable& clock = find_clock(instance, references[i]);
            if (clock.clock.interval == 0)
                throw std::runtime_error("the interval of '" + clock.name + "' is no fraction");
            counters[i] = clock.clock.interval;
            resolutions[i] = clock.clock.resolution;
            qualifiers[i] = fmi3IntervalUnchanged;
        }
    });
}

FMI3_EXPORT fmi3Status fmi3GetShiftDecimal(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                           fmi3Float64 shifts[]) {
    return call(handle, {"fmi3GetShiftDecimal", clock_modes}, [&](Instance& instance) {
        for (size_t i = 0; i < count; ++i) {
            const ClockFacts& facts = find_clock(instance, references[i]).clock;
            shifts[i] = static_cast<double>(facts.shift) / static_cast<double>(facts.resolution);
        }
    });
}

FMI3_EXPORT fmi3Status fmi3GetShiftFraction(fmi3Instance handle, const fmi3ValueReference references[], size_t count,
                                            fmi3UInt64 counters[], fmi3UInt64 resolutions[]) {
    return call(handle, {"fmi3GetShiftFraction", clock_modes}, [&](Instance& instance) {
        for (size_t i = 0; i < count; ++i) {
            const ClockFacts& facts = find_clock(instance, references[i]).clock;
            counters[i] = facts.shift;
            resolutions[i] = facts.resolution;
        }
    });
}

FMI3_EXPORT fmi3Status fmi3SetIntervalDecimal(fmi3Instance handle, const fmi3ValueReference[], size_t,
                                              const fmi3Float64[]) {
    return call(handle, {"fmi3SetIntervalDecimal"}, [](Instance&) { refuse_interval(); });
}

FMI3_EXPORT fmi3Status fmi3SetIntervalFraction(fmi3Instance handle, const fmi3ValueReference[], size_t,
                                               const fmi3UInt64[], const fmi3UInt64[]) {
    return call(handle, {"fmi3SetIntervalFraction"}, [](Instance&) { refuse_interval(); });
}

FMI3_EXPORT fmi3Status fmi3SetShiftDecimal(fmi3Instance handle, const fmi3ValueReference[], size_t,
                                           const fmi3Float64[]) {
    return call(handle, {"fmi3SetShiftDecimal"}, [](Instance&) { refuse_interval(); });
}

FMI3_EXPORT fmi3Status fmi3SetShiftFraction(fmi3Instance handle, const fmi3ValueReference[], size_t, const fmi3UInt64[],
                                            const fmi3UInt64[]) {
    return call(handle, {"fmi3SetShiftFraction"}, [](Instance&) { refuse_interval(); });
}
