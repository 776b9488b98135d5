#include "master/results/hdf5_recorder.hpp"

#include "master/base/error.hpp"
#include "master/base/pulse.hpp"
#include "master/results/hdf5_dataset.hpp"

#include <algorithm>
#include <cstring>
#include <hdf5.h>

namespace master::results {
namespace {

constexpr std::size_t block_rows = 1024;
constexpr std::size_t largest_block = 8 << 20;  // bytes
constexpr std::size_t stream_block = 64 << 10;

GrowingDataset::Shape rows_of(std::size_t width) {
    return {.width = width, .chunk_rows = std::clamp<std::size_t>(largest_block / (width * 8), 1, block_rows)};
}

/// Neighbouring columns whose reals lie side by side, copied in one go; any other number alone.
struct Run {
    core::SignalRef first;
    std::size_t count = 1;
};

std::vector<Run> runs_of(std::span<const core::SignalRef> signals) {
    std::vector<Run> runs;
    for (const core::SignalRef& signal : signals) {
        if (!runs.empty()) {
            Run& last = runs.back();
            const bool beside = last.first.type == core::Type::real && signal.type == core::Type::real &&
                                last.first.input == signal.input && last.first.index + last.count == signal.index;
            if (beside) {
                ++last.count;
                continue;
            }
        }
        runs.push_back({signal});
    }
    return runs;
}

void gather(double* out, std::span<const Run> runs, const core::Signals& signals) {
    for (const Run& run : runs) {
        if (run.first.type != core::Type::real) {
            *out++ = core::number(run.first, signals);
            continue;
        }
        out = std::copy_n(run.first.lanes(signals).reals.data() + run.first.index, run.count, out);
    }
}

std::string_view array_of(const Column& column) {
    const std::size_t bracket = column.name.ends_with(']') ? column.name.rfind('[') : std::string::npos;
    return bracket == std::string::npos ? std::string_view{} : std::string_view(column.name).substr(0, bracket);
}

std::string link_name(std::string name) {
    std::ranges::replace(name, '/', '|');
    return name;
}

/// The columns of a recording by where they go.
struct Sorted {
    std::vector<Column> values, integers, naturals, streams;
    std::vector<std::vector<Column>> arrays;
};

Sorted sort(const std::vector<Column>& columns) {
    Sorted sorted;
    for (std::size_t i = 0; i < columns.size();) {
        const Column& column = columns[i];
        std::size_t end = i + 1;
        if (const std::string_view array = array_of(column); !array.empty() && column.signal.type == core::Type::real) {
            while (end < columns.size() && columns[end].signal.type == core::Type::real &&
                   array_of(columns[end]) == array)
                ++end;
        }
        const auto from = columns.begin() + static_cast<std::ptrdiff_t>(i);
        const auto to = columns.begin() + static_cast<std::ptrdiff_t>(end);
        i = end;
        if (to - from > static_cast<std::ptrdiff_t>(large_array)) {
            sorted.arrays.emplace_back(from, to);
            continue;
        }
        if (column.signal.type == core::Type::bytes || column.signal.type == core::Type::string) {
            sorted.streams.push_back(column);
            continue;
        }
        if (column.signal.type == core::Type::integer) sorted.integers.push_back(column);
        if (column.signal.type == core::Type::natural) sorted.naturals.push_back(column);
        sorted.values.insert(sorted.values.end(), from, to);
    }
    return sorted;
}

void write_texts(const Hdf5File& file, hid_t parent, const char* name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::vector<char> padded(texts.size() * longest, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i)
        std::ranges::copy(texts[i], padded.begin() + static_cast<std::ptrdiff_t>(i * longest));
    const hsize_t count = texts.size();
    const Hdf5Handle type = hdf5_text_type(longest);
    const Hdf5Handle space(H5Screate_simple(1, &count, nullptr));
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);
    const Hdf5Handle dataset(file.check(
        H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), "make a dataset"));
    file.check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "write names");
}

void write_attribute(const Hdf5File& file, hid_t object, const char* name, const std::string& text) {
    const Hdf5Handle type = hdf5_text_type(text.size());
    const Hdf5Handle space(H5Screate(H5S_SCALAR));
    const Hdf5Handle attribute(
        file.check(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), "make an attribute"));
    const std::string padded = text.empty() ? std::string(1, '\0') : text;
    file.check(H5Awrite(attribute.get(), type.get(), padded.data()), "write an attribute");
}

