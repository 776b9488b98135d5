#pragma once

#include "master/build/simulation.hpp"
#include "master/report/run_record.hpp"
#include "master/runs/board.hpp"
#include "master/runs/interrupt.hpp"
#include "master/runs/real_time.hpp"
#include "master/runs/supervisor.hpp"
#include "master/verbs/console.hpp"
#include "master/view/channel.hpp"
#include "master/view/live_feed.hpp"
#include "master/view/run_side.hpp"
#include "master/view/server.hpp"
#include "master/view/view_file.hpp"

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace master::verbs {

/// `--view` and what belongs to it.
struct ViewOptions {
    std::string port;  // as typed; empty: no view
    std::string host = "127.0.0.1";
    std::vector<std::string> origins;
    std::filesystem::path page;  // folder of the built page; empty: where the build puts it
    bool exit = false;           // with the run

    [[nodiscard]] bool on() const { return !port.empty(); }
};

void add_view_options(CLI::App& verb, ViewOptions& options);
/// Throws `Error` for a port that is none.
[[nodiscard]] view::ServerOptions server_options(const ViewOptions& options);

/// Serves until Ctrl-C, SIGTERM or SIGHUP.
void serve(view::Server& server);

/// The view in the process that watches: serves while the run goes on, and afterwards.
class ViewHost final : public runs::Companion {
public:
    /// Binds the port and says where the page is; results are written to `out`.
    ViewHost(const ViewOptions& options, std::filesystem::path out, Console& console);

    [[nodiscard]] view::Channel& channel() { return channel_; }
    /// The run is over: true where the page wants another one, else waits until somebody ends the view.
    [[nodiscard]] bool again();

    void begin() override;
    void leave() override;
    void end(const runs::Ending& ending) override;

private:
    view::Channel channel_;
    view::LiveFeed feed_;
    view::Server server_;
    std::filesystem::path out_;
    Console& console_;
    bool stays_;
    runs::Ending ending_;
    std::optional<runs::InterruptGuard> interrupts_;  // between the end of a run and the end of the view
};

/// The view in the process of the run; also of one that is repeated, where nothing is served and what was set is set
/// again.
class RunView {
public:
    RunView(const ViewOptions& options, view::Channel* channel) : on_(options.on()), channel_(channel) {}

    /// Before the build: what it has to leave open, and where it has to say what lies where.
    void ask(build::BuildOptions& build, std::vector<build::SignalRequest*>& requests, base::Diagnostics& diagnostics);

    struct Run {
        build::Simulation& simulation;
        runs::RealTimePacer* pacer = nullptr;  // null: as fast as possible
        double factor = 0;                     // of the pacer
        std::filesystem::path replays;         // folder of a run that is repeated, or empty
        std::filesystem::path folder;          // of the results
        runs::Board& board;
        Console& console;
        base::Diagnostics& diagnostics;
    };
    /// After it, before the first step.
    void begin(const Run& run);
    /// Null: nobody looks.
    [[nodiscard]] core::Tap* tap() const;
    [[nodiscard]] core::Pacer* pacer() const { return side_.get(); }
    /// At the end: whether the page asked for it.
    [[nodiscard]] bool stopped() const { return side_ && side_->stopped(); }
    void add_journal(report::RunRecord& record) const;

private:
    void listen(const Run& run) const;

    bool on_;
    view::Channel* channel_;
    view::ViewFile file_;
    view::MadeScene made_;
    std::optional<runs::MonotonicClock> clock_;
    std::optional<runs::RealTimePacer> own_pacer_;
    std::optional<view::SettingsJournal> journal_;
    std::unique_ptr<view::RunSide> side_;
    std::unique_ptr<core::Tap> player_;
};

}  // namespace master::verbs
