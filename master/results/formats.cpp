#include "master/results/formats.hpp"

#include "master/base/child_process.hpp"
#include "master/base/error.hpp"
#include "master/results/csv_recorder.hpp"
#include "master/results/hdf5_recorder.hpp"
#include "master/results/mat_recorder.hpp"
#include "master/results/mcap/mcap_recorder.hpp"

#include <algorithm>
#include <array>
#include <chrono>

namespace master::results {
namespace {

struct Format {
    const char* name;
    const char* file;
    bool holds_text;
    bool holds_bytes;
    double bytes_per_real;  // text: typical length of a shortest round trip and its separator
    double bytes_per_small;
    std::unique_ptr<core::Tap> (*make)(const Recording&);
    void (*complete)(const std::filesystem::path& file, const UnwrittenRows* rows);
};

constexpr std::array known_formats{
    Format{"csv", "results.csv", true, false, 19, 2.5, make_csv, complete_csv},
    Format{"hdf5", "results.h5", true, true, 8, 8, make_hdf5, complete_hdf5},
    Format{"mat", "results.mat", false, false, 8, 8, make_mat, complete_mat},
    Format{"mcap", "results.mcap", true, false, 10.5, 10.5, make_mcap, complete_mcap},
};

constexpr std::chrono::minutes completion_patience{5};

const Format& find(const std::string& name) {
    const auto found = std::ranges::find(known_formats, name, &Format::name);
    if (found != known_formats.end()) return *found;
    std::string known;
    for (const std::string& format : formats()) known += (known.empty() ? "" : ", ") + format;
    throw base::Error("usage", "--format",
                      "unknown format '" + name + "', expected one of " + known + base::did_you_mean(name, formats()));
}

bool holds(const Format& format, const Column& column) {
    if (column.signal.type == core::Type::bytes) return format.holds_bytes;
    if (column.signal.type == core::Type::string) return format.holds_text;
    return true;
}

/// 'a.x' for its element 'a.x[2,3]'.
std::string array_of(const std::string& name) {
    const std::size_t bracket = name.ends_with(']') ? name.rfind('[') : std::string::npos;
    return name.substr(0, bracket);
}

}  // namespace

std::vector<std::string> formats() {
    std::vector<std::string> names;
    names.reserve(std::size(known_formats));
    for (const Format& format : known_formats) names.emplace_back(format.name);
    return names;
}

std::string file_name(const std::string& format) { return find(format).file; }

bool can_hold(const std::string& format, const Column& column) { return holds(find(format), column); }

std::unique_ptr<core::Tap> make_recorder(const std::string& format, Recording recording,
                                         base::Diagnostics& diagnostics) {
    const Format& chosen = find(format);
    recording.diagnostics = &diagnostics;
    // Equal remarks are kept once: the elements of an array have one.
    std::erase_if(recording.columns, [&](const Column& column) {
        if (holds(chosen, column)) return false;
        diagnostics.note("not-recorded", array_of(column.name),
                         format + " cannot hold " + (column.signal.type == core::Type::bytes ? "binary" : "text") +
                             " signals; --format hdf5 can");
        return true;
    });
    return chosen.make(recording);
}

std::vector<std::filesystem::path> partial_results(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> found;
    for (const Format& format : known_formats) {
        std::error_code ignored;
        if (const auto partial = partial_name(folder / format.file); std::filesystem::is_regular_file(partial, ignored))
            found.push_back(partial);
    }
    return found;
}

std::optional<std::filesystem::path> complete_result(const std::filesystem::path& partial, const UnwrittenRows* rows) {
    const auto format = std::ranges::find_if(
        known_formats, [&](const Format& known) { return partial_name(known.file).filename() == partial.filename(); });
    if (format == known_formats.end() || (rows != nullptr && !rows->is_made(partial))) return std::nullopt;
    std::error_code problem;
    if (std::filesystem::file_size(partial, problem) == 0 && !problem) {  // killed before its first byte
        std::filesystem::remove(partial, problem);
        return std::nullopt;
    }
    base::ChildProcess process([&] {
        format->complete(partial, rows);
        return 0;
    });
    if (process.wait(completion_patience) != 0) return std::nullopt;
    const std::filesystem::path result = partial.parent_path() / format->file;
    std::filesystem::rename(partial, result, problem);
    return problem ? std::nullopt : std::optional(result);
}

std::uint64_t expected_bytes(const std::string& format, const std::vector<Column>& columns, std::uint64_t rows) {
    const Format& chosen = find(format);
    double row = chosen.bytes_per_real / 2 + 4;
    for (const Column& column : columns) {
        if (column.signal.type == core::Type::bytes || column.signal.type == core::Type::string) continue;
        row += column.signal.type == core::Type::real ? chosen.bytes_per_real : chosen.bytes_per_small;
    }
    return static_cast<std::uint64_t>(row * static_cast<double>(rows));
}

}  // namespace master::results
