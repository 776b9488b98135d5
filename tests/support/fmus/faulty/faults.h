/* What the faulty units have in common: which fault, in which place, from which time on. Said by the environment, as
   TANDEM_TEST_FAULT="FAULT PLACE TIME", since a library that is being loaded has no parameters yet. */
#pragma once

#include <fcntl.h>
#include <fenv.h>
#include <ftw.h>
#include <limits.h>
#include <linux/seccomp.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <xmmintrin.h>

void throw_exception(void);
void call_terminate(void);

typedef void (*Logger)(void* unit, const char* text);

/* A unit as its faults see it. */
typedef struct {
    void* unit;
    Logger say;
    char resources[4000];
} Host;

enum {
    all_is_well = 0,
    status_warning = 1,
    status_discard = 2,
    status_error = 3,
    status_fatal = 4,
    status_pending = 5,
    status_that_is_none = 77
};

typedef struct {
    char fault[32], place[32];
    double time;
} Plan;

static const Plan* plan(void) {
    static Plan found;
    const char* said = getenv("TANDEM_TEST_FAULT");
    if (found.fault[0] == '\0' &&
        (said == NULL || sscanf(said, "%31s %31s %lf", found.fault, found.place, &found.time) != 3))
        strcpy(found.fault, "none");
    return &found;
}

static int planned(const char* fault) { return strcmp(plan()->fault, fault) == 0; }
static int due(const char* place, double time) {
    return strcmp(plan()->place, place) == 0 && !planned("none") && time >= plan()->time;
}

static const Host nobody = {NULL, NULL, ""};
static const Host* thread_host = &nobody;
static volatile int sink, always = 1;
static int* volatile nowhere;
static const char garbage[] = "\0\xff\033[2J garbage\nerror[no-such]: of a unit\n";

static int recurse(int depth) {
    volatile char space[1000];
    space[depth % 1000] = (char)depth;
    return always ? recurse(depth + 1) + space[depth % 1000] : 0;
}
static void leave(int signal) {
    (void)signal;
    _exit(0);
}
static void ignore(int signal) { (void)signal; }
static int remove_entry(const char* path, const struct stat* status, int kind, struct FTW* walk) {
    (void)status, (void)kind, (void)walk;
    return remove(path);
}
/* Nothing outside of the temporary folder, whatever a master gives as the place of the resources. */
static void remove_tree(const char* path) {
    char whole[PATH_MAX], temporary[PATH_MAX];
    const char* allowed = getenv("TMPDIR");
    if (allowed == NULL || realpath(allowed, temporary) == NULL || realpath(path, whole) == NULL) return;
    const size_t length = strlen(temporary);
    if (length < 2 || strncmp(whole, temporary, length) != 0 || whole[length] != '/') return;
    nftw(whole, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void* count_for_ever(void* nothing) {
    while (always) usleep(50);
    return nothing;
}
static void* crash_soon(void* nothing) {
    usleep(20000);
    *nowhere = 1;
    return nothing;
}
static void start(void* (*work)(void*)) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, NULL) != 0) abort();
    pthread_detach(thread);
}

/* Ends where the memory ends, but no later than at 3 GB, so that a limit which does not hold harms no machine. */
static void take_all_memory(void) {
    for (int taken = 0; taken < 48; ++taken) {
        char* block = malloc(64 << 20);
        if (block == NULL) abort();
        memset(block, taken + 1, 64 << 20);
    }
}
static void touch_behind_a_file(void) {
    const int file = memfd_create("empty", 0);
    volatile char* bytes = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
    sink = bytes[0];
}
static void corrupt_heap(void) {
    volatile size_t* volatile block = malloc(100);
    block[-1] = 1; /* its size, which the C library checks when it is freed */
    free((void*)block);
}
static void live_on_as_a_child(void) {
    if (fork() != 0) return;
    setsid();
    sleep(4);
    _exit(0);
}
static void flood(const Host* host) {
    char text[101];
    memset(text, 'f', 100);
    text[100] = '\0';
    for (int i = 0; host->say != NULL && i < 1000000; ++i) {
        snprintf(text, 8, "%07d", i);
        text[7] = ' ';
        host->say(host->unit, text);
    }
}
static void say_a_megabyte(const Host* host) {
    char* text = malloc((1 << 20) + 1);
    memset(text, 'm', 1 << 20);
    text[1 << 20] = '\0';
    if (host->say != NULL) host->say(host->unit, text);
    free(text);
}

