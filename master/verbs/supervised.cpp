#include "master/verbs/supervised.hpp"

#include "master/base/temporary_folder.hpp"
#include "master/runs/run_output.hpp"
#include "master/runs/session.hpp"
#include "master/runs/taps/can_log.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>

namespace master::verbs {
namespace {

/// An exception that a unit let out of a call is the unit's.
int work_and_blame(Console& console, runs::Board& board, const std::function<int(runs::Board&)>& work) {
    console.watch(board);
    try {
        return work(board);
    } catch (const base::Error&) {
        throw;
    } catch (const std::exception& error) {
        const auto foreign = runs::foreign_exception(board, error.what());
        if (!foreign) throw;
        console.show(*foreign);
        return static_cast<int>(foreign->exit());
    }
}

int in_this_process(Console& console, const std::function<int(runs::Board&)>& work) {
    const base::SharedBlock memory(runs::Board::bytes());
    runs::Board& board = runs::Board::make(memory.data());
    base::call_slot = board.first_slot();
    const int code = work_and_blame(console, board, work);
    base::call_slot = &base::unwatched_calls;
    return code;
}

std::string text_of(const base::Error& error) { return error.where() + ": " + error.what(); }

/// The process may have died of what it read: here nothing but the file itself is looked at.
std::vector<report::RunRecord::File> inputs_of(const std::filesystem::path& system) {
    if (!std::filesystem::is_regular_file(system)) return {};
    return {report::hashed("system", system)};
}

/// What the process left is completed, and its record says how it ended.
void conclude(const RunFiles& files, const runs::Ending& ending, const runs::Board& board) {
    if (files.folder == nullptr) return;
    try {
        // What a process that ended by itself left could not be completed, or is not its own.
        if (ending.error && !files.can_log.empty()) runs::complete_can_log(files.can_log);
        const bool early = board.phase() == runs::Board::Phase::preparing;
        files.folder->conclude(*files.rows, [&](report::RunRecord::Outcome& outcome) {
            // The record of an earlier run stays what it is.
            if (!ending.error || (early && !outcome.ended.starts_with(runs::goes_on))) return;
            const bool complete = board.phase() == runs::Board::Phase::complete;
            outcome.ended = complete
                                ? outcome.ended + "; then " + text_of(*ending.error)
                                : (ending.error->code() == "interrupted" ? "" : "failed: ") + text_of(*ending.error);
            outcome.exit = ending.code;
            if (complete) return;
            outcome.reached = board.seconds();
            outcome.points = board.points();
        });
        const bool failed = ending.error && ending.error->exit() == base::Exit::failed;
        if (early && failed && !files.arguments.empty())
            files.folder->write_failure(files.arguments, inputs_of(files.system), *ending.error);
    } catch (const std::exception&) {
        // What ended the run is said; that its record could not be completed follows from it.
    }
}

}  // namespace

void add_supervision_options(CLI::App& verb, Supervision& supervision) {
    verb.add_option("--unit-timeout", supervision.options.unit_timeout,
                    "End the run when a call of a unit takes longer than S seconds")
        ->type_name("S")
        ->check(CLI::PositiveNumber);
    verb.add_option("--memory-limit", supervision.options.memory_limit, "Most memory of the run, e.g. 2GB")
        ->type_name("B")
        ->transform(CLI::AsSizeValue(true));
    verb.add_flag("--in-process", supervision.in_process,
                  "Run in this process, unwatched (for debuggers): a unit that crashes takes everything with it");
}

int supervised(const Supervision& supervision, Console& console, const RunFiles& files,
               const std::function<int(runs::Board&)>& work, runs::Companion* companion) {
    base::remove_abandoned_folders();
    if (supervision.in_process) return in_this_process(console, work);
    runs::Supervisor supervisor(supervision.options, console);
    const auto in_child = [&]() -> int {
        if (files.folder != nullptr) files.folder->keep_lock_from_forks();
        try {
            const int code = work_and_blame(console, supervisor.board(), work);
            print_out("");  // what is left in the buffer
            return code;
        } catch (const base::Error& error) {
            console.show(error);
            return static_cast<int>(error.exit());
        } catch (const std::bad_alloc&) {
            console.show(supervisor.out_of_memory());
        } catch (const std::exception& error) {
            console.show(base::Error("internal", "", error.what()));
        }
        return static_cast<int>(base::Exit::failed);
    };
    const runs::Ending ending = supervisor.run(
        in_child, [&](const runs::Ending& ended) { conclude(files, ended, supervisor.board()); }, companion);
    if (ending.error) console.show(*ending.error);
    base::remove_abandoned_folders();  // also where the process said how it ended: a unit may have kept it from
                                       // cleaning up
    return ending.code;
}

}  // namespace master::verbs
