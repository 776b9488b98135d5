/* Counts its steps (y) and has the fault that the environment asks for. */
#define _GNU_SOURCE
#include "interfaces/fmi/fmi3.h"
#include "tests/support/fmus/faulty/faults.h"

typedef struct {
    double y, time;
    fmi3Int64 gear;
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log_message;
    Host host;
} Unit;

const char* fmi3GetVersion(void) { return "3.0"; }

static void say(void* c, const char* text) {
    const Unit* unit = c;
    unit->log_message(unit->environment, fmi3Warning, "logStatusWarning", text);
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)token, (void)visible, (void)logging, (void)event_mode_used, (void)early_return_allowed;
    (void)intermediate, (void)count, (void)intermediate_update;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->environment = environment;
    unit->log_message = log_message;
    unit->host.unit = unit;
    unit->host.say = say;
    if (resources != NULL) snprintf(unit->host.resources, sizeof unit->host.resources, "%s", resources);
    return pass("instantiate", 0, &unit->host) == all_is_well ? unit : NULL;
}
void fmi3FreeInstance(fmi3Instance c) {
    pass("free", 0, &((Unit*)c)->host);
    free(c);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    ((Unit*)c)->time = start;
    return fmi3OK;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return (fmi3Status)pass("initialise", 0, &((Unit*)c)->host); }
fmi3Status fmi3Terminate(fmi3Instance c) { return (fmi3Status)pass("terminate", 0, &((Unit*)c)->host); }

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Float64 values[],
                          size_t elements) {
    const Unit* unit = c;
    const int status = pass("get", unit->time, &unit->host);
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 1) return fmi3Error; /* 'secret' is its own */
        values[i] = output(unit->y, unit->time);
    }
    return (fmi3Status)status;
}
fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3String values[],
                         size_t elements) {
    const Unit* unit = c;
    (void)references;
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) values[i] = text_output(unit->time);
    return fmi3OK;
}
fmi3Status fmi3GetInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, fmi3Int64 values[],
                        size_t elements) {
    const Unit* unit = c;
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] == 5 ? unit->gear : mode_output(unit->time);
    return fmi3OK;
}
fmi3Status fmi3SetInt64(fmi3Instance c, const fmi3ValueReference references[], size_t count, const fmi3Int64 values[],
                        size_t elements) {
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 5) return fmi3Error;
        ((Unit*)c)->gear = values[i];
    }
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state_prior,
                      fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
    Unit* unit = c;
    (void)no_set_state_prior;
    unit->time = t + 0.25 * h;
    unit->y += 1;
    *event_handling_needed = *terminate = *early_return = false;
    *last_successful_time = last_time(t, h);
    return (fmi3Status)pass("step", unit->time, &unit->host);
}
