#include "master/results/recorder.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::results {

RowSchedule::RowSchedule(base::Timebase timebase, std::optional<base::Fraction> interval)
    : timebase_(timebase), interval_(interval.value_or(base::Fraction{})), thinned_(interval.has_value()) {
    if (thinned_ && interval_.numerator <= 0)
        throw base::Error("usage", "", "the interval between recorded rows must be greater than zero");
}

void RowSchedule::plan_next(base::Time t) {
    if (!origin_) origin_ = t;
    row_ = t;
    // 128 bits: ticks times a denominator of 64 bits must not overflow.
    using Wide = __int128;
    const Wide passed = Wide{t.ticks - origin_->ticks} * interval_.denominator;
    const Wide period = Wide{interval_.numerator} * timebase_.ticks_per_second;
    const Wide next = (passed / period + 1) * period;
    const Wide ticks = (next + interval_.denominator - 1) / interval_.denominator + origin_->ticks;
    next_ = static_cast<std::int64_t>(std::min<Wide>(ticks, std::numeric_limits<std::int64_t>::max()));
}

std::filesystem::path partial_name(const std::filesystem::path& file) {
    return file.parent_path() / (file.stem().string() + ".partial" + file.extension().string());
}

GrowingFile::GrowingFile(const Recording& recording, const char* name)
    : final_(recording.folder / name),
      partial_(partial_name(final_)),
      absolute_(std::filesystem::absolute(partial_)),
      rows_(recording.unwritten) {
    if (rows_ == nullptr) rows_ = &own_.emplace();
    rows_->begin(partial_);
}

void GrowingFile::created() {
    identity_ = base::FileIdentity::of(absolute_).value_or(base::FileIdentity{});
    rows_->created(identity_);
}

void GrowingFile::complete() {
    std::error_code problem;
    std::filesystem::rename(partial_, final_, problem);
    if (problem)
        throw base::Error("write-failed", final_.string(),
                          "cannot give '" + partial_.filename().string() + "' its name: " + problem.message(),
                          base::Exit::failed);
    rows_->end();
}

AlteredValues::AlteredValues(const Recording& recording)
    : counts_(recording.columns.size()), diagnostics_(recording.diagnostics) {
    names_.reserve(recording.columns.size());
    for (const Column& column : recording.columns) names_.push_back(column.name);
}

void AlteredValues::add(const Constant& constant) {
    names_.push_back(constant.name);
    counts_.push_back(1);
}

void AlteredValues::tell(const std::filesystem::path& file, const std::string& said) const {
    if (diagnostics_ == nullptr) return;
    constexpr std::size_t most_named = 4;
    std::string names;
    std::uint64_t values = 0;
    std::size_t signals = 0;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
        if (counts_[i] == 0) continue;
        values += counts_[i];
        if (++signals <= most_named) names += (signals == 1 ? "'" : ", '") + names_[i] + "'";
    }
    if (values == 0) return;
    if (signals > most_named) names += fmt::format(" and {} more", signals - most_named);
    diagnostics_->warn("recorded-value", file.string(),
                       fmt::format("{} value{} of {} {}", values, values == 1 ? "" : "s", names, said));
}

std::vector<core::SignalRef> signals_of(std::span<const Column> columns) {
    std::vector<core::SignalRef> signals;
    signals.reserve(columns.size());
    for (const Column& column : columns) signals.push_back(column.signal);
    return signals;
}

}  // namespace master::results
