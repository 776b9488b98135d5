#include "master/base/atomic_file.hpp"
#include "master/base/json.hpp"
#include "master/base/xml/values.hpp"
#include "master/report/run_record.hpp"
#include "master/results/foreign/foreign_result.hpp"
#include "master/runs/interrupt.hpp"
#include "master/runs/prepare.hpp"
#include "master/verbs/run/run_view.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"
#include "master/view/film/film.hpp"
#include "master/view/replay_feed.hpp"
#include "master/view/scene.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <unistd.h>

namespace master::verbs {
namespace {

constexpr std::size_t most_results = 2;

struct ReplayOptions {
    std::vector<std::filesystem::path> results;
    ViewOptions view;
    view::FilmOptions video;  // without a file: none
    std::string size = "1280x720";
};

/// Where a run left its results: its folder, its run.json, or the result itself.
struct Found {
    std::filesystem::path result;
    std::optional<report::RunRecord> record;
    std::filesystem::path json;  // of the record
};

Found find(const std::filesystem::path& given) {
    const auto folder = std::filesystem::is_directory(given) ? given : given.parent_path();
    const auto json = given.extension() == ".json" ? given : folder / "run.json";
    Found found{.result = given, .record = {}, .json = json};
    if (std::filesystem::exists(json)) found.record = report::read_run_record(json);
    if (!std::filesystem::is_directory(given) && given.extension() != ".json") return found;
    if (!found.record)
        throw base::Error("missing-file", given.string(),
                          "there is no run.json: expected the folder of a run, or a result");
    const auto& results = found.record->results;
    const auto result = std::ranges::find(results, "result", &report::RunRecord::File::role);
    if (result == results.end()) throw base::Error("not-recorded", json.string(), "the run recorded no signals");
    found.result = json.parent_path() / result->path;
    return found;
}

std::string name_of(const std::filesystem::path& given) {
    const auto path = std::filesystem::absolute(given).lexically_normal();
    return (path.filename().empty() ? path.parent_path() : path).filename().string();
}

/// The options of a run by which its system was built.
build::BuildOptions build_options(const report::RunRecord& record) {
    build::BuildOptions options;
    CLI::App parser;
    parser.allow_extras();
    add_system_options(parser, options);
    parser.get_option("system")->required(false);
    std::vector<std::string> arguments(record.arguments.rbegin(), record.arguments.rend() - 1);
    parser.parse(arguments);
    const auto system = std::ranges::find(record.inputs, "system", &report::RunRecord::File::role);
    if (system != record.inputs.end()) options.system = system->path;
    options.input.clear();
    return options;
}

/// Builds the system of a recorded run once more, to see what it shows; nothing of it is run.
int describe(const report::RunRecord& record, view::Channel& channel, Console& console) {
    base::Diagnostics diagnostics;
    std::filesystem::current_path(record.folder);
    runs::RunRequest request{.build = build_options(record)};
    request.build.accepted_units.emplace();
    for (const report::RunRecord::File& input : record.inputs) request.build.accepted_units->insert(input.sha256);
    view::ViewFile file = view::view_file_of(request.build.system, diagnostics);
    request.requests = file.requests();
    runs::Prepared prepared = runs::prepare(request, diagnostics, console);
    const view::MadeScene made = view::make_scene(prepared.simulation, file, 1, diagnostics);
    return channel.publish(made.catalogue) ? 0 : 1;
}

/// In a process of its own, as always where units are loaded.
std::optional<view::Catalogue> catalogue_of(const Found& found, Console& console) {
    if (!found.record || found.record->arguments.empty()) return std::nullopt;
    view::Channel channel;
    channel.begin_run();
    Console quiet(Console::Verbosity::quiet);
    runs::Supervisor supervisor({.unit_timeout = 60}, quiet);
    const auto work = [&] {
        try {
            return describe(*found.record, channel, quiet);
        } catch (const std::exception& error) {
            console.note(
                fmt::format("only signals are shown, since the system cannot be built again: {}", error.what()));
            return 1;
        }
    };
    const runs::Ending ending = supervisor.run(work, [](const runs::Ending&) {});
    if (ending.error)
        console.note("only signals are shown, since the system cannot be built again: " +
                     std::string(ending.error->what()));
    return ending.code == 0 ? channel.catalogue() : std::nullopt;
}

/// Writes the errors of a run's error bar on the wires that carry those signals.
void show_errors(const std::filesystem::path& record, view::Catalogue& catalogue) {
    const base::Json run = base::read_json(record);
    const base::Json signals = run.value(base::Json::json_pointer("/error_bar/signals"), base::Json::array());
    std::map<std::string, const base::Json*> errors;
    for (const base::Json& signal : signals) {
        const auto number = [&](const char* name) { return signal.contains(name) && signal[name].is_number(); };
        const bool known = signal.is_object() && signal.contains("name") && signal["name"].is_string();
        if (known && number("error") && number("share")) errors[signal["name"].get<std::string>()] = &signal;
    }
    base::Json document = base::parse_json(catalogue.json, "system.json");
    for (base::Json& wire : document["wires"]) {
        const auto known = errors.find(wire.value("from", "") + "." + wire.value("fromName", ""));
        if (known == errors.end()) continue;
        wire["error"] = (*known->second)["error"];
        wire["share"] = (*known->second)["share"];
    }
    catalogue.json = base::json_text(std::move(document));
}

/// That a run did not end well, and what was remarked about it.
void tell_of_run(const std::filesystem::path& record, view::Recording& recording) {
    const base::Json run = base::read_json(record);
    const auto text = [](const base::Json& from, const char* name) {
        return from.contains(name) && from[name].is_string() ? from[name].get<std::string>() : std::string();
    };
    const base::Json outcome = run.value("outcome", base::Json::object());
    const bool known = outcome.is_object() && outcome.contains("exit");
    if (known && outcome["exit"].is_null())
        recording.said.remarks.push_back(recording.name + ": the run goes on or was killed, so its end is missing");
    if (known && outcome["exit"].is_number() && outcome["exit"] != 0)
        recording.said.remarks.push_back(fmt::format("{}: the run ended with exit code {}: {}", recording.name,
                                                     outcome["exit"].dump(), text(outcome, "ended")));
    for (const base::Json& finding : run.value("findings", base::Json::array())) {
        const std::string severity = text(finding, "severity");
        recording.said.findings.push_back({.severity = severity == "error"     ? base::Severity::error
                                                       : severity == "warning" ? base::Severity::warning
                                                                               : base::Severity::note,
                                           .code = text(finding, "code"),
                                           .where = text(finding, "where"),
                                           .text = text(finding, "text")});
    }
}

/// WIDTHxHEIGHT, both even: the colours of a video have half as many points as its light.
view::PictureSize picture_size(const std::string& text) {
    constexpr std::uint64_t least = 320, most = 7680;
    const std::size_t cross = std::min(text.find('x'), text.size());
    const auto width = base::parse_natural(text.substr(0, cross));
    const auto height = base::parse_natural(text.substr(std::min(text.size(), cross + 1)));
    const auto fits = [](const auto& each) { return each && *each >= 180 && *each <= most && *each % 2 == 0; };
    if (!fits(width) || !fits(height) || *width < least)
        throw base::Error("usage", "--video-size",
                          fmt::format("'{}' is no size, expected WIDTHxHEIGHT of even numbers from {}x180 to {}x{}",
                                      text, least, most, most));
    return {static_cast<std::uint32_t>(*width), static_cast<std::uint32_t>(*height)};
}

void check_cameras(const std::string& names) {
    constexpr std::ptrdiff_t most = 4;
    const bool empty = names.starts_with(',') || names.ends_with(',') || names.find(",,") != std::string::npos;
    if (empty || std::ranges::count(names, ',') >= most)
        throw base::Error(
            "usage", "--video-camera",
            fmt::format("'{}': expected the names of one to four cameras with commas between them", names));
}

/// A line that changes on a terminal, else one for each tenth.
class FilmProgress {
public:
    explicit FilmProgress(std::size_t all) : all_(all), terminal_(::isatty(STDERR_FILENO) == 1) {}
    ~FilmProgress() {
        if (terminal_ && shown_ > 0) fmt::print(stderr, "\r\033[K");
    }
    FilmProgress(const FilmProgress&) = delete;
    FilmProgress& operator=(const FilmProgress&) = delete;

