#include "master/results/stream/row_stream.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"
#include "master/results/csv_scanner.hpp"
#include "master/results/hdf5_handle.hpp"
#include "master/results/mat_recorder.hpp"
#include "master/results/mcap/mcap_result.hpp"
#include "master/results/stream/mapped_file.hpp"
#include "master/results/stream/sketch.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <hdf5.h>
#include <limits>
#include <map>
#include <optional>

namespace master::results {
namespace {

using UseRow = std::function<void(double, std::span<const double>)>;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t block_values = 1 << 17;

std::optional<double> number_in(std::string_view text) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

void stream_csv(const std::filesystem::path& file, std::span<const std::string> names, const UseRow& use) {
    MappedFile mapped(file);
    CsvScanner scanner(mapped.text(), file.string());
    std::vector<CsvCell> cells;
    if (!scanner.next_row(cells)) return;
    std::map<std::string, std::size_t> place;
    for (std::size_t i = 0; i < cells.size(); ++i) place[cells[i].text()] = i;
    std::vector<std::size_t> wanted;
    for (const std::string& name : names) {
        const auto found = place.find(name);
        wanted.push_back(found == place.end() ? std::numeric_limits<std::size_t>::max() : found->second);
    }
    std::vector<double> values(names.size());
    while (scanner.next_row(cells)) {
        const std::optional<double> t = number_in(cells.front().raw);
        if (!t) continue;  // the row of units
        mapped.forget_before(cells.front().raw.data());
        for (std::size_t i = 0; i < wanted.size(); ++i)
            values[i] = wanted[i] < cells.size() ? number_in(cells[wanted[i]].raw).value_or(missing) : missing;
        use(*t, values);
    }
}

/// One dataset of rows, read in blocks, and where its columns go.
struct Hdf5Rows {
    Hdf5Handle dataset;
    std::size_t width = 0;
    std::vector<std::pair<std::size_t, std::size_t>> columns;  // in the dataset, among the names
    std::vector<double> block;
};

class Hdf5Stream {
public:
    Hdf5Stream(const std::filesystem::path& file, std::span<const std::string> names) : path_(file.string()) {
        silence_hdf5();
        for (std::size_t i = 0; i < names.size(); ++i) wanted_[names[i]] = i;
        file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
        if (!file_.valid()) refuse();
        add("signals");
        if (H5Lexists(file_.get(), "arrays", H5P_DEFAULT) > 0) {
            const Hdf5Handle group(H5Gopen2(file_.get(), "arrays", H5P_DEFAULT));
            H5G_info_t info{};
            H5Gget_info(group.get(), &info);
            for (hsize_t i = 0; i < info.nlinks; ++i) {
                std::array<char, 4096> name{};
                H5Lget_name_by_idx(group.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, name.data(), name.size(),
                                   H5P_DEFAULT);
                add(std::string("arrays/") + name.data());
            }
        }
    }

    void stream(const UseRow& use) {
        std::size_t widest = 1;
        for (const Hdf5Rows& rows : datasets_) widest = std::max(widest, rows.width);
        const std::size_t step = std::max<std::size_t>(block_values / widest, 1);
        std::vector<double> values(wanted_.size(), missing);
        for (std::size_t first = 0; first < rows_; first += step) {
            const std::size_t count = std::min(step, rows_ - first);
            for (Hdf5Rows& rows : datasets_) read(rows, first, count);
            for (std::size_t k = 0; k < count; ++k) {
                for (const Hdf5Rows& rows : datasets_)
                    for (const auto& [from, to] : rows.columns) values[to] = rows.block[k * rows.width + from];
                use(datasets_.front().block[k * datasets_.front().width], values);
            }
        }
    }

private:
    [[noreturn]] void refuse() const {
        throw base::Error("bad-result", path_, "the result cannot be read: " + hdf5_reason());
    }

    void add(const std::string& group) {
        Hdf5Rows rows;
        rows.dataset = Hdf5Handle(H5Dopen2(file_.get(), (group + "/values").c_str(), H5P_DEFAULT));
        const Hdf5Handle names(H5Dopen2(file_.get(), (group + "/names").c_str(), H5P_DEFAULT));
        if (!rows.dataset.valid() || !names.valid()) refuse();
        const Hdf5Handle space(H5Dget_space(rows.dataset.get()));
        std::array<hsize_t, 2> extent{};
        if (H5Sget_simple_extent_ndims(space.get()) != 2) refuse();
        H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
        rows.width = extent[1];
        rows_ = datasets_.empty() ? extent[0] : std::min<std::size_t>(rows_, extent[0]);
        const Hdf5Handle type(H5Dget_type(names.get()));
        const std::size_t length = H5Tget_size(type.get());
        std::string texts(length * rows.width, '\0');
        if (H5Dread(names.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) < 0) refuse();
        for (std::size_t i = 0; i < rows.width; ++i) {
            const std::string name = texts.substr(i * length, length);
            const auto found = wanted_.find(name.substr(0, name.find('\0')));
            if (found != wanted_.end()) rows.columns.emplace_back(i, found->second);
        }
        if (datasets_.empty() || !rows.columns.empty()) datasets_.push_back(std::move(rows));
    }

