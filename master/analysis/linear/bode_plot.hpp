#pragma once

#include <complex>
#include <string>
#include <vector>

namespace master::analysis {

/// A frequency response for a diagram.
struct BodeSeries {
    std::string label;
    std::vector<double> frequencies;  // Hz
    std::vector<std::complex<double>> values;
    bool dots = false;  // measured points instead of a line
};

/// Amplitude in decibels over phase in degrees, both over the logarithm of the frequency, as an SVG element with its
/// key. Phases go on from point to point without jumps.
[[nodiscard]] std::string bode_svg(const std::vector<BodeSeries>& series);

/// A number over the logarithm of the frequency, such as a distortion in percent.
struct SpectrumSeries {
    std::string label;
    std::vector<double> frequencies, values;
};
[[nodiscard]] std::string spectrum_svg(const std::vector<SpectrumSeries>& series, const std::string& label);

}  // namespace master::analysis
