/* A body in a fluid, v' = F / m - c v |v|: with the force in a unit of NEWTONS and the speed from OFFSET on. */
#include "interfaces/fmi/fmi2.h"

#include <math.h>
#include <stdlib.h>

#ifndef NEWTONS
#define NEWTONS 1.0
#endif
#ifndef OFFSET
#define OFFSET 0.0
#endif

enum { force, speed };

typedef struct {
    double force, speed;
} Unit;

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
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
    for (size_t i = 0; i < count; ++i)
        if (references[i] == force) ((Unit*)c)->force = NEWTONS * values[i];
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i)
        values[i] = references[i] == force ? unit->force / NEWTONS : unit->speed + OFFSET;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    enum { parts = 200 };
    const double mass = 1;
    Unit* unit = c;
    (void)t, (void)no_set_state_prior;
    for (int i = 0; i < parts; ++i) {
        const double drag = unit->speed > 0 ? 1 : 0.25; /* its back is rounder than its front */
        unit->speed += h / parts * (unit->force / mass - drag * unit->speed * fabs(unit->speed));
    }
    return fmi2OK;
}
