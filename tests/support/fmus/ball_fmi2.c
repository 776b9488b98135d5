/* A ball: h'' = g, bounces with restitution e, rests when slower than v_min. Model exchange. With CONCEALS it does not
   say that an impact changed its states. */
#include "interfaces/fmi/fmi2.h"

#include <math.h>
#include <stdlib.h>

typedef struct {
    double h, v, g, e, v_min, time, last_impact;
    int count, resting, completed, in_event;
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    if (type != fmi2ModelExchange) return NULL;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->h = 1;
    unit->g = -9.81;
    unit->e = 0.7;
    unit->v_min = 0.1;
    return unit;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Unit*)c)->time = start;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    ((Unit*)c)->in_event = 1;
    return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] == 0) unit->h = values[i];
        if (references[i] == 5) unit->v_min = values[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    const Unit* unit = c;
    const double all[] = {unit->h, unit->v, unit->v, unit->resting ? 0 : unit->g, unit->last_impact, unit->v_min};
    for (size_t i = 0; i < count; ++i) {
        if (references[i] > 5) return fmi2Error;
        values[i] = all[references[i]];
    }
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Integer values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 0 ? unit->count : unit->completed;
    return fmi2OK;
}
fmi2Status fmi2EnterEventMode(fmi2Component c) {
    Unit* unit = c;
    if (unit->in_event) return fmi2Error;
    unit->in_event = 1;
    return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    Unit* unit = c;
    if (!unit->in_event) return fmi2Error;
    unit->in_event = 0;
    return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
    Unit* unit = c;
    if (!unit->in_event) return fmi2Error;
    const int impact = unit->h <= 0 && unit->v < 0;
    if (impact) {
        unit->count += 1;
        unit->last_impact = unit->time;
        unit->h = 0;
        unit->v *= -unit->e;
        if (unit->v < unit->v_min) {
            unit->v = 0;
            unit->resting = 1;
        }
    }
    info->newDiscreteStatesNeeded = info->terminateSimulation = fmi2False;
    info->nominalsOfContinuousStatesChanged = fmi2False;
#ifdef CONCEALS
    info->valuesOfContinuousStatesChanged = fmi2False;
#else
    info->valuesOfContinuousStatesChanged = impact;
#endif
    info->nextEventTimeDefined = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state_prior, fmi2Boolean* enter_event_mode,
                                       fmi2Boolean* terminate) {
    Unit* unit = c;
    (void)no_set_state_prior;
    if (unit->in_event) return fmi2Error;
    unit->completed += 1;
    *enter_event_mode = *terminate = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ((Unit*)c)->time = time;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t count) {
    Unit* unit = c;
    if (count != 2 || unit->in_event) return fmi2Error;
    unit->h = states[0];
    unit->v = states[1];
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real states[], size_t count) {
    const Unit* unit = c;
    if (count != 2) return fmi2Error;
    states[0] = unit->h;
    states[1] = unit->v;
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
    const Unit* unit = c;
    if (count != 2) return fmi2Error;
    derivatives[0] = unit->v;
    derivatives[1] = unit->resting ? 0 : unit->g;
    return fmi2OK;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count) {
    const Unit* unit = c;
    if (count != 1) return fmi2Error;
    indicators[0] = unit->resting ? 1 : unit->h;
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t count) {
    (void)c;
    for (size_t i = 0; i < count; ++i) nominals[i] = 1;
    return fmi2OK;
}
