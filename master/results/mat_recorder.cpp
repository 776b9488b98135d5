#include "master/results/mat_recorder.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"
#include "master/base/pulse.hpp"
#include "master/results/mat_handle.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>
#include <matio.h>
#include <optional>
#include <utility>

namespace master::results {
namespace {

/// Column by column, as MATLAB stores it.
struct Texts {
    std::size_t length = 1, count = 0;
    std::string characters;
};

/// One text per column, padded with zeros.
Texts columns_of(const std::vector<std::string>& texts) {
    Texts result{1, texts.size(), {}};
    for (const std::string& text : texts) result.length = std::max(result.length, text.size());
    for (const std::string& text : texts) result.characters += text + std::string(result.length - text.size(), '\0');
    return result;
}

/// One text per row: the class of the file, in the layout that all its readers look at first.
Texts rows_of(const std::vector<std::string>& texts) {
    const Texts columns = columns_of(texts);
    Texts result{columns.count, columns.length, std::string(columns.characters.size(), '\0')};
    for (std::size_t i = 0; i < columns.count; ++i) {
        for (std::size_t k = 0; k < columns.length; ++k)
            result.characters[k * columns.count + i] = columns.characters[i * columns.length + k];
    }
    return result;
}

void set_length(base::BlockFile& file, const MatRows& places, std::uint64_t count) {
    const auto columns = static_cast<std::int32_t>(count);
    file.write_at(places.length, {reinterpret_cast<const char*>(&columns), sizeof columns});
    if (count == 0) return;
    std::array<char, sizeof(double)> last_time{};
    static_cast<void>(file.read_at(places.begin + (count - 1) * places.row_bytes, last_time));
    file.write_at(places.last_time_of_constants, last_time);
}

/// Level 4 of the format has no integers of 64 bits.
bool is_rounded(const core::SignalRef& signal, const core::Signals& signals) {
    const core::Lanes& lanes = signal.lanes(signals);
    const auto differs = [](auto value) {
        constexpr std::int64_t exact = std::int64_t{1} << 53;
        if (std::cmp_less_equal(value, exact) && std::cmp_greater_equal(value, -exact)) return false;
        return static_cast<long double>(static_cast<double>(value)) != static_cast<long double>(value);
    };
    return signal.type == core::Type::integer ? differs(lanes.integers[signal.index])
                                              : differs(lanes.naturals[signal.index]);
}

class Mat final : public core::Tap {
public:
    explicit Mat(const Recording& recording)
        : growing_(recording, "results.mat"),
          path_(growing_.path()),
          columns_(recording.columns),
          timebase_(recording.timebase),
          schedule_(recording.timebase, recording.interval),
          rounded_(recording) {
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            (columns_[i].fixed ? fixed_ : moving_).push_back(columns_[i].signal);
            const core::Type type = columns_[i].signal.type;
            if (type == core::Type::integer || type == core::Type::natural) whole_.push_back(i);
        }
        std::ranges::copy_if(recording.constants, std::back_inserter(constants_), [&](const Constant& constant) {
            return std::ranges::find(columns_, constant.name, &Column::name) == columns_.end();
        });
        const std::size_t width = moving_.size() + 1;
        rows_ = &growing_.rows().add_count();
        block_ = &growing_.rows().add_block(*rows_, "", UnwrittenRows::Element::real, width,
                                            std::max<std::size_t>(block_bytes / (width * sizeof(double)), 1));
        // Made at once so that a folder that cannot be written to is found before the run.
        base::BlockFile::create(path_).close();
        growing_.created();
        growing_.rows().ready();
    }

    ~Mat() override {
        try {
            finish();
        } catch (...) {
            // A run that is being unwound already reports its own error.
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.due(t)) record(t, signals);
    }

    void after_last_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.lacks(t)) record(t, signals);
    }

    void finish() override {
        if (finished_) return;
        finished_ = true;
        if (!file_.is_open() && !failed_) begin(nullptr);
        if (!file_.is_open()) return;
        if (!failed_) write_block();
        file_.close();
        growing_.complete();
        rounded_.tell(growing_.name(), "lie beyond 2^53 and were rounded to doubles; --format hdf5 or csv keeps them");
    }

