#include "master/results/csv_recorder.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"
#include "master/base/printable.hpp"
#include "master/base/pulse.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace master::results {
namespace {

// The longest shortest-round-trip double has 24 characters, a 64-bit integer 20; then a separator.
constexpr std::size_t longest_number = 25;

/// Finds the end of the last whole row of a text that comes in pieces; a text in quotes may hold line breaks.
struct WholeRows {
    std::uint64_t length = 0, end = 0;
    bool quoted = false;

    void add(std::string_view text) {
        for (const char c : text) {
            ++length;
            quoted ^= c == '"';
            if (c == '\n' && !quoted) end = length;
        }
    }
};

/// A process that is killed in a write leaves it cut between two pages of the file. So only a row that lies across such
/// a border is in danger, and it is written alone. Texts in quotes may hold line breaks: a block with such is not
/// parted.
void write_rows(base::BlockFile& file, std::string_view rows) {
    constexpr std::size_t page = 4096;
    const bool has_text = rows.find('"') != std::string_view::npos;
    while (!rows.empty()) {
        const std::size_t room = page - file.end() % page;
        std::size_t length = rows.size();
        if (room < length && !has_text) {
            const std::size_t before = rows.rfind('\n', room - 1);
            length = before != std::string_view::npos ? before + 1 : rows.find('\n', room) + 1;
            if (length == 0) length = rows.size();
        }
        file.write(rows.substr(0, length));
        rows.remove_prefix(length);
    }
}

std::string unit_row_of(const std::vector<Column>& columns) {
    std::string row = "s";
    for (const Column& column : columns) row += ',' + csv_cell(column.unit);
    return row + '\n';
}

class Csv final : public core::Tap {
public:
    explicit Csv(const Recording& recording)
        : signals_(signals_of(recording.columns)),
          timebase_(recording.timebase),
          schedule_(recording.timebase, recording.interval),
          growing_(recording, "results.csv"),
          file_(base::BlockFile::create(growing_.path())),
          row_bytes_((signals_.size() + 1) * longest_number),
          last_(signals_.size()),
          replaced_(recording),
          bytes_(growing_.rows().add_count()),
          block_(growing_.rows().add_block(bytes_, "", UnwrittenRows::Element::byte, 1, 0)) {
        std::string header = "time";
        for (const Column& column : recording.columns) header += ',' + csv_cell(column.name);
        header += '\n';
        if (recording.unit_row) header += unit_row_of(recording.columns);
        growing_.created();
        file_.write(header);
        bytes_ = {header.size(), header.size()};
        growing_.rows().ready();
    }

    ~Csv() override {
        try {
            finish();
        } catch (...) {
            // A run that is being unwound already reports its own error.
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (!schedule_.due(t)) return;
        write_row(t, signals);
        if (bytes_.waiting() >= block_bytes || flush_.due()) write_block();
    }

    void after_last_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.lacks(t)) write_row(t, signals);
    }

    void finish() override {
        if (!file_.is_open()) return;
        if (!failed_) write_block();
        file_.close();
        growing_.complete();
        replaced_.tell(growing_.name(), no_utf8);
    }

private:
    /// A number and its text: what a slow unit gives stays the same for many rows.
    struct Written {
        std::uint64_t bits = 0;
        std::uint8_t length = 1;
        std::array<char, longest_number> text{'0'};
    };

