#include "master/base/error.hpp"
#include "master/results/hdf5_handle.hpp"
#include "master/results/result_file.hpp"

#include <algorithm>
#include <array>
#include <hdf5.h>

namespace master::results {
namespace {

/// A dataset of at most two dimensions as it was read.
template <class Element>
struct Hdf5Matrix {
    std::size_t rows = 0, columns = 1;
    std::vector<Element> elements;  // row by row
};

class Hdf5Reader {
public:
    explicit Hdf5Reader(const std::filesystem::path& path) : path_(path.string()) {
        silence_hdf5();
        file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
        // The file of a run that was killed or still goes on is marked as being written.
        if (!file_.valid()) {
            file_ = Hdf5Handle(H5Fopen(path_.c_str(), H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, H5P_DEFAULT));
            unfinished_ = true;
        }
        if (!file_.valid()) refuse("the file cannot be opened as HDF5: " + hdf5_reason());
    }

    Table read() {
        table_.source = path_;
        if (H5Lexists(file_.get(), "signals", H5P_DEFAULT) <= 0) refuse("found no group /signals");
        read_values();
        for (const std::string& name : children("arrays")) read_array("arrays/" + name);
        read_exact<std::int64_t>("integer", H5T_NATIVE_INT64);
        read_exact<std::uint64_t>("natural", H5T_NATIVE_UINT64);
        for (const std::string& name : children("streams")) read_stream("streams/" + name);
        return std::move(table_);
    }

private:
    [[noreturn]] void refuse(const std::string& found) const {
        throw base::Error("bad-result", path_, found + ", expected a result.h5 as this program records it");
    }

    [[nodiscard]] Hdf5Handle open(const std::string& name) const {
        Hdf5Handle dataset(H5Dopen2(file_.get(), name.c_str(), H5P_DEFAULT));
        if (!dataset.valid()) refuse("found no dataset /" + name);
        return dataset;
    }

    template <class Element>
    [[nodiscard]] Hdf5Matrix<Element> matrix(const std::string& name, hid_t type) const {
        const Hdf5Handle dataset = open(name);
        const Hdf5Handle space(H5Dget_space(dataset.get()));
        std::array<hsize_t, 2> extent{0, 1};
        const int rank = H5Sget_simple_extent_ndims(space.get());
        if (rank < 1 || rank > 2) refuse("/" + name + " has " + std::to_string(rank) + " dimensions");
        H5Sget_simple_extent_dims(space.get(), extent.data(), nullptr);
        Hdf5Matrix<Element> result{extent[0], extent[1], std::vector<Element>(extent[0] * extent[1])};
        if (result.elements.empty()) return result;
        if (H5Dread(dataset.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, result.elements.data()) < 0)
            refuse("/" + name + " cannot be read: " + hdf5_reason());
        return result;
    }

