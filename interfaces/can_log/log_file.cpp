#include "interfaces/can_log/log_file.hpp"

#include "interfaces/can/transport.hpp"
#include "interfaces/text/spelt.hpp"

namespace interfaces::can_log {

namespace {

constexpr std::size_t longest_line = 4096;

}  // namespace

LogFile::LogFile(std::string path) : path_(std::move(path)), file_(path_, std::ios::binary) {
    if (!file_) throw can::Error(path_ + ": cannot be opened");
    find_format();
    file_.clear();
    file_.seekg(0);
    number_ = 0;
}

/// By the first line that says it: a frame of candump, or the head of an ASC file.
void LogFile::find_format() {
    constexpr std::uint64_t lines_to_try = 100;
    std::string first;
    while (number_ < lines_to_try && next_line()) {
        if (first.empty()) first = line_.substr(0, 40);
        Entry entry;
        asc_ = line_.starts_with("date ") || line_.starts_with("base ");
        if (asc_ || read_candump(line_, entry) == Line::frame) return;
    }
    throw can::Error(path_ + ":1: found '" + text::spelt(first) + "', expected a log of candump -L or an ASC file");
}

/// A longer line than any frame has is cut, so that it is malformed.
bool LogFile::next_line() {
    line_.clear();
    int letter = file_.get();
    if (letter == std::ifstream::traits_type::eof()) return false;
    for (; letter != std::ifstream::traits_type::eof() && letter != '\n'; letter = file_.get())
        if (line_.size() < longest_line) line_ += static_cast<char>(letter);
    ++number_;
    return true;
}

Line LogFile::read(Entry& entry) { return asc_ ? asc_reader_.read(line_, entry) : read_candump(line_, entry); }

std::optional<Entry> LogFile::next() {
    Entry entry;
    while (next_line()) {
        const Line line = read(entry);
        if (line == Line::frame) return entry;
        if (line == Line::other) continue;
        if (malformed_++ == 0) first_malformed_line_ = number_;
    }
    return std::nullopt;
}

}  // namespace interfaces::can_log
