/* As many real variables as its description names: outputs stand right behind inputs (reference 2i is an input, 2i + 1
   the output that follows it a step later), so that one library serves descriptions of any width. */
#include "interfaces/fmi/fmi2.h"

#include <stdlib.h>

typedef struct {
    double* values;
    size_t count;
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    return calloc(1, sizeof(Unit));
}
void fmi2FreeInstance(fmi2Component c) {
    free(((Unit*)c)->values);
    free(c);
}
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
        if (references[i] >= unit->count) {
            const size_t wanted = 2 * ((size_t)references[i] + 1);
            double* grown = realloc(unit->values, wanted * sizeof(double));
            if (grown == NULL) return fmi2Error;
            for (size_t k = unit->count; k < wanted; ++k) grown[k] = 0;
            unit->values = grown;
            unit->count = wanted;
        }
        unit->values[references[i]] = values[i];
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) values[i] = references[i] < unit->count ? unit->values[references[i]] : 0;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    Unit* unit = c;
    (void)t, (void)h, (void)no_set_state_prior;
    for (size_t k = 0; k + 1 < unit->count; k += 2) unit->values[k + 1] = unit->values[k] + 1;
    return fmi2OK;
}
