#include "master/results/hdf5_recorder.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"
#include "master/base/pulse.hpp"
#include "master/results/hdf5_dataset.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <hdf5.h>

namespace master::results {
namespace {

constexpr std::size_t block_rows = most_chunk_rows;
constexpr std::size_t waiting_bytes = 4 << 20;  // of the rows that wait for their file
constexpr std::size_t most_waiting_rows = 1 << 16;

GrowingDataset::Shape rows_of(std::size_t width) { return {.width = width, .chunk_rows = chunk_rows(width * 8)}; }

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

std::vector<std::string> texts_of(std::span<const Column> columns, std::string Column::*member) {
    std::vector<std::string> texts;
    for (const Column& column : columns) texts.push_back(column.*member);
    return texts;
}

Hdf5File create_file(const std::filesystem::path& path) {
    silence_hdf5();
    std::error_code problem;
    std::filesystem::create_directories(path.parent_path(), problem);
    if (problem)
        throw base::Error("write-failed", path.parent_path().string(), "cannot make the folder: " + problem.message(),
                          base::Exit::failed);
    Hdf5File file{path, {}};
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const base::HighDescriptors high;
    file.id = Hdf5Handle(H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.get()));
    file.check(file.id.get(), "make the file");
    return file;
}

/// Makes datasets with the buffers of their rows.
class DatasetMaker {
public:
    DatasetMaker(const Hdf5File& file, UnwrittenRows& rows) : file_(file), rows_(rows) {}

    template <class Element>
    [[nodiscard]] BlockDataset<Element> make(const Hdf5Handle& parent, const std::string& path, const char* name,
                                             GrowingDataset::Shape shape, UnwrittenRows::Count& count,
                                             std::size_t capacity) {
        using Kind = UnwrittenRows::Element;
        constexpr Kind kind = std::is_same_v<Element, double>         ? Kind::real
                              : std::is_same_v<Element, std::int64_t> ? Kind::integer
                              : std::is_same_v<Element, std::uint8_t> ? Kind::byte
                                                                      : Kind::natural;
        UnwrittenRows::Block& block = rows_.add_block(count, path + "/" + name, kind, shape.width, capacity);
        return {file_, parent.get(), name, hdf5_type(kind), shape, block};
    }
    [[nodiscard]] UnwrittenRows::Count& count() { return rows_.add_count(); }

private:
    const Hdf5File& file_;
    UnwrittenRows& rows_;
};

/// Binary or text values of any length, recorded when they change and at every event.
class Stream {
public:
    Stream(const Hdf5File& file, DatasetMaker& maker, hid_t parent, const Column& column)
        : signal_(column.signal),
          path_("streams/" + link_name(column.name)),
          group_(make_group(file, parent, link_name(column.name))),
          values_(maker.count()),
          bytes_(maker.count()),
          time_(maker.make<double>(group_, path_, "time", flat(block_rows), values_, block_rows)),
          ends_(maker.make<std::uint64_t>(group_, path_, "ends", flat(block_rows), values_, block_rows)),
          data_(maker.make<std::uint8_t>(group_, path_, "data", flat(stream_block), bytes_, stream_block)) {
        write_attribute(file, group_.get(), "name", column.name);
        write_attribute(file, group_.get(), "kind", column.signal.type == core::Type::bytes ? "bytes" : "string");
        group_.reset();
    }

    /// Takes a value that is to be recorded. `repeated`: also one equal to the last counts, unless that was recorded at
    /// this very time.
    void look(double t, const core::Signals& signals, bool repeated) {
        value_ = current(signals);
        const bool same = any_ && std::ranges::equal(value_, last_);
        is_new_ = !same || (repeated && t != last_time_);
    }
    /// The value that was taken has no place among those that wait.
    [[nodiscard]] bool is_full() const {
        return is_new_ && !is_large() && (time_.room() == 0 || data_.room() < value_.size());
    }
    /// What the file grows by at once, at most: a value that is longer than all that can wait goes straight there.
    [[nodiscard]] std::uint64_t growth_at_once() const {
        return is_new_ && is_large() ? growth(data_.block(), bytes_.waiting() + value_.size()) : 0;
    }

    /// There is room for the value.
    void record(double t) {
        if (!is_new_) return;
        if (is_large()) {
            flush();
            data_.flush(value_);
            bytes_ = {bytes_.total + value_.size(), bytes_.total + value_.size()};
        } else {
            std::ranges::copy(value_, data_.next_row());
            bytes_.total += value_.size();
        }
        *time_.next_row() = t;
        *ends_.next_row() = bytes_.total;
        ++values_.total;
        last_.assign(value_.begin(), value_.end());
        last_time_ = t;
        any_ = true;
    }

