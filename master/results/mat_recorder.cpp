#include "master/results/mat_recorder.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"
#include "master/base/pulse.hpp"
#include "master/results/mat_handle.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <matio.h>
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

class Mat final : public core::Tap {
public:
    explicit Mat(const Recording& recording)
        : path_(recording.folder / "results.mat"),
          columns_(recording.columns),
          timebase_(recording.timebase),
          schedule_(recording.timebase, recording.interval) {
        for (const Column& column : columns_) (column.fixed ? fixed_ : moving_).push_back(column.signal);
        std::ranges::copy_if(recording.constants, std::back_inserter(constants_), [&](const Constant& constant) {
            return std::ranges::find(columns_, constant.name, &Column::name) == columns_.end();
        });
        const std::size_t row = moving_.size() + 1;
        buffer_.resize(std::max<std::size_t>(block_bytes / (row * sizeof(double)), 1) * row);
        // Made at once so that a folder that cannot be written to is found before the run.
        base::BlockFile::create(path_).close();
    }

    ~Mat() override {
        try {
            finish();
        } catch (...) {
            // A run that is being unwound already reports its own error.
        }
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (!schedule_.due(t)) return;
        last_time_ = timebase_.seconds(t);
        if (!file_.is_open()) begin(&signals);
        double* out = buffer_.data() + used_;
        *out++ = last_time_;
        for (const core::SignalRef& signal : moving_) *out++ = core::number(signal, signals);
        used_ += moving_.size() + 1;
        if (used_ == buffer_.size() || flush_.due()) write_block();
    }

    void finish() override {
        if (finished_) return;
        finished_ = true;
        if (!file_.is_open()) begin(nullptr);
        write_block();
        file_.close();
    }

private:
    /// Everything before the trajectories; `data_2` is last in the file and grows there. Without signals (the run never
    /// came to its first row) parameters are NaN.
    void begin(const core::Signals* signals) {
        mat_.reset(Mat_CreateVer(path_.c_str(), nullptr, MAT_FT_MAT4));
        if (!mat_) fail("make");
        write_text("Aclass", rows_of({"Atrajectory", "1.1", "", "binTrans"}));
        write_descriptions();
        std::vector<double> constants{last_time_};
        for (const core::SignalRef& signal : fixed_)
            constants.push_back(signals != nullptr ? core::number(signal, *signals)
                                                   : std::numeric_limits<double>::quiet_NaN());
        for (const Constant& constant : constants_) constants.push_back(constant.value);
        const std::size_t count = constants.size();
        constants.insert(constants.end(), constants.begin(), constants.begin() + static_cast<std::ptrdiff_t>(count));
        write_matrix("data_1", MAT_C_DOUBLE, MAT_T_DOUBLE, {count, 2}, constants.data());
        mat_.reset();

        file_ = base::BlockFile::append_to(path_);
        data_2_ = file_.size();
        last_time_of_constants_ = data_2_ - count * sizeof(double);
        const std::string name("data_2\0", 7);
        // Type 0: little endian, double, full matrix; then rows, columns, no imaginary part, length of the name.
        const std::array<std::int32_t, 5> header{0, static_cast<std::int32_t>(moving_.size() + 1), 0, 0,
                                                 static_cast<std::int32_t>(name.size())};
        file_.write({reinterpret_cast<const char*>(header.data()), sizeof header});
        file_.write(name);
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
        if (used_ == 0) return;
        const std::size_t width = moving_.size() + 1;
        rows_ += static_cast<std::int32_t>(used_ / width);
        file_.write({reinterpret_cast<const char*>(buffer_.data()), std::exchange(used_, 0) * sizeof(double)});
        constexpr std::size_t column_count = 2 * sizeof(std::int32_t);
        file_.write_at(data_2_ + column_count, {reinterpret_cast<const char*>(&rows_), sizeof rows_});
        file_.write_at(last_time_of_constants_, {reinterpret_cast<const char*>(&last_time_), sizeof last_time_});
    }

    [[noreturn]] void fail(const char* doing) const {
        throw base::Error("write-failed", path_.string(), std::string("cannot ") + doing + " the file",
                          base::Exit::failed);
    }

    std::filesystem::path path_;
    std::vector<Column> columns_;
    std::vector<core::SignalRef> fixed_, moving_;
    std::vector<Constant> constants_;
    base::Timebase timebase_;
    RowSchedule schedule_;
    std::unique_ptr<mat_t, CloseMat> mat_;
    base::BlockFile file_;
    std::uint64_t data_2_ = 0;
    std::uint64_t last_time_of_constants_ = 0;
    std::vector<double> buffer_;
    std::size_t used_ = 0;
    std::int32_t rows_ = 0;
    double last_time_ = 0;
    bool finished_ = false;
    base::Pulse flush_{flush_period};
};

}  // namespace

std::unique_ptr<core::Tap> make_mat(const Recording& recording) { return std::make_unique<Mat>(recording); }

}  // namespace master::results
