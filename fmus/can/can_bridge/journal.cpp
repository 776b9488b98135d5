#include "fmus/can/can_bridge/journal.hpp"

#include "interfaces/can_log/log.hpp"

#include <algorithm>
#include <charconv>

namespace fmus::can {

namespace {

namespace can_log = interfaces::can_log;
using interfaces::can::BusState;
using interfaces::can::Endpoint;
using interfaces::can::Received;

std::string_view take_word(std::string_view& text) {
    const std::size_t end = text.find(' ');
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    return word;
}

template <class T>
bool read(std::string_view text, T& value) {
    const auto done = std::from_chars(text.data(), text.data() + text.size(), value);
    return done.ec == std::errc() && done.ptr == text.data() + text.size();
}

std::optional<Endpoint::Report> read_report(std::string_view text) {
    Endpoint::Report report;
    unsigned state = 0;
    if (!read(take_word(text), state) || state > static_cast<unsigned>(BusState::down)) return std::nullopt;
    report.state = static_cast<BusState>(state);
    for (std::uint64_t* number : {&report.refused, &report.lost, &report.malformed})
        if (!read(take_word(text), *number)) return std::nullopt;
    if (text.size() >= report.problem.size()) return std::nullopt;
    std::copy(text.begin(), text.end(), report.problem.begin());
    return report;
}

std::optional<Arrival> read_frame(std::string_view text) {
    can_log::Entry entry;
    if (can_log::read_candump(text, entry) != can_log::Line::frame) return std::nullopt;
    if (entry.channel == "refused") return Refused{entry.frame};
    if (entry.channel != "in" && entry.channel != "own") return std::nullopt;
    return Received{entry.frame, entry.nanoseconds, entry.channel == "own"};
}

}  // namespace

void append_journal(Nanoseconds point, const Arrival& arrival, std::string& to) {
    to += std::to_string(point) + ' ';
    if (const auto* received = std::get_if<Received>(&arrival)) {
        can_log::write_candump({.nanoseconds = std::max<std::int64_t>(0, received->nanoseconds),
                                .channel = received->own ? "own" : "in",
                                .frame = received->frame},
                               to);
        return;
    }
    if (const auto* refused = std::get_if<Refused>(&arrival))
        return can_log::write_candump({.channel = "refused", .frame = refused->frame}, to);
    const auto& report = std::get<Endpoint::Report>(arrival);
    to += "report " + std::to_string(static_cast<unsigned>(report.state));
    for (const std::uint64_t number : {report.refused, report.lost, report.malformed})
        to += ' ' + std::to_string(number);
    std::string problem = report.problem.data();
    std::replace(problem.begin(), problem.end(), '\n', ' ');
    to += ' ' + problem + '\n';
}

std::optional<JournalEntry> read_journal(std::string_view line) {
    JournalEntry entry;
    if (!read(take_word(line), entry.point)) return std::nullopt;
    if (line.starts_with("report ")) {
        line.remove_prefix(7);
        const auto report = read_report(line);
        if (!report) return std::nullopt;
        entry.arrival = *report;
        return entry;
    }
    const auto frame = read_frame(line);
    if (!frame) return std::nullopt;
    entry.arrival = *frame;
    return entry;
}

}  // namespace fmus::can
