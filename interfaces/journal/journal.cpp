#include "interfaces/journal/journal.hpp"

#include "interfaces/bytes/bytes.hpp"

#include <array>
#include <stdexcept>

namespace interfaces::journal {

namespace {

constexpr std::size_t head_size = 12;

std::string first_line(std::string_view kind) { return "tandem journal " + std::string(kind); }

}  // namespace

Writer::Writer(const std::string& path, std::string_view kind) : path_(path), file_(path, std::ios::binary) {
    if (!(file_ << first_line(kind) << '\n')) throw std::runtime_error("cannot write the journal '" + path + "'");
}

void Writer::add(std::int64_t point, std::span<const std::uint8_t> entry) {
    std::array<std::uint8_t, head_size> head{};
    bytes::put(&head[0], static_cast<std::uint64_t>(point));
    bytes::put(&head[8], static_cast<std::uint32_t>(entry.size()));
    entries_.insert(entries_.end(), head.begin(), head.end());
    entries_.insert(entries_.end(), entry.begin(), entry.end());
}

void Writer::finish_point() {
    if (entries_.empty()) return;
    file_.write(reinterpret_cast<const char*>(entries_.data()), static_cast<std::streamsize>(entries_.size())).flush();
    if (!file_)
        throw std::runtime_error("the journal '" + path_ +
                                 "' cannot be written any more: what came from outside would be lost");
    entries_.clear();
}

Reader::Reader(const std::string& path, std::string_view kind) : path_(path), file_(path, std::ios::binary) {
    if (!file_) throw std::runtime_error("cannot read the journal '" + path + "'");
    const std::string wanted = first_line(kind);
    std::string line(wanted.size() + 1, '\0');
    file_.read(line.data(), static_cast<std::streamsize>(line.size()));
    if (line != wanted + '\n')
        throw std::runtime_error("'" + path + "' is no journal of this kind: expected '" + wanted +
                                 "' in its first line");
    read_head();
}

std::optional<std::span<const std::uint8_t>> Reader::next(std::int64_t point) {
    if (!point_ || *point_ > point) return std::nullopt;
    entry_.resize(size_);
    file_.read(reinterpret_cast<char*>(entry_.data()), size_);
    if (file_.gcount() != static_cast<std::streamsize>(size_))
        throw std::runtime_error("the journal '" + path_ + "' is cut off");
    read_head();
    return entry_;
}

void Reader::read_head() {
    point_.reset();
    std::array<std::uint8_t, head_size> head{};
    file_.read(reinterpret_cast<char*>(head.data()), head_size);
    if (file_.gcount() == 0) return;
    size_ = bytes::take<std::uint32_t>(&head[8]);
    if (file_.gcount() != static_cast<std::streamsize>(head_size) || size_ > largest_entry)
        throw std::runtime_error("the journal '" + path_ + "' is damaged");
    point_ = static_cast<std::int64_t>(bytes::take<std::uint64_t>(&head[0]));
}

}  // namespace interfaces::journal
