#include "master/base/error.hpp"
#include "master/verbs/command_line.hpp"
#include "master/verbs/console.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <unistd.h>

namespace {

/// A foreign library may call `exit` in the middle of a run: that is no success, whatever code it gives.
void refuse_early_exit() {
    std::fputs("error[fmu-error]: a unit ended the whole program by calling exit; its results are not complete\n",
               stderr);
    _exit(static_cast<int>(master::base::Exit::failed));
}

bool ended = false;  // here, because `exit` hands nothing on to what it calls

int run(int argc, char** argv) {
    master::verbs::Console console;
    try {
        return master::verbs::run_command_line(argc, argv);
    } catch (const master::base::Error& error) {
        console.show(error);
        return static_cast<int>(error.exit());
    } catch (const std::bad_alloc&) {
        console.show(master::base::Error("memory", "", "out of memory"));
    } catch (const std::exception& error) {
        console.show(master::base::Error("internal", "", error.what()));
    }
    return static_cast<int>(master::base::Exit::failed);
}

}  // namespace

int main(int argc, char** argv) {
    std::atexit([] {
        if (!ended) refuse_early_exit();
    });
    const int code = run(argc, argv);
    ended = true;
    return code;
}
