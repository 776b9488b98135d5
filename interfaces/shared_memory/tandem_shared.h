#ifndef TANDEM_SHARED_H
#define TANDEM_SHARED_H

/* Values that a simulation publishes in shared memory, for readers in C, C++ or whatever calls C. One writer, any
 * number of readers, no locks: a reader copies the newest value and sees whether the writer came into its way.
 *
 *     const struct tandem_channel *channel = tandem_open("points");
 *     struct tandem_value value;
 *     if (tandem_read(channel, buffer, sizeof buffer, &value) == TANDEM_OK) use(buffer, value.size, value.time);
 *     tandem_close(channel);
 *
 * The segment is /dev/shm/tandem-NAME, little endian on every machine that this runs on: the header below, then `slots`
 * slots of `stride` bytes, each a tandem_slot and its payload. The value with sequence n stands in slot n % slots; the
 * slot's version is 2 n when it is whole and odd while it is written. A point cloud (type "points xyz float32") is
 * x, y, z in m per point, as floats, in the sensor's frame: x optical axis, y left, z up. */

#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TANDEM_MAGIC 0x314D48534D444E54ULL /* "TNDMSHM1" */
#define TANDEM_PREFIX "/tandem-"
#define TANDEM_LONGEST_NAME 200

struct tandem_channel {
    uint64_t magic; /* written last: without it the rest is not ready */
    uint32_t slots;
    uint32_t owner;     /* process of the writer, for information */
    uint64_t capacity;  /* bytes of payload in a slot, a multiple of 8 */
    uint64_t stride;    /* bytes from slot to slot */
    uint64_t published; /* sequence of the newest whole value; 0: none yet */
    uint32_t wakeup;    /* lower half of the above: readers wait for it to change */
    uint32_t closed;    /* 1: the writer has gone, or another segment has this name now */
    char type[64];      /* what the payload is; ends with a zero */
    uint64_t reserved[2];
};

struct tandem_slot {
    uint64_t version;
    int64_t time;  /* ns of the simulation */
    int64_t stamp; /* ns of CLOCK_MONOTONIC when it was published */
    uint64_t size; /* bytes of payload */
    uint64_t reserved[4];
};

/* What stands beside a payload. */
struct tandem_value {
    uint64_t sequence;
    int64_t time, stamp;
    size_t size;
};

enum tandem_result {
    TANDEM_OK = 0,
    TANDEM_NOTHING = 1, /* nothing was published yet */
    TANDEM_TORN = 2,    /* the writer overtook every attempt: nothing of the buffer may be used */
    TANDEM_SMALL = 3,   /* the buffer is too small; value.size says what is needed */
    TANDEM_CLOSED = 4   /* the writer has gone: close, and open again */
};

static inline size_t tandem_segment_size(const struct tandem_channel* channel) {
    return sizeof *channel + (size_t)(channel->slots * channel->stride);
}

/* 1 if the writer has gone. */
static inline int tandem_is_closed(const struct tandem_channel* channel) {
    return __atomic_load_n(&channel->closed, __ATOMIC_ACQUIRE) != 0;
}

/* NULL if there is no such channel: not yet, or no longer. */
static inline const struct tandem_channel* tandem_open(const char* name) {
    char path[sizeof TANDEM_PREFIX + TANDEM_LONGEST_NAME] = TANDEM_PREFIX;
    const size_t length = strlen(name);
    if (length > TANDEM_LONGEST_NAME) return NULL;
    memcpy(path + sizeof TANDEM_PREFIX - 1, name, length + 1);
    const int descriptor = shm_open(path, O_RDONLY | O_CLOEXEC, 0);
    if (descriptor < 0) return NULL;
    struct stat status;
    void* at = MAP_FAILED;
    if (fstat(descriptor, &status) == 0 && (size_t)status.st_size >= sizeof(struct tandem_channel))
        at = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, descriptor, 0);
    close(descriptor);
    if (at == MAP_FAILED) return NULL;
    const struct tandem_channel* channel = (const struct tandem_channel*)at;
    /* Every number is looked at before it is believed: the file may be anybody's. */
    const size_t room = (size_t)status.st_size - sizeof *channel;
    if (__atomic_load_n(&channel->magic, __ATOMIC_ACQUIRE) == TANDEM_MAGIC && !tandem_is_closed(channel) &&
        channel->slots >= 2 && channel->capacity % 8 == 0 && channel->capacity <= room && channel->stride % 8 == 0 &&
        channel->stride >= channel->capacity + sizeof(struct tandem_slot) && channel->stride <= room &&
        channel->slots <= room / channel->stride && channel->type[sizeof channel->type - 1] == '\0' &&
        tandem_segment_size(channel) == (size_t)status.st_size)
        return channel;
    munmap(at, (size_t)status.st_size);
    return NULL;
}

