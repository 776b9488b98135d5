#include "master/runs/run_output.hpp"

#include "master/base/atomic_file.hpp"
#include "master/build/outside.hpp"
#include "master/build/requests/record_selection.hpp"
#include "master/report/pictures.hpp"
#include "master/report/requirements.hpp"
#include "master/results/stream/row_stream.hpp"
#include "master/runs/taps/can_log.hpp"
#include "master/ssp/read.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <set>

namespace master::runs {
namespace {

constexpr std::size_t most_plotted_signals = 48;
constexpr std::size_t most_warnings = 5;  // in the summary

std::string kind_of(const core::UnitInfo& info) {
    return info.fmi_version.empty() ? info.interface : "FMI " + info.fmi_version + " " + info.interface;
}

std::string seconds_text(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.0f} us", 1e6 * seconds);
    if (seconds < 1) return fmt::format("{:.1f} ms", 1e3 * seconds);
    return fmt::format("{:.2f} s", seconds);
}

std::string real_time_factor(const RunOutput& output) {
    const build::Timing& timing = output.simulation.timing;
    const double simulated = timing.timebase.seconds(output.outcome.reached - timing.start);
    const double wall = output.outcome.wall.count();
    return wall > 0 ? fmt::format("{:.4g} x real time", simulated / wall) : "-";
}

std::string ended(const RunOutput& output) {
    if (const std::optional<base::Error>& error = output.outcome.error)
        return "failed: " + error->where() + (error->where().empty() ? "" : ": ") + error->what();
    std::string by = output.outcome.ended_by.empty() ? "" : "ended by " + output.outcome.ended_by;
    if (!output.outcome.missed.empty()) return output.outcome.missed + (by.empty() ? "" : "; " + by);
    if (!by.empty()) return by;
    const std::string late = output.pacing ? report::misses(*output.pacing) : std::string{};
    const bool interrupted = output.outcome.exit == base::Exit::interrupted;
    return (interrupted ? "stopped by " + output.stopped_by : "complete") + (late.empty() ? "" : ", but " + late);
}

/// What a user may have missed while it scrolled by.
std::string warnings_of(const RunOutput& output) {
    std::string text;
    std::size_t count = 0;
    for (const base::Finding& finding : output.diagnostics.findings())
        if (finding.severity == base::Severity::note && finding.code == "goal")
            text += fmt::format("  goal         {}\n", finding.text);
    for (const base::Finding& finding : output.diagnostics.findings())
        if (finding.severity == base::Severity::note && finding.code == "topic")
            text += fmt::format("  topic        {}\n", finding.text);
    for (const base::Finding& finding : output.diagnostics.findings())
        if (finding.severity == base::Severity::warning && ++count <= most_warnings)
            text += fmt::format("  warning      {}: {}\n", finding.where, finding.text);
    if (count > most_warnings) text += fmt::format("  warning      {} more in the report\n", count - most_warnings);
    return text;
}

std::string algorithm_text(const build::Simulation& simulation) {
    const std::string name(simulation.method->name);
    return simulation.method_reason.empty() ? name : name + " (" + simulation.method_reason + ")";
}

std::string text_of(const core::Value& value) {
    return std::visit(
        [](const auto& values) {
            using Element = typename std::decay_t<decltype(values)>::value_type;
            std::string text;
            std::size_t shown = 0;
            for (const auto& element : values) {
                if (shown++ == 8) return text + " ...";
                if (!text.empty()) text += " ";
                if constexpr (std::is_same_v<Element, core::ByteString>) {
                    text += fmt::format("{} bytes", element.size());
                } else if constexpr (std::is_same_v<Element, std::uint8_t>) {
                    text += element != 0 ? "true" : "false";
                } else {
                    text += fmt::format("{}", element);
                }
            }
            return text;
        },
        value);
}

/// A value in the unit that its FMU wants it shown in.
core::Value in_shown_unit(core::Value value, const results::ShownUnit& unit) {
    auto* reals = std::get_if<std::vector<double>>(&value);
    if (reals != nullptr && !unit.name.empty())
        for (double& real : *reals) real = unit.gain * real + unit.offset;
    return value;
}

report::ReportData::Parameter shown(const std::string& component, const core::UnitInfo& info,
                                    const core::EffectiveValue& given) {
    const core::Variable& variable = info.variables[given.variable];
    const results::ShownUnit unit = build::shown_unit(info, variable);
    const bool differs = variable.start && *variable.start != given.value;
    return {.name = component + "." + variable.name,
            .value = text_of(in_shown_unit(given.value, unit)),
            .unit = unit.name.empty() ? variable.unit : unit.name,
            .origin = given.origin,
            .standard = differs ? text_of(in_shown_unit(*variable.start, unit)) : std::string{}};
}

/// As a shell takes it.
std::string command_line(const std::vector<std::string>& arguments) {
    std::string text = "tandem";
    for (const std::string& argument : arguments) {
        const bool plain = argument.find_first_of(" \t\"'*?[]$&|;<>()#\\") == std::string::npos;
        text += plain ? " " + argument : " '" + argument + "'";
    }
    return text;
}

bool in_folder(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const auto whole = [](const std::filesystem::path& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path));
    };
    return whole(file).parent_path() == whole(folder);
}