/* Does what is planned; returns the status that the unit then returns. */
/* A descriptor that was the unit's own while it was instantiated. */
static int closed_before = -1;

/* Whatever regular file the process writes to. */
static void disturb_files(void) {
    for (int i = 3; i < 1024; ++i) {
        struct stat status;
        const int flags = fcntl(i, F_GETFL);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(i, &status) != 0 || !S_ISREG(status.st_mode))
            continue;
        sink = planned("cut") ? ftruncate(i, status.st_size / 2) : (int)write(i, "scrawl\n", 7);
    }
}

/* Takes the names away from the files that the process writes to. */
static void unlink_files(void) {
    for (int i = 3; i < 1024; ++i) {
        char link[64], path[PATH_MAX];
        const int flags = fcntl(i, F_GETFL);
        snprintf(link, sizeof link, "/proc/self/fd/%d", i);
        const ssize_t length = readlink(link, path, sizeof path - 1);
        if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || length < 0) continue;
        path[length] = '\0';
        if (strstr(path, "results.partial") != NULL) sink = unlink(path);
    }
}

static int commit(const Host* host) {
    if (host->say != NULL && !planned("none")) {
        char text[64];
        snprintf(text, sizeof text, "about to do it: %s", plan()->fault);
        host->say(host->unit, text);
    }
    if (planned("segfault")) *nowhere = 1;
    if (planned("bus")) touch_behind_a_file();
    if (planned("abort")) abort();
    if (planned("exit")) exit(0);
    if (planned("_exit")) _exit(0);
    if (planned("pthread_exit")) pthread_exit(NULL);
    if (planned("recursion")) sink = recurse(1);
    if (planned("heap")) corrupt_heap();
    if (planned("memory")) take_all_memory();
    if (planned("division")) sink = 100 / (sink - sink);
    if (planned("kill")) raise(SIGKILL);
    if (planned("sigterm")) kill(getpid(), SIGTERM);
    if (planned("throw")) throw_exception();
    if (planned("terminate")) call_terminate();
    if (planned("loop"))
        for (;;) ++sink;
    if (planned("sleep"))
        for (;;) sleep(1000);
    if (planned("blocked")) {
        sigset_t all;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, NULL);
        for (;;) sleep(1000);
    }
    if (planned("pause")) usleep(600000);
    if (planned("stop")) raise(SIGSTOP);
    if (planned("own_handler")) {
        signal(SIGSEGV, leave);
        *nowhere = 1;
    }
    if (planned("handlers"))
        for (int i = 1; i < 32; ++i) signal(i, ignore);
    if (planned("descriptors")) close_range(3, ~0U, 0);
    if (planned("streams")) close_range(0, 2, 0);
    if (planned("stdout")) close(1);
    if (planned("garbage")) sink = (int)write(1, garbage, sizeof garbage);
    if (planned("directory")) sink = chdir("/");
    if (planned("resources")) remove_tree(host->resources);
    if (planned("unpacked")) {
        char path[4100];
        snprintf(path, sizeof path, "%s/..", host->resources);
        remove_tree(path);
    }
    if (planned("rounding")) fesetround(FE_UPWARD);
    if (planned("traps")) feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
    if (planned("flush")) _mm_setcsr(_mm_getcsr() | 0x8040);
    if (planned("locale") && setlocale(LC_NUMERIC, "comma") == NULL) return status_error;
    if (planned("fork")) live_on_as_a_child();
    if (planned("copy") && fork() == 0) return all_is_well; /* as where exec failed */
    if (planned("twice")) {
        close(closed_before);
        sink = open("/dev/null", O_WRONLY);
    }
    if (planned("scrawl") || planned("cut")) disturb_files();
    if (planned("umask")) umask(0777);
    if (planned("unlink")) unlink_files();
    if (planned("exec")) execl("/bin/true", "true", (char*)NULL);
    if (planned("quick_exit")) quick_exit(0);
    if (planned("alarm")) setitimer(ITIMER_REAL, &(struct itimerval){{0, 1000}, {0, 1000}}, NULL);
    if (planned("seccomp")) prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    if (planned("address_space")) setrlimit(RLIMIT_AS, &(struct rlimit){1, 1});
    if (planned("orphan")) kill(getppid(), SIGKILL);
    if (planned("file_size")) setrlimit(RLIMIT_FSIZE, &(struct rlimit){0, 0});
    if (planned("flood")) flood(host);
    if (planned("message")) say_a_megabyte(host);
    if (planned("outlives")) start(count_for_ever);
    if (planned("late")) start(crash_soon);
    if (planned("error")) return status_error;
    if (planned("fatal")) return status_fatal;
    if (planned("invalid")) return status_that_is_none;
    if (planned("pending")) return status_pending;
    return all_is_well;
}
static void* commit_in_thread(void* result) {
    *(int*)result = commit(thread_host);
    return NULL;
}