private:
    void record(base::Time t, const core::Signals& signals) {
        last_time_ = timebase_.seconds(t);
        if (!file_.is_open()) begin(&signals);
        double* out = reinterpret_cast<double*>(block_->rows) + rows_->waiting() * block_->width;
        *out++ = last_time_;
        for (const core::SignalRef& signal : moving_) *out++ = core::number(signal, signals);
        for (const std::size_t column : whole_) {
            if (is_rounded(columns_[column].signal, signals)) rounded_.add(column);
        }
        ++rows_->total;
        if (rows_->waiting() == block_->capacity || flush_.due()) write_block();
    }

    /// Everything before the trajectories; `data_2` is last in the file and grows there. Without signals (the run never
    /// came to its first row) parameters are NaN.
    void begin(const core::Signals* signals) {
        failed_ = true;  // until all of it is there
        growing_.check_name();
        mat_.reset(Mat_CreateVer(path_.c_str(), nullptr, MAT_FT_MAT4));
        if (!mat_) fail("make");
        write_text("Aclass", rows_of({"Atrajectory", "1.1", "", "binTrans"}));
        write_descriptions();
        std::vector<double> constants{last_time_};
        for (const core::SignalRef& signal : fixed_)
            constants.push_back(signals != nullptr ? core::number(signal, *signals)
                                                   : std::numeric_limits<double>::quiet_NaN());
        for (const Constant& constant : constants_) {
            constants.push_back(constant.value);
            if (constant.rounded) rounded_.add(constant);
        }
        const std::size_t count = constants.size();
        constants.insert(constants.end(), constants.begin(), constants.begin() + static_cast<std::ptrdiff_t>(count));
        write_matrix("data_1", MAT_C_DOUBLE, MAT_T_DOUBLE, {count, 2}, constants.data());
        mat_.reset();

        file_ = base::BlockFile::append_to(path_);
        const std::uint64_t data_2 = file_.size();
        const std::string name("data_2\0", 7);
        // Type 0: little endian, double, full matrix; then rows, columns, no imaginary part, length of the name.
        const std::array<std::int32_t, 5> header{0, static_cast<std::int32_t>(moving_.size() + 1), 0, 0,
                                                 static_cast<std::int32_t>(name.size())};
        file_.write({reinterpret_cast<const char*>(header.data()), sizeof header});
        file_.write(name);
        places_ = {.last_time_of_constants = data_2 - count * sizeof(double),
                   .length = data_2 + 2 * sizeof(std::int32_t),
                   .begin = file_.size(),
                   .row_bytes = block_->row_bytes()};
        failed_ = false;
    }

    void write_descriptions() {
        std::vector<std::string> names{"time"};
        std::vector<std::string> descriptions{"Time in [s]"};
        // Per variable: its table, its row there, linear between points, not defined outside them.
        std::vector<std::int32_t> places{0, 1, 0, -1};
        std::int32_t fixed = 1;
        std::int32_t moving = 1;
        const auto add = [&](const auto& column, const std::string& shown, const std::array<std::int32_t, 4>& place) {
            names.push_back(column.name);
            const std::string unit =
                column.unit.empty() ? "" : "[" + column.unit + (shown.empty() ? "" : "|" + shown) + "]";
            descriptions.push_back(column.description + (column.description.empty() || unit.empty() ? "" : " ") + unit);
            places.insert(places.end(), place.begin(), place.end());
        };
        for (const Column& column : columns_)
            add(column, column.shown.name,
                {column.fixed ? 1 : 2, column.fixed ? ++fixed : ++moving, 0, column.fixed ? 0 : -1});
        for (const Constant& constant : constants_) add(constant, {}, {1, ++fixed, 0, 0});
        write_text("name", columns_of(names));
        write_text("description", columns_of(descriptions));
        write_matrix("dataInfo", MAT_C_INT32, MAT_T_INT32, {4, names.size()}, places.data());
    }

    void write_text(const char* name, Texts texts) {
        write_matrix(name, MAT_C_CHAR, MAT_T_UINT8, {texts.length, texts.count}, texts.characters.data());
    }

    void write_matrix(const char* name, matio_classes kind, matio_types type, std::array<std::size_t, 2> size,
                      void* data) {
        const std::unique_ptr<matvar_t, FreeVariable> variable(
            Mat_VarCreate(name, kind, type, 2, size.data(), data, MAT_F_DONT_COPY_DATA));
        if (!variable || Mat_VarWrite(mat_.get(), variable.get(), MAT_COMPRESSION_NONE) != 0) fail("write");
    }

    void write_block() {
        if (rows_->waiting() == 0) return;
        const auto waiting = block_->waiting();
        try {
            file_.write({reinterpret_cast<const char*>(waiting.data()), waiting.size()});
        } catch (const base::Error&) {
            failed_ = true;
            rows_->total = (std::max(file_.size(), places_.begin) - places_.begin) / places_.row_bytes;
            file_.truncate(places_.begin + rows_->total * places_.row_bytes);
            set_length(file_, places_, rows_->total);
            rows_->written = rows_->total;
            throw;
        }
        set_length(file_, places_, rows_->total);
        rows_->written = rows_->total;
    }

    [[noreturn]] void fail(const char* doing) const {
        throw base::Error("write-failed", path_.string(),
                          std::string("cannot ") + doing + " the file: " + std::strerror(errno), base::Exit::failed);
    }

    GrowingFile growing_;
    std::filesystem::path path_;
    std::vector<Column> columns_;
    std::vector<core::SignalRef> fixed_, moving_;
    std::vector<std::size_t> whole_;  // columns of integers
    std::vector<Constant> constants_;
    base::Timebase timebase_;
    RowSchedule schedule_;
    AlteredValues rounded_;
    std::unique_ptr<mat_t, CloseMat> mat_;
    base::BlockFile file_;
    MatRows places_;
    UnwrittenRows::Count* rows_ = nullptr;
    UnwrittenRows::Block* block_ = nullptr;
    double last_time_ = 0;
    bool finished_ = false, failed_ = false;
    base::Pulse flush_{flush_period};
};

}  // namespace