    void flush() {
        // Data first, so that a reader never sees an end beyond it.
        data_.flush();
        bytes_.written = bytes_.total;
        ends_.flush();
        time_.flush();
        values_.written = values_.total;
    }

private:
    static GrowingDataset::Shape flat(std::size_t chunk) { return {.chunk_rows = chunk, .flat = true}; }

    [[nodiscard]] std::span<const std::uint8_t> current(const core::Signals& signals) const {
        const core::Lanes& lanes = signal_.lanes(signals);
        if (signal_.type == core::Type::bytes)
            return {lanes.bytes[signal_.index].data, lanes.bytes[signal_.index].size};
        const std::string& text = lanes.strings[signal_.index];
        return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
    }
    [[nodiscard]] bool is_large() const { return value_.size() > data_.capacity(); }

    core::SignalRef signal_;
    std::string path_;
    Hdf5Handle group_;
    UnwrittenRows::Count& values_;
    UnwrittenRows::Count& bytes_;
    BlockDataset<double> time_;
    BlockDataset<std::uint64_t> ends_;
    BlockDataset<std::uint8_t> data_;
    std::span<const std::uint8_t> value_;  // that is to be recorded
    bool is_new_ = false;
    std::vector<std::uint8_t> last_;
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

/// Everything that is open in the library.
class Tables {
public:
    Tables(const std::filesystem::path& path, const Recording& recording, UnwrittenRows& rows)
        : file_(create_file(path)), store_(rows), maker_(file_, rows), rows_(maker_.count()) {
        const Sorted sorted = sort(recording.columns);
        std::size_t width = 1 + sorted.values.size() + sorted.integers.size() + sorted.naturals.size();
        for (const auto& array : sorted.arrays) width += array.size();
        capacity_ = std::clamp<std::size_t>(waiting_bytes / (width * 8), 1, most_waiting_rows);
        if (capacity_ > block_rows) capacity_ -= capacity_ % block_rows;
        make_values(sorted);
        if (!sorted.arrays.empty()) make_arrays(sorted.arrays);
        if (!sorted.streams.empty()) {
            const Hdf5Handle group = make_group(file_, file_.id.get(), "streams");
            streams_.reserve(sorted.streams.size());
            for (const Column& column : sorted.streams) streams_.emplace_back(file_, maker_, group.get(), column);
        }
        file_.check(H5Fstart_swmr_write(file_.id.get()), "let others read while the file grows");
    }

    void record_streams(double t, const core::Signals& signals, bool repeated) {
        bool full = false;
        std::uint64_t at_once = 0;
        for (Stream& stream : streams_) {
            stream.look(t, signals, repeated);
            full |= stream.is_full();
            at_once += stream.growth_at_once();
        }
        // Together with the rows, which share what is left of the disk; before the first value of a new one.
        if (full) flush();
        if (at_once > 0) check_room(at_once);
        for (Stream& stream : streams_) stream.record(t);
    }

    void record_row(double t, const core::Signals& signals) {
        if (values_->dataset.room() == 0) flush();
        // Before the row, which counts as soon as it is there.
        record_streams(t, signals, false);
        double* const row = values_->dataset.next_row();
        *row = t;
        gather(row + 1, values_->runs, signals);
        for (Reals& array : arrays_) gather(array.dataset.next_row(), array.runs, signals);
        if (integers_) copy_exact(*integers_, signals, &core::Lanes::integers);
        if (naturals_) copy_exact(*naturals_, signals, &core::Lanes::naturals);
        ++rows_.total;
    }

    /// As many rows as fit, before it is too late to close the file.
    void flush() {
        const Room room = room_in(file_.path);
        const bool all = keep_what_fits(store_.blocks(), room.bytes);
        write();
        if (!all) fail(room);
    }

    void write() {
        // The time stands in `values`: flushed last, so that every row a reader counts is complete elsewhere.
        for (Reals& array : arrays_) array.dataset.flush();
        if (integers_) integers_->dataset.flush();
        if (naturals_) naturals_->dataset.flush();
        for (Stream& stream : streams_) stream.flush();
        values_->dataset.flush();
        rows_.written = rows_.total;
    }

    void close() {
        values_.reset();
        integers_.reset();
        naturals_.reset();
        arrays_.clear();
        streams_.clear();
        if (file_.id.reset() < 0) file_.fail("close the file");
        check_rows_of(file_.path, rows_block, rows_.written);
    }

private:
    /// For so many bytes beside all that waits.
    void check_room(std::uint64_t bytes) {
        const Room room = room_in(file_.path);
        if (room_needed(store_.blocks()) + bytes <= room.bytes) return;
        flush();
        fail(room);
    }