/* Called by a unit in each of its functions; the place `thread` is a thread that a step starts and waits for. */
static int pass(const char* place, double time, const Host* host) {
    static int committed;
    if (planned("warning") && due(place, time)) return status_warning; /* without a word, every time */
    if ((planned("discard") || planned("discard_beyond") || planned("discard_nowhere")) && due(place, time))
        return status_discard;
    if (planned("twice") && closed_before < 0) {
        closed_before = open("/dev/null", O_RDONLY);
        close(closed_before);
    }
    if (committed && (planned("late") || planned("handlers") || planned("alarm"))) usleep(200);
    if (planned("slow") && strcmp(place, "step") == 0) usleep(1); /* some 10 000 steps in a second */
    if (committed && (planned("error") || planned("fatal") || planned("invalid")) && due(place, time)) {
        if (strcmp(place, "step") == 0) abort(); /* whoever steps on after that ends loudly */
        return status_error;
    }
    if (committed) return all_is_well;
    if (strcmp(place, "step") == 0 && due("thread", time)) {
        committed = 1;
        thread_host = host;
        pthread_t thread;
        int result = all_is_well;
        if (pthread_create(&thread, NULL, commit_in_thread, &result) != 0) abort();
        pthread_join(thread, NULL);
        return result;
    }
    if (!due(place, time)) return all_is_well;
    committed = 1;
    return commit(host);
}
/* An output, right until it is due to be wrong. */
static double output(double y, double time) {
    if (planned("nan") && due("step", time)) return NAN;
    if (planned("infinity") && due("step", time)) return INFINITY;
    return y;
}
static int mode_output(double time) { return planned("enumeration") && due("step", time) ? 9 : 2; }
/* How far a step from t got, as the unit says it. */
static double last_time(double t, double h) {
    if (due("step", t + 0.25 * h)) {
        if (planned("last_beyond") || planned("discard_beyond")) return t + 2 * h;
        if (planned("last_before")) return t - 2 * h;
        if (planned("last_nowhere") || planned("discard_nowhere")) return NAN;
        if (planned("discard")) return t + 0.5 * h;
    }
    return t + h;
}
static const char* text_output(double time) {
    if (planned("null_text") && due("step", time)) return NULL;
    if (planned("wild_text") && due("step", time)) return (const char*)nowhere + 8;
    return "text";
}

__attribute__((constructor)) static void loaded(void) { pass("load", 0, &nobody); }
__attribute__((destructor)) static void unloaded(void) { pass("unload", 0, &nobody); }