    void operator()(std::size_t done) {
        const std::size_t step = terminal_ ? 1 : 10, percent = 100 * done / all_ / step * step;
        if (percent <= shown_) return;
        shown_ = percent;
        fmt::print(stderr, "{}video: {} % of {} pictures{}", terminal_ ? "\r" : "", percent, all_,
                   terminal_ ? "" : "\n");
        std::fflush(stderr);
    }

private:
    std::size_t all_, shown_ = 0;
    bool terminal_;
};

int film(const ReplayOptions& options, view::ReplayFeed& feed, Console& console) {
    const runs::InterruptGuard interrupts;
    view::ServerOptions served = server_options(options.view);
    served.host = "127.0.0.1";
    served.port = 0;
    if (!std::filesystem::exists(served.page / "film.html"))
        throw base::Error("missing-file", served.page.string(),
                          "the page is not built: ./run --view builds it (or npm ci && npm run build in "
                          "master/view/page)");
    view::Server server(served, feed);
    server.start();
    const std::size_t length = view::film_length(feed.start(), feed.stop(), options.video.rate);
    try {
        FilmProgress progress(length);
        view::make_film(feed, server.address(), options.video, [&](std::size_t done) { progress(done); });
    } catch (const view::Interrupted&) {
        console.note("interrupted; no video is written");
        return static_cast<int>(base::Exit::interrupted);
    }
    console.note(fmt::format("{}: {} pictures, {} a second", options.video.out.string(), length, options.video.rate));
    return 0;
}

int replay(ReplayOptions options) {
    Console console;
    std::vector<view::Recording> recordings;
    std::optional<view::Catalogue> catalogue;
    const bool filmed = !options.video.out.empty();
    if (filmed) {
        options.video.size = picture_size(options.size);
        check_cameras(options.video.cameras);
        view::check_film_output(options.video);
    }
    for (const std::filesystem::path& given : options.results) {
        const Found found = find(given);
        if (filmed) base::refuse_to_replace_input(options.video.out, std::array{found.result, found.json});
        if (!catalogue) {
            catalogue = catalogue_of(found, console);
            if (catalogue) show_errors(found.json, *catalogue);
        }
        recordings.push_back({.name = name_of(given), .table = results::read_foreign_result(found.result), .said = {}});
        if (!found.record) continue;
        tell_of_run(found.json, recordings.back());
        for (const std::string& remark : recordings.back().said.remarks) console.warning("", remark);
    }
    view::ReplayFeed feed(std::move(recordings), std::move(catalogue));
    for (const std::string& remark : feed.remarks()) console.note(remark);
    if (filmed) return film(options, feed, console);
    view::Server server(server_options(options.view), feed);
    console.note("view: " + server.address());
    serve(server);
    return 0;
}

}  // namespace

void add_view(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<ReplayOptions>();
    options->view.port = "8080";
    CLI::App* verb = app.add_subcommand("view", "The page on a finished run, or on two of them");
    verb->add_option("results", options->results, "Folder of a run, its run.json, or a result (.csv, .h5, .mat, .mcap)")
        ->required()
        ->type_name("RESULTS")
        ->expected(1, most_results);
    add_view_options(*verb, options->view);
    verb->remove_option(verb->get_option("--view-exit"));
    verb->add_option("--video", options->video.out,
                     "Draw the recording into this .mp4 instead of serving it (needs chromium and ffmpeg)")
        ->type_name("FILE");
    verb->add_option("--video-rate", options->video.rate, "Pictures per second (default 30)")
        ->check(CLI::Range(1, 240))
        ->needs("--video");
    verb->add_option("--video-size", options->size, "Of the pictures (default 1280x720)")
        ->type_name("WxH")
        ->needs("--video");
    verb->add_option("--video-camera", options->video.cameras,
                     "orbit, operator, tool, bird, side or one of the view file; up to four with commas, a pane each")
        ->type_name("NAME,...")
        ->needs("--video");
    verb->add_flag("--overwrite", options->video.overwrite, "Replace a video that is there")->needs("--video");
    verb->footer("Example: tandem view results/excavator --video demolition.mp4");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return replay(*options); }; });
}

}  // namespace master::verbs
