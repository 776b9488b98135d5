#include "master/base/error.hpp"
#include "master/verbs/command_line.hpp"
#include "master/verbs/console.hpp"

#include <new>

int main(int argc, char** argv) {
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