std::string text_in(const std::filesystem::path& file) {
    std::ifstream stream(file);
    return file.empty() ? std::string{} : std::string(std::istreambuf_iterator<char>(stream), {});
}

/// Those that belong to the run and not to the system.
struct OwnInputs {
    std::filesystem::path scenario, input;
};

std::vector<report::RunRecord::File> input_files(const ssp::Description& description, const OwnInputs& own) {
    std::vector<report::RunRecord::File> files;
    std::set<std::filesystem::path> seen;
    const auto add = [&](const char* role, const std::filesystem::path& path, const std::string& shown = {}) {
        if (path.empty() || std::filesystem::is_directory(path) || !seen.insert(path).second) return;
        files.push_back(report::hashed(role, path));
        if (!shown.empty()) files.back().path = shown;
    };
    add("system",
        std::filesystem::is_directory(description.file) ? description.file / "SystemStructure.ssd" : description.file);
    for (const auto& [path, shown] : description.parameter_files) add("parameters", path, shown);
    add("scenario", own.scenario);
    add("input", own.input);
    for (const auto& component : description.components) {
        add(component.kind == ssp::ComponentKind::table ? "table" : "fmu", component.source, component.shown);
    }
    return files;
}

}  // namespace

namespace {

/// Those of the names that were recorded, once each.
results::Table recorded(const RunOutput& output,
                        results::Table (*read)(const std::filesystem::path&, std::span<const std::string>),
                        std::vector<std::string> names) {
    std::set<std::string> columns;
    for (const results::Column& column : output.simulation.columns) columns.insert(column.name);
    std::erase_if(names, [&](const std::string& name) { return columns.erase(name) == 0; });
    return read(output.folder / output.result, names);
}

}  // namespace

std::vector<report::RunRecord::Signal> record_signals(const build::Simulation& simulation) {
    std::vector<report::RunRecord::Signal> signals;
    signals.reserve(simulation.columns.size());
    for (const results::Column& column : simulation.columns)
        signals.push_back({column.name, column.unit, column.description});
    return signals;
}

std::vector<report::RunRecord::File> known_inputs(const build::BuildOptions& options) {
    try {
        base::Diagnostics unsaid;
        std::vector<report::RunRecord::File> files =
            input_files(options.single_fmu() ? ssp::describe_fmu(options.system, options.implementation)
                                             : ssp::read(options.system, {.variant = options.variant}, unsaid),
                        {.scenario = {}, .input = options.input});
        for (const build::Replacement& replacement : options.replace)
            files.push_back(report::hashed("fmu", replacement.fmu));
        return files;
    } catch (const base::Error&) {  // which may be why the run failed
        if (!std::filesystem::is_regular_file(options.system)) return {};
        return {report::hashed("system", options.system)};
    }
}

report::RunRecord record_of(const RunOutput& output) {
    const build::Simulation& simulation = output.simulation;
    const build::Timing& timing = simulation.timing;
    report::RunRecord record;
    record.version = TANDEM_VERSION;
    record.folder = std::filesystem::current_path().string();
    record.arguments = output.arguments;
    record.options = {.algorithm = std::string(simulation.method->name),
                      .step = base::to_string(timing.step),
                      .step_origin = timing.step_origin,
                      .start = timing.timebase.seconds(timing.start),
                      .stop = timing.timebase.seconds(timing.stop),
                      .hold = output.options.hold.empty() ? "as wired" : output.options.hold};
    record.inputs = input_files(simulation.parts.description, {output.scenario, output.options.input});
    record.signals = record_signals(simulation);
    if (!output.result.empty()) record.results.push_back({"result", output.result, ""});
    if (output.can_log != nullptr && in_folder(output.can_log->file(), output.folder) &&
        !base::is_special(output.can_log->file()))
        record.results.push_back({"can-log", output.can_log->file().filename().string(), ""});
    for (const std::string& component : simulation.outside)
        record.results.push_back({"journal", build::journal_name(component), ""});
    for (std::size_t i = 0; i < simulation.parts.plan.units.size(); ++i) {
        const core::PlannedUnit& unit = simulation.parts.plan.units[i];
        for (const core::EffectiveValue& value : unit.effective) {
            const core::Variable& variable = simulation.parts.components[i].info->variables[value.variable];
            record.parameters.push_back({unit.name + "." + variable.name, value.value, variable.unit, value.origin});
        }
    }
    record.environment = report::this_environment();
    record.outcome = {.exit = std::nullopt,
                      .ended = std::string(goes_on) + ", or was killed",
                      .reached = timing.timebase.seconds(timing.start)};
    record.error_bar = {.missing = "the run has not ended"};
    return record;
}