    [[nodiscard]] std::vector<std::string> texts(const std::string& name) const {
        const Hdf5Handle dataset = open(name);
        const Hdf5Handle stored(H5Dget_type(dataset.get()));
        if (H5Tget_class(stored.get()) != H5T_STRING || H5Tis_variable_str(stored.get()) != 0)
            refuse("/" + name + " holds no strings of fixed length");
        const std::size_t length = H5Tget_size(stored.get());
        const Hdf5Handle space(H5Dget_space(dataset.get()));
        const auto count = static_cast<std::size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space.get()), 0));
        std::string padded(count * length, '\0');
        if (count > 0 && H5Dread(dataset.get(), stored.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()) < 0)
            refuse("/" + name + " cannot be read: " + hdf5_reason());
        std::vector<std::string> result;
        for (std::size_t i = 0; i < count; ++i) {
            const std::string text = padded.substr(i * length, length);
            result.push_back(text.substr(0, text.find('\0')));
        }
        return result;
    }

    [[nodiscard]] std::string attribute(const std::string& object, const char* name) const {
        const Hdf5Handle attribute(H5Aopen_by_name(file_.get(), object.c_str(), name, H5P_DEFAULT, H5P_DEFAULT));
        if (!attribute.valid()) refuse("/" + object + " has no attribute '" + name + "'");
        const Hdf5Handle type(H5Aget_type(attribute.get()));
        std::string text(H5Tget_size(type.get()), '\0');
        if (H5Tget_class(type.get()) != H5T_STRING || H5Aread(attribute.get(), type.get(), text.data()) < 0)
            refuse("the attribute '" + std::string(name) + "' of /" + object + " cannot be read");
        return text.substr(0, text.find('\0'));
    }

    [[nodiscard]] std::vector<std::string> children(const char* group) const {
        std::vector<std::string> names;
        if (H5Lexists(file_.get(), group, H5P_DEFAULT) <= 0) return names;
        const Hdf5Handle id(H5Gopen2(file_.get(), group, H5P_DEFAULT));
        const auto collect = [](hid_t, const char* name, const H5L_info_t*, void* out) -> herr_t {
            static_cast<std::vector<std::string>*>(out)->emplace_back(name);
            return 0;
        };
        if (!id.valid() || H5Literate(id.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, collect, &names) < 0)
            refuse(std::string("the group /") + group + " cannot be read");
        return names;
    }

    void read_values() {
        const Hdf5Matrix<double> values = matrix<double>("signals/values", H5T_NATIVE_DOUBLE);
        const std::vector<std::string> names = texts("signals/names");
        const std::vector<std::string> units = texts("signals/units");
        if (names.size() != values.columns || units.size() != names.size() || names.empty())
            refuse("/signals/names and units do not fit /signals/values");
        table_.time = column(values, 0, values.rows);
        if (!std::ranges::is_sorted(table_.time)) refuse("the time in /signals/values decreases");
        for (std::size_t i = 1; i < names.size(); ++i)
            table_.columns.push_back({names[i], units[i], column(values, i, values.rows)});
    }

    /// Of an unfinished file the last rows may be there in part.
    void keep_whole_rows(std::size_t rows) {
        if (!unfinished_ || rows >= table_.time.size()) return;
        table_.time.resize(rows);
        for (TableColumn& column : table_.columns)
            std::visit([&](auto& values) { values.resize(rows); }, column.values);
    }

    void read_array(const std::string& group) {
        const Hdf5Matrix<double> values = matrix<double>(group + "/values", H5T_NATIVE_DOUBLE);
        const std::vector<std::string> names = texts(group + "/names");
        keep_whole_rows(values.rows);
        if (names.size() != values.columns || values.rows < table_.time.size())
            refuse("/" + group + " does not fit /signals/values");
        const std::string unit = attribute(group, "unit");
        for (std::size_t i = 0; i < names.size(); ++i)
            table_.columns.push_back({names[i], unit, column(values, i, table_.time.size())});
    }

    /// Replaces rounded integers by exact ones.
    template <class Integer>
    void read_exact(const std::string& kind, hid_t type) {
        if (H5Lexists(file_.get(), ("signals/" + kind + "s").c_str(), H5P_DEFAULT) <= 0) return;
        const Hdf5Matrix<Integer> values = matrix<Integer>("signals/" + kind + "s", type);
        const std::vector<std::string> names = texts("signals/" + kind + "_names");
        keep_whole_rows(values.rows);
        if (names.size() != values.columns || values.rows < table_.time.size())
            refuse("/signals/" + kind + "s does not fit /signals/values");
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto found = std::ranges::find(table_.columns, names[i], &TableColumn::name);
            if (found == table_.columns.end()) refuse("'" + names[i] + "' is missing in /signals/names");
            found->values = column(values, i, table_.time.size());
        }
    }

    void read_stream(const std::string& group) {
        const std::vector<double> time = matrix<double>(group + "/time", H5T_NATIVE_DOUBLE).elements;
        const std::vector<std::uint64_t> ends = matrix<std::uint64_t>(group + "/ends", H5T_NATIVE_UINT64).elements;
        const std::vector<std::uint8_t> data = matrix<std::uint8_t>(group + "/data", H5T_NATIVE_UINT8).elements;
        if (ends.size() < time.size() || !std::ranges::is_sorted(ends) || !std::ranges::is_sorted(time) ||
            (!time.empty() && ends[time.size() - 1] > data.size()))
            refuse("the values in /" + group + " do not fit each other");
        std::vector<core::ByteString> values;
        for (const double t : table_.time) {
            const auto next = std::ranges::upper_bound(time, t) - time.begin();
            if (next == 0) {
                values.emplace_back();
                continue;
            }
            const auto begin = static_cast<std::ptrdiff_t>(next < 2 ? 0 : ends[static_cast<std::size_t>(next - 2)]);
            const auto end = static_cast<std::ptrdiff_t>(ends[static_cast<std::size_t>(next - 1)]);
            values.emplace_back(data.begin() + begin, data.begin() + end);
        }
        TableColumn column{attribute(group, "name"), {}, {}};
        if (attribute(group, "kind") == "bytes") {
            column.values = std::move(values);
        } else {
            std::vector<std::string> strings;
            strings.reserve(values.size());
            for (const core::ByteString& value : values) strings.emplace_back(value.begin(), value.end());
            column.values = std::move(strings);
        }
        table_.columns.push_back(std::move(column));
    }

    template <class Element>
    static std::vector<Element> column(const Hdf5Matrix<Element>& values, std::size_t index, std::size_t rows) {
        std::vector<Element> result(rows);
        for (std::size_t row = 0; row < rows; ++row) result[row] = values.elements[row * values.columns + index];
        return result;
    }

    std::string path_;
    Hdf5Handle file_;
    bool unfinished_ = false;
    Table table_;
};

}  // namespace

Table read_hdf5(const std::filesystem::path& file) { return Hdf5Reader(file).read(); }

}  // namespace master::results
