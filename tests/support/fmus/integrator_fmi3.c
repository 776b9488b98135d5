/* y' = u with Simpson's rule over the step; asks for u in the middle and at the end by intermediate update. */
#include "interfaces/fmi/fmi3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double u, y;
    int64_t updates;
    fmi3InstanceEnvironment environment;
    fmi3IntermediateUpdateCallback update;
    char resources[4096];
} Unit;

const char* fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)token, (void)visible, (void)logging, (void)event_mode_used, (void)early_return_allowed;
    (void)log_message;
    if (count != 1 || intermediate[0] != 1) return NULL;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->environment = environment;
    unit->update = intermediate_update;
    snprintf(unit->resources, sizeof unit->resources, "%s", resources ? resources : "(null)");
    return unit;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return c ? fmi3OK : fmi3Error;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count,
                          const fmi3Float64 values[], size_t elements) {
    Unit* unit = c;
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 1) return fmi3Error;
        unit->u = values[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Float64 values[],
                          size_t elements) {
    const Unit* unit = c;
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 1 ? unit->u : unit->y;
    return fmi3OK;
}
fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Int64 values[],
                        size_t elements) {
    (void)references;
    for (size_t i = 0; i < count && i < elements; ++i) values[i] = ((const Unit*)c)->updates;
    return fmi3OK;
}
fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3String values[],
                         size_t elements) {
    (void)references;
    for (size_t i = 0; i < count && i < elements; ++i) values[i] = ((const Unit*)c)->resources;
    return fmi3OK;
}

static double input_at(Unit* unit, double t) {
    fmi3Boolean early = false;
    double early_time = 0;
    if (unit->update) {
        unit->update(unit->environment, t, true, true, false, false, &early, &early_time);
        unit->updates += 1;
    }
    return unit->u;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state_prior,
                      fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
    Unit* unit = c;
    (void)no_set_state_prior, (void)event_handling_needed, (void)terminate, (void)early_return;
    const double first = input_at(unit, t), middle = input_at(unit, t + h / 2), last = input_at(unit, t + h);
    unit->y += h * (first + 4 * middle + last) / 6;
    *last_successful_time = t + h;
    return fmi3OK;
}