    void read(Hdf5Rows& rows, std::size_t first, std::size_t count) const {
        rows.block.resize(count * rows.width);
        const std::array<hsize_t, 2> start{first, 0}, size{count, rows.width};
        const Hdf5Handle space(H5Dget_space(rows.dataset.get()));
        H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr);
        const Hdf5Handle memory(H5Screate_simple(2, size.data(), nullptr));
        if (H5Dread(rows.dataset.get(), H5T_NATIVE_DOUBLE, memory.get(), space.get(), H5P_DEFAULT, rows.block.data()) <
            0)
            refuse();
    }

    std::string path_;
    Hdf5Handle file_;
    std::map<std::string, std::size_t> wanted_;
    std::vector<Hdf5Rows> datasets_;  // the first holds the time
    std::size_t rows_ = 0;
};

/// As `make_mat` writes it: names and their places are matrices, the rows lie one after the other at the end.
class MatStream {
public:
    MatStream(const std::filesystem::path& path, std::span<const std::string> names)
        : path_(path.string()), file_(base::BlockFile::append_to(path)), values_(names.size(), missing) {
        const std::optional<MatRows> rows = find_rows(file_);
        if (!rows) refuse("data_2");
        rows_ = *rows;
        std::map<std::string, std::size_t> wanted;
        for (std::size_t i = 0; i < names.size(); ++i) wanted[names[i]] = i;
        const auto [texts, length] = matrix<char>("name");
        const auto [places, four] = matrix<std::int32_t>("dataInfo");
        const auto [constants, fixed] = matrix<double>("data_1");
        if (length == 0 || four != 4) refuse("dataInfo");
        for (std::size_t i = 0; i < std::min(texts.size() / length, places.size() / four); ++i) {
            std::string name(texts.data() + i * length, length);
            name.resize(std::min(name.find('\0'), name.size()));
            const auto found = wanted.find(name);
            if (found == wanted.end()) continue;
            const auto row = static_cast<std::size_t>(places[four * i + 1] - 1);
            if (places[four * i] == 2 && row < width()) columns_.emplace_back(row, found->second);
            if (places[four * i] == 1 && row < fixed) values_[found->second] = constants[row];
        }
    }

    void stream(const UseRow& use) {
        const std::size_t step = std::max<std::size_t>(block_values / width(), 1);
        std::vector<double> block(step * width());
        for (std::uint64_t first = 0; first < rows_.count; first += step) {
            const std::size_t bytes =
                file_.read_at(rows_.begin + first * rows_.row_bytes,
                              {reinterpret_cast<char*>(block.data()), block.size() * sizeof(double)});
            const std::uint64_t got = std::min(bytes / rows_.row_bytes, rows_.count - first);
            for (std::size_t k = 0; k < got; ++k) {
                for (const auto& [from, to] : columns_) values_[to] = block[k * width() + from];
                use(block[k * width()], values_);
            }
        }
    }

private:
    [[noreturn]] void refuse(const char* name) const {
        throw base::Error("bad-result", path_, std::string("the result cannot be read: ") + name);
    }
    [[nodiscard]] std::size_t width() const { return rows_.row_bytes / sizeof(double); }

    /// The elements, and how many there are in a column.
    template <class Element>
    [[nodiscard]] std::pair<std::vector<Element>, std::size_t> matrix(const char* name) const {
        const std::optional<MatPlace> place = find_matrix(file_, name);
        if (!place || place->element != sizeof(Element) || place->data + place->rows * place->columns > file_.size())
            refuse(name);
        std::vector<Element> elements(place->rows * place->columns);
        static_cast<void>(
            file_.read_at(place->data, {reinterpret_cast<char*>(elements.data()), elements.size() * sizeof(Element)}));
        return {std::move(elements), place->rows};
    }

    std::string path_;
    base::BlockFile file_;
    MatRows rows_;
    std::vector<std::pair<std::size_t, std::size_t>> columns_;  // in a row, among the names
    std::vector<double> values_;
};

Table named(Table table, const std::filesystem::path& file, std::span<const std::string> names) {
    table.source = file.string();
    for (std::size_t i = 0; i < names.size(); ++i) table.columns[i].name = names[i];
    return table;
}

}  // namespace

void for_each_row(const std::filesystem::path& file, std::span<const std::string> names, const UseRow& use) {
    const std::string extension = file.extension().string();
    if (extension == ".csv") return stream_csv(file, names, use);
    if (extension == ".h5") return Hdf5Stream(file, names).stream(use);
    if (extension == ".mat") return MatStream(file, names).stream(use);
    if (extension == ".mcap") return McapResult(file).stream(names, use);
    throw base::Error("bad-result", file.string(), "expected a result that ends in .csv, .h5, .mat or .mcap");
}

Table read_columns(const std::filesystem::path& file, std::span<const std::string> names) {
    Table table;
    std::vector<std::vector<double>> columns(names.size());
    for_each_row(file, names, [&](double t, std::span<const double> values) {
        table.time.push_back(t);
        for (std::size_t i = 0; i < values.size(); ++i) columns[i].push_back(values[i]);
    });
    for (std::vector<double>& column : columns) table.columns.push_back({{}, {}, std::move(column)});
    return named(std::move(table), file, names);
}

Table read_sketch(const std::filesystem::path& file, std::span<const std::string> names) {
    Sketch sketch(names.size());
    for_each_row(file, names, [&](double t, std::span<const double> values) { sketch.add(t, values); });
    return named(sketch.table(), file, names);
}

}  // namespace master::results
