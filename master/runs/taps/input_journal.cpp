#include "master/runs/taps/input_journal.hpp"

#include "master/base/error.hpp"

#include <stdexcept>

namespace master::runs {
namespace {

template <class Use>
decltype(auto) guarded(const char* code, const std::string& name, Use use) {
    try {
        return use();
    } catch (const std::runtime_error& error) {
        throw base::Error(code, name, error.what(), base::Exit::failed);
    }
}

}  // namespace

InputJournal::InputJournal(const Folders& folders, const std::string& name) : name_(name) {
    constexpr const char* kind = "tap";
    if (!folders.read_from.empty())
        guarded("bad-record", name, [&] { reader_.emplace((folders.read_from / name).string(), kind); });
    else if (!folders.write_to.empty())
        guarded("write-failed", name, [&] { writer_.emplace((folders.write_to / name).string(), kind); });
}

std::optional<std::span<const std::uint8_t>> InputJournal::next(std::int64_t point) {
    return guarded("bad-record", name_, [&] { return reader_->next(point); });
}

void InputJournal::keep(std::int64_t point, std::span<const std::uint8_t> entry) {
    if (writer_) writer_->add(point, entry);
}

void InputJournal::finish_point() {
    if (writer_) guarded("write-failed", name_, [&] { writer_->finish_point(); });
}

}  // namespace master::runs
