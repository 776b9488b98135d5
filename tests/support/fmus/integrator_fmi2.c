/* y' = u, with u interpolated inside the step; keeps the resource location it was given, and saves its state. */
#include "interfaces/fmi/fmi2.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double u, slope, y;
    int slope_calls, steps;
    char resources[4096];
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)callbacks, (void)visible, (void)logging;
    Unit* unit = calloc(1, sizeof(Unit));
    snprintf(unit->resources, sizeof unit->resources, "%s", resources);
    return unit;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)c, (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 0) return fmi2Error;
        unit->u = values[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 0 ? unit->u : unit->y;
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Integer values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 0 ? unit->slope_calls : unit->steps;
    return fmi2OK;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2String values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 0 ? unit->resources : NULL;
    return fmi2OK;
}
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference references[], size_t count,
                                       const fmi2Integer orders[], const fmi2Real values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 0 || orders[i] != 1) return fmi2Error;
        unit->slope = values[i];
    }
    unit->slope_calls += 1;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    Unit* unit = c;
    (void)t, (void)no_set_state_prior;
    unit->y += h * (unit->u + unit->slope * h / 2);
    unit->slope = 0; /* holds for one step only */
    unit->steps += 1;
    return fmi2OK;
}
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
    if (*state == NULL) *state = malloc(sizeof(Unit));
    memcpy(*state, c, sizeof(Unit));
    return fmi2OK;
}
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
    memcpy(c, state, sizeof(Unit));
    return fmi2OK;
}
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
