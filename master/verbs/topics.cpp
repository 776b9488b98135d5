#include "interfaces/topics/topics.hpp"

#include "master/base/error.hpp"
#include "master/base/patterns.hpp"
#include "master/runs/interrupt.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace master::verbs {
namespace {

struct TopicsOptions {
    std::string pattern = "*";
    double time = 0;
};

void print_table(const std::string& pattern) {
    const auto all = interfaces::topics::list();
    std::size_t width = 5;
    for (const auto& topic : all) width = std::max(width, topic.name.size());
    fmt::print("{:<{}}  {:>9}  {:>10}  {:>9}  {:>10}  {:>8}  type\n", "topic", width, "values/s", "bytes", "age s",
               "t s", "process");
    for (const auto& topic : all) {
        if (!base::matches(pattern, topic.name)) continue;
        fmt::print("{:<{}}  {:>9}  {:>10}  {:>9}  {:>10.3f}  {:>8}  {}{}\n", topic.name, width,
                   topic.rate ? fmt::format("{:.1f}", *topic.rate) : "-", topic.size,
                   topic.age ? fmt::format("{:.3f}", *topic.age) : "-", 1e-9 * static_cast<double>(topic.time),
                   topic.publisher, topic.type, topic.alive ? "" : " (its publisher has died)");
    }
    std::fflush(stdout);
}

/// On a terminal, or for a time, every second; else once.
int show(const TopicsOptions& options) {
    using Clock = std::chrono::steady_clock;
    const runs::InterruptGuard guard;
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    const auto start = Clock::now();
    for (auto next = start;; next += std::chrono::seconds(1)) {
        if (terminal) fmt::print("\033[H\033[2J");
        print_table(options.pattern);
        while (Clock::now() < next + std::chrono::seconds(1)) {
            const double elapsed = std::chrono::duration<double>(Clock::now() - start).count();
            if (options.time > 0 ? elapsed >= options.time : !terminal) return static_cast<int>(base::Exit::ok);
            if (runs::InterruptGuard::interrupted()) return static_cast<int>(base::Exit::interrupted);
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    }
}

}  // namespace

void add_topics(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<TopicsOptions>();
    CLI::App* verb = app.add_subcommand("topics", "Topics that runs on this computer publish: rate, size, age");
    verb->add_option("pattern", options->pattern, "Only these, with * and ?")->type_name("PATTERN");
    verb->add_option("--time", options->time,
                     "Seconds to look, a table each (default: once, and until Ctrl-C on a terminal)")
        ->check(CLI::PositiveNumber);
    verb->footer("Example: tandem topics 'lidar.*'");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return show(*options); }; });
}

}  // namespace master::verbs
