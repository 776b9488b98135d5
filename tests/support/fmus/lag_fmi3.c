/* x' = gain (u - x), or -sign(x) as long as an event says so when `relay` is set. Model exchange.
   through = x + u; x returns to zero when it reaches `limit`; `mode` (discrete, Event Mode only) is seen as `seen`;
   every `step_event_every`-th completed step asks for Event Mode; derivatives fail from `fails_at` on and are discarded
   for x > `discards_above`. */
#include "interfaces/fmi/fmi3.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double x, u, gain, limit, fails_at, discards_above, time;
    int32_t mode, seen, events, completed, step_event_every, relay, direction, resets, nominal_calls;
    bool in_event, initialised;
} Unit;

const char* fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                          fmi3Boolean logging, fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log_message) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)environment, (void)log_message;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->gain = 1;
    unit->limit = unit->fails_at = unit->discards_above = 1e30;
    unit->direction = -1;
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
    Unit* unit = c;
    unit->in_event = unit->initialised = true;
    return fmi3OK;
}
fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 v[],
                          size_t elements) {
    Unit* unit = c;
    double* all[] = {&unit->x, &unit->u, &unit->gain, &unit->limit, &unit->fails_at, &unit->discards_above};
    for (size_t i = 0; i < count && i < elements; ++i) {
        if (vr[i] > 5) return fmi3Error;
        *all[vr[i]] = v[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 v[],
                          size_t elements) {
    const Unit* unit = c;
    const double all[] = {unit->x, unit->u, unit->gain, unit->limit, unit->fails_at, unit->discards_above};
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] <= 5 ? all[vr[i]] : unit->x + unit->u;
    return fmi3OK;
}
fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Int32 v[],
                        size_t elements) {
    Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) {
        if (vr[i] == 20 && unit->initialised && !unit->in_event) return fmi3Error;
        if (vr[i] == 20) unit->mode = v[i];
        if (vr[i] == 21) unit->step_event_every = v[i];
        if (vr[i] == 22) unit->relay = v[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int32 v[], size_t elements) {
    const Unit* unit = c;
    const int32_t set[] = {unit->mode, unit->step_event_every, unit->relay};
    const int32_t seen[] = {unit->seen, unit->events, unit->completed, unit->resets, unit->nominal_calls};
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] < 30 ? set[vr[i] - 20] : seen[vr[i] - 30];
    return fmi3OK;
}
fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    Unit* unit = c;
    if (unit->in_event) return fmi3Error;
    unit->in_event = true;
    return fmi3OK;
}
fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance c) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    unit->in_event = false;
    return fmi3OK;
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                    fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time) {
    Unit* unit = c;
    (void)next_event_time;
    if (!unit->in_event) return fmi3Error;
    unit->events += 1;
    *again = unit->seen != unit->mode; /* a second round is needed for a new mode */
    unit->seen = unit->mode;
    *values_changed = *nominals_changed = unit->x >= unit->limit;
    if (unit->x >= unit->limit) {
        unit->x = 0;
        unit->resets += 1;
    }
    if (unit->relay) unit->direction = unit->x > 0 ? -1 : 1;
    *terminate = *next_event_time_defined = false;
    return fmi3OK;
}
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance c, fmi3Boolean no_set_state_prior, fmi3Boolean* enter_event_mode,
                                       fmi3Boolean* terminate) {
    Unit* unit = c;
    (void)no_set_state_prior;
    unit->completed += 1;
    *enter_event_mode = unit->step_event_every > 0 && unit->completed % unit->step_event_every == 0;
    *terminate = false;
    return fmi3OK;
}
fmi3Status fmi3SetTime(fmi3Instance c, fmi3Float64 time) {
    ((Unit*)c)->time = time;
    return fmi3OK;
}
fmi3Status fmi3SetContinuousStates(fmi3Instance c, const fmi3Float64 states[], size_t count) {
    if (count != 1) return fmi3Error;
    ((Unit*)c)->x = states[0];
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStates(fmi3Instance c, fmi3Float64 states[], size_t count) {
    if (count != 1) return fmi3Error;
    states[0] = ((const Unit*)c)->x;
    return fmi3OK;
}
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance c, fmi3Float64 derivatives[], size_t count) {
    const Unit* unit = c;
    if (count != 1 || unit->time > unit->fails_at) return fmi3Error;
    if (unit->x > unit->discards_above) return fmi3Discard;
    derivatives[0] = unit->relay ? unit->direction : unit->gain * (unit->u - unit->x);
    return fmi3OK;
}
fmi3Status fmi3GetEventIndicators(fmi3Instance c, fmi3Float64 indicators[], size_t count) {
    const Unit* unit = c;
    if (count != 2) return fmi3Error;
    indicators[0] = unit->u - 1;
    indicators[1] = unit->relay ? unit->x : unit->x - unit->limit;
    return fmi3OK;
}
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance c, fmi3Float64 nominals[], size_t count) {
    ((Unit*)c)->nominal_calls += 1;
    for (size_t i = 0; i < count; ++i) nominals[i] = 1;
    return fmi3OK;
}
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance c, size_t* count) {
    (void)c;
    *count = 1;
    return fmi3OK;
}
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance c, size_t* count) {
    (void)c;
    *count = 2;
    return fmi3OK;
}
