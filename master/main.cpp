#include "master/base/error.hpp"
#include "master/verbs/command_line.hpp"
#include "master/verbs/console.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>

namespace {

// Here, because `exit` hands nothing on to what it calls.
bool ended = false;
pid_t watched = 0;  // others that it forks have a parent that sees how they end

/// A foreign library may call `exit` in the middle of a run: that is no success, whatever code it gives.
void refuse_early_exit() {
    if (ended || ::getpid() != watched) return;
    std::fputs("error[fmu-error]: a unit ended the whole program by calling exit; its results are not complete\n",
               stderr);
    _exit(static_cast<int>(master::base::Exit::failed));
}

int run(int argc, char** argv) {
    master::verbs::Console console;
    try {
        return master::verbs::run_command_line(argc, argv);
    } catch (const master::base::Error& error) {
        console.show(error);
        return static_cast<int>(error.exit());
    } catch (const std::bad_alloc&) {
        console.show(master::base::Error("memory", "", "out of memory"));
    } catch (const std::system_error& error) {
        console.show(master::base::Error("write-failed", "", error.code().message()));
    } catch (const std::exception& error) {
        console.show(master::base::Error("internal", "", error.what()));
    }
    return static_cast<int>(master::base::Exit::failed);
}

/// A file that is opened where a standard stream is missing would get what belongs on the stream.
void open_missing_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDWR));
}

/// A reader that is gone and a file that may not grow are errors of the call that writes. Not ignored: programs that
/// are started from here would inherit that.
void leave_write_errors_to_the_writer() {
    for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, [](int) {});
}

}  // namespace

int main(int argc, char** argv) {
    open_missing_streams();
    leave_write_errors_to_the_writer();
    watched = ::getpid();
    std::atexit(refuse_early_exit);
    std::at_quick_exit(refuse_early_exit);
    int code = run(argc, argv);
    if (std::fflush(stdout) != 0) {
        master::verbs::Console().show(
            master::base::Error("write-failed", "standard output", std::strerror(errno), master::base::Exit::failed));
        code = code == 0 ? static_cast<int>(master::base::Exit::failed) : code;
    }
    ended = true;
    // All is done: a Ctrl-C that comes while libraries take leave must not tell another story.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_IGN);
    return code;
}