void add_end(const RunOutput& output, report::RunRecord& record) {
    const build::Timing& timing = output.simulation.timing;
    for (report::RunRecord::File& result : record.results) {
        // A result that could not be completed has no name yet.
        const std::filesystem::path file = output.folder / result.path;
        if (std::filesystem::is_regular_file(file)) result.sha256 = report::hashed("result", file).sha256;
    }
    record.outcome = {.exit = static_cast<int>(output.outcome.exit),
                      .ended = ended(output),
                      .reached = timing.timebase.seconds(output.outcome.reached),
                      .points = output.outcome.points};
    record.error_bar = output.error_bar;
    record.findings = output.diagnostics.findings();
    record.pacing = output.pacing;
    record.bonds = output.bonds;
}

void add_steps(RunOutput& output) {
    if (output.wishes.steps.empty() || output.result.empty()) return;
    const auto has_target = [&](const report::WishedSteps& wish) {
        return std::ranges::find(output.simulation.columns, wish.target, &results::Column::name) !=
               output.simulation.columns.end();
    };
    if (std::ranges::none_of(output.wishes.steps, has_target)) return;
    std::vector<std::string> names;
    for (const report::WishedSteps& wish : output.wishes.steps) {
        for (const std::string& name : {wish.target, wish.measured, wish.load}) names.push_back(name);
        names.insert(names.end(), wish.pressures.begin(), wish.pressures.end());
    }
    output.steps = report::step_responses(recorded(output, results::read_columns, names), output.wishes.steps);
}

Statistics statistics_of(const RunOutput& output) {
    Statistics statistics;
    const build::Timing& timing = output.simulation.timing;
    statistics.wall = output.outcome.wall.count();
    statistics.simulated = timing.timebase.seconds(output.outcome.reached - timing.start);
    statistics.points = output.outcome.points;
    statistics.threaded_points = output.simulation.algorithm->threaded_rounds();
    const auto nodes = output.simulation.system->nodes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        Statistics::Row row{
            .name = nodes[i].name,
            .steps = static_cast<std::uint64_t>((output.outcome.reached - timing.start).ticks / nodes[i].period.ticks),
            .counters = nodes[i].unit->statistics()};
        if (output.profile != nullptr) {
            row.steps = output.profile->entries()[i].steps;
            row.seconds = std::chrono::duration<double>(output.profile->entries()[i].spent).count();
        }
        statistics.units.push_back(std::move(row));
    }
    return statistics;
}

report::Facts facts_of(const RunOutput& output) {
    report::Facts facts;
    for (const auto& [wish, value] : output.observer.facts()) {
        facts.emplace_back(wish.label,
                           fmt::format("{:.4g}{}{}", value * wish.factor, wish.unit.empty() ? "" : " ", wish.unit));
    }
    for (auto& fact : report::edge_error_facts_of(output.wishes, output.observer)) facts.push_back(std::move(fact));
    return facts;
}

