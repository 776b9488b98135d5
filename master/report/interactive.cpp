#include "master/report/interactive.hpp"

#include "master/base/printable.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <vector>

namespace master::report {
namespace {

constexpr std::size_t intervals = 600;

template <class Bits>
void put_bits(Bits bits, std::vector<std::uint8_t>& bytes) {
    for (unsigned shift = 0; shift < 8 * sizeof bits; shift += 8) bytes.push_back((bits >> shift) & 255);
}

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

/// The chosen values as little-endian doubles in base64.
std::string encoded_points(std::span<const double> values, std::span<const std::size_t> kept) {
    std::vector<std::uint8_t> bytes;
    for (const std::size_t i : kept) put_bits(std::bit_cast<std::uint64_t>(values[i]), bytes);
    return base64(bytes);
}

/// Empty where there is none.
std::string page_script(const char* name) {
    const std::filesystem::path folder = page_folder();
    if (folder.empty()) return {};
    std::ifstream file(folder / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

std::filesystem::path page_folder() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) return {};  // else files of the working directory would be taken for the page
    const std::filesystem::path around = program.parent_path().parent_path();
    const std::filesystem::path installed = around / "share" / "tandem" / "page";
    return std::filesystem::exists(installed, error) ? installed : around / "page";
}

std::string plot_script() { return page_script("report.js"); }
std::string scene_script() { return page_script("report_scene.js"); }

std::string base64(std::span<const std::uint8_t> bytes) {
    static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t used = std::min<std::size_t>(3, bytes.size() - i);
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) group = (group << 8) | (k < used ? bytes[i + k] : 0U);
        for (std::size_t k = 0; k < 4; ++k) out += k <= used ? digits[(group >> (18 - 6 * k)) & 63] : '=';
    }
    return out;
}

std::string encoded(std::span<const float> values) {
    std::vector<std::uint8_t> bytes;
    for (const float value : values) put_bits(std::bit_cast<std::uint32_t>(value), bytes);
    return base64(bytes);
}

std::string plot_data(const Plot& plot) {
    std::string out = fmt::format("<div class=\"data\" hidden data-unit=\"{}\">", base::printable_html(plot.unit));
    for (const Series& series : plot.series) {
        const std::vector<std::size_t> kept = kept_points(series);
        out += fmt::format(
            "<i data-label=\"{}\" data-held=\"{}\" data-count=\"{}\" data-time=\"{}\" data-values=\"{}\"></i>",
            base::printable_html(series.label), series.held ? 1 : 0, series.values.size(),
            encoded_points(series.time, kept), encoded_points(series.values, kept));
    }
    return out + "</div>";
}

}  // namespace master::report
