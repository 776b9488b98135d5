#include "master/analysis/linear/linear_report.hpp"

#include "master/analysis/linear/bode_plot.hpp"
#include "master/analysis/page.hpp"
#include "master/base/json.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>

namespace master::analysis {
namespace {

constexpr std::size_t most_rows_shown = 14;  // of a matrix on a page

std::string digits(double value, int count = 6) { return fmt::format("{:.{}g}", value, count); }

std::string with_unit(double value, const std::string& unit) {
    return digits(value) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

double degrees_of(const std::complex<double>& value) { return std::arg(value) * 180 / std::numbers::pi; }

/// The mode of another system that is nearest and not taken yet, where there is one of about that speed.
const Mode* nearest(const Mode& mode, const Modes& others, const std::vector<const Mode*>& taken) {
    const auto distance = [&](const Mode& other) {
        const bool free = std::ranges::find(taken, &other) == taken.end();
        return free ? std::abs(other.pole - mode.pole) : std::numeric_limits<double>::infinity();
    };
    const auto found = std::ranges::min_element(others.modes, {}, distance);
    if (found == others.modes.end() || distance(*found) > 0.5 * std::abs(mode.pole) + 1e-9) return nullptr;
    return &*found;
}

std::string pole_text(const Mode& mode) {
    if (mode.pole.imag() == 0) return digits(mode.pole.real());
    return fmt::format("{} \u00b1 {}i", digits(mode.pole.real()), digits(mode.pole.imag()));
}

/// Continuous ones with what sampling makes of them; without a continuous system the sampled ones alone.
std::vector<std::vector<std::string>> mode_rows(const Linearization& found) {
    std::vector<std::vector<std::string>> rows;
    const auto row = [](const Mode& mode) {
        return std::vector<std::string>{pole_text(mode), digits(mode.frequency()), digits(mode.damping(), 4)};
    };
    const std::vector<std::string> none{"-", "-", "-"};
    std::vector<const Mode*> taken;
    for (const Mode& mode : found.continuous_modes.modes) {
        const Mode* other = nearest(mode, found.modes, taken);
        taken.push_back(other);
        std::vector<std::string> cells = row(mode);
        const std::vector<std::string> sampled = other != nullptr ? row(*other) : none;
        cells.insert(cells.end(), sampled.begin(), sampled.end());
        rows.push_back(std::move(cells));
    }
    for (const Mode& mode : found.modes.modes) {
        if (std::ranges::find(taken, &mode) != taken.end()) continue;
        std::vector<std::string> cells = none;
        const std::vector<std::string> sampled = row(mode);
        cells.insert(cells.end(), sampled.begin(), sampled.end());
        rows.push_back(std::move(cells));
    }
    return rows;
}

std::string margins_text(const Margins& margins) {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    const auto gain = [&](const Margins::Gain& one) {
        add(fmt::format("gain {} ({:.4g} dB) at {} Hz", digits(one.factor), 20 * std::log10(one.factor),
                        digits(one.at)));
    };
    if (margins.upper) gain(*margins.upper);
    if (margins.lower) gain(*margins.lower);
    if (margins.phase)
        add(fmt::format("phase {}\u00b0 at {} Hz", digits(margins.phase->degrees), digits(margins.phase->at)));
    if (margins.delay) add(fmt::format("delay {} s", digits(*margins.delay)));
    return text.empty() ? "none: the loop's gain is nowhere one, and nowhere does it turn by half a circle" : text;
}

bool is_stable(const Modes& modes) {
    double fastest = 0;
    for (const Mode& mode : modes.modes) fastest = std::max(fastest, std::abs(mode.pole));
    // Integrators that nothing brings back, such as counted energies, grow no faster than what they count.
    return std::ranges::all_of(modes.modes, [&](const Mode& mode) { return mode.pole.real() < 1e-9 * fastest; });
}

std::string unit_text(const LinearizedUnit& unit) {
    std::string text = unit.origin;
    if (unit.doubt > 0) text += fmt::format(", another increment changes {:.1g}", unit.doubt);
    if (unit.error)
        text +=
            fmt::format(", {} {:.2g} of what it does", unit.measured ? "fits within" : "checked: within", *unit.error);
    return text;
}

std::string question_text(const Linearization& found) {
    if (found.open) return "open loop, broken at " + found.input;
    return found.input.empty() ? "modes alone" : fmt::format("from '{}' to '{}'", found.input, found.output);
}

double largest_response(const SteppedSine::Run& run) {
    double size = 0;
    for (const SinePoint& point : run.points) size = std::max(size, std::abs(point.response));
    return size;
}

/// How far the measured responses are from the sampled model, at most, up to a tenth of the rate.
std::optional<double> sine_error(const Linearization& found) {
    if (!found.sine || !found.hidden.empty()) return std::nullopt;
    double worst = 0;
    const SteppedSine::Run& run = found.sine->runs.back();
    for (const SinePoint& point : run.points) {
        if (point.frequency > 0.1 / found.step) continue;
        const std::complex<double> model = response(found.sampled, {point.frequency}).front();
        if (std::abs(model) > 0) worst = std::max(worst, std::abs(point.response - model) / std::abs(model));
    }
    return largest_response(run) > 0 ? std::optional(worst) : std::nullopt;
}

base::Json json_of(const Matrix& matrix) {
    base::Json rows = base::Json::array();
    for (std::size_t r = 0; r < matrix.rows; ++r) {
        base::Json row = base::Json::array();
        for (std::size_t c = 0; c < matrix.columns; ++c) row.push_back(matrix(r, c));
        rows.push_back(std::move(row));
    }
    return rows;
}

base::Json json_of(const StateSpace& system) {
    return {{"period", system.period}, {"states", system.states}, {"A", json_of(system.a)},
            {"B", json_of(system.b)},  {"C", json_of(system.c)},  {"D", json_of(system.d)}};
}

base::Json json_of(const Modes& modes) {
    base::Json list = base::Json::array();
    for (const Mode& mode : modes.modes)
        list.push_back({{"real", mode.pole.real()},
                        {"imaginary", mode.pole.imag()},
                        {"frequency", mode.frequency()},
                        {"damping", mode.damping()}});
    return list;
}

base::Json json_of(const Margins& margins) {
    base::Json json = base::Json::object();
    if (margins.upper) json["gain"] = {{"factor", margins.upper->factor}, {"frequency", margins.upper->at}};
    if (margins.lower) json["lower_gain"] = {{"factor", margins.lower->factor}, {"frequency", margins.lower->at}};
    if (margins.phase) json["phase"] = {{"degrees", margins.phase->degrees}, {"frequency", margins.phase->at}};
    if (margins.delay) json["delay"] = *margins.delay;
    return json;
}

base::Json json_of(const std::vector<std::complex<double>>& values) {
    base::Json real = base::Json::array(), imaginary = base::Json::array();
    for (const auto& value : values) {
        real.push_back(value.real());
        imaginary.push_back(value.imag());
    }
    return {{"real", real}, {"imaginary", imaginary}};
}

base::Json json_of(const SteppedSine& sine) {
    base::Json runs = base::Json::array();
    for (const SteppedSine::Run& run : sine.runs) {
        base::Json points = base::Json::array();
        for (const SinePoint& point : run.points)
            points.push_back({{"frequency", point.frequency},
                              {"real", point.response.real()},
                              {"imaginary", point.response.imag()},
                              {"amplitude", std::abs(point.response)},
                              {"phase", degrees_of(point.response)},
                              {"distortion", point.distortion},
                              {"settled", point.settled}});
        runs.push_back({{"amplitude", run.amplitude}, {"points", points}});
    }
    return runs;
}

std::vector<BodeSeries> bode_series(const Linearization& found, const std::string& prefix) {
    std::vector<BodeSeries> all;
    if (found.hidden.empty()) all.push_back({prefix + "sampled", found.frequencies, found.response});
    if (found.continuous && prefix.empty()) all.push_back({"continuous", found.frequencies, found.continuous_response});
    if (found.sine)
        for (const SteppedSine::Run& run : found.sine->runs) {
            BodeSeries series{.label = prefix + "sines of " + digits(run.amplitude, 3), .dots = true};
            for (const SinePoint& point : run.points) {
                series.frequencies.push_back(point.frequency);
                series.values.push_back(point.response);
            }
            all.push_back(std::move(series));
        }
    // The loop is closed with a minus in textbooks: so that the limit is at -1 here too.
    if (found.open)
        for (BodeSeries& series : all)
            for (auto& value : series.values) value = -value;
    return all;
}

void matrices_section(Page& page, const std::string& title, const StateSpace& system, const std::string& next) {
    page.begin(title);
    page.paragraph(fmt::format("{} = A x + B u, y = C x + D u; {} states. All of it is in linear.mat and linear.json.",
                               next, system.a.rows));
    if (system.a.rows > most_rows_shown) return;
    PageTable table;
    table.columns.push_back({.title = "", .code = true});
    for (const std::string& state : system.states) table.columns.push_back({.title = state, .number = true});
    table.columns.push_back({.title = "u", .number = true});
    for (std::size_t r = 0; r <= system.a.rows; ++r) {
        const bool output = r == system.a.rows;
        std::vector<std::string> row{output ? "y" : system.states[r]};
        for (std::size_t c = 0; c < system.a.rows; ++c)
            row.push_back(digits(output ? system.c(0, c) : system.a(r, c), 5));
        row.push_back(digits(output ? system.d(0, 0) : system.b(r, 0), 5));
        table.rows.push_back(std::move(row));
    }
    page.table(table);
}

void sine_section(Page& page, const Linearization& found) {
    page.begin("Measured by stepped sines");
    page.paragraph(
        "The system itself was run with the input turning at one frequency after the other, at two amplitudes: where "
        "they "
        "differ, or harmonics are large, it is not linear.");
    std::vector<SpectrumSeries> distortions;
    for (const SteppedSine::Run& run : found.sine->runs) {
        SpectrumSeries series{.label = "amplitude " + digits(run.amplitude, 3)};
        for (const SinePoint& point : run.points) {
            series.frequencies.push_back(point.frequency);
            series.values.push_back(100 * point.distortion);
        }
        distortions.push_back(std::move(series));
    }
    page.drawing("total harmonic distortion", spectrum_svg(distortions, "%"));
    PageTable table;
    table.columns = {{"Hz", true}};
    for (const SteppedSine::Run& run : found.sine->runs) {
        const std::string at = " at " + digits(run.amplitude, 3);
        for (const char* title : {"amplitude", "phase", "distortion"}) table.columns.push_back({title + at, true});
    }
    table.columns.push_back({"settled"});
    for (std::size_t i = 0; i < found.sine->runs.front().points.size(); ++i) {
        std::vector<std::string> row{digits(found.sine->runs.front().points[i].frequency)};
        bool settled = true;
        for (const SteppedSine::Run& run : found.sine->runs) {
            const SinePoint& point = run.points[i];
            row.push_back(digits(std::abs(point.response)));
            row.push_back(fmt::format("{:.2f}\u00b0", degrees_of(point.response)));
            row.push_back(fmt::format("{:.3g} %", 100 * point.distortion));
            settled = settled && point.settled;
        }
        row.emplace_back(settled ? "yes" : "no");
        table.rows.push_back(std::move(row));
    }
    page.table(table);
}

}  // namespace

std::string linear_text(const Linearization& found, const std::string& system) {
    std::string out = fmt::format("{} at t = {} s, {}\n", system, digits(found.at, 12), question_text(found));
    for (const LinearizedUnit& unit : found.units)
        out += fmt::format("unit       {}: {} states, {}\n", unit.name, unit.states, unit_text(unit));
    if (!found.hidden.empty()) out += "no model   " + found.hidden + "\n";
    if (!found.no_continuous.empty()) out += "continuous none: " + found.no_continuous + "\n";
    if (found.hidden.empty()) {
        out += fmt::format("{:<30} {:>12} {:>9}   {:<30} {:>12} {:>9}\n", "continuous pole in 1/s", "Hz", "damping",
                           "sampled at " + digits(found.step) + " s", "Hz", "damping");
        for (const auto& row : mode_rows(found))
            out += fmt::format("{:<30} {:>12} {:>9}   {:<30} {:>12} {:>9}\n", row[0], row[1], row[2], row[3], row[4],
                               row[5]);
        if (found.modes.forgotten > 0)
            out +=
                fmt::format("           and {} poles at zero: what wires remember for a step\n", found.modes.forgotten);
    }
    if (found.delay)
        out += fmt::format("delay      {} s that sampling and coupling add, at {} Hz\n", digits(*found.delay, 4),
                           digits(0.01 / found.step));
    if (found.margins) {
        out += "margins    " + margins_text(*found.margins) + "\n";
        if (found.continuous_margins) out += "continuous " + margins_text(*found.continuous_margins) + "\n";
        out += fmt::format("closed     the loop is {}\n", is_stable(found.closed_modes) ? "stable" : "not stable");
    }
    if (found.sine) {
        for (const SteppedSine::Run& run : found.sine->runs) {
            double distortion = 0;
            std::size_t unsettled = 0;
            for (const SinePoint& point : run.points) {
                distortion = std::max(distortion, point.distortion);
                unsettled += point.settled ? 0 : 1;
            }
            out += fmt::format("sines      {} frequencies at {}: distortion at most {:.3g} %{}\n", run.points.size(),
                               with_unit(run.amplitude, found.input_unit), 100 * distortion,
                               unsettled > 0 ? fmt::format("; {} had not settled, try --wait", unsettled) : "");
        }
        if (const auto error = sine_error(found))
            out += fmt::format("           within {:.2g} % of the sampled model up to a tenth of the rate\n",
                               100 * *error);
    }
    return out;
}

std::string linear_json(const Linearization& found, const std::string& system) {
    base::Json json{{"system", system},
                    {"at", found.at},
                    {"input", found.input},
                    {"output", found.output},
                    {"open_loop", found.open},
                    {"input_value", found.input_value},
                    {"output_value", found.output_value}};
    json["units"] = base::Json::array();
    for (const LinearizedUnit& unit : found.units) {
        json["units"].push_back({{"name", unit.name},
                                 {"model", unit.origin},
                                 {"states", unit.states},
                                 {"step", unit.step},
                                 {"doubt", unit.doubt}});
        if (unit.error) json["units"].back()["error"] = *unit.error;
    }
    if (!found.hidden.empty()) {
        json["hidden"] = found.hidden;
    } else {
        json["sampled"] = json_of(found.sampled);
        json["sampled"]["modes"] = json_of(found.modes);
        json["sampled"]["response"] = json_of(found.response);
        json["frequencies"] = found.frequencies;
    }
    if (found.continuous) {
        json["continuous"] = json_of(*found.continuous);
        json["continuous"]["modes"] = json_of(found.continuous_modes);
        json["continuous"]["response"] = json_of(found.continuous_response);
    } else if (!found.no_continuous.empty()) {
        json["no_continuous"] = found.no_continuous;
    }
    if (found.delay) json["delay"] = *found.delay;
    if (found.margins) json["margins"] = json_of(*found.margins);
    if (found.continuous_margins) json["continuous"]["margins"] = json_of(*found.continuous_margins);
    if (found.margins)
        json["closed_loop"] = {{"stable", is_stable(found.closed_modes)}, {"modes", json_of(found.closed_modes)}};
    if (found.sine) json["sine"] = json_of(*found.sine);
    if (const auto error = sine_error(found)) json["sine_error"] = *error;
    return base::json_text(std::move(json));
}

std::string linear_html(const Linearization& found, const std::string& system) {
    Page page(fmt::format("{} at t = {} s", system, digits(found.at, 12)), "Linearised " + question_text(found));
    report::Facts facts{{"sample", digits(found.step) + " s"}};
    if (!found.open && !found.input.empty()) {
        facts.emplace_back(found.input, with_unit(found.input_value, found.input_unit));
        facts.emplace_back(found.output, with_unit(found.output_value, found.output_unit));
    }
    if (found.delay)
        facts.emplace_back("added delay",
                           fmt::format("{} s at {} Hz", digits(*found.delay, 4), digits(0.01 / found.step)));
    if (found.margins) {
        facts.emplace_back("margins", margins_text(*found.margins));
        if (found.continuous_margins)
            facts.emplace_back("margins, continuous", margins_text(*found.continuous_margins));
        facts.emplace_back("closed loop", is_stable(found.closed_modes) ? "stable" : "not stable");
    }
    if (const auto error = sine_error(found))
        facts.emplace_back("sines against model",
                           fmt::format("within {:.2g} % up to a tenth of the rate", 100 * *error));
    page.facts(facts);

    if (!found.response.empty() || found.sine) {
        page.begin("Frequency response");
        page.paragraph(found.open
                           ? "Of the open loop with a minus: it is at its limit of stability where it passes -1 (0 dB "
                             "at 180\u00b0)."
                           : fmt::format("Amplitude of '{}' by '{}', in their own units.", found.output, found.input));
        page.drawing("Bode", bode_svg(bode_series(found, "")));
    }
    if (found.hidden.empty()) {
        page.begin("Modes");
        PageTable table;
        table.columns = {{"continuous, 1/s", false, true}, {"Hz", true}, {"damping", true},
                         {"sampled, 1/s", false, true},    {"Hz", true}, {"damping", true}};
        table.rows = mode_rows(found);
        page.table(table);
        if (found.modes.forgotten > 0)
            page.paragraph(
                fmt::format("And {} poles at z = 0: what wires remember for a step.", found.modes.forgotten));
    }
    if (found.sine) sine_section(page, found);
    page.begin("How the models came about");
    if (!found.hidden.empty()) page.paragraph("There is no model, only the measured response: " + found.hidden);
    if (!found.no_continuous.empty()) page.paragraph("There is no continuous model: " + found.no_continuous + ".");
    PageTable units;
    units.columns = {{"unit", false, true}, {"states", true}, {"step in s", true}, {"model"}};
    for (const LinearizedUnit& unit : found.units)
        units.rows.push_back({unit.name, std::to_string(unit.states), digits(unit.step), unit_text(unit)});
    if (!units.rows.empty()) page.table(units);
    if (found.hidden.empty()) matrices_section(page, "Sampled system", found.sampled, "x of the next sample");
    if (found.continuous) matrices_section(page, "Continuous system", *found.continuous, "dx/dt");
    return page.html();
}

std::string bode_overlay(const Linearization& before, const Linearization& after) {
    std::vector<BodeSeries> series = bode_series(before, "before, ");
    for (BodeSeries& one : bode_series(after, "after, ")) series.push_back(std::move(one));
    return bode_svg(series);
}

std::string bode_difference(const Linearization& before, const Linearization& after) {
    double largest = 0, at = 0;
    const std::vector<std::complex<double>> other = response(after.sampled, before.frequencies);
    for (std::size_t i = 0; i < other.size(); ++i) {
        const double f = before.frequencies[i];
        if (f > 0.1 / std::max(before.step, after.step) || !(std::abs(before.response[i]) > 0)) continue;
        const double apart = std::abs(other[i] / before.response[i] - 1.0);
        if (!(apart > largest)) continue;
        largest = apart;
        at = f;
    }
    return largest > 0 ? fmt::format("responses differ by at most {:.3g} %, at {} Hz", 100 * largest, digits(at))
                       : "responses do not differ";
}

}  // namespace master::analysis
