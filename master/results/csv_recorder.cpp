#include "master/results/csv_recorder.hpp"

#include "master/base/block_file.hpp"
#include "master/base/printable.hpp"
#include "master/base/pulse.hpp"

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <type_traits>
#include <utility>

namespace master::results {
namespace {

// The longest shortest-round-trip double has 24 characters, a 64-bit integer 20; then a separator.
constexpr std::size_t longest_number = 25;

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
          file_(base::BlockFile::create(recording.folder / "results.csv")),
          row_bytes_((signals_.size() + 1) * longest_number),
          last_(signals_.size()) {
        buffer_.resize(block_bytes + row_bytes_);
        std::string header = "time";
        for (const Column& column : recording.columns) header += ',' + csv_cell(column.name);
        header += '\n';
        if (recording.unit_row) header += unit_row_of(recording.columns);
        file_.write(header);
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
        if (used_ >= block_bytes || flush_.due()) write_block();
    }

    void finish() override {
        if (!file_.is_open()) return;
        write_block();
        file_.close();
    }

private:
    /// A number and its text: what a slow unit gives stays the same for many rows.
    struct Written {
        std::uint64_t bits = 0;
        std::uint8_t length = 1;
        std::array<char, longest_number> text{'0'};
    };

    void write_row(base::Time t, const core::Signals& signals) {
        char* out = put(buffer_.data() + used_, timebase_.seconds(t));
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            *out++ = ',';
            out = write_cell(out, signals_[i], signals_[i].lanes(signals), last_[i]);
        }
        *out++ = '\n';
        used_ = static_cast<std::size_t>(out - buffer_.data());
    }

    char* write_cell(char* out, const core::SignalRef& signal, const core::Lanes& lanes, Written& last) {
        return core::with_lane(signal.type, lanes, [&]<class Element>(const std::vector<Element>& lane) {
            if constexpr (std::is_same_v<Element, double>) {
                return put(out, lane[signal.index], last);
            } else if constexpr (std::is_same_v<Element, std::uint8_t>) {
                *out = lane[signal.index] != 0 ? '1' : '0';
                return out + 1;
            } else if constexpr (std::is_same_v<Element, std::string>) {
                return put_text(out, lane[signal.index]);
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
        if (!base::is_utf8(text)) return put_text(out, base::valid_utf8(text));
        // Twice for doubled quotes; the rest of the row must still fit behind it.
        const auto position = static_cast<std::size_t>(out - buffer_.data());
        const std::size_t needed = position + 2 * text.size() + 2 + row_bytes_;
        if (needed > buffer_.size()) buffer_.resize(2 * needed);
        out = buffer_.data() + position;
        *out++ = '"';
        for (const char c : text) {
            if (c == '"') *out++ = '"';
            *out++ = c;
        }
        *out++ = '"';
        return out;
    }

    void write_block() { file_.write({buffer_.data(), std::exchange(used_, 0)}); }

    std::vector<core::SignalRef> signals_;
    base::Timebase timebase_;
    RowSchedule schedule_;
    base::BlockFile file_;
    std::size_t row_bytes_;
    std::vector<Written> last_;  // of every column
    std::vector<char> buffer_;
    std::size_t used_ = 0;
    base::Pulse flush_{flush_period};
};

}  // namespace

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
