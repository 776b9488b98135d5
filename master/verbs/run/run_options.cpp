#include "master/verbs/run/run_options.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/base/time.hpp"
#include "master/results/recorder.hpp"
#include "master/verbs/run/exchange_options.hpp"
#include "master/verbs/system_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

struct NamedOutput {
    std::string option;
    std::filesystem::path file;
};

std::vector<NamedOutput> named_outputs(const RunOptions& options) {
    std::vector<NamedOutput> outputs{{"--log", options.log},
                                     {"--can-log", options.can_log},
                                     {"--trace", options.trace},
                                     {"--write", options.replacing.write}};
    if (!options.can_log.empty()) outputs.push_back({"--can-log", results::partial_name(options.can_log)});
    for (const std::string& wish : options.exchange.record_points)
        outputs.push_back({"--record-points", wish.substr(wish.find('=') + 1)});
    std::erase_if(outputs, [](const NamedOutput& output) { return output.file.empty(); });
    return outputs;
}

void refuse_two_writers(std::span<const NamedOutput> outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i)
        for (const NamedOutput& other : outputs.first(i)) {
            const NamedOutput& output = outputs[i];
            std::error_code unknown;
            // A device takes what two of them write, as /dev/null does.
            if (std::filesystem::is_character_file(output.file, unknown) ||
                !base::is_same_file(output.file, other.file))
                continue;
            throw base::Error("overwrite", output.file.string(),
                              fmt::format("{} and {} would both write this file; name another for one of them",
                                          other.option, output.option));
        }
}

/// What is known to be read before the system is.
std::vector<report::RunRecord::File> named_inputs(const RunOptions& options) {
    std::vector<report::RunRecord::File> inputs{{"system", options.build.system.string(), ""},
                                                {"input", options.build.input.string(), ""},
                                                {"scenario", options.scenario.string(), ""},
                                                {"map", options.replacing.map.string(), ""}};
    for (const std::filesystem::path& specification : options.contract.specifications)
        inputs.push_back({"contract", specification.string(), ""});
    std::erase_if(inputs, [](const report::RunRecord::File& input) { return input.path.empty(); });
    return inputs;
}

}  // namespace

void add_options(CLI::App& verb, RunOptions& options) {
    add_system_options(verb, options.build);
    add_scenario_options(verb, options.build, options.scenario);
    add_replace_options(verb, options.replacing);
    verb.get_option("system")->required(false);  // it may stand behind patterns, or in the record of a run
    verb.add_option("--out", options.out, "Folder for results (default results/NAME)")->type_name("DIR");
    verb.add_option("--record", options.build.record, "Names to record, with * and ?; 'none' for nothing")
        ->type_name("PATTERN")
        ->expected(1, -1);
    verb.add_option("--record-interval", options.record_interval, "Seconds between rows")->type_name("H");
    verb.add_option("--event-rows", options.event_rows,
                    "Two rows of equal time around an event: on (default) or off (with --record-interval)")
        ->type_name("on|off")
        ->check(CLI::IsMember({"on", "off"}));
    verb.add_option("--format", options.format, "csv, hdf5, mat or mcap")->type_name("F");
    verb.add_flag("--csv-units", options.csv_units, "A second header row with the units");
    verb.add_option("--log", options.log, "Every message of every FMU: time, unit, level, category, text")
        ->type_name("FILE");
    verb.add_option("--can-log", options.can_log, "Frames on the CAN buses of the system: FILE.asc, or as candump does")
        ->type_name("FILE");
    verb.add_flag("--long", options.long_run, "Allow more than 10^9 points, or more bytes than the disk has free");
    verb.add_option("--trace", options.trace, "Chrome trace of every step")->type_name("FILE");
    verb.add_option("--shadow", options.shadow,
                    "on, off or auto: a second run at another step beside this one, for the error bar")
        ->type_name("WHEN")
        ->envname("TANDEM_SHADOW")
        ->check(CLI::IsMember({"on", "off", "auto"}));
    verb.add_flag("--realtime{1}", options.realtime,
                  "Hold simulated time to the clock; --realtime=2 is twice as fast as it");
    add_view_options(verb, options.view);
    add_supervision_options(verb, options.supervision);
    add_exchange_options(verb, options.exchange);
    add_teleoperation_options(verb, options.build);
    add_contract_options(verb, options.contract);
    verb.add_flag("--overwrite", options.overwrite,
                  "Replace files in the folder for results also where no run.json there names them");
    verb.add_flag("--stats", options.stats, "Wall time per unit");
    verb.add_flag("--strict", options.strict, "Warnings are errors, and so is what would be ignored");
    verb.add_flag("--quiet", options.quiet, "Only errors");
}

void take_system_after_patterns(build::BuildOptions& build) {
    if (!build.system.empty() || build.record.size() < 2) return;
    build.system = build.record.back();
    build.record.pop_back();
}

void refuse_shared(const RunOptions& options, const runs::OutputFolder& folder,
                   std::span<const report::RunRecord::File> inputs) {
    for (const std::filesystem::path& file : {options.log, options.can_log, options.trace})
        if (!file.empty()) folder.refuse_shared(file, inputs);
}

void refuse_to_replace(const RunOptions& options, const runs::OutputFolder& folder) {
    base::refuse_to_replace(options.log, {});
    base::refuse_to_replace(options.can_log, {});
    base::refuse_to_replace(options.trace, {".json"});
    refuse_two_writers(named_outputs(options));
    refuse_shared(options, folder, named_inputs(options));
}

std::string why_no_shadow(const RunOptions& options) {
    if (options.exchange.takes_in()) return "a shadow would not hear what comes from other programs (--subscribe)";
    if (!options.view.on()) return {};
    if (options.shadow == "on")
        throw base::Error("usage", "--shadow",
                          "'on' does not go with --view: a shadow would not see what the page sets");
    return "a shadow would not see what the page sets (--view)";
}

std::optional<double> real_time_factor(const std::string& realtime) {
    if (realtime.empty()) return {};
    const auto factor = base::exact_fraction(realtime);
    if (!factor || factor->numerator <= 0)
        throw base::Error("usage", "--realtime", fmt::format("'{}' is no positive decimal or fraction", realtime));
    return factor->value();
}

std::filesystem::path folder_of_repeat(const std::filesystem::path& wished, const std::filesystem::path& record) {
    if (!wished.empty() && std::filesystem::exists(wished))
        throw base::Error("usage", wished.string(), "is there already; --repeat writes only into a new folder");
    if (!wished.empty()) return std::filesystem::absolute(wished);
    std::filesystem::path free = record.parent_path() / "repeat";
    for (int number = 2; std::filesystem::exists(free); ++number)
        free = record.parent_path() / fmt::format("repeat-{}", number);
    return free;
}

}  // namespace master::verbs
