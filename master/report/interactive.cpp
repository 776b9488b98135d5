#include "master/report/interactive.hpp"

#include "interfaces/text/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <span>

namespace master::report {
namespace {

constexpr std::size_t intervals = 600;

/// First, least, greatest and last point of each interval, in their order; all where that would not be fewer.
std::vector<std::size_t> kept_points(const Series& series) {
    const std::size_t count = std::min(series.time.size(), series.values.size());
    std::vector<std::size_t> kept;
    if (count <= 4 * intervals) {
        for (std::size_t i = 0; i < count; ++i) kept.push_back(i);
        return kept;
    }
    const double start = series.time.front();
    const double width = (series.time[count - 1] - start) / intervals;
    const auto interval = [&](std::size_t i) { return std::floor((series.time[i] - start) / width); };
    for (std::size_t i = 0; i < count;) {
        std::size_t lowest = i;
        std::size_t highest = i;
        std::size_t last = i;
        for (std::size_t k = i; k < count && interval(k) == interval(i); ++k) {
            last = k;
            // A value that is no number is kept as the gap it is.
            if (!(series.values[k] >= series.values[lowest])) lowest = k;
            if (!(series.values[k] <= series.values[highest])) highest = k;
        }
        std::array<std::size_t, 4> points{i, std::min(lowest, highest), std::max(lowest, highest), last};
        for (const std::size_t point : points)
            if (kept.empty() || point > kept.back()) kept.push_back(point);
        i = last + 1;
    }
    return kept;
}

/// Little-endian doubles in base64.
std::string encoded(std::span<const double> values, std::span<const std::size_t> kept) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t group = 0;
    int bytes = 0;
    const auto put = [&] {
        for (int shift = 18; shift >= 0; shift -= 6) out += digits[(group >> shift) & 63];
        group = 0;
        bytes = 0;
    };
    for (const std::size_t i : kept) {
        const auto bits = std::bit_cast<std::uint64_t>(values[i]);
        for (int shift = 0; shift < 64; shift += 8) {
            group = (group << 8) | static_cast<std::uint32_t>((bits >> shift) & 255);
            if (++bytes == 3) put();
        }
    }
    if (bytes > 0) {
        const auto padding = static_cast<std::size_t>(3 - bytes);
        group <<= 8 * padding;
        put();
        out.replace(out.size() - padding, padding, padding, '=');
    }
    return out;
}

}  // namespace

std::string plot_script() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};
    std::ifstream file(program.parent_path().parent_path() / "page" / "report.js", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string plot_data(const Plot& plot) {
    std::string out = fmt::format("<div class=\"data\" hidden data-unit=\"{}\">", interfaces::text::escaped(plot.unit));
    for (const Series& series : plot.series) {
        const std::vector<std::size_t> kept = kept_points(series);
        out += fmt::format(
            "<i data-label=\"{}\" data-held=\"{}\" data-count=\"{}\" data-time=\"{}\" data-values=\"{}\"></i>",
            interfaces::text::escaped(series.label), series.held ? 1 : 0, series.values.size(),
            encoded(series.time, kept), encoded(series.values, kept));
    }
    return out + "</div>";
}

}  // namespace master::report
