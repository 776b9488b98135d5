#include "master/runs/taps/can_log.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/results/recorder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <span>
#include <string_view>

namespace master::runs {
namespace {

constexpr std::size_t longest_line = 512;

bool is_asc(const std::filesystem::path& file) { return file.extension() == ".asc"; }

void give_name(const std::filesystem::path& partial, const std::filesystem::path& file) {
    std::error_code problem;
    std::filesystem::rename(partial, file, problem);
    if (problem)
        throw base::Error("write-failed", file.string(),
                          "cannot give '" + partial.filename().string() + "' its name: " + problem.message(),
                          base::Exit::failed);
}

/// A process may be killed in the middle of a block.
std::uint64_t end_of_last_line(const base::BlockFile& file) {
    std::array<char, longest_line> piece{};
    for (std::uint64_t end = file.size(); end > 0;) {
        const std::uint64_t begin = end - std::min<std::uint64_t>(end, piece.size());
        const std::string_view text(piece.data(), file.read_at(begin, std::span(piece).first(end - begin)));
        if (const auto at = text.rfind('\n'); at != std::string_view::npos) return begin + at + 1;
        end = begin;
    }
    return 0;
}

}  // namespace

CanLog::CanLog(std::filesystem::path file, std::vector<CanBus> buses, base::Timebase timebase, base::Time start)
    : file_(std::move(file)),
      partial_(base::is_special(file_) ? file_ : results::partial_name(file_)),
      asc_(is_asc(file_)),
      timebase_(timebase),
      zero_(std::min(start, base::Time{})),  // no log has negative times
      flush_(results::flush_period) {
    if (asc_) interfaces::can_log::write_asc_head(0, text_);
    for (CanBus& bus : buses) {
        Channel& channel = channels_.emplace_back();
        // Names of ASC are numbers, which count from can0.
        channel.entry.channel = asc_ ? fmt::format("can{}", channels_.size() - 1) : bus.name;
        if (asc_) text_ += fmt::format("// channel {}: {}\n", channels_.size(), bus.name);
        channel.bus = std::move(bus);
    }
    text_.reserve(results::block_bytes + CanFrames::most_at_once * longest_line);
}

CanLog::~CanLog() {
    try {
        finish();
    } catch (...) {
        // A run that is being unwound already reports its own error.
    }
}

void CanLog::open() { out_ = base::BlockFile::create(partial_); }

void CanLog::on_event(base::Time t, const core::Signals& signals) {
    for (Channel& channel : channels_) {
        const std::span<const SeenFrame> frames = frames_.take(channel.bus, signals);
        if (!frames.empty()) write(channel, frames, t);
    }
    if (text_.size() >= results::block_bytes || flush_.due()) write_block();
}

void CanLog::write(Channel& channel, std::span<const SeenFrame> frames, base::Time t) {
    channel.entry.nanoseconds = std::llround(timebase_.seconds(t - zero_) * 1e9);
    for (const SeenFrame& seen : frames) {
        channel.entry.frame = seen.frame;
        channel.entry.sent = seen.sent;
        if (asc_) {
            interfaces::can_log::write_asc(channel.entry, text_);
        } else {
            interfaces::can_log::write_candump(channel.entry, text_);
        }
    }
    channel.frames += frames.size();
}

/// Only whole lines stay in the file.
void CanLog::write_block() {
    if (!out_.is_open() || failed_) return;
    try {
        out_.write(text_);
    } catch (const base::Error&) {
        failed_ = true;
        std::error_code ignored;
        std::filesystem::resize_file(partial_, written_, ignored);
        throw;
    }
    written_ += text_.size();
    text_.clear();
}

void CanLog::finish() {
    if (!out_.is_open()) return;
    if (asc_) interfaces::can_log::write_asc_end(text_);
    try {
        write_block();
    } catch (const base::Error&) {
        complete();
        throw;
    }
    complete();
}

void CanLog::complete() {
    out_.close();
    if (partial_ != file_) give_name(partial_, file_);
}

void complete_can_log(const std::filesystem::path& file) {
    const std::filesystem::path partial = results::partial_name(file);
    if (base::is_special(file) || !std::filesystem::is_regular_file(partial)) return;
    base::BlockFile left = base::BlockFile::append_to(partial);
    left.truncate(end_of_last_line(left));
    if (is_asc(file)) {
        std::string end;
        interfaces::can_log::write_asc_end(end);
        left.write(end);
    }
    left.close();
    give_name(partial, file);
}

std::unique_ptr<CanLog> make_can_log(const std::filesystem::path& file, const build::Simulation& simulation) {
    std::vector<CanBus> buses = can_buses(simulation);
    if (buses.empty())
        throw base::Error("usage", "--can-log",
                          "'" + simulation.parts.description.name +
                              "' has no CAN bus: no wire between its units carries frames of FMI-LS-BUS");
    return std::make_unique<CanLog>(file, std::move(buses), simulation.timing.timebase, simulation.timing.start);
}

std::string CanLog::summary() const {
    std::string text;
    for (const Channel& channel : channels_)
        text += fmt::format("{}{} frames of {}", text.empty() ? "" : ", ", channel.frames, channel.bus.name);
    return text + " in " + file_.string();
}

}  // namespace master::runs
