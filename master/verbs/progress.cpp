#include "master/verbs/progress.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <unistd.h>
#include <utility>

namespace master::verbs {
namespace {

constexpr std::chrono::milliseconds redraw_period{100};
constexpr double long_run = 2;  // seconds of wall time
constexpr int bar_width = 24;
constexpr int tenths = 10;

std::string clock_text(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
    if (whole >= 3600) return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
    return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

Progress::Style Progress::style_for(std::FILE* stream, bool quiet) {
    if (quiet) return Style::quiet;
    return ::isatty(::fileno(stream)) != 0 ? Style::bar : Style::lines;
}

Progress::Progress(const Range& range, Style style, std::FILE* stream)
    : range_(range), style_(style), stream_(stream), pulse_(redraw_period) {
    const bool nothing_to_show = style == Style::quiet || range.stop <= range.start;
    next_ticks_ = nothing_to_show ? std::numeric_limits<std::int64_t>::max() : range.start.ticks;
    if (!nothing_to_show && style == Style::lines) next_ticks_ += (range.stop - range.start).ticks / tenths;
}

void Progress::finish() {
    if (!std::exchange(drawn_, false)) return;
    std::fputs("\r\033[K", stream_);
    std::fflush(stream_);
}

std::string Progress::text(base::Time t, double elapsed) const {
    const double done = part(t);
    const double simulated = range_.timebase.seconds(t - range_.start);
    std::string text = fmt::format("{:3.0f} %  t = {:.4g} of {:.4g} s", std::floor(100 * done),
                                   range_.timebase.seconds(t), range_.timebase.seconds(range_.stop));
    if (elapsed > 0) text += fmt::format("  {:.3g} x real time", simulated / elapsed);
    if (done > 0 && done < 1 && elapsed > 0) text += "  " + clock_text(elapsed * (1 - done) / done) + " left";
    if (style_ != Style::bar) return text;
    const auto filled = static_cast<std::size_t>(done * bar_width);
    return "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "] " + text;
}

void Progress::show(base::Time t) {
    const double elapsed = std::chrono::duration<double>(base::Pulse::Clock::now() - begin_).count();
    if (style_ == Style::lines) {
        const std::int64_t length = (range_.stop - range_.start).ticks;
        const auto step = std::max<std::int64_t>(length / tenths, 1);
        next_ticks_ = range_.start.ticks + ((t - range_.start).ticks / step + 1) * step;
    }
    if (elapsed < long_run) return;
    if (style_ == Style::lines) {
        std::fputs((text(t, elapsed) + '\n').c_str(), stream_);
        return;
    }
    std::fputs(("\r\033[K" + text(t, elapsed)).c_str(), stream_);
    std::fflush(stream_);
    drawn_ = true;
}

double Progress::part(base::Time t) const {
    const auto done = static_cast<double>((t - range_.start).ticks);
    return std::clamp(done / static_cast<double>((range_.stop - range_.start).ticks), 0.0, 1.0);
}

}  // namespace master::verbs
