#include "master/verbs/run/run_options.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/base/time.hpp"
#include "master/verbs/run/exchange_options.hpp"
#include "master/verbs/system_options.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {

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
    refuse_shared(options, folder, {});
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
