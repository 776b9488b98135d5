// Opens a library, or tries the abilities of a unit out, in a process that may die of it.
//
// usage: tandem-probe DESCRIPTOR open LIBRARY [FIRST]
//        tandem-probe DESCRIPTOR try FOLDER SECONDS [WITHOUT]      (request on the standard input)
//        tandem-probe DESCRIPTOR describe LIBRARY FOLDER SECONDS
//
// `try` and `describe` take rights away from themselves first: nothing is written outside FOLDER, no network, no longer
// than SECONDS. "withheld-not" says which of them this kernel cannot take; WITHOUT leaves some out, for tests.
// Answers are lines of "name value" on DESCRIPTOR. Exit 0: it could be done; 2: it could not, "error" says why.
#include "master/probe/confine.hpp"
#include "master/probe/request.hpp"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <iterator>
#include <sstream>
#include <unistd.h>

namespace probe {
namespace {

constexpr int failed = 2;
char last_message[500];  // the only state: foreign code calls back without a place for ours

std::string read_input() {
    std::string text;
    char buffer[4096];
    for (ssize_t count = 0; (count = read(STDIN_FILENO, buffer, sizeof buffer)) > 0;) {
        text.append(buffer, static_cast<std::size_t>(count));
    }
    return text;
}

std::vector<std::uint32_t> references(const std::string& text) {
    std::istringstream stream(text);
    return {std::istream_iterator<std::uint32_t>(stream), {}};
}

void take(Request& request, const std::string& name, const std::string& value) {
    if (name == "library") request.library = value;
    if (name == "first") request.first = value;
    if (name == "token") request.token = value;
    if (name == "resources") request.resources = value;
    if (name == "version") request.version = std::atoi(value.c_str());
    if (name == "interface") request.model_exchange = value == "me";
    if (name == "event-mode") request.event_mode = value == "1";
    if (name == "early-return") request.early_return = value == "1";
    if (name == "start") request.start = std::atof(value.c_str());
    if (name == "step") request.step = std::atof(value.c_str());
    if (name == "tolerance") request.tolerance = std::atof(value.c_str());
    if (name == "outputs") request.outputs = references(value);
    if (name == "states") request.states = static_cast<std::uint32_t>(std::atoi(value.c_str()));
    if (name == "unknown") request.unknown = references(value);
    if (name == "known") request.known = references(value);
    if (name == "movable") request.movable = value == "1";
    if (name == "claims") {
        request.save = value.find("save") != std::string::npos;
        request.serialize = value.find("serialize") != std::string::npos;
        request.derivatives = value.find("derivatives") != std::string::npos;
    }
}

void* open_library(const std::string& library, const std::string& first, const Answers& answers) {
    answers.stage("dlopen");
    const bool before = first.empty() || dlopen(first.c_str(), RTLD_NOW | RTLD_GLOBAL) != nullptr;
    void* handle = before ? dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (handle == nullptr) answers.say("error", dlerror());
    return handle;
}

/// The library of a unit from our kit writes the files of its FMU that follow from its resources.
int describe(const std::string& library, const char* folder, const Answers& answers) {
    void* handle = open_library(library, "", answers);
    if (handle == nullptr) return failed;
    using Describe = int(const char*, void*, void (*)(void*, const char*));
    auto* call = reinterpret_cast<Describe*>(dlsym(handle, "tandem_describe"));
    if (call == nullptr) {
        answers.say("error", "the unit cannot describe itself anew: it was built without tandem_describe");
        return failed;
    }
    answers.stage("tandem_describe");
    const auto fail = [](void* context, const char* text) { static_cast<const Answers*>(context)->say("error", text); };
    return call(folder, const_cast<Answers*>(&answers), fail) == 0 ? 0 : failed;
}

void confine_to(const Confinement& confinement, const Answers& answers) {
    std::string missing;
    for (const std::string& what : confine(confinement)) missing += (missing.empty() ? "" : "; ") + what;
    if (!missing.empty()) answers.say("withheld-not", missing);
    setenv("TMPDIR", confinement.folder.c_str(), 1);
    if (chdir(confinement.folder.c_str()) != 0) _exit(failed);
}

int run(int argc, char** argv) {
    if (argc < 4) return failed;
    const Answers answers(std::atoi(argv[1]));
    const std::string what = argv[2];
    const auto seconds = [&](int at) { return static_cast<unsigned int>(std::atoi(argv[at])); };
    if (what == "open") return open_library(argv[3], argc > 4 ? argv[4] : "", answers) == nullptr ? failed : 0;
    if (argc < 5) return failed;
    if (what == "describe" && argc > 5) {
        confine_to({.folder = argv[4], .seconds = seconds(5)}, answers);
        return describe(argv[3], argv[4], answers);
    }
    if (what != "try") return failed;
    const Request request = read_request();
    confine_to({.folder = argv[3], .seconds = seconds(4), .without = argc > 5 ? argv[5] : ""}, answers);
    void* library = open_library(request.library, request.first, answers);
    if (library == nullptr) return failed;
    return try_unit(request, library, answers);
}

}  // namespace

void keep_message(const char* text) {
    if (text != nullptr) std::snprintf(last_message, sizeof last_message, "%s", text);
}

std::string kept_message() { return *last_message == '\0' ? "" : std::string(": ") + last_message; }

Request read_request() {
    Request request;
    std::istringstream lines(read_input());
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        if (space != std::string::npos) take(request, line.substr(0, space), line.substr(space + 1));
    }
    return request;
}

void Answers::say(const std::string& name, const std::string& value) const {
    std::string line = name + " " + value;
    for (char& c : line) {
        if (c == '\n' || c == '\r') c = ' ';
    }
    line += '\n';
    if (write(descriptor_, line.data(), line.size()) < 0) _exit(failed);
}

}  // namespace probe

/// Ends without the destructors of foreign libraries, which may crash after everything was said.
int main(int argc, char** argv) { _exit(probe::run(argc, argv)); }