std::optional<MatPlace> find_matrix(const base::BlockFile& file, std::string_view wanted) {
    constexpr std::array<std::uint64_t, 6> sizes{8, 4, 4, 2, 2, 1};
    for (std::uint64_t at = 0;;) {
        std::array<std::int32_t, 5> header{};
        if (file.read_at(at, {reinterpret_cast<char*>(header.data()), sizeof header}) != sizeof header) return {};
        const auto [type, rows, columns, complex, length] = header;
        const auto kind = static_cast<std::size_t>(type / 10 % 10);
        if (type < 0 || kind >= sizes.size() || rows < 0 || columns < 0 || length < 1 || length > 64) return {};
        std::string name(static_cast<std::size_t>(length), '\0');
        static_cast<void>(file.read_at(at + sizeof header, name));
        name.pop_back();  // the zero that ends it
        const MatPlace place{.header = at,
                             .data = at + sizeof header + static_cast<std::uint64_t>(length),
                             .rows = static_cast<std::uint64_t>(rows),
                             .columns = static_cast<std::uint64_t>(columns),
                             .element = sizes[kind]};
        if (name == wanted) return place;
        at = place.data + place.element * place.rows * place.columns;
    }
}

std::optional<MatRows> find_rows(const base::BlockFile& file) {
    const auto constants = find_matrix(file, "data_1"), rows = find_matrix(file, "data_2");
    if (!constants || !rows || rows->rows == 0) return {};
    return MatRows{.last_time_of_constants = constants->data + constants->element * constants->rows,
                   .length = rows->header + 2 * sizeof(std::int32_t),
                   .begin = rows->data,
                   .row_bytes = rows->element * rows->rows,
                   .count = rows->columns};
}

void complete_mat(const std::filesystem::path& file, const UnwrittenRows* rows) {
    base::BlockFile out = base::BlockFile::append_to(file);
    const std::optional<MatRows> places = find_rows(out);
    if (!places) throw base::Error("bad-result", file.string(), "there are no rows in it yet", base::Exit::failed);
    std::uint64_t count = std::min<std::uint64_t>(places->count, (out.size() - places->begin) / places->row_bytes);
    if (rows != nullptr) {
        const UnwrittenRows::Block& block = rows->blocks().front();
        const auto waiting = block.waiting();
        try {
            out.truncate(places->begin + block.count->written * places->row_bytes);
            out.write({reinterpret_cast<const char*>(waiting.data()), waiting.size()});
        } catch (const base::Error&) {
            // As many rows as there are.
        }
        count = (out.size() - places->begin) / places->row_bytes;
    }
    out.truncate(places->begin + count * places->row_bytes);
    set_length(out, *places, count);
}

std::unique_ptr<core::Tap> make_mat(const Recording& recording) { return std::make_unique<Mat>(recording); }

}  // namespace master::results