Hdf5Handle make_group(const Hdf5File& file, hid_t parent, const std::string& name) {
    const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);
    return Hdf5Handle(file.check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                                 ("make the group '" + name + "'").c_str()));
}

std::vector<std::string> texts_of(std::span<const Column> columns, std::string Column::*member) {
    std::vector<std::string> texts;
    for (const Column& column : columns) texts.push_back(column.*member);
    return texts;
}

Hdf5File create_file(const std::filesystem::path& folder) {
    silence_hdf5();
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem)
        throw base::Error("write-failed", folder.string(), "cannot make the folder: " + problem.message(),
                          base::Exit::failed);
    Hdf5File file{folder / "results.h5", {}};
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    file.id = Hdf5Handle(H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
    file.check(file.id.get(), "make the file");
    return file;
}

/// Binary or text values of any length, recorded when they change and at every event.
class Stream {
public:
    Stream(const Hdf5File& file, hid_t parent, const Column& column)
        : signal_(column.signal),
          group_(make_group(file, parent, link_name(column.name))),
          time_(file, group_.get(), "time", H5T_NATIVE_DOUBLE, {.chunk_rows = block_rows, .flat = true}),
          ends_(file, group_.get(), "ends", H5T_NATIVE_UINT64, {.chunk_rows = block_rows, .flat = true}),
          data_(file, group_.get(), "data", H5T_NATIVE_UINT8, {.chunk_rows = stream_block, .flat = true}) {
        write_attribute(file, group_.get(), "name", column.name);
        write_attribute(file, group_.get(), "kind", column.signal.type == core::Type::bytes ? "bytes" : "string");
        group_.reset();
    }

    /// `repeated`: also a value equal to the last one counts, unless it was recorded at this very time.
    void record(double t, const core::Signals& signals, bool repeated) {
        const std::span<const std::uint8_t> value = current(signals);
        const bool same = any_ && std::ranges::equal(value, last_);
        if (same && !(repeated && t != last_time_)) return;
        *time_.next_row() = t;
        end_ += value.size();
        *ends_.next_row() = end_;
        data_.append(value);
        last_.assign(value.begin(), value.end());
        last_time_ = t;
        any_ = true;
    }

    void flush() {
        // Data first, so that a reader never sees an end beyond it.
        data_.flush();
        ends_.flush();
        time_.flush();
    }

private:
    [[nodiscard]] std::span<const std::uint8_t> current(const core::Signals& signals) const {
        const core::Lanes& lanes = signal_.lanes(signals);
        if (signal_.type == core::Type::bytes)
            return {lanes.bytes[signal_.index].data, lanes.bytes[signal_.index].size};
        const std::string& text = lanes.strings[signal_.index];
        return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    }

    core::SignalRef signal_;
    Hdf5Handle group_;
    BlockDataset<double> time_;
    BlockDataset<std::uint64_t> ends_;
    BlockDataset<std::uint8_t> data_;
    std::vector<std::uint8_t> last_;
    std::uint64_t end_ = 0;
    double last_time_ = 0;
    bool any_ = false;
};

/// One table of rows: where its columns come from and where they go.
struct Reals {
    std::vector<Run> runs;
    BlockDataset<double> dataset;
};
template <class Integer>
struct Exact {
    std::vector<core::SignalRef> signals;
    BlockDataset<Integer> dataset;
};

class Hdf5 final : public core::Tap {
public:
    explicit Hdf5(const Recording& recording)
        : timebase_(recording.timebase),
          schedule_(recording.timebase, recording.interval),
          file_(create_file(recording.folder)) {
        Sorted sorted = sort(recording.columns);
        make_values(sorted);
        if (!sorted.arrays.empty()) make_arrays(sorted.arrays);
        if (!sorted.streams.empty()) {
            const Hdf5Handle group = make_group(file_, file_.id.get(), "streams");
            for (const Column& column : sorted.streams) streams_.emplace_back(file_, group.get(), column);
        }
        file_.check(H5Fstart_swmr_write(file_.id.get()), "let others read while the file grows");
    }

    ~Hdf5() override {
        try {
            finish();
        } catch (...) {
            // A run that is being unwound already reports its own error.
        }
    }

