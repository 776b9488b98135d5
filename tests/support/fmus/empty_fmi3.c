/* y = u / 2 after each step: the smallest co-simulation unit, for measuring what a master costs. */
#include "interfaces/fmi/fmi3.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    double u, y;
} Unit;

const char* fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)resources, (void)visible, (void)logging, (void)event_mode_used, (void)early_return_allowed;
    (void)intermediate, (void)count, (void)environment, (void)log_message, (void)intermediate_update;
    if (strcmp(token, "tandem-test") != 0) return NULL;
#ifdef REFUSES_EVENT_MODE
    if (event_mode_used) return NULL;
#endif
    return calloc(1, sizeof(Unit));
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
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 1 && references[i] != 2) return fmi3Error;
        values[i] = references[i] == 1 ? unit->u : unit->y;
    }
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state_prior,
                      fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
    Unit* unit = c;
    (void)no_set_state_prior;
    unit->y = 0.5 * unit->u + 1e-3;
    *event_handling_needed = false;
    *terminate = false;
    *early_return = false;
    *last_successful_time = t + h;
    return fmi3OK;
}

#ifdef REFUSES_EVENT_MODE
fmi3Status fmi3EnterEventMode(fmi3Instance c) { return c ? fmi3Error : fmi3Fatal; }
fmi3Status fmi3EnterStepMode(fmi3Instance c) { return c ? fmi3Error : fmi3Fatal; }
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                    fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time) {
    (void)c, (void)again, (void)terminate, (void)nominals_changed, (void)values_changed;
    (void)next_event_time_defined, (void)next_event_time;
    return fmi3Error;
}
#endif
