#include "master/verbs/command_line.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <sstream>

namespace master::verbs {
namespace {

/// The parser would only say that a verb is required.
void check_verb(const CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    std::vector<std::string> names;
    for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
    if (std::ranges::count(names, argv[1]) > 0) return;
    throw base::Error(
        "usage", "",
        "unknown verb '" + std::string(argv[1]) + "'" + base::did_you_mean(argv[1], names) + "; see tandem --help");
}

/// The parser says which option it does not know, but not which one was meant.
void check_options(CLI::App& app, int argc, char** argv) {
    if (argc < 2 || argv[1][0] == '-') return;
    const CLI::App* verb = app.get_subcommand(argv[1]);
    std::vector<std::string> names;
    const auto collect = [&names](const CLI::App& from) {
        for (const CLI::Option* option : from.get_options()) {
            for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
        }
    };
    collect(*verb);
    for (const CLI::App* nested : verb->get_subcommands({})) collect(*nested);
    for (int i = 2; i < argc; ++i) {
        const std::string argument(argv[i], std::min(std::strlen(argv[i]), std::strcspn(argv[i], "=")));
        if (argument == "--") return;
        // The parser would take the next argument for the value.
        if (std::ranges::count(names, argument) > 0 && argument + "=" == argv[i])
            throw base::Error(
                "usage", argument,
                std::string("nothing stands behind the '=', expected a value; see tandem ") + argv[1] + " --help");
        if (!argument.starts_with("--") || std::ranges::count(names, argument) > 0) continue;
        throw base::Error("usage", "",
                          "unknown option '" + argument + "'" + base::did_you_mean(argument, names) + "; see tandem " +
                              argv[1] + " --help");
    }
}

/// The parser would only say that it could not convert.
std::string explained(const CLI::App& verb, const CLI::ConversionError& error) {
    std::string text = error.what();
    for (const CLI::Option* option : verb.get_options()) {
        const std::string beginning = "Could not convert: " + option->get_name() + " = ";
        if (!text.starts_with(beginning)) continue;
        const bool whole = option->get_type_name() == "N";
        return option->get_name() + ": found '" + text.substr(beginning.size()) + "', expected " +
               (whole ? "a whole number that is not negative" : "a number");
    }
    return text;
}

/// What the type of an option says is a number that may have a fraction; the parser takes "nan" for one.
bool takes_fraction(const CLI::Option& option) {
    const std::string type = option.get_type_name();
    return type.find("FLOAT") != std::string::npos || type.ends_with("POSITIVE") || type.ends_with("NONNEGATIVE");
}

/// An empty text means to the verbs that an option is not given, and no option asks for a number without an end.
void check_values(const CLI::App& verb) {
    for (const CLI::Option* option : verb.get_options()) {
        for (const std::string& value : option->results()) {
            if (value.empty())
                throw base::Error(
                    "usage", option->get_name(),
                    "found an empty text, expected " + option->get_type_name() + ": " + option->get_description());
            double number = 0;
            if (takes_fraction(*option) && CLI::detail::lexical_cast(value, number) && !std::isfinite(number))
                throw base::Error("usage", option->get_name(), "found '" + value + "', expected a finite number");
        }
    }
    for (const CLI::App* nested : verb.get_subcommands()) check_values(*nested);
}

}  // namespace

int run_command_line(int argc, char** argv) {
    CLI::App app("Tandem: co-simulation of FMI units, described in SSP", "tandem");
    app.require_subcommand(1);
    app.set_version_flag("--version", TANDEM_VERSION);
    app.set_help_all_flag("--help-all", "Help of every verb");
    app.footer(
        "Each verb has its own --help with an example. Exit codes: 0 ok, 1 the run failed, 2 bad input,\n"
        "3 not what was asked for, 130 after Ctrl-C.");
    Action action;
    for (AddVerb* const add : all_verbs()) add(app, action);
    check_verb(app, argc, argv);
    check_options(app, argc, argv);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {
        // Not std::cout: its place in this program would differ from the one that a foreign library sees.
        std::ostringstream text;
        const int code = app.exit(success, text, text);
        std::fputs(text.str().c_str(), stdout);
        return code;
    } catch (const CLI::ConversionError& error) {
        throw base::Error("usage", "",
                          explained(*app.get_subcommand(argv[1]), error) + "; see tandem " + argv[1] + " --help");
    } catch (const CLI::ParseError& error) {
        throw base::Error("usage", "", std::string(error.what()) + "; see tandem --help");
    }
    check_values(app);
    return action({argv + 1, argv + argc});
}

}  // namespace master::verbs
