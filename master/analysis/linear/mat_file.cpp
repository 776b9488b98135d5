#include "master/analysis/linear/linear_report.hpp"
#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/results/mat_handle.hpp"

#include <array>
#include <fmt/format.h>
#include <memory>

namespace master::analysis {
namespace {

/// A MAT file under a name of its own until it is complete.
class MatFile {
public:
    explicit MatFile(std::filesystem::path file) : file_(std::move(file)), draft_(file_) {
        std::error_code ignored;
        std::filesystem::create_directories(file_.parent_path(), ignored);
        mat_.reset(Mat_CreateVer(draft_.path().c_str(), nullptr, MAT_FT_MAT5));
        if (!mat_) fail();
    }

    void add(const std::string& name, const Matrix& matrix) {
        std::vector<double> columns;
        for (std::size_t c = 0; c < matrix.columns; ++c)
            for (std::size_t r = 0; r < matrix.rows; ++r) columns.push_back(matrix(r, c));
        std::array<std::size_t, 2> size{matrix.rows, matrix.columns};
        write(Mat_VarCreate(name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size.data(), columns.data(), 0));
    }
    void add(const std::string& name, const std::vector<double>& column) {
        Matrix matrix(column.size(), 1);
        matrix.values = column;
        add(name, matrix);
    }
    void add(const std::string& name, const std::vector<std::complex<double>>& column) {
        std::vector<double> real, imaginary;
        for (const auto& value : column) {
            real.push_back(value.real());
            imaginary.push_back(value.imag());
        }
        mat_complex_split_t parts{real.data(), imaginary.data()};
        std::array<std::size_t, 2> size{column.size(), 1};
        write(Mat_VarCreate(name.c_str(), MAT_C_DOUBLE, MAT_T_DOUBLE, 2, size.data(), &parts, MAT_F_COMPLEX));
    }
    /// As a column of cells, as MATLAB keeps texts of different lengths.
    void add(const std::string& name, const std::vector<std::string>& texts) {
        std::array<std::size_t, 2> size{texts.size(), 1};
        matvar_t* cells = Mat_VarCreate(name.c_str(), MAT_C_CELL, MAT_T_CELL, 2, size.data(), nullptr, 0);
        for (std::size_t i = 0; cells != nullptr && i < texts.size(); ++i) {
            std::string text = texts[i];
            std::array<std::size_t, 2> length{1, text.size()};
            Mat_VarSetCell(cells, static_cast<int>(i),
                           Mat_VarCreate(nullptr, MAT_C_CHAR, MAT_T_UTF8, 2, length.data(), text.data(), 0));
        }
        write(cells);
    }

    void finish() {
        mat_.reset();
        draft_.finish();
    }

private:
    void write(matvar_t* made) {
        const std::unique_ptr<matvar_t, results::FreeVariable> variable(made);
        if (!variable || Mat_VarWrite(mat_.get(), variable.get(), MAT_COMPRESSION_NONE) != 0) fail();
    }
    [[noreturn]] void fail() const {
        throw base::Error("write-failed", file_.string(), "cannot be written", base::Exit::failed);
    }

    std::filesystem::path file_;
    base::Draft draft_;
    std::unique_ptr<mat_t, results::CloseMat> mat_;
};

void add_modes(MatFile& mat, const std::string& name, const Modes& modes) {
    std::vector<std::complex<double>> poles;
    poles.reserve(modes.modes.size());
    for (const Mode& mode : modes.modes) poles.push_back(mode.pole);
    if (!poles.empty()) mat.add(name, poles);
}

}  // namespace

void write_linear_mat(const Linearization& found, const std::filesystem::path& file) {
    MatFile mat(file);
    mat.add("at", std::vector{found.at});
    mat.add("h", std::vector{found.step});
    mat.add("input", std::vector{found.input});
    mat.add("output", std::vector{found.output});
    if (found.hidden.empty()) {
        mat.add("A", found.sampled.a);
        mat.add("B", found.sampled.b);
        mat.add("C", found.sampled.c);
        mat.add("D", found.sampled.d);
        mat.add("states", found.sampled.states);
        add_modes(mat, "poles", found.modes);
        if (!found.response.empty()) {
            mat.add("f", found.frequencies);
            mat.add("G", found.response);
        }
    }
    if (found.continuous) {
        mat.add("Ac", found.continuous->a);
        mat.add("Bc", found.continuous->b);
        mat.add("Cc", found.continuous->c);
        mat.add("Dc", found.continuous->d);
        mat.add("states_c", found.continuous->states);
        add_modes(mat, "poles_c", found.continuous_modes);
        if (!found.continuous_response.empty()) mat.add("Gc", found.continuous_response);
    }
    if (found.sine) {
        for (std::size_t i = 0; i < found.sine->runs.size(); ++i) {
            const SteppedSine::Run& run = found.sine->runs[i];
            std::vector<double> frequencies, distortions;
            std::vector<std::complex<double>> responses;
            for (const SinePoint& point : run.points) {
                frequencies.push_back(point.frequency);
                responses.push_back(point.response);
                distortions.push_back(point.distortion);
            }
            const std::string number = std::to_string(i + 1);
            if (i == 0) mat.add("sine_f", frequencies);
            mat.add("sine_amplitude_" + number, std::vector{run.amplitude});
            mat.add("sine_G_" + number, responses);
            mat.add("sine_distortion_" + number, distortions);
        }
    }
    mat.finish();
}

}  // namespace master::analysis
