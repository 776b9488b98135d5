/* Counts its steps (y) until time `when`, then does what `behaviour` says. */
#define _GNU_SOURCE
#include "interfaces/fmi/fmi2.h"

#include <fenv.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum Behaviour {
    behaves = 0,
    returns_error = 1,
    returns_discard = 2,
    returns_fatal = 3,
    gives_nan = 4,
    floods_log = 5,
    logs_hostile_format = 6,
    pending_for_a_while = 7,
    changes_rounding = 8,
    ends_simulation = 9,
    warns = 10,
    names_variable = 11,
    fails_to_set = 12,
    calls_exit = 13,
    gives_infinity = 14,
    warns_silently = 15,
    logs_at_length = 16,
    fails_in_initialization = 17,
    limits_when = 18
};

typedef struct {
    double u, y, when, time;
    int behaviour, polls;
    char name[100];
    const fmi2CallbackFunctions* callbacks;
} Unit;

#ifdef NEEDS_ABSENT
int tandem_absent(void);
#endif
#ifdef OWN_SOLVER
/* The name of a function of SUNDIALS, which the master is linked with. */
int ARKStepEvolve(void) { return 42; }
#endif
#ifdef DIES_ON_LOAD
__attribute__((constructor)) static void die(void) { raise(SIGBUS); }
#endif

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }

#ifdef LEAVES_THREAD
static void* count_for_ever(void* nothing) {
    for (volatile unsigned long count = 0;; ++count) usleep(100);
    return nothing;
}
#endif

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)type, (void)resources, (void)visible, (void)logging;
    if (strcmp(guid, "tandem-test") != 0) {
        callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError",
                          "the licence for %s is %d days old", "tandem", 400);
        return NULL;
    }
#ifdef CHANGES_PROCESS
    if (chdir("/") != 0) return NULL;
    fesetround(FE_UPWARD);
    feenableexcept(FE_DIVBYZERO);
    setlocale(LC_NUMERIC, "C.UTF-8");
#endif
#ifdef LEAVES_THREAD
    pthread_t thread;
    if (pthread_create(&thread, NULL, count_for_ever, NULL) != 0) return NULL;
#endif
    Unit* unit = callbacks->allocateMemory(1, sizeof(Unit));
    unit->callbacks = callbacks;
    snprintf(unit->name, sizeof unit->name, "%s", name);
#ifdef NEEDS_ABSENT
    unit->y = tandem_absent();
#endif
#ifdef OWN_SOLVER
    unit->y = ARKStepEvolve();
#endif
    return unit;
}
void fmi2FreeInstance(fmi2Component c) {
    Unit* unit = c;
    /* A unit that returned fatal must never be called again: end loudly, so that a test sees it. */
    if (unit->behaviour == returns_fatal && unit->time >= unit->when) abort();
    unit->callbacks->freeMemory(unit);
}
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    Unit* unit = c;
    (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
    unit->time = start - 1;
    return fmi2OK;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
    const Unit* unit = c;
    if (unit->behaviour != fails_in_initialization) return fmi2OK;
    unit->callbacks->logger(unit->callbacks->componentEnvironment, unit->name, fmi2Error, "logAll",
                            "no equilibrium for %d bodies", 3);
    return fmi2Error;
}
fmi2Status fmi2Terminate(fmi2Component c) {
    const Unit* unit = c;
    /* A unit that failed must not be terminated. */
    if (unit->behaviour == returns_error && unit->time >= unit->when) abort();
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, const fmi2Real values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] == 0 && unit->behaviour == fails_to_set && values[i] > 1) return fmi2Error;
        if (references[i] == 0) unit->u = values[i];
        if (references[i] == 2) unit->when = unit->behaviour == limits_when && values[i] > 10 ? 10 : values[i];
        if (references[i] != 0 && references[i] != 2) return fmi2Error;
    }
    return fmi2OK;
}
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    const Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] > 2) return fmi2Error;
        values[i] = references[i] == 0 ? unit->u : references[i] == 1 ? unit->y : unit->when;
    }
    return fmi2OK;
}
fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference references[], size_t count,
                          const fmi2Integer values[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (references[i] != 0) return fmi2Error;
        unit->behaviour = values[i];
    }
    return fmi2OK;
}

#ifndef LACKS_DO_STEP
static void say(const Unit* unit, fmi2Status status, const char* text, int number) {
    unit->callbacks->logger(unit->callbacks->componentEnvironment, unit->name, status, "logAll", text, number);
}

static fmi2Status misbehave(Unit* unit) {
    switch (unit->behaviour) {
        case returns_error:
            say(unit, fmi2Error, "the pump burst after %d steps", (int)unit->y);
            return fmi2Error;
        case returns_discard:
            return fmi2Discard;
        case calls_exit:
            exit(0);
        case gives_infinity:
            unit->y = INFINITY;
            return fmi2OK;
        case warns_silently:
            return fmi2Warning;
        case logs_at_length: {
            static char text[1 << 20];
            memset(text, 'x', sizeof text - 1);
            for (int i = 0; i < 200; ++i) say(unit, fmi2Warning, text, 0);
            return fmi2OK;
        }
        case returns_fatal:
            say(unit, fmi2Fatal, "memory is corrupt", 0);
            return fmi2Fatal;
        case gives_nan:
            unit->y = NAN;
            return fmi2OK;
        case floods_log:
            for (int i = 0; i < 1000; ++i) say(unit, fmi2Warning, "message %d", i);
            return fmi2OK;
        case logs_hostile_format:
            say(unit, fmi2Warning, "%n%n%n%s%999999999d", 0);
            return fmi2OK;
        case pending_for_a_while:
            unit->polls = 3;
            return fmi2Pending;
        case changes_rounding:
            fesetround(FE_DOWNWARD);
            return fmi2OK;
        case ends_simulation:
            return fmi2Discard;
        case warns:
            say(unit, fmi2Warning, "close to a limit", 0);
            return fmi2Warning;
        case names_variable:
            say(unit, fmi2Warning, "#r0# is above #i0#, 100## of #r99#", 0);
            return fmi2OK;
        default:
            return fmi2OK;
    }
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    Unit* unit = c;
    (void)no_set_state_prior;
    unit->time = t + 0.25 * h;
    unit->y += 1;
    return unit->time >= unit->when ? misbehave(unit) : fmi2OK;
}
#endif
fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value) {
    Unit* unit = c;
    if (kind != fmi2DoStepStatus) return fmi2Discard;
    *value = unit->polls-- > 0 ? fmi2Pending : fmi2OK;
    return fmi2OK;
}
fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Real* value) {
    const Unit* unit = c;
    if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
    *value = unit->time;
    return fmi2OK;
}
fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Boolean* value) {
    const Unit* unit = c;
    if (kind != fmi2Terminated) return fmi2Discard;
    *value = unit->behaviour == ends_simulation;
    return fmi2OK;
}
