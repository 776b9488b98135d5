/* Says numbers to another unit of its kind. At each tick of the countdown clock `tx_clock` (at `first`, then `every`
   seconds) the n-th message is n and a pattern that grows and shrinks; `plain` and `words` are the same without a
   clock, from step to step. What arrives is checked: `last` is the number of the last message at `rx_clock`, `heard`
   that of `plain_in`, `intact` is false for ever after a message that is not as it was sent, `asked_early` is true for
   ever after a message was taken while one that comes in the same instant had not been given yet. */
#include "interfaces/fmi/fmi3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { words = 2, longest = 4000 };
enum { vr_first = 1, vr_every, vr_rx_clock = 10, vr_rx_data, vr_tx_clock, vr_tx_data };
enum { vr_plain_in = 20, vr_plain, vr_words_in, vr_words, vr_list_in, vr_list };
enum { vr_last = 30, vr_received, vr_heard, vr_intact, vr_asked_early };

typedef struct {
    double first, every;
    int32_t last, received, heard, read, sent, steps;
    bool intact, in_event, rx_active, tx_active, scheduled, given, asked_early;
    uint8_t* rx;
    size_t rx_size;
    uint8_t* message; /* a new place for each, so that a reader of the old one is found out */
    uint8_t* list[words];
    char* text[words];
} Unit;

static size_t size_of(int32_t n) { return 4 + (size_t)(n % 3 == 2 ? 1 : (97 * n) % longest); }
static uint8_t* message_of(int32_t n) {
    uint8_t* bytes = malloc(size_of(n));
    memcpy(bytes, &n, 4);
    for (size_t i = 4; i < size_of(n); ++i) bytes[i] = (uint8_t)(n + (int32_t)i);
    return bytes;
}
/* The number of a message, or -1 if it is none. */
static int32_t number_of(const uint8_t* bytes, size_t size) {
    int32_t n = -1;
    if (size < 4) return -1;
    memcpy(&n, bytes, 4);
    if (n < 0 || size != size_of(n)) return -1;
    for (size_t i = 4; i < size; ++i) {
        if (bytes[i] != (uint8_t)(n + (int32_t)i)) return -1;
    }
    return n;
}

const char* fmi3GetVersion(void) { return "3.0"; }
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
                                         fmi3Boolean logging, fmi3Boolean event_mode_used,
                                         fmi3Boolean early_return_allowed, const fmi3ValueReference intermediate[],
                                         size_t count, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log_message,
                                         fmi3IntermediateUpdateCallback intermediate_update) {
    (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)early_return_allowed;
    (void)intermediate, (void)count, (void)environment, (void)log_message, (void)intermediate_update;
    if (!event_mode_used) return NULL;
    Unit* unit = calloc(1, sizeof(Unit));
    unit->intact = true;
    unit->every = unit->first = 0.1;
    return unit;
}
void fmi3FreeInstance(fmi3Instance c) {
    Unit* unit = c;
    free(unit->rx);
    free(unit->message);
    for (int i = 0; i < words; ++i) {
        free(unit->list[i]);
        free(unit->text[i]);
    }
    free(unit);
}
fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop) {
    (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return c ? fmi3OK : fmi3Error;
}
fmi3Status fmi3ExitInitializationMode(fmi3Instance c) {
    ((Unit*)c)->in_event = true;
    return fmi3OK;
}
fmi3Status fmi3Terminate(fmi3Instance c) { return c ? fmi3OK : fmi3Error; }
fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Float64 v[],
                          size_t elements) {
    Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) *(vr[i] == vr_first ? &unit->first : &unit->every) = v[i];
    return fmi3OK;
}
fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 v[],
                          size_t elements) {
    const Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] == vr_first ? unit->first : unit->every;
    return fmi3OK;
}
fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Int32 v[], size_t elements) {
    const Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i)
        v[i] = vr[i] == vr_last ? unit->last : vr[i] == vr_received ? unit->received : unit->heard;
    return fmi3OK;
}
fmi3Status fmi3GetBoolean(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Boolean v[],
                          size_t elements) {
    const Unit* unit = c;
    for (size_t i = 0; i < count && i < elements; ++i) v[i] = vr[i] == vr_intact ? unit->intact : unit->asked_early;
    return fmi3OK;
}

