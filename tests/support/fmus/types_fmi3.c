/* Every type: outputs repeat inputs after a step. Arrays of n values come back doubled. `absurd` breaks the binary. */
#include "interfaces/fmi/fmi3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 8, references = 40, element_bytes = 8 };

typedef struct {
    unsigned char values[references][element_bytes]; /* scalars by reference, in their own type */
    double in[largest], out[largest];
    uint64_t n;
    int configuring;
    char text_in[100], text_out[100];
    uint8_t bytes_in[100], bytes_out[100];
    size_t size_in, size_out;
} Unit;

enum { n_reference = 30, array_in = 31, array_out = 32, absurd_reference = 35 };

const char* fmi3GetVersion(void) { return "3.0"; }

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)token, (void)visible, (void)logging, (void)event_mode_used, (void)early_return_allowed;
    (void)intermediate, (void)count, (void)intermediate_update;
    if (resources != NULL) {
        log_message(environment, fmi3Error, "logStatusError", "expected no resources");
        return NULL;
    }
    Unit* unit = calloc(1, sizeof(Unit));
    unit->n = 2;
    return unit;
}
void fmi3FreeInstance(fmi3Instance c) { free(c); }
fmi3Status fmi3EnterConfigurationMode(fmi3Instance c) {
    ((Unit*)c)->configuring = 1;
    return fmi3OK;
}
fmi3Status fmi3ExitConfigurationMode(fmi3Instance c) {
    ((Unit*)c)->configuring = 0;
    return fmi3OK;
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return c ? fmi3OK : fmi3Error;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }

#define SCALAR_ACCESS(Name)                                                                                     \
    fmi3Status fmi3Set##Name(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3##Name v[], \
                             size_t elements) {                                                                 \
        if (elements != count) return fmi3Error;                                                                \
        for (size_t i = 0; i < count; ++i) memcpy(((Unit*)c)->values[vr[i]], &v[i], sizeof v[i]);               \
        return fmi3OK;                                                                                          \
    }                                                                                                           \
    fmi3Status fmi3Get##Name(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3##Name v[],       \
                             size_t elements) {                                                                 \
        if (elements != count) return fmi3Error;                                                                \
        for (size_t i = 0; i < count; ++i) memcpy(&v[i], ((Unit*)c)->values[vr[i]], sizeof v[i]);               \
        return fmi3OK;                                                                                          \
    }
SCALAR_ACCESS(Float32)
SCALAR_ACCESS(Int8)
SCALAR_ACCESS(UInt8)
SCALAR_ACCESS(Int16)
SCALAR_ACCESS(UInt16)
SCALAR_ACCESS(Int32)
SCALAR_ACCESS(UInt32)
SCALAR_ACCESS(Int64)
SCALAR_ACCESS(Boolean)

fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3UInt64 v[],
                         size_t elements) {
    Unit* unit = c;
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] == n_reference && (!unit->configuring || v[i] > largest)) return fmi3Error;
        if (vr[i] == n_reference) unit->n = v[i];
        memcpy(unit->values[vr[i]], &v[i], sizeof v[i]);
    }
    return fmi3OK;
}
fmi3Status fmi3GetUInt64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3UInt64 v[], size_t elements) {
    if (elements != count) return fmi3Error;
    for (size_t i = 0; i < count; ++i) memcpy(&v[i], ((Unit*)c)->values[vr[i]], sizeof v[i]);
    return fmi3OK;
}
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 v[],
                          size_t elements) {
    Unit* unit = c;
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] != array_in)
            memcpy(unit->values[vr[i]], &v[at++], sizeof v[0]);
        else
            for (size_t k = 0; k < unit->n; ++k) unit->in[k] = v[at++];
    }
    return at == elements ? fmi3OK : fmi3Error;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 v[],
                          size_t elements) {
    Unit* unit = c;
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] != array_out && vr[i] != array_in)
            memcpy(&v[at++], unit->values[vr[i]], sizeof v[0]);
        else
            for (size_t k = 0; k < unit->n; ++k) v[at++] = vr[i] == array_in ? unit->in[k] : unit->out[k];
    }
    return at == elements ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3String v[],
                         size_t elements) {
    (void)vr;
    if (count != 1 || elements != 1) return fmi3Error;
    snprintf(((Unit*)c)->text_in, 100, "%s", v[0]);
    return fmi3OK;
}
fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3String v[], size_t elements) {
    (void)vr;
    if (count != 1 || elements != 1) return fmi3Error;
    v[0] = ((Unit*)c)->text_out;
    return fmi3OK;
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                         const fmi3Binary v[], size_t elements) {
    Unit* unit = c;
    (void)vr;
    if (count != 1 || elements != 1 || sizes[0] > sizeof unit->bytes_in) return fmi3Error;
    unit->size_in = sizes[0];
    if (sizes[0] > 0) memcpy(unit->bytes_in, v[0], sizes[0]);
    return fmi3OK;
}
fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, size_t sizes[], fmi3Binary v[],
                         size_t elements) {
    Unit* unit = c;
    int32_t absurd;
    (void)vr;
    memcpy(&absurd, unit->values[absurd_reference], sizeof absurd);
    if (count != 1 || elements != 1) return fmi3Error;
    sizes[0] = absurd == 1 ? SIZE_MAX : unit->size_out;
    v[0] = absurd == 2 ? NULL : unit->bytes_out;
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state_prior,
                      fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
    Unit* unit = c;
    (void)no_set_state_prior, (void)event_handling_needed, (void)terminate, (void)early_return;
    for (int i = 1; i < n_reference; i += 2) memcpy(unit->values[i + 1], unit->values[i], element_bytes);
    memcpy(unit->values[34], unit->values[33], element_bytes);
    for (size_t i = 0; i < unit->n; ++i) unit->out[i] = 2 * unit->in[i];
    memcpy(unit->text_out, unit->text_in, sizeof unit->text_in);
    memcpy(unit->bytes_out, unit->bytes_in, sizeof unit->bytes_in);
    unit->size_out = unit->size_in;
    *last_successful_time = t + h;
    return fmi3OK;
}
