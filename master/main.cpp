#include "master/console.hpp"
#include "master/error.hpp"
#include "master/verbs/verb.hpp"

#include <new>

namespace {

int run(int argc, char** argv) {
    CLI::App app("Tandem: co-simulation of FMI units, described in SSP", "tandem");
    app.require_subcommand(1);
    app.set_version_flag("--version", TANDEM_VERSION);
    app.set_help_all_flag("--help-all", "Help of every verb");
    app.footer(
        "Each verb has its own --help with an example. Exit codes: 0 ok, 1 the run failed, 2 bad input,\n"
        "3 a contract was violated, 130 after Ctrl-C.");
    master::verbs::Action action;
    for (const auto add : {master::verbs::add_run, master::verbs::add_check, master::verbs::add_graph}) {
        add(app, action);
    }
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        return app.exit(success);
    } catch (const CLI::ParseError& error) {
        throw master::Error("usage", "", std::string(error.what()) + "; see tandem --help");
    }
    return action();
}

}  // namespace

int main(int argc, char** argv) {
    master::Console console;
    try {
        return run(argc, argv);
    } catch (const master::Error& error) {
        console.show(error);
        return static_cast<int>(error.exit());
    } catch (const std::bad_alloc&) {
        console.show(master::Error("memory", "", "out of memory"));
    } catch (const std::exception& error) {
        console.show(master::Error("internal", "", error.what()));
    }
    return static_cast<int>(master::Exit::failed);
}
