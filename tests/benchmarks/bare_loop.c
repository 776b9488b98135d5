/* What the hardware allows: one set, one step, one get per unit, over the same shared object that the master loads.
 *
 * usage: bare_loop LIBRARY 2|3 UNITS STEPS
 */
#include "interfaces/fmi/fmi2.h"
#include "interfaces/fmi/fmi3.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void* find(void* library, const char* name) {
    void* symbol = dlsym(library, name);
    if (symbol == NULL) {
        fprintf(stderr, "%s is missing\n", name);
        exit(2);
    }
    return symbol;
}

static void ignore_message(fmi2ComponentEnvironment environment, fmi2String instance, fmi2Status status,
                           fmi2String category, fmi2String message, ...) {
    (void)environment, (void)instance, (void)status, (void)category, (void)message;
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void run_fmi2(void* library, size_t units, long steps) {
    fmi2InstantiateTYPE* instantiate = (fmi2InstantiateTYPE*)find(library, "fmi2Instantiate");
    fmi2SetupExperimentTYPE* setup = (fmi2SetupExperimentTYPE*)find(library, "fmi2SetupExperiment");
    fmi2EnterInitializationModeTYPE* enter =
        (fmi2EnterInitializationModeTYPE*)find(library, "fmi2EnterInitializationMode");
    fmi2ExitInitializationModeTYPE* leave =
        (fmi2ExitInitializationModeTYPE*)find(library, "fmi2ExitInitializationMode");
    fmi2SetRealTYPE* set = (fmi2SetRealTYPE*)find(library, "fmi2SetReal");
    fmi2GetRealTYPE* get = (fmi2GetRealTYPE*)find(library, "fmi2GetReal");
    fmi2DoStepTYPE* step = (fmi2DoStepTYPE*)find(library, "fmi2DoStep");
    const fmi2CallbackFunctions callbacks = {ignore_message, calloc, free, NULL, NULL};
    fmi2Component* instances = calloc(units, sizeof *instances);
    double* y = calloc(units, sizeof *y);
    const fmi2ValueReference u_reference[] = {0}, y_reference[] = {1};
    for (size_t i = 0; i < units; ++i) {
        instances[i] = instantiate("unit", fmi2CoSimulation, "tandem-test", "file:///", &callbacks, 0, 0);
        setup(instances[i], 0, 0, 0, 0, 0);
        enter(instances[i]);
        leave(instances[i]);
    }
    const double begin = seconds();
    for (long n = 0; n < steps; ++n) {
        for (size_t i = 0; i < units; ++i) set(instances[i], u_reference, 1, &y[i == 0 ? units - 1 : i - 1]);
        for (size_t i = 0; i < units; ++i) step(instances[i], (double)n * 1e-3, 1e-3, fmi2True);
        for (size_t i = 0; i < units; ++i) get(instances[i], y_reference, 1, &y[i]);
    }
    printf("%.9f %.17g\n", seconds() - begin, y[0]);
}

static void run_fmi3(void* library, size_t units, long steps) {
    fmi3InstantiateCoSimulationTYPE* instantiate =
        (fmi3InstantiateCoSimulationTYPE*)find(library, "fmi3InstantiateCoSimulation");
    fmi3EnterInitializationModeTYPE* enter =
        (fmi3EnterInitializationModeTYPE*)find(library, "fmi3EnterInitializationMode");
    fmi3ExitInitializationModeTYPE* leave =
        (fmi3ExitInitializationModeTYPE*)find(library, "fmi3ExitInitializationMode");
    fmi3SetFloat64TYPE* set = (fmi3SetFloat64TYPE*)find(library, "fmi3SetFloat64");
    fmi3GetFloat64TYPE* get = (fmi3GetFloat64TYPE*)find(library, "fmi3GetFloat64");
    fmi3DoStepTYPE* step = (fmi3DoStepTYPE*)find(library, "fmi3DoStep");
    fmi3Instance* instances = calloc(units, sizeof *instances);
    double* y = calloc(units, sizeof *y);
    const fmi3ValueReference u_reference[] = {1}, y_reference[] = {2};
    for (size_t i = 0; i < units; ++i) {
        instances[i] = instantiate("unit", "tandem-test", NULL, false, false, false, false, NULL, 0, NULL, NULL, NULL);
        enter(instances[i], false, 0, 0, false, 0);
        leave(instances[i]);
    }
    bool event, terminate, early;
    double last;
    const double begin = seconds();
    for (long n = 0; n < steps; ++n) {
        for (size_t i = 0; i < units; ++i) set(instances[i], u_reference, 1, &y[i == 0 ? units - 1 : i - 1], 1);
        for (size_t i = 0; i < units; ++i) {
            step(instances[i], (double)n * 1e-3, 1e-3, true, &event, &terminate, &early, &last);
        }
        for (size_t i = 0; i < units; ++i) get(instances[i], y_reference, 1, &y[i], 1);
    }
    printf("%.9f %.17g\n", seconds() - begin, y[0]);
}

int main(int argc, char** argv) {
    if (argc != 5) {
        fprintf(stderr, "usage: bare_loop LIBRARY 2|3 UNITS STEPS\n");
        return 2;
    }
    void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 2;
    }
    const size_t units = (size_t)atol(argv[3]);
    if (argv[2][0] == '2') {
        run_fmi2(library, units, atol(argv[4]));
    } else {
        run_fmi3(library, units, atol(argv[4]));
    }
    return 0;
}
