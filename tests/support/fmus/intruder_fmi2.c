/* Does what the environment asks of it: TANDEM_INTRUDER_MARK is a file that it makes as soon as it is loaded,
 * TANDEM_INTRUDER what it tries when it is instantiated ("VERB ARGUMENT"); what came of that is its message. */
#define _GNU_SOURCE
#include "interfaces/fmi/fmi2.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_mark(void) {
    const char* mark = getenv("TANDEM_INTRUDER_MARK");
    if (mark != NULL) close(open(mark, O_WRONLY | O_CREAT, 0600));
}

#ifdef WANTS_PYTHON
void Py_Initialize(void);
void (*needed)(void) = Py_Initialize;
#endif

static int local_socket(const char* port) {
    const int s = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port))};
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return s < 0 ? s : connect(s, (struct sockaddr*)&there, sizeof there);
}

/* Descriptors that it was given, beside the standard streams and the one of the answers. */
static int foreign_descriptors(void) {
    int count = 0;
    for (int i = 4; i < 256; ++i) count += fcntl(i, F_GETFD) >= 0;
    return count;
}

static int write_to(const char* file) {
    FILE* stream = fopen(file, "w");
    if (stream == NULL) return -1;
    fputs("written", stream);
    return fclose(stream);
}

static int fill_disk(const char* file) {
    static const char block[1 << 16];
    const int stream = open(file, O_WRONLY | O_CREAT, 0600);
    signal(SIGXFSZ, SIG_IGN);
    for (long written = 0; written < 3L << 30; written += (long)sizeof block)
        if (lseek(stream, written, SEEK_SET) < 0 || write(stream, block, 1) < 0) return -1;
    return 0;
}

static int attempt(const char* verb, const char* argument) {
    if (strcmp(verb, "write") == 0) return write_to(argument);
    if (strcmp(verb, "truncate") == 0) return truncate(argument, 0);
    if (strcmp(verb, "open-truncate") == 0) return open(argument, O_RDONLY | O_TRUNC);
    if (strcmp(verb, "unlink") == 0) return unlink(argument);
    if (strcmp(verb, "chmod") == 0) return chmod(argument, 0);
    if (strcmp(verb, "mkdir") == 0) return mkdir(argument, 0700);
    if (strcmp(verb, "connect") == 0) return local_socket(argument);
    if (strcmp(verb, "fork") == 0) return fork() == 0 ? (write_to(argument), _exit(0), 0) : errno ? -1 : 0;
    if (strcmp(verb, "system") == 0) return system(argument) == 0 ? 0 : -1;
    if (strcmp(verb, "kill") == 0) return kill((pid_t)atoi(argument), SIGKILL);
    if (strcmp(verb, "allocate") == 0) return malloc((size_t)atol(argument)) == NULL ? -1 : 0;
    if (strcmp(verb, "fill") == 0) return fill_disk(argument);
    if (strcmp(verb, "descriptors") == 0) return errno = 0, foreign_descriptors() > 0 ? 0 : -1;
    if (strcmp(verb, "exit") == 0) exit(atoi(argument));
    if (strcmp(verb, "chatter") == 0) /* always a word before anybody loses patience */
        for (;; usleep(100000))
            if (write(3, "stage chatter\n", 14) < 0) return -1;
    if (strcmp(verb, "answer") == 0) {
        if (write(3, argument, strlen(argument)) < 0 || write(3, "\n", 1) < 0) return -1;
        exit(0);
    }
    return 0;
}

const char* fmi2GetTypesPlatform(void) { return "default"; }
const char* fmi2GetVersion(void) { return "2.0"; }
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions* callbacks, fmi2Boolean visible, fmi2Boolean logging) {
    (void)type, (void)guid, (void)resources, (void)visible, (void)logging;
    const char* order = getenv("TANDEM_INTRUDER");
    if (order == NULL) return callbacks->allocateMemory(1, 1);
    char verb[40] = "", text[200];
    sscanf(order, "%39s", verb);
    const char* argument = strchr(order, ' ');
    errno = 0;
    const int result = attempt(verb, argument == NULL ? "" : argument + 1);
    snprintf(text, sizeof text, "%s %s (%s)", verb, result < 0 ? "refused" : "done", strerrorname_np(errno));
    callbacks->logger(callbacks->componentEnvironment, name, fmi2Error, "logStatusError", text);
    return NULL;
}
void fmi2FreeInstance(fmi2Component c) { free(c); }
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop) {
    (void)tolerance_defined, (void)tolerance, (void)start, (void)stop_defined, (void)stop;
    return c ? fmi2OK : fmi2Error;
}
fmi2Status fmi2EnterInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2ExitInitializationMode(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2Terminate(fmi2Component c) { return c ? fmi2OK : fmi2Error; }
fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference references[], size_t count, fmi2Real values[]) {
    (void)references;
    for (size_t i = 0; i < count; ++i) values[i] = 1;
    return c ? fmi2OK : fmi2Error;
}
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h, fmi2Boolean no_set_state_prior) {
    (void)t, (void)h, (void)no_set_state_prior;
    return c ? fmi2OK : fmi2Error;
}
