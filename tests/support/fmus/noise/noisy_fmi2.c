/* y = gain u + deviation n: a sensor whose noise n, one normally distributed number per millisecond, comes of its seed
   alone (Box-Muller on splitmix64 of seed and millisecond), so that the same seed is the same noise at any step. */
#include "interfaces/fmi/fmi2.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    double u, gain, deviation, time;
    int seed;
} Unit;

static uint64_t mixed(uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
}
static double noise(const Unit* unit) {
    const uint64_t place = mixed(((uint64_t)unit->seed << 32) + (uint64_t)llround(unit->time * 1e3));
    const double a = ((double)(mixed(place) >> 11) + 1) / 9007199254740993.0,
                 b = (double)(mixed(place + 1) >> 11) / 9007199254740992.0;
    return sqrt(-2 * log(a)) * cos(6.283185307179586 * b);
}
static double* place(Unit* unit, fmi2ValueReference reference) {
    return reference == 0 ? &unit->u : reference == 1 ? &unit->gain : &unit->deviation;
}

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)name, (void)type, (void)guid, (void)resources, (void)callbacks, (void)visible, (void)logging;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->gain = 1;
    unit->deviation = 0.05;
    unit->seed = 7;
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
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[]) {
    for (size_t i = 0; i < count; ++i) *place(c, references[i]) = values[i];
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i)
        values[i] =
            references[i] == 3 ? unit->gain * unit->u + unit->deviation * noise(unit) : *place(unit, references[i]);
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count,
                          const fmi2Integer values[]) {
    (void)references;
    for (size_t i = 0; i < count; ++i) ((Unit*)c)->seed = values[i];
    return fmi2OK;
}
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Integer values[]) {
    (void)references;
    for (size_t i = 0; i < count; ++i) values[i] = ((Unit*)c)->seed;
    return fmi2OK;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    (void)no_set_state_prior;
    ((Unit*)c)->time = t + h;
    return fmi2OK;
}