void write_report_of(const RunOutput& output, const report::RunRecord& record) {
    const build::Simulation& simulation = output.simulation;
    const build::Timing& timing = simulation.timing;
    report::ReportData data;
    data.title = simulation.parts.description.name;
    const std::string verdict = report::verdict(output.error_bar);
    data.subtitle = verdict.empty() ? ended(output) : verdict + "; " + ended(output);
    data.summary = {{"Algorithm", algorithm_text(simulation)},
                    {"Step", base::to_string(timing.step) + " s (" + timing.step_origin + ")"},
                    {"Simulated", fmt::format("{} s to {} s", timing.timebase.seconds(timing.start),
                                              timing.timebase.seconds(output.outcome.reached))},
                    {"Communication points", fmt::format("{}", output.outcome.points)},
                    {"Wall time", seconds_text(output.outcome.wall.count())},
                    {"Speed", real_time_factor(output)}};
    if (output.pacing) std::ranges::move(report::lines(*output.pacing), std::back_inserter(data.summary));
    for (auto& line : report::lines(output.error_bar)) data.summary.push_back(std::move(line));
    for (auto& line : report::lines(output.bonds)) data.summary.push_back(std::move(line));
    for (auto& fact : facts_of(output)) data.summary.push_back(std::move(fact));
    data.steps = output.steps;
    data.scenes = report::scenes_of(output.wishes, output.observer);
    data.pictures = report::pictures_of(output.wishes, output.observer);
    data.findings = output.diagnostics.findings();
    data.requirements = output.requirements;
    const Statistics statistics = statistics_of(output);
    std::vector<std::string> components;
    for (std::size_t i = 0; i < simulation.parts.components.size(); ++i) {
        const core::UnitInfo& info = *simulation.parts.components[i].info;
        components.push_back(simulation.parts.plan.units[i].name);
        data.units.push_back({.name = components.back(),
                              .model = info.model_name,
                              .kind = kind_of(info),
                              .step = base::to_string(timing.timebase.fraction(timing.periods[i])) + " s",
                              .steps = statistics.units[i].steps,
                              .seconds = statistics.units[i].seconds});
        for (const core::EffectiveValue& value : simulation.parts.plan.units[i].effective)
            data.parameters.push_back(shown(components.back(), info, value));
    }
    // A result that could not be completed has no name yet.
    if (!output.result.empty() && std::filesystem::is_regular_file(output.folder / output.result)) {
        std::vector<std::string> names;
        for (const results::Column& column : simulation.columns)
            if (column.signal.type != core::Type::bytes && column.signal.type != core::Type::string)
                names.push_back(column.name);
        results::Table table = recorded(output, results::read_sketch, names);
        report::show_units(table, simulation.columns);
        data.wished_plots = report::plots_of(table, output.wishes.plots);
        data.constants = report::take_constants(table);
        data.plots = report::plots_of(table, components, most_plotted_signals);
        data.signals_left_out = table.columns.size() - std::min(table.columns.size(), most_plotted_signals);
    }
    for (auto& group : report::edge_error_plots_of(output.wishes, output.observer))
        data.wished_plots.push_back(std::move(group));
    data.scenario = text_in(output.scenario);
    data.reproducibility = {{"Command", command_line(output.arguments)},
                            {"tandem", record.version},
                            {"CPU", record.environment.cpu},
                            {"C library", record.environment.c_library},
                            {"Compiler", record.environment.compiler}};
    for (const report::RunRecord::File& file : record.inputs) {
        data.reproducibility.emplace_back(file.path, "sha256 " + file.sha256);
    }
    report::write_report(output.folder / "report.html", data);
}

std::string summary_of(const RunOutput& output) {
    const build::Simulation& simulation = output.simulation;
    const build::Timing& timing = simulation.timing;
    const std::string verdict = report::verdict(output.error_bar);
    std::string text = verdict.empty() ? std::string{} : verdict + "\n";
    text += fmt::format("{}: {}\n", simulation.parts.description.name, ended(output));
    const auto plural = [](std::size_t n) { return n == 1 ? "" : "s"; };
    const std::size_t connections = simulation.parts.plan.wires.size();
    text += fmt::format("  units        {} ({} connection{})\n", simulation.parts.components.size(), connections,
                        plural(connections));
    text += fmt::format("  algorithm    {}, step {} s ({})", algorithm_text(simulation), base::to_string(timing.step),
                        timing.step_origin);
    const base::Fraction hyperperiod = timing.timebase.fraction(timing.hyperperiod);
    if (hyperperiod != timing.step) text += fmt::format(", hyperperiod {} s", base::to_string(hyperperiod));
    text += fmt::format("\n  simulated    {} s to {} s in {} points\n", timing.timebase.seconds(timing.start),
                        timing.timebase.seconds(output.outcome.reached), output.outcome.points);
    text +=
        fmt::format("  wall time    {} ({})\n", seconds_text(output.outcome.wall.count()), real_time_factor(output));
    if (output.pacing)
        for (const auto& [label, line] : report::lines(*output.pacing))
            text += fmt::format("  {:<12} {}\n", label, line);
    for (const auto& [label, line] : report::lines(output.error_bar)) text += fmt::format("  {:<12} {}\n", label, line);
    if (!output.result.empty()) {
        const std::size_t signals = simulation.columns.size();
        text += fmt::format("  recorded     {} signal{} in {}\n", signals, plural(signals),
                            (output.folder / output.result).string());
    }
    if (output.can_log != nullptr) text += fmt::format("  CAN log      {}\n", output.can_log->summary());
    if (output.has_report) text += fmt::format("  report       {}\n", (output.folder / "report.html").string());
    if (!output.requirements.empty()) text += fmt::format("  requirements {}\n", report::tally(output.requirements));
    for (const auto& [label, value] : facts_of(output)) text += fmt::format("  {:<12} {}\n", label, value);
    for (const auto& step : output.steps) text += fmt::format("  {:<12} {}\n", step.label, report::text_of(step));
    return text + warnings_of(output);
}

}  // namespace master::runs