static void hear(Unit* unit, const uint8_t* bytes, size_t size) {
    if (size == 0) return; /* the start value */
    unit->heard = number_of(bytes, size);
    unit->intact = unit->intact && unit->heard >= 0;
}
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const size_t sizes[],
                         const fmi3Binary v[], size_t elements) {
    Unit* unit = c;
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] == vr_rx_data && !unit->rx_active) return fmi3Error; /* clocked: only while its clock is active */
        if (vr[i] == vr_rx_data) {
            unit->rx = realloc(unit->rx, sizes[at] + 1);
            if (sizes[at] > 0) memcpy(unit->rx, v[at], sizes[at]);
            unit->rx_size = sizes[at++];
            unit->given = true;
        } else {
            for (int k = 0; k < (vr[i] == vr_list_in ? words : 1); ++k, ++at) hear(unit, v[at], sizes[at]);
        }
    }
    return at == elements ? fmi3OK : fmi3Error;
}
static const uint8_t* fresh(uint8_t** place, int32_t n) {
    free(*place);
    return *place = message_of(n);
}
fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[], size_t count, size_t sizes[], fmi3Binary v[],
                         size_t elements) {
    Unit* unit = c;
    size_t at = 0;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] == vr_tx_data && !unit->tx_active) return fmi3Error;
        if (vr[i] == vr_tx_data && unit->rx_active && !unit->given) unit->asked_early = true;
        const int32_t n = vr[i] == vr_tx_data ? unit->sent : unit->steps;
        for (int k = 0; k < (vr[i] == vr_list ? words : 1); ++k, ++at) {
            sizes[at] = size_of(n);
            v[at] = fresh(vr[i] == vr_list ? &unit->list[k] : &unit->message, n);
        }
    }
    return at == elements ? fmi3OK : fmi3Error;
}
fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3String v[],
                         size_t elements) {
    Unit* unit = c;
    (void)vr;
    if (count != 1 || elements != words) return fmi3Error;
    for (int k = 0; k < words; ++k) {
        if (strlen(v[k]) == 0) continue;
        const int32_t n = (int32_t)strtol(v[k], NULL, 10);
        unit->read = n;
        unit->intact = unit->intact && n >= 0 && strlen(v[k]) == size_of(n) + 20;
    }
    return fmi3OK;
}
fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3String v[], size_t elements) {
    Unit* unit = c;
    (void)vr;
    if (count != 1 || elements != words) return fmi3Error;
    for (int k = 0; k < words; ++k) {
        const size_t size = size_of(unit->steps) + 20;
        free(unit->text[k]);
        unit->text[k] = malloc(size + 1);
        const int digits = snprintf(unit->text[k], size + 1, "%d", unit->steps);
        memset(unit->text[k] + digits, '.', size - (size_t)digits);
        unit->text[k][size] = '\0';
        v[k] = unit->text[k];
    }
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c) {
    Unit* unit = c;
    if (unit->in_event) return fmi3Error;
    unit->in_event = true;
    return fmi3OK;
}
fmi3Status fmi3EnterStepMode(fmi3Instance c) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    unit->in_event = false;
    return fmi3OK;
}
fmi3Status fmi3SetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, const fmi3Clock v[]) {
    Unit* unit = c;
    if (!unit->in_event) return fmi3Error;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] == vr_tx_clock && v[i] && !unit->tx_active) unit->sent += 1;
        *(vr[i] == vr_tx_clock ? &unit->tx_active : &unit->rx_active) = v[i];
    }
    return fmi3OK;
}
fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Clock v[]) {
    (void)c, (void)vr;
    for (size_t i = 0; i < count; ++i) v[i] = false;
    return fmi3OK;
}
fmi3Status fmi3GetIntervalDecimal(fmi3Instance c, const fmi3ValueReference vr[], size_t count, fmi3Float64 intervals[],
                                  fmi3IntervalQualifier qualifiers[]) {
    Unit* unit = c;
    for (size_t i = 0; i < count; ++i) {
        if (vr[i] != vr_tx_clock) return fmi3Error;
        intervals[i] = unit->sent == 0 ? unit->first : unit->every;
        qualifiers[i] = unit->scheduled ? fmi3IntervalUnchanged : fmi3IntervalChanged;
        unit->scheduled = true;
    }
    return fmi3OK;
}
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean* again, fmi3Boolean* terminate,
                                    fmi3Boolean* nominals_changed, fmi3Boolean* values_changed,
                                    fmi3Boolean* next_event_time_defined, fmi3Float64* next_event_time) {
    Unit* unit = c;
    (void)next_event_time;
    if (!unit->in_event) return fmi3Error;
    if (unit->rx_active) {
        unit->last = number_of(unit->rx, unit->rx_size);
        unit->received += 1;
        unit->intact = unit->intact && unit->last >= 0;
    }
    if (unit->tx_active) unit->scheduled = false;
    unit->rx_active = unit->tx_active = unit->given = false;
    *again = *terminate = *nominals_changed = *values_changed = *next_event_time_defined = false;
    return fmi3OK;
}
fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 t, fmi3Float64 h, fmi3Boolean no_set_state_prior,
                      fmi3Boolean* event_handling_needed, fmi3Boolean* terminate, fmi3Boolean* early_return,
                      fmi3Float64* last_successful_time) {
    Unit* unit = c;
    (void)no_set_state_prior;
    if (unit->in_event) return fmi3Error;
    unit->intact = unit->intact && unit->read == unit->heard; /* bytes and texts were sent together */
    unit->steps += 1;
    *event_handling_needed = *terminate = *early_return = false;
    *last_successful_time = t + h;
    return fmi3OK;
}
