/* Reads a number from the world outside in each step: the wall clock, which no run repeats. While `network` is on it
   keeps the numbers in the file `journal`; where `replay` names such a file it plays that and looks at no clock. */
#include "interfaces/fmi/fmi3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { vr_network = 1, vr_journal, vr_replay, vr_value };
enum { longest = 4096 };

typedef struct {
    bool network;
    char journal[longest], replay[longest];
    FILE* file;
    double value;
} Unit;

const char* fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)event_mode_used;
    (void)early_return_allowed, (void)intermediate, (void)count, (void)environment, (void)log_message;
    (void)intermediate_update;
    return calloc(1, sizeof(Unit));
}
void fmi3FreeInstance(fmi3Instance c) {
    Unit* unit = c;
    if (unit->file) fclose(unit->file);
    free(unit);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return c ? fmi3OK : fmi3Error;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    Unit* unit = c;
    if (unit->replay[0])
        unit->file = fopen(unit->replay, "r");
    else if (unit->network && unit->journal[0])
        unit->file = fopen(unit->journal, "w");
    else
        return fmi3OK;
    return unit->file ? fmi3OK : fmi3Error;
}
fmi3Status fmi3Terminate(fmi3Instance c) {
    Unit* unit = c;
    if (unit->file) fflush(unit->file);
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_rollback, fmi3Boolean* event,
                      fmi3Boolean* terminate, fmi3Boolean* early, fmi3Float64* reached) {
    Unit* unit = c;
    (void)no_rollback;
    if (unit->replay[0]) {
        if (fscanf(unit->file, "%lf", &unit->value) != 1) return fmi3Error;
    } else if (unit->network) {
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        unit->value = (double)now.tv_nsec;
        if (unit->file) {
            fprintf(unit->file, "%.0f\n", unit->value);
            fflush(unit->file);
        }
    }
    *event = *terminate = *early = false;
    *reached = t + h;
    return fmi3OK;
}
fmi3Status fmi3SetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Boolean v[],
                          size_t elements) {
    for (size_t i = 0; i < count && i < elements; ++i)
        if (vr[i] == vr_network) ((Unit*)c)->network = v[i];
    return fmi3OK;
}
fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Boolean v[],
                          size_t elements) {
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] == vr_network && ((Unit*)c)->network;
    return fmi3OK;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3String v[],
                         size_t elements) {
    Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i)
        snprintf(vr[i] == vr_journal ? unit->journal : unit->replay, longest, "%s", v[i]);
    return fmi3OK;
}
fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3String v[], size_t elements) {
    Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] == vr_journal ? unit->journal : unit->replay;
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 v[],
                          size_t elements) {
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] == vr_value ? ((Unit*)c)->value : 0;
    return fmi3OK;
}
