#include "master/base/error.hpp"
#include "master/results/mat_handle.hpp"
#include "master/results/result_file.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <matio.h>
#include <memory>

namespace master::results {
namespace {

template <class Element>
std::vector<double> numbers(const void* data, std::size_t count) {
    const auto* const elements = static_cast<const Element*>(data);
    return {elements, elements + count};
}

/// A matrix as columns, whatever its element type.
struct MatMatrix {
    std::size_t rows = 0, columns = 0;
    std::vector<double> elements;

    [[nodiscard]] double at(std::size_t row, std::size_t column) const { return elements[column * rows + row]; }
    [[nodiscard]] MatMatrix transposed() const {
        MatMatrix result{columns, rows, std::vector<double>(elements.size())};
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t k = 0; k < columns; ++k) result.elements[i * columns + k] = at(i, k);
        }
        return result;
    }
    [[nodiscard]] std::string row_text(std::size_t row) const {
        std::string text;
        for (std::size_t k = 0; k < columns; ++k) text += static_cast<char>(static_cast<unsigned char>(at(row, k)));
        text.resize(std::min(text.find('\0'), text.size()));
        text.resize(text.find_last_not_of(' ') + 1);
        return text;
    }
};

class MatReader {
public:
    explicit MatReader(const std::filesystem::path& path) : path_(path.string()) {
        mat_.reset(Mat_Open(path_.c_str(), MAT_ACC_RDONLY));
        if (!mat_) refuse("the file cannot be opened as MAT");
    }

    Table read() {
        table_.source = path_;
        const MatMatrix kind = matrix("Aclass");
        if (kind.rows < 4 || kind.row_text(0) != "Atrajectory") refuse("the matrix Aclass names no trajectory");
        transposed_ = kind.row_text(3) == "binTrans";
        const MatMatrix names = transposed_ ? matrix("name").transposed() : matrix("name");
        const MatMatrix places = transposed_ ? matrix("dataInfo").transposed() : matrix("dataInfo");
        if (places.rows != names.rows || places.columns < 2 || names.rows == 0)
            refuse("the matrices name and dataInfo do not fit each other");
        std::vector<std::string> units(names.rows);
        const MatMatrix descriptions = transposed_ ? matrix("description").transposed() : matrix("description");
        for (std::size_t i = 0; i < std::min(names.rows, descriptions.rows); ++i)
            units[i] = unit_in(descriptions.row_text(i));
        const MatMatrix& trajectories = data(2);
        for (std::size_t k = 0; k < trajectories.columns; ++k) table_.time.push_back(trajectories.at(0, k));
        if (!std::ranges::is_sorted(table_.time)) refuse("the time in data_2 decreases");
        for (std::size_t i = 0; i < names.rows; ++i) {
            // Table 0 is the time itself.
            if (places.at(i, 0) == 0) continue;
            table_.columns.push_back(
                {names.row_text(i), units[i], values(places.at(i, 0), places.at(i, 1)), places.at(i, 0) == 1});
        }
        return std::move(table_);
    }

private:
    [[noreturn]] void refuse(const std::string& found) const {
        throw base::Error("bad-result", path_, found + ", expected a result as Dymola and OpenModelica write it");
    }

    [[nodiscard]] MatMatrix matrix(const std::string& name) const {
        const std::unique_ptr<matvar_t, FreeVariable> variable(Mat_VarRead(mat_.get(), name.c_str()));
        if (!variable) refuse("found no matrix '" + name + "'");
        if (variable->rank != 2 || variable->isComplex != 0) refuse("'" + name + "' is no real matrix");
        MatMatrix result{variable->dims[0], variable->dims[1], {}};
        const std::size_t count = result.rows * result.columns;
        if (count == 0) return result;
        if (variable->data == nullptr || variable->nbytes < count * static_cast<std::size_t>(variable->data_size))
            refuse("the matrix '" + name + "' is cut off");
        result.elements = elements(*variable, count);
        if (result.elements.size() != count) refuse("the elements of '" + name + "' are no numbers");
        return result;
    }

    static std::vector<double> elements(const matvar_t& variable, std::size_t count) {
        switch (variable.data_type) {
            case MAT_T_DOUBLE:
                return numbers<double>(variable.data, count);
            case MAT_T_SINGLE:
                return numbers<float>(variable.data, count);
            case MAT_T_INT32:
                return numbers<std::int32_t>(variable.data, count);
            case MAT_T_INT16:
                return numbers<std::int16_t>(variable.data, count);
            case MAT_T_UINT16:
                return numbers<std::uint16_t>(variable.data, count);
            case MAT_T_INT8:
                return numbers<std::int8_t>(variable.data, count);
            case MAT_T_UINT8:
            case MAT_T_UTF8:
                return numbers<std::uint8_t>(variable.data, count);
            default:
                return {};
        }
    }

    /// data_k with one variable per row.
    const MatMatrix& data(int table) {
        const auto [found, fresh] = data_.try_emplace(table);
        if (!fresh) return found->second;
        found->second = matrix("data_" + std::to_string(table));
        if (!transposed_) found->second = found->second.transposed();
        if (found->second.rows == 0) refuse("data_" + std::to_string(table) + " has no time");
        return found->second;
    }

    /// A negative row is an alias with the opposite sign.
    std::vector<double> values(double table, double place) {
        if (!(table >= 1 && table < 100)) refuse("dataInfo names the table " + std::to_string(table));
        const MatMatrix& source = data(static_cast<int>(table));
        const double row = std::abs(place) - 1;
        if (!(row >= 0 && row < static_cast<double>(source.rows))) refuse("dataInfo names a row that is not there");
        const bool constant = source.columns < table_.time.size();
        if (constant && source.columns == 0) refuse("a table of constants is empty");
        std::vector<double> result(table_.time.size());
        for (std::size_t k = 0; k < result.size(); ++k) {
            const double value = source.at(static_cast<std::size_t>(row), constant ? 0 : k);
            result[k] = place < 0 ? -value : value;
        }
        return result;
    }

    /// "pressure in the tank [Pa]" or "[Pa|bar]": what stands in the last brackets, up to the display unit.
    static std::string unit_in(const std::string& description) {
        if (!description.ends_with(']')) return {};
        const std::size_t bracket = description.rfind('[');
        if (bracket == std::string::npos) return {};
        const std::string inside = description.substr(bracket + 1, description.size() - bracket - 2);
        return inside.substr(0, inside.find('|'));
    }

    std::string path_;
    std::unique_ptr<mat_t, CloseMat> mat_;
    bool transposed_ = true;
    std::map<int, MatMatrix> data_;
    Table table_;
};

}  // namespace

Table read_mat(const std::filesystem::path& file) { return MatReader(file).read(); }

}  // namespace master::results
