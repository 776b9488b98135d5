/* A unit with Event Mode. `count` counts events; what they are is said by the parameters:
   event_at: the step returns early there and wants Event Mode; period: nextEventTime after each event;
   storm: discrete states never settle; stuck: an early return without progress; last_time_off: added to
   lastSuccessfulTime; ends_at: terminates in a step; discards_at: refuses steps beyond. The discrete input `mode` may
   be set in Event Mode only; `seen` repeats it. `tick` (constant, 0.3 s from 0.1 s on) adds the clocked input `sample`
   to `sum`; `alarm` counts down 0.25 s from each event of event_at; `bell` ticks with each tick of `alarm` and with
   each event of event_at. */
#include "interfaces/fmi/fmi3.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double event_at, period, last_time_off, ends_at, discards_at, time, next, u, y, sample, sum;
    int32_t count, mode, seen, storm, stuck;
    bool in_event, tick, alarm, bell, countdown_new, event_due;
} Unit;

enum { vr_event_at = 1, vr_period, vr_last_time_off, vr_ends_at, vr_u, vr_y, vr_sample, vr_sum, vr_discards_at };
enum { vr_count = 20, vr_mode, vr_seen, vr_storm, vr_stuck };
enum { vr_tick = 40, vr_alarm, vr_bell };

const char* fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)intermediate, (void)count;
    (void)environment, (void)log_message, (void)intermediate_update;
    if (!event_mode_used || !early_return_allowed) return NULL;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->event_at = unit->ends_at = unit->discards_at = unit->next = INFINITY;
    return unit;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Unit*)c)->time = start;
    return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    ((Unit*)c)->in_event = true;
    return fmi3OK;
}
fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }

static double* real_of(Unit* unit, fmi3ValueReference reference) {
    switch (reference) {
        case vr_event_at:
            return &unit->event_at;
        case vr_period:
            return &unit->period;
        case vr_last_time_off:
            return &unit->last_time_off;
        case vr_ends_at:
            return &unit->ends_at;
        case vr_u:
            return &unit->u;
        case vr_y:
            return &unit->y;
        case vr_sample:
            return &unit->sample;
        case vr_sum:
            return &unit->sum;
        case vr_discards_at:
            return &unit->discards_at;
        default:
            return NULL;
    }
}
static int32_t* integer_of(Unit* unit, fmi3ValueReference reference) {
    switch (reference) {
        case vr_count:
            return &unit->count;
        case vr_mode:
            return &unit->mode;
        case vr_seen:
            return &unit->seen;
        case vr_storm:
            return &unit->storm;
        case vr_stuck:
            return &unit->stuck;
        default:
            return NULL;
    }
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 v[],
                          size_t elements) {
    Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) {
        if (vr[i] == vr_sample && !unit->tick) return fmi3Error; /* clocked: only while its clock is active */
        double* value = real_of(unit, vr[i]);
        if (value == NULL) return fmi3Error;
        *value = v[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 v[],
                          size_t elements) {
    for (size_t i = 0; i < count && i < elements; ++i) {
        const double* value = real_of(c, vr[i]);
        if (value == NULL) return fmi3Error;
        v[i] = *value;
    }
    return fmi3OK;
}
static bool initialised(const Unit* unit) { return unit->in_event || unit->count > 0 || unit->time > 0; }
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int32 v[],
                        size_t elements) {
    Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) {
        int32_t* value = integer_of(unit, vr[i]);
        if (value == NULL || (vr[i] == vr_mode && initialised(unit) && !unit->in_event)) return fmi3Error;
        *value = v[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int32 v[], size_t elements) {
    for (size_t i = 0; i < count && i < elements; ++i) {
        const int32_t* value = integer_of(c, vr[i]);
        if (value == NULL) return fmi3Error;
        v[i] = *value;
    }
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    Unit* unit = c;
    if (unit->in_event) return fmi3Error;
    unit->in_event = true;
    return fmi3OK;
}
fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    unit->in_event = unit->tick = unit->alarm = unit->bell = false;
    return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Clock v[]) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] == vr_tick) unit->tick = v[i];
        if (vr[i] == vr_alarm) unit->alarm = unit->bell = v[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock v[]) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] != vr_bell) return fmi3Error;
        v[i] = unit->bell;
        unit->bell = false; /* active for the first question only */
    }
    return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] != vr_alarm) return fmi3Error;
        intervals[i] = 0.25;
        qualifiers[i] = unit->countdown_new ? fmi3IntervalChanged : fmi3IntervalNotYetKnown;
        unit->countdown_new = false;
    }
    return fmi3OK;
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                    fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    unit->count += 1;
    unit->seen = unit->mode;
    if (unit->tick) unit->sum += unit->sample;
    if (unit->event_due) unit->bell = unit->countdown_new = true;
    unit->event_due = unit->tick = unit->alarm = false;
    if (unit->period > 0) unit->next = unit->time + unit->period;
    *again = unit->storm != 0;
    *terminate = *nominals_changed = *values_changed = false;
    *next_event_time_defined = isfinite(unit->next);
    if (isfinite(unit->next)) *next_event_time = unit->next;
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state_prior,
                      fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
    Unit* unit = c;
    (void)no_set_state_prior;
    if (unit->in_event || fabs(t - unit->time) > 1e-9) return fmi3Error;
    double end = t + h;
    if (end > unit->discards_at) return fmi3Discard;
    *early_return = unit->stuck != 0;
    *terminate = unit->ends_at <= end;
    *event_handling_needed = unit->event_at <= end + 1e-12;
    if (unit->event_at < end) *early_return = true;
    if (unit->stuck) end = t;
    if (*terminate) end = unit->ends_at;
    if (*event_handling_needed) {
        end = unit->event_at;
        unit->event_at = INFINITY;
        unit->event_due = true;
    }
    end += unit->last_time_off;
    unit->last_time_off = 0;
    unit->y += unit->u * (end - t);
    unit->time = end;
    *last_successful_time = end;
    return fmi3OK;
}
