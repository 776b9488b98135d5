/* Counts its steps (y) for co-simulation, integrates x' = 1 (y = x) for model exchange, and has the fault that the
   environment asks for. */
#define _GNU_SOURCE
#include "interfaces/fmi/fmi2.h"
#include "tests/support/fmus/faulty/faults.h"

typedef struct {
    double y, x, time, last;
    int exchange;
    char name[100];
    const fmi2CallbackFunctions* callbacks;
    Host host;
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

static void say(void* c, const char* text) {
    const Unit* unit = c;
    unit->callbacks->logger(unit->callbacks->componentEnvironment, unit->name, fmi2Warning, "logStatusWarning", "%s",
                            text);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)guid, (void)visible, (void)logging;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->callbacks = callbacks;
    unit->exchange = type == fmi2ModelExchange;
    unit->host.unit = unit;
    unit->host.say = say;
    snprintf(unit->name, sizeof unit->name, "%s", name);
    if (resources != NULL && strncmp(resources, "file://", 7) == 0)
        snprintf(unit->host.resources, sizeof unit->host.resources, "%s", resources + 7);
    return pass("instantiate", 0, &unit->host) == all_is_well ? unit : NULL;
}
void fmi2FreeInstance(fmi2Component c) {
    pass("free", 0, &((Unit*)c)->host);
    free(c);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Unit*)c)->time = start;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return (fmi2Status)pass("initialise", 0, &((Unit*)c)->host); }
fmi2Status fmi2Terminate(fmi2Component c) { return (fmi2Status)pass("terminate", 0, &((Unit*)c)->host); }

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    const Unit* unit = c;
    const int status = pass("get", unit->time, &unit->host);
    for (size_t i = 0; i < count; ++i) {
        if (references[i] > 2) return fmi2Error; /* 'secret' is its own */
        const double y = unit->exchange ? unit->x : unit->y;
        values[i] = references[i] == 0 ? output(y, unit->time) : references[i] == 1 ? unit->x : 1;
    }
    return (fmi2Status)status;
}
fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2String values[]) {
    const Unit* unit = c;
    (void)references;
    for (size_t i = 0; i < count; ++i) values[i] = text_output(unit->time);
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Integer values[]) {
    const Unit* unit = c;
    (void)references;
    for (size_t i = 0; i < count; ++i) values[i] = mode_output(unit->time);
    return fmi2OK;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = ((Unit*)c)->last;
    return fmi2OK;
}
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value) {
    (void)c;
    *value = fmi2Pending; /* and so it stays */
    return kind == fmi2DoStepStatus ? fmi2OK : fmi2Discard;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    Unit* unit = c;
    (void)no_set_state_prior;
    unit->time = t + 0.25 * h;
    unit->last = last_time(t, h);
    unit->y += 1;
    return (fmi2Status)pass("step", unit->time, &unit->host);
}

fmi2Status fmi2EnterEventMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
    (void)c;
    *info = (fmi2EventInfo){fmi2False, fmi2False, fmi2False, fmi2False, fmi2False, 0};
    return fmi2OK;
}
fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_state_prior, fmi2Boolean* enter_event_mode,
                                       fmi2Boolean* terminate) {
    const Unit* unit = c;
    (void)no_set_state_prior;
    *enter_event_mode = *terminate = fmi2False;
    return (fmi2Status)pass("completed", unit->time, &unit->host);
}
fmi2Status fmi2SetTime(fmi2Component c, fmi2Real time) {
    ((Unit*)c)->time = time;
    return fmi2OK;
}
fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real states[], size_t count) {
    if (count != 1) return fmi2Error;
    ((Unit*)c)->x = states[0];
    return fmi2OK;
}
fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real states[], size_t count) {
    if (count != 1) return fmi2Error;
    states[0] = ((Unit*)c)->x;
    return fmi2OK;
}
fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t count) {
    const Unit* unit = c;
    if (count != 1) return fmi2Error;
    derivatives[0] = 1;
    return (fmi2Status)pass("step", unit->time, &unit->host);
}
fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t count) {
    (void)c, (void)indicators;
    return count == 0 ? fmi2OK : fmi2Error;
}
fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real nominals[], size_t count) {
    (void)c;
    for (size_t i = 0; i < count; ++i) nominals[i] = 1;
    return fmi2OK;
}
