/* A free mass as somebody else would write it: tons, kilonewtons upwards in, millimetres out; integrated exactly. */
#include "interfaces/fmi/fmi2.h"

#include <stdlib.h>

enum { Kraft, Weg, Geschw, masse };

typedef struct {
    double values[4];
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->values[masse] = 0.4;
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
    for (size_t i = 0; i < count; ++i) ((Unit*)c)->values[references[i]] = values[i];
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    for (size_t i = 0; i < count; ++i) values[i] = ((Unit*)c)->values[references[i]];
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    double* values = ((Unit*)c)->values;
    const double acceleration = 1e3 * values[Kraft] / values[masse]; /* mm/s2 */
    (void)t, (void)no_set_state_prior;
    values[Weg] += h * (values[Geschw] + acceleration * h / 2);
    values[Geschw] += h * acceleration;
    return fmi2OK;
}
