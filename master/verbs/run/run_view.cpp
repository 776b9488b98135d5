#include "master/verbs/run/run_view.hpp"

#include "master/base/json.hpp"
#include "master/base/xml/values.hpp"
#include "master/report/interactive.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <memory>
#include <utility>

namespace master::verbs {
namespace {

/// Waits for somebody who ends this program, for so long.
bool asked_to_end(const sigset_t& signals) {
    constexpr timespec moment{.tv_sec = 0, .tv_nsec = 100'000'000};
    return ::sigtimedwait(&signals, nullptr, &moment) > 0;
}

}  // namespace

void add_view_options(CLI::App& verb, ViewOptions& options) {
    verb.add_flag(fmt::format("--view{{{}}}", options.port.empty() ? "8080" : options.port), options.port,
                  "Serve a page that shows the run and lets it be driven; --view=PORT, 0 for any that is free");
    verb.add_option("--view-host", options.host,
                    "Address to serve the page on (default 127.0.0.1); any other one needs the token that is printed")
        ->type_name("ADDR");
    verb.add_option("--view-origin", options.origins, "Another site whose pages may connect")->type_name("URL");
    verb.add_option("--view-page", options.page, "Folder of the built page")->type_name("DIR");
    verb.add_flag("--view-exit", options.exit, "End the view with the run instead of with Ctrl-C");
}

view::ServerOptions server_options(const ViewOptions& options) {
    const auto port = base::parse_natural(options.port);
    if (!port || *port > 65535)
        throw base::Error("usage", "--view", fmt::format("'{}' is no port, expected 0 to 65535", options.port));
    return {.host = options.host,
            .port = static_cast<std::uint16_t>(*port),
            .page = options.page.empty() ? report::page_folder() : options.page,
            .origins = options.origins};
}

void serve(view::Server& server) {
    sigset_t all, ending, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);  // the server's thread hears none
    server.start();
    ::sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&ending, signal);
    int caught = 0;
    ::sigwait(&ending, &caught);
    server.stop();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

ViewHost::ViewHost(const ViewOptions& options, std::filesystem::path out, Console& console)
    : feed_(channel_),
      server_(server_options(options), feed_),
      out_(std::move(out)),
      console_(console),
      stays_(!options.exit) {
    console_.note("view: " + server_.address());
    if (!std::filesystem::exists(server_options(options).page / "index.html"))
        console_.note(
            "the page is not built yet; ./run --view builds it (or npm ci && npm run build in "
            "master/view/page)");
    feed_.begin_run();
}

void ViewHost::begin() { server_.start(); }
void ViewHost::leave() { server_.abandon(); }

void ViewHost::end(const runs::Ending& ending) {
    ending_ = ending;
    // From the moment on at which the run's own supervision ends.
    interrupts_.emplace();
}

bool ViewHost::again() {
    sigset_t signals, before;
    ::sigemptyset(&signals);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::sigaddset(&signals, signal);
    ::pthread_sigmask(SIG_BLOCK, &signals, &before);
    // Pages hear of the end once a Ctrl-C is counted here and no longer there.
    const std::string text = ending_.error         ? ending_.error->where() + ": " + ending_.error->what()
                             : ending_.interrupted ? "stopped"
                             : ending_.code == 0   ? "complete"
                                                   : fmt::format("ended with exit code {}", ending_.code);
    const auto told = std::make_shared<bool>(false);
    const auto tell = [this, text, told] {
        if (!std::exchange(*told, true)) feed_.end(ending_.code, text);
    };
    server_.post(tell);
    bool ended = ending_.interrupted || !stays_ || runs::InterruptGuard::interrupted();
    if (!ended && !feed_.reset_asked()) console_.note("the run has ended; the view stays until Ctrl-C");
    while (!feed_.reset_asked() && !ended) ended = asked_to_end(signals);
    const bool reset = feed_.reset_asked() && !ending_.interrupted && !runs::InterruptGuard::interrupted();
    // A fork must not happen while another thread works.
    server_.stop();
    // Where a reset ended the run, the server may have stopped before it came to this: the next run must not hear it.
    tell();
    if (reset) {
        const std::string note = "reset: the run begins again, and its results replace those in " + out_.string();
        console_.note(note);
        feed_.begin_run(note);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    interrupts_.reset();
    return reset;
}

void RunView::ask(build::BuildOptions& build, std::vector<build::SignalRequest*>& requests,
                  base::Diagnostics& diagnostics) {
    if (!on_) return;
    file_ = view::view_file_of(build.system, diagnostics);
    diagnostics.throw_if_errors();
    build.open_inputs = true;
    build.tuned = file_.there ? file_.tuned : std::vector<std::string>{"*"};
    for (build::SignalRequest* request : file_.requests()) requests.push_back(request);
}

void RunView::begin(const Run& run) {
    if (!on_) return;
    build::Simulation& simulation = run.simulation;
    const build::Timing& timing = simulation.timing;
    if (const auto file = run.replays / view::settings_name; !run.replays.empty() && std::filesystem::exists(file))
        player_ =
            view::play_settings(view::read_settings(file, timing.timebase), simulation.open_inputs, file.string());
    if (channel_ == nullptr) return;
    made_ = view::make_scene(simulation, file_, channel_->run(), run.diagnostics);
    if (!channel_->publish(made_.catalogue))
        throw base::Error("view", simulation.parts.description.name, "its files are too large to be shown");
    listen(run);
    journal_.emplace(run.folder / view::settings_name, timing.timebase);
    clock_.emplace();
    if (run.pacer == nullptr) own_pacer_.emplace(*clock_, timing.start, timing.timebase, 1);
    side_ = std::make_unique<view::RunSide>(*channel_, made_.scene, run.pacer != nullptr ? *run.pacer : *own_pacer_,
                                            *journal_, timing.timebase, run.board.stop,
                                            view::RunSide::Options{.speed = run.pacer != nullptr ? run.factor : 0,
                                                                   .must_pace = !simulation.outside.empty()});
}

void RunView::listen(const Run& run) const {
    run.console.listen([channel = channel_, &board = run.board](const char* level, std::optional<double> time,
                                                                const std::string& where, const std::string& text) {
        const double t = time.value_or(board.seconds());
        channel->say(t, fmt::format(R"({{"type":"log","level":"{}","t":{},"where":{},"text":{}}})", level, t,
                                    base::json_quoted(where), base::json_quoted(text)));
    });
}

core::Tap* RunView::tap() const { return side_ ? side_.get() : player_.get(); }

void RunView::add_journal(report::RunRecord& record) const {
    if (journal_ && !journal_->empty()) record.results.push_back({"journal", view::settings_name, ""});
}

}  // namespace master::verbs