    void on_event(base::Time t, const core::Signals& signals) override {
        for (Stream& stream : streams_) stream.record(timebase_.seconds(t), signals, true);
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (!schedule_.due(t)) return;
        const double seconds = timebase_.seconds(t);
        double* const row = values_->dataset.next_row();
        *row = seconds;
        gather(row + 1, values_->runs, signals);
        for (Reals& array : arrays_) gather(array.dataset.next_row(), array.runs, signals);
        if (integers_) copy_exact(*integers_, signals, &core::Lanes::integers);
        if (naturals_) copy_exact(*naturals_, signals, &core::Lanes::naturals);
        for (Stream& stream : streams_) stream.record(seconds, signals, false);
        if (flush_.due()) flush();
    }

    void finish() override {
        if (!file_.id.valid()) return;
        flush();
        values_.reset();
        integers_.reset();
        naturals_.reset();
        arrays_.clear();
        streams_.clear();
        if (file_.id.reset() < 0) file_.fail("close the file");
    }

private:
    void make_values(const Sorted& sorted) {
        const Hdf5Handle group = make_group(file_, file_.id.get(), "signals");
        std::vector<Column> columns(1);
        columns.front().name = "time";
        columns.front().unit = "s";
        columns.insert(columns.end(), sorted.values.begin(), sorted.values.end());
        write_texts(file_, group.get(), "names", texts_of(columns, &Column::name));
        write_texts(file_, group.get(), "units", texts_of(columns, &Column::unit));
        write_texts(file_, group.get(), "descriptions", texts_of(columns, &Column::description));
        values_.emplace(
            Reals{runs_of(signals_of(sorted.values)),
                  BlockDataset<double>(file_, group.get(), "values", H5T_NATIVE_DOUBLE, rows_of(columns.size()))});
        if (!sorted.integers.empty()) {
            write_texts(file_, group.get(), "integer_names", texts_of(sorted.integers, &Column::name));
            integers_.emplace(
                Exact<std::int64_t>{signals_of(sorted.integers),
                                    BlockDataset<std::int64_t>(file_, group.get(), "integers", H5T_NATIVE_INT64,
                                                               rows_of(sorted.integers.size()))});
        }
        if (sorted.naturals.empty()) return;
        write_texts(file_, group.get(), "natural_names", texts_of(sorted.naturals, &Column::name));
        naturals_.emplace(Exact<std::uint64_t>{
            signals_of(sorted.naturals), BlockDataset<std::uint64_t>(file_, group.get(), "naturals", H5T_NATIVE_UINT64,
                                                                     rows_of(sorted.naturals.size()))});
    }

    void make_arrays(const std::vector<std::vector<Column>>& arrays) {
        const Hdf5Handle group = make_group(file_, file_.id.get(), "arrays");
        for (const std::vector<Column>& elements : arrays) {
            const std::string name(array_of(elements.front()));
            const Hdf5Handle array = make_group(file_, group.get(), link_name(name));
            write_attribute(file_, array.get(), "name", name);
            write_attribute(file_, array.get(), "unit", elements.front().unit);
            write_texts(file_, array.get(), "names", texts_of(elements, &Column::name));
            arrays_.push_back(
                {runs_of(signals_of(elements)),
                 BlockDataset<double>(file_, array.get(), "values", H5T_NATIVE_DOUBLE, rows_of(elements.size()))});
        }
    }

    template <class Integer>
    static void copy_exact(Exact<Integer>& exact, const core::Signals& signals,
                           std::vector<Integer> core::Lanes::*lane) {
        Integer* out = exact.dataset.next_row();
        for (const core::SignalRef& signal : exact.signals) *out++ = (signal.lanes(signals).*lane)[signal.index];
    }

    void flush() {
        // The time stands in `values`: flushed last, so that every row a reader counts is complete elsewhere.
        for (Reals& array : arrays_) array.dataset.flush();
        if (integers_) integers_->dataset.flush();
        if (naturals_) naturals_->dataset.flush();
        for (Stream& stream : streams_) stream.flush();
        values_->dataset.flush();
    }

    base::Timebase timebase_;
    RowSchedule schedule_;
    Hdf5File file_;
    std::optional<Reals> values_;
    std::optional<Exact<std::int64_t>> integers_;
    std::optional<Exact<std::uint64_t>> naturals_;
    std::vector<Reals> arrays_;
    std::vector<Stream> streams_;
    base::Pulse flush_{flush_period};
};

}  // namespace

std::unique_ptr<core::Tap> make_hdf5(const Recording& recording) { return std::make_unique<Hdf5>(recording); }

}  // namespace master::results