static inline void tandem_close(const struct tandem_channel* channel) {
    if (channel != NULL) munmap((void*)channel, tandem_segment_size(channel));
}

/* The sequence of the newest value. */
static inline uint64_t tandem_published(const struct tandem_channel* channel) {
    return __atomic_load_n(&channel->published, __ATOMIC_ACQUIRE);
}

/* Copies the newest value into the buffer; never waits. */
static inline enum tandem_result tandem_read(const struct tandem_channel* channel, void* buffer, size_t capacity,
                                             struct tandem_value* value) {
    for (int attempt = 0; attempt < 8; ++attempt) {
        const uint64_t sequence = tandem_published(channel);
        if (tandem_is_closed(channel)) return TANDEM_CLOSED;
        if (sequence == 0) return TANDEM_NOTHING;
        const char* at = (const char*)(channel + 1) + (sequence % channel->slots) * channel->stride;
        const struct tandem_slot* slot = (const struct tandem_slot*)at;
        if (__atomic_load_n(&slot->version, __ATOMIC_ACQUIRE) != 2 * sequence) continue;
        /* Loads with acquire stay before the second look at the version. */
        const uint64_t size = __atomic_load_n(&slot->size, __ATOMIC_ACQUIRE);
        value->sequence = sequence;
        value->time = __atomic_load_n(&slot->time, __ATOMIC_ACQUIRE);
        value->stamp = __atomic_load_n(&slot->stamp, __ATOMIC_ACQUIRE);
        value->size = (size_t)size;
        if (size <= channel->capacity && size <= capacity) {
            const uint64_t* from = (const uint64_t*)(slot + 1);
            size_t done = 0;
            for (; done + 8 <= size; done += 8) {
                const uint64_t word = __atomic_load_n(from++, __ATOMIC_ACQUIRE);
                memcpy((char*)buffer + done, &word, 8);
            }
            if (done < size) {
                const uint64_t word = __atomic_load_n(from, __ATOMIC_ACQUIRE);
                memcpy((char*)buffer + done, &word, (size_t)size - done);
            }
        }
        if (__atomic_load_n(&slot->version, __ATOMIC_RELAXED) != 2 * sequence) continue;
        if (size > channel->capacity) return TANDEM_TORN; /* no writer of ours */
        return size <= capacity ? TANDEM_OK : TANDEM_SMALL;
    }
    return TANDEM_TORN;
}

/* Waits until something newer than `sequence` is there, at most so long; 0 if it is not. */
static inline int tandem_wait(const struct tandem_channel* channel, uint64_t sequence, int milliseconds) {
    struct timespec timeout;
    const uint32_t seen = __atomic_load_n(&channel->wakeup, __ATOMIC_ACQUIRE);
    if (tandem_published(channel) > sequence) return 1;
    if (tandem_is_closed(channel)) return 0;
    timeout.tv_sec = milliseconds / 1000;
    timeout.tv_nsec = (long)(milliseconds % 1000) * 1000000L;
    syscall(SYS_futex, &channel->wakeup, FUTEX_WAIT, seen, &timeout, NULL, 0);
    return tandem_published(channel) > sequence;
}

#ifdef __cplusplus
}
#endif

#endif
