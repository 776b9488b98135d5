#include "master/runs/statistics.hpp"

#include "master/base/block_file.hpp"
#include "master/base/json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>

namespace master::runs {
namespace {

/// "123 ns", "1.23 us", ...: four figures at most.
std::string duration_text(double seconds) {
    if (seconds < 1e-6) return fmt::format("{:.3g} ns", seconds * 1e9);
    if (seconds < 1e-3) return fmt::format("{:.4g} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.4g} ms", seconds * 1e3);
    return fmt::format("{:.4g} s", seconds);
}

double share(double part, double whole) { return whole > 0 ? 100 * part / whole : 0; }

}  // namespace

std::string statistics_table(const Statistics& statistics) {
    std::vector<Statistics::Row> rows = statistics.units;
    std::ranges::stable_sort(rows, std::ranges::greater{}, &Statistics::Row::seconds);
    std::size_t width = 24;
    for (const Statistics::Row& row : rows) width = std::max(width, row.name.size());
    double in_units = 0;
    std::string out =
        fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>7}\n", "unit", width, "steps", "total", "per step", "share");
    for (const Statistics::Row& row : rows) {
        in_units += row.seconds;
        const double each = row.steps > 0 ? row.seconds / static_cast<double>(row.steps) : 0;
        out += fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>5.1f} %\n", row.name, width, row.steps,
                           duration_text(row.seconds), duration_text(each), share(row.seconds, statistics.wall));
        for (const auto& [name, count] : row.counters)
            out += fmt::format("{:<{}} {:>10}\n", "    " + name, width, count);
    }
    // With several threads units overlap, so that their sum says nothing about the rest.
    if (statistics.threaded_points == 0) {
        const double own = std::max(statistics.wall - in_units, 0.0);
        const double each = statistics.points > 0 ? own / static_cast<double>(statistics.points) : 0;
        out += fmt::format("{:<{}} {:>10} {:>11} {:>11} {:>5.1f} %\n", "master and recording", width, statistics.points,
                           duration_text(own), duration_text(each), share(own, statistics.wall));
    }
    out += fmt::format("{:<{}} {:>10} {:>11}", "all", width, statistics.points, duration_text(statistics.wall));
    if (statistics.wall > 0) out += fmt::format("  {:.4g} x real time", statistics.simulated / statistics.wall);
    out += '\n';
    if (statistics.threaded_points > 0) {
        out += fmt::format("{:<{}} {:>10}\n", "    on several threads", width, statistics.threaded_points);
    }
    return out;
}

void write_trace(const std::filesystem::path& file, const core::Profile& profile, const std::vector<std::string>& names,
                 base::Timebase timebase) {
    constexpr std::size_t block = 1 << 20;
    base::BlockFile out = base::BlockFile::create(file);
    std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n";
    text += R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"tandem"}})";
    for (std::size_t i = 0; i < names.size(); ++i)
        fmt::format_to(std::back_inserter(text),
                       ",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":{}}}}}",
                       i + 1, base::json_quoted(names[i]));
    const auto microseconds = [](auto duration) { return std::chrono::duration<double, std::micro>(duration).count(); };
    auto origin = std::chrono::steady_clock::time_point::max();
    for (const core::Profile::Slice& slice : profile.slices()) origin = std::min(origin, slice.begin);
    for (const core::Profile::Slice& slice : profile.slices()) {
        fmt::format_to(std::back_inserter(text),
                       ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":\"step\",\"ts\":{:.3f},\"dur\":{:.3f},"
                       "\"args\":{{\"t\":{}}}}}",
                       slice.node + 1, microseconds(slice.begin - origin), microseconds(slice.end - slice.begin),
                       timebase.seconds(slice.simulated));
        if (text.size() < block) continue;
        out.write(text);
        text.clear();
    }
    text += "\n]}\n";
    out.write(text);
    out.close();
}

}  // namespace master::runs
