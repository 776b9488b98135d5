/* No states: counts time events every `period` seconds, the first at the start; ends the simulation at `last`. Also
 * counts crossings of time - switch_at and of u - 0.5. Model exchange. */
#include "interfaces/fmi/fmi2.h"

#include <stdlib.h>

typedef struct {
    double time, period, next, u, switch_at, switched_at;
    int count, last, late, high, crossings, in_event;
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->period = 1;
    unit->last = 1000000;
    unit->switch_at = 1e30;
    return unit;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    Unit* unit = c;
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    unit->time = unit->next = start;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    Unit* unit = c;
    unit->in_event = 1;
    unit->high = unit->u > 0.5;
    unit->late = unit->time > unit->switch_at;
    return fmi2OK;
}
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] == 0) unit->u = values[i];
        if (references[i] == 1) unit->period = values[i];
        if (references[i] == 2) unit->switch_at = values[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    (void)references;
    for (size_t i = 0; i < count; ++i) values[i] = ((const Unit*)c)->switched_at;
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count,
                          const fmi2Integer values[]) {
    (void)references;
    for (size_t i = 0; i < count; ++i) ((Unit*)c)->last = values[i];
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Integer values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 1 ? unit->count : unit->crossings;
    return fmi2OK;
}
fmi2Status fmi2EnterEventMode(fmi2Component c) {
    ((Unit*)c)->in_event = 1;
    return fmi2OK;
}
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
    ((Unit*)c)->in_event = 0;
    return fmi2OK;
}
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
    Unit* unit = c;
    if (!unit->in_event) return fmi2Error;
    if (unit->time >= unit->next) {
        unit->count += 1;
        unit->next += unit->period;
    }
    if (unit->high != (unit->u > 0.5) || unit->late != (unit->time > unit->switch_at)) {
        unit->crossings += 1;
        unit->switched_at = unit->time;
    }
    unit->high = unit->u > 0.5;
    unit->late = unit->time > unit->switch_at;
    info->newDiscreteStatesNeeded = fmi2False;
    info->terminateSimulation = unit->count >= unit->last;
    info->nominalsOfContinuousStatesChanged = info->valuesOfContinuousStatesChanged = fmi2False;
    info->nextEventTimeDefined = fmi2True;
    info->nextEventTime = unit->next;
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state_prior, fmi2Boolean* enter_event_mode,
                                       fmi2Boolean* terminate) {
    (void)c, (void)no_set_state_prior;
    *enter_event_mode = *terminate = fmi2False;
    return fmi2OK;
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ((Unit*)c)->time = time;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t count) {
    (void)c, (void)states;
    return count == 0 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real states[], size_t count) {
    (void)c, (void)states;
    return count == 0 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
    (void)c, (void)derivatives;
    return count == 0 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count) {
    const Unit* unit = c;
    if (count > 0) indicators[0] = unit->time - unit->switch_at;
    if (count > 1) indicators[1] = unit->u - 0.5;
    return fmi2OK;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t count) {
    (void)c, (void)nominals;
    return count == 0 ? fmi2OK : fmi2Error;
}
