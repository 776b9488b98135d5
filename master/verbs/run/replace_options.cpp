#include "master/verbs/run/replace_options.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/build/replace/write_replaced.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>

namespace master::verbs {
namespace {

build::Replacement replacement_of(const std::string& text) {
    constexpr std::string_view map = ",map=";
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
        throw base::Error("usage", "--replace " + text, "expected COMPONENT=FMU or COMPONENT=FMU,map=MAP.csv");
    const auto comma = text.find(map, equals);
    if (comma != std::string::npos && text.find(map, comma + map.size()) != std::string::npos)
        throw base::Error("usage", "--replace " + text, "names two maps, expected one");
    build::Replacement result{
        .component = text.substr(0, equals), .fmu = text.substr(equals + 1, comma - equals - 1), .map = {}};
    if (comma != std::string::npos) result.map = text.substr(comma + map.size());
    return result;
}

}  // namespace

void add_replace_options(CLI::App& verb, ReplaceOptions& options) {
    verb.add_option("--replace", options.replace, "Another FMU for a component; may be repeated")
        ->type_name("COMPONENT=FMU[,map=MAP.csv]")
        ->allow_extra_args(false);
    verb.add_option("--map", options.map, "How the two units stand for each other: old,new,gain,offset,unit")
        ->type_name("MAP.csv");
    verb.add_option("--write", options.write, "The system with the new unit and its adapter, as a plain SSP file")
        ->type_name("NEW.ssd");
}

void take_replacements(const ReplaceOptions& options, build::BuildOptions& build) {
    for (const std::string& text : options.replace) {
        build::Replacement replacement = replacement_of(text);
        if (std::ranges::find(build.replace, replacement.component, &build::Replacement::component) !=
            build.replace.end())
            throw base::Error("usage", "--replace " + text,
                              fmt::format("component '{}' is replaced twice, expected once", replacement.component));
        build.replace.push_back(std::move(replacement));
    }
    for (const char* name : {"--map", "--write"}) {
        const bool given = !(std::string_view(name) == "--map" ? options.map : options.write).empty();
        if (given && build.replace.empty()) throw base::Error("usage", name, "needs --replace COMPONENT=FMU");
    }
    if (options.map.empty()) return;
    if (build.replace.size() != 1 || !build.replace.front().map.empty())
        throw base::Error("usage", "--map", "is for one replacement without a map of its own");
    build.replace.front().map = options.map;
}

void finish_replacements(const ReplaceOptions& options, const build::BuildOptions& build, const build::Parts& parts,
                         base::Diagnostics& diagnostics) {
    for (const build::Replaced& replaced : parts.replaced)
        for (const std::string& held : replaced.held) diagnostics.note("replaced", replaced.component, held);
    if (options.write.empty()) return;
    std::error_code ignored;
    if (std::filesystem::equivalent(options.write, parts.description.file, ignored))
        throw base::Error("usage", "--write", fmt::format("'{}' is the system itself", options.write.string()));
    base::write_atomically(options.write, build::replaced_system(build, parts.replaced, options.write));
}

}  // namespace master::verbs