    void write_row(base::Time t, const core::Signals& signals) {
        if (row_bytes_ > block_.capacity - bytes_.waiting()) make_room(buffer() + bytes_.waiting(), row_bytes_);
        char* out = put(buffer() + bytes_.waiting(), timebase_.seconds(t));
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            *out++ = ',';
            out = write_cell(out, i, signals_[i].lanes(signals));
        }
        *out++ = '\n';
        bytes_.total = bytes_.written + static_cast<std::size_t>(out - buffer());
    }

    [[nodiscard]] char* buffer() const { return reinterpret_cast<char*>(block_.rows); }

    /// Room for so many bytes from `out` on, which is in the row that is being written.
    char* make_room(char* out, std::size_t needed) {
        if (static_cast<std::size_t>(out - buffer()) + needed <= block_.capacity) return out;
        const std::size_t before = bytes_.waiting();
        const std::size_t begun = static_cast<std::size_t>(out - buffer()) - before;
        write_block();
        std::memmove(buffer(), buffer() + before, begun);
        if (begun + needed > block_.capacity)
            throw base::Error("memory", growing_.path().string(),
                              "a row with texts of this length cannot be recorded; --record selects others",
                              base::Exit::failed);
        return buffer() + begun;
    }

    char* write_cell(char* out, std::size_t column, const core::Lanes& lanes) {
        const core::SignalRef& signal = signals_[column];
        return core::with_lane(signal.type, lanes, [&]<class Element>(const std::vector<Element>& lane) {
            if constexpr (std::is_same_v<Element, double>) {
                return put(out, lane[signal.index], last_[column]);
            } else if constexpr (std::is_same_v<Element, std::uint8_t>) {
                *out = lane[signal.index] != 0 ? '1' : '0';
                return out + 1;
            } else if constexpr (std::is_same_v<Element, std::string>) {
                const std::string& text = lane[signal.index];
                if (base::is_utf8(text)) return put_text(out, text);
                replaced_.add(column);
                return put_text(out, base::valid_utf8(text));
            } else if constexpr (std::is_same_v<Element, core::Bytes>) {
                return out;
            } else {
                return put(out, lane[signal.index]);
            }
        });
    }

    template <class Number>
    static char* put(char* out, Number value) {
        return std::to_chars(out, out + longest_number, value).ptr;
    }

    static char* put(char* out, double value, Written& last) {
        const auto bits = std::bit_cast<std::uint64_t>(value);
        if (bits != last.bits) {
            last.bits = bits;
            last.length = static_cast<std::uint8_t>(put(last.text.data(), value) - last.text.data());
        }
        // All of it: a copy of fixed length is cheaper, and the row has room for the longest number.
        std::memcpy(out, last.text.data(), last.text.size());
        return out + last.length;
    }

    char* put_text(char* out, const std::string& text) {
        // Twice for doubled quotes; the rest of the row must still fit behind it.
        out = make_room(out, 2 * text.size() + 2 + row_bytes_);
        *out++ = '"';
        for (const char c : text) {
            if (c == '"') *out++ = '"';
            *out++ = c;
        }
        *out++ = '"';
        return out;
    }

    void write_block() {
        try {
            write_rows(file_, {buffer(), bytes_.waiting()});
        } catch (const base::Error&) {
            failed_ = true;
            keep_whole_rows();
            throw;
        }
        bytes_.written = bytes_.total;
    }

    /// Of a block that did not get into the file as a whole.
    void keep_whole_rows() {
        const std::uint64_t size = file_.size();
        if (size < bytes_.written) {  // a unit cut it
            growing_.check_name();
            complete_csv(growing_.path(), nullptr);
            bytes_.written = bytes_.total = file_.size();
            return;
        }
        const auto got = static_cast<std::size_t>(size - bytes_.written);
        WholeRows rows;
        rows.add({buffer(), std::min(got, bytes_.waiting())});
        bytes_.written += rows.end;
        bytes_.total = bytes_.written;
        file_.truncate(bytes_.written);
    }

    std::vector<core::SignalRef> signals_;
    base::Timebase timebase_;
    RowSchedule schedule_;
    GrowingFile growing_;
    base::BlockFile file_;
    std::size_t row_bytes_;
    std::vector<Written> last_;  // of every column
    AlteredValues replaced_;
    UnwrittenRows::Count& bytes_;
    UnwrittenRows::Block& block_;
    bool failed_ = false;
    base::Pulse flush_{flush_period};
};

}  // namespace

void complete_csv(const std::filesystem::path& file, const UnwrittenRows* rows) {
    base::BlockFile out = base::BlockFile::append_to(file);
    if (rows != nullptr) {
        const UnwrittenRows::Block& block = rows->blocks().front();
        out.truncate(block.count->written);
        const auto waiting = block.waiting();
        try {
            out.write({reinterpret_cast<const char*>(waiting.data()), waiting.size()});
            return;
        } catch (const base::Error&) {
            // What got there is cut at the end of a row below.
        }
    }
    std::vector<char> piece(block_bytes);
    WholeRows rows_there;
    while (const std::size_t got = out.read_at(rows_there.length, piece)) rows_there.add({piece.data(), got});
    out.truncate(rows_there.end);
}

std::unique_ptr<core::Tap> make_csv(const Recording& recording) { return std::make_unique<Csv>(recording); }

std::string csv_cell(std::string_view text) {
    if (!text.empty() && text.find_first_of(" \t\r\n,;\"#") == std::string_view::npos) return std::string(text);
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + '"';
}

}  // namespace master::results
