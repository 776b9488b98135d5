/* The readers' header as C sees it, with names that a foreign language can call. */
#include "interfaces/shared_memory/tandem_shared.h"

const struct tandem_channel* open_channel(const char* name);
void close_channel(const struct tandem_channel* channel);
int read_newest(const struct tandem_channel* channel, void* buffer, size_t capacity, struct tandem_value* value);
int wait_for_newer(const struct tandem_channel* channel, uint64_t sequence, int milliseconds);

const struct tandem_channel* open_channel(const char* name) { return tandem_open(name); }
void close_channel(const struct tandem_channel* channel) { tandem_close(channel); }
int read_newest(const struct tandem_channel* channel, void* buffer, size_t capacity, struct tandem_value* value) {
    return (int)tandem_read(channel, buffer, capacity, value);
}
int wait_for_newer(const struct tandem_channel* channel, uint64_t sequence, int milliseconds) {
    return tandem_wait(channel, sequence, milliseconds);
}
