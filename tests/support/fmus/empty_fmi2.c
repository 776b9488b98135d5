/* y = u / 2 after each step: the smallest co-simulation unit, for measuring what a master costs. */
#include "interfaces/fmi/fmi2.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    double u, y, work;
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)resources, (void)callbacks, (void)visible, (void)logging;
    if (strcmp(guid, "tandem-test") != 0) return NULL;
    return calloc(1, sizeof(Unit));
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
    for (size_t i = 0; i < count; ++i) {
        if (references[i] > 1) return fmi2Error;
        values[i] = references[i] == 0 ? unit->u : unit->y;
    }
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    Unit* unit = c;
    (void)t, (void)h, (void)no_set_state_prior;
#ifdef ROUNDS
    for (int i = 0; i < ROUNDS; ++i) unit->work = sqrt(unit->work + 1e-3 * i);
#endif
    unit->y = 0.5 * unit->u + 1e-3;
    return fmi2OK;
}