    [[noreturn]] void fail(const Room& room) const {
        throw NoRoom("write-failed", file_.path.string(),
                     std::string("cannot write rows: ") + std::strerror(room.cause), base::Exit::failed);
    }

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
                  maker_.make<double>(group, "signals", "values", rows_of(columns.size()), rows_, capacity_)});
        if (!sorted.integers.empty()) {
            write_texts(file_, group.get(), "integer_names", texts_of(sorted.integers, &Column::name));
            integers_.emplace(
                Exact<std::int64_t>{signals_of(sorted.integers),
                                    maker_.make<std::int64_t>(group, "signals", "integers",
                                                              rows_of(sorted.integers.size()), rows_, capacity_)});
        }
        if (sorted.naturals.empty()) return;
        write_texts(file_, group.get(), "natural_names", texts_of(sorted.naturals, &Column::name));
        naturals_.emplace(
            Exact<std::uint64_t>{signals_of(sorted.naturals),
                                 maker_.make<std::uint64_t>(group, "signals", "naturals",
                                                            rows_of(sorted.naturals.size()), rows_, capacity_)});
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
                {runs_of(signals_of(elements)), maker_.make<double>(array, "arrays/" + link_name(name), "values",
                                                                    rows_of(elements.size()), rows_, capacity_)});
        }
    }

    template <class Integer>
    static void copy_exact(Exact<Integer>& exact, const core::Signals& signals,
                           std::vector<Integer> core::Lanes::*lane) {
        Integer* out = exact.dataset.next_row();
        for (const core::SignalRef& signal : exact.signals) *out++ = (signal.lanes(signals).*lane)[signal.index];
    }

    Hdf5File file_;
    const UnwrittenRows& store_;
    DatasetMaker maker_;
    UnwrittenRows::Count& rows_;
    std::size_t capacity_ = 0;  // rows that wait
    std::optional<Reals> values_;
    std::optional<Exact<std::int64_t>> integers_;
    std::optional<Exact<std::uint64_t>> naturals_;
    std::vector<Reals> arrays_;
    std::vector<Stream> streams_;
};

class Hdf5 final : public core::Tap {
public:
    explicit Hdf5(const Recording& recording)
        : timebase_(recording.timebase),
          schedule_(recording.timebase, recording.interval),
          growing_(recording, "results.h5"),
          tables_(std::make_unique<Tables>(growing_.path(), recording, growing_.rows())) {
        growing_.created();
        growing_.rows().ready();
    }

    ~Hdf5() override {
        try {
            finish();
        } catch (...) {
            // A run that is being unwound already reports its own error.
        }
    }

    void on_event(base::Time t, const core::Signals& signals) override {
        guarded([&] { tables_->record_streams(timebase_.seconds(t), signals, true); });
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.due(t)) record(t, signals);
    }

    void after_last_step(base::Time t, const core::Signals& signals) override {
        if (schedule_.lacks(t)) record(t, signals);
    }

    void finish() override {
        if (!tables_) return;
        guarded([&] { tables_->flush(); });
        close();
    }

private:
    void record(base::Time t, const core::Signals& signals) {
        guarded([&] {
            tables_->record_row(timebase_.seconds(t), signals);
            if (flush_.due()) tables_->flush();
        });
    }

    /// After a failure the library knows more than the file: whatever it would still write, or close, makes that worse.
    /// The file stays as it is, for `complete_hdf5` in another process.
    template <class Work>
    void guarded(Work work) {
        if (!tables_) return;
        try {
            work();
        } catch (const NoRoom&) {
            close();
            throw;
        } catch (...) {
            static_cast<void>(tables_.release());
            throw;
        }
    }

    void close() {
        guarded([&] {
            growing_.check_name();
            tables_->close();
        });
        tables_.reset();
        growing_.complete();
    }

    base::Timebase timebase_;
    RowSchedule schedule_;
    GrowingFile growing_;
    std::unique_ptr<Tables> tables_;
    base::Pulse flush_{flush_period};
};

}  // namespace

std::unique_ptr<core::Tap> make_hdf5(const Recording& recording) { return std::make_unique<Hdf5>(recording); }

void complete_hdf5(const std::filesystem::path& path, const UnwrittenRows* rows) {
    silence_hdf5();
    Hdf5File file{path, {}};
    file.id = open_again(file, true);
    file.check(H5Fincrement_filesize(file.id.get(), 0), "correct its length");
    file.check(file.id.reset(), "close the file");
    if (rows == nullptr) return;
    // A file in which writing fails half-way is lost.
    const auto waits = [](const UnwrittenRows::Block& block) { return block.count->waiting() > 0; };
    if (!keep_what_fits(rows->blocks(), room_in(path).bytes) && std::ranges::none_of(rows->blocks(), waits)) return;
    file.id = open_again(file, false);
    for (const UnwrittenRows::Block& block : rows->blocks()) append_rows(file, block);
    file.check(file.id.reset(), "close the file");
}

}  // namespace master::results
