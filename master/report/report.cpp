#include "master/report/report.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/printable.hpp"
#include "master/report/interactive.hpp"
#include "master/report/requirements.hpp"
#include "master/report/style.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::report {
namespace {

using base::printable_html;

// Longer tables are folded until somebody wants to read them.
constexpr std::size_t long_table = 30;

std::string element(const char* tag, const std::string& content) { return fmt::format("<{0}>{1}</{0}>", tag, content); }

std::string facts(const Facts& entries) {
    std::string out = "<dl>";
    for (const auto& [label, text] : entries)
        out += element("div", element("dt", printable_html(label)) + element("dd", printable_html(text)));
    return out + "</dl>";
}

std::string remarks(const std::vector<base::Finding>& findings) {
    if (findings.empty()) return {};
    std::string out = "<section><h2>Remarks</h2><ul class=\"remarks\">";
    for (const base::Finding& finding : findings) {
        const char* kind = finding.severity == base::Severity::error     ? "error"
                           : finding.severity == base::Severity::warning ? "warning"
                                                                         : "note";
        out += fmt::format("<li class=\"{0}\"><b>{0}</b> {1}{2}</li>", kind,
                           finding.where.empty() ? "" : "<code>" + printable_html(finding.where) + "</code> ",
                           printable_html(finding.text));
    }
    return out + "</ul></section>";
}

std::string units(const std::vector<ReportData::UnitCost>& units) {
    if (units.empty()) return {};
    double total = 0;
    for (const ReportData::UnitCost& unit : units) total += unit.seconds;
    std::string out =
        "<section><h2>Components</h2><div class=\"scroll\"><table><thead><tr><th>component<th>model<th>kind"
        "<th class=\"n\">step<th class=\"n\">steps";
    if (total > 0) out += "<th class=\"n\">per step<th>share of the units' time";
    out += "</tr></thead><tbody>";
    for (const ReportData::UnitCost& unit : units) {
        out += fmt::format("<tr><td><code>{}</code><td>{}<td>{}<td class=\"n\">{}<td class=\"n\">{}",
                           printable_html(unit.name), printable_html(unit.model), printable_html(unit.kind),
                           printable_html(unit.step), unit.steps);
        if (total > 0) {
            const double each = unit.steps > 0 ? unit.seconds / static_cast<double>(unit.steps) : 0;
            const double share = 100 * unit.seconds / total;
            out += fmt::format(
                "<td class=\"n\">{:.3g} µs<td><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span> {:.1f} %",
                each * 1e6, share, share);
        }
        out += "</tr>";
    }
    return out + "</tbody></table></div></section>";
}

std::string legend(const std::string& component, const Plot& plot) {
    std::string out = "<figcaption>";
    if (!component.empty()) out += element("h3", printable_html(component));
    for (std::size_t i = 0; i < plot.series.size(); ++i)
        out += fmt::format("<span class=\"key\"><i class=\"fill{}\"></i>{}</span>", i % colours,
                           printable_html(plot.series[i].label));
    return out + "</figcaption>";
}

std::string pictures(const std::vector<ReportData::Pictures>& all) {
    std::string out;
    for (const ReportData::Pictures& pictures : all) {
        if (pictures.views.empty()) continue;
        out += "<section>" + element("h2", printable_html(pictures.title));
        out += pictures.wide ? "<div class=\"wide\">" : "<div class=\"pictures\">";
        for (const auto& [caption, view] : pictures.views)
            out += element("figure", view + element("figcaption", printable_html(caption)));
        out += "</div></section>\n";
    }
    return out;
}

/// The data stand in the page as text that no reader of HTML takes for markup.
std::string scenes(const std::vector<ReportData::Scene>& all) {
    std::string out;
    for (const ReportData::Scene& scene : all) {
        std::string data;
        for (const char c : scene.data) data += c == '<' ? std::string("\\u003c") : std::string(1, c);
        out += "<section class=\"scene\">" + element("h2", printable_html(scene.title)) +
               "<script type=\"application/json\">" + data + "</script></section>\n";
    }
    return out;
}

std::string figures(const std::vector<PlotGroup>& groups, bool interactive) {
    std::string out = "<div class=\"plots\">";
    for (const PlotGroup& group : groups) {
        for (const Plot& plot : group.plots)
            out += element("figure", legend(group.title, plot) + svg(plot) + (interactive ? plot_data(plot) : ""));
    }
    return out + "</div>";
}

std::string wished_plots(const ReportData& data, bool interactive) {
    if (data.wished_plots.empty()) return {};
    return "<section><h2>Overview</h2>" + figures(data.wished_plots, interactive) + "</section>\n";
}

std::string plots(const ReportData& data, bool interactive) {
    if (data.plots.empty()) return {};
    std::string out = "<section><h2>Signals</h2>" + figures(data.plots, interactive);
    if (data.signals_left_out > 0)
        out += fmt::format("<p class=\"quiet\">{} more recorded signals are not drawn.</p>", data.signals_left_out);
    return out + "</section>";
}

std::string steps(const std::vector<StepResponse>& steps) {
    if (steps.empty()) return {};
    std::string out =
        "<section><h2>Step responses</h2><div class=\"scroll\"><table><thead><tr><th>quantity<th>step in<th "
        "class=\"n\">at"
        "<th class=\"n\">from<th class=\"n\">to<th class=\"n\">rise 10-90 %<th class=\"n\">overshoot<th "
        "class=\"n\">deviation"
        "<th class=\"n\">settled to 2 %<th class=\"n\">steady error<th class=\"n\">IAE<th class=\"n\">peak pressure"
        "</tr></thead><tbody>";
    const auto cell = [](const std::string& text) { return "<td class=\"n\">" + printable_html(text); };
    const auto seconds = [&](const std::optional<double>& time) {
        return cell(time ? fmt::format("{:.3g} s", *time) : "-");
    };
    for (const StepResponse& step : steps) {
        const bool of_target = step.cause == "target";
        const std::string unit = of_target ? " " + step.unit : "";
        const StepMetrics& metrics = step.metrics;
        out += fmt::format("<tr><td>{}<td>{}", printable_html(step.label), step.cause);
        out += cell(fmt::format("{:.4g} s", step.t)) + cell(fmt::format("{:.4g}{}", step.from, unit)) +
               cell(fmt::format("{:.4g}{}", step.to, unit)) + seconds(metrics.rise_time) +
               cell(of_target ? fmt::format("{:.1f} %", 100 * metrics.overshoot) : "-") +
               cell(of_target ? "-" : fmt::format("{:.3g} {}", metrics.deviation, step.unit)) +
               seconds(metrics.settling_time) + cell(fmt::format("{:.3g} {}", metrics.steady_error, step.unit)) +
               cell(fmt::format("{:.3g} {} s", metrics.absolute_error, step.unit)) +
               cell(step.peak_pressure ? fmt::format("{:.4g} MPa", 1e-6 * *step.peak_pressure) : "-") + "</tr>";
    }
    return out + "</tbody></table></div></section>\n";
}

std::string constants(const std::vector<ConstantSignal>& constants) {
    if (constants.empty()) return {};
    std::string out = fmt::format(
        "<section><h2>Constant signals</h2><details{}><summary>{} signals that never changed</summary>"
        "<div class=\"scroll\"><table><thead><tr><th>signal<th class=\"n\">value<th>unit</tr></thead><tbody>",
        constants.size() <= long_table ? " open" : "", constants.size());
    for (const ConstantSignal& constant : constants)
        out += fmt::format("<tr><td><code>{}</code><td class=\"n\">{}<td>{}</tr>", printable_html(constant.name),
                           printable_html(constant.value), printable_html(constant.unit));
    return out + "</tbody></table></div></details></section>";
}

std::string scenario(const std::string& text) {
    if (text.empty()) return {};
    return "<section><h2>Scenario</h2><details><summary>what was done at which time</summary><pre>" +
           printable_html(text) + "</pre></details></section>";
}

std::string changed_parameters(const std::vector<ReportData::Parameter>& parameters) {
    std::string rows;
    for (const ReportData::Parameter& parameter : parameters)
        if (!parameter.standard.empty())
            rows += fmt::format(
                "<tr><td><code>{}</code><td class=\"n\">{}<td class=\"n quiet\">{}<td>{}"
                "<td class=\"quiet\">{}</tr>",
                printable_html(parameter.name), printable_html(parameter.value), printable_html(parameter.standard),
                printable_html(parameter.unit), printable_html(parameter.origin));
    if (rows.empty()) return {};
    return "<section><h2>Parameters that differ from their defaults</h2><div class=\"scroll\"><table><thead><tr>"
           "<th>parameter<th class=\"n\">value<th class=\"n\">default<th>unit<th>origin</tr></thead><tbody>" +
           rows + "</tbody></table></div></section>";
}

std::string parameters(const std::vector<ReportData::Parameter>& parameters) {
    if (parameters.empty()) return {};
    std::string out =
        fmt::format("<section><h2>Parameters</h2><details{}><summary>{} values and where they come from</summary>",
                    parameters.size() <= long_table ? " open" : "", parameters.size());
    out +=
        "<div class=\"scroll\"><table><thead><tr><th>parameter<th "
        "class=\"n\">value<th>unit<th>origin</tr></thead><tbody>";
    for (const ReportData::Parameter& parameter : parameters)
        out += fmt::format("<tr><td><code>{}</code><td class=\"n\">{}<td>{}<td class=\"quiet\">{}</tr>",
                           printable_html(parameter.name), printable_html(parameter.value),
                           printable_html(parameter.unit), printable_html(parameter.origin));
    return out + "</tbody></table></div></details></section>";
}

}  // namespace

std::string html(const ReportData& data) {
    const std::string script = plot_script();
    const bool interactive = !script.empty();
    const std::string turning = data.scenes.empty() ? "" : scene_script();
    std::string out = "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">";
    out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
    out += element("title", printable_html(data.title)) + element("style", style) + "</head>\n<body><main><header>";
    out += element("h1", printable_html(data.title));
    if (!data.subtitle.empty()) out += "<p class=\"quiet\">" + printable_html(data.subtitle) + "</p>";
    out += "</header>\n";
    if (!data.summary.empty()) out += "<section class=\"summary\">" + facts(data.summary) + "</section>\n";
    out += requirements_section(data.requirements) + steps(data.steps) + (turning.empty() ? "" : scenes(data.scenes)) +
           pictures(data.pictures) + wished_plots(data, interactive) + remarks(data.findings) + '\n' +
           plots(data, interactive) + '\n' + constants(data.constants) + '\n' + units(data.units) + '\n' +
           scenario(data.scenario) + '\n' + changed_parameters(data.parameters) + '\n' + parameters(data.parameters) +
           '\n';
    if (!data.reproducibility.empty())
        out += "<section class=\"origin\"><h2>How to get the same numbers</h2>" + facts(data.reproducibility) +
               "</section>\n";
    if (interactive)
        out += element("script", script) + (turning.empty() ? "" : element("script", turning));
    else if (!data.plots.empty() || !data.wished_plots.empty())
        out +=
            "<p class=\"quiet\">Plots can be zoomed in reports that are written once <code>./run --view</code> has "
            "built the page.</p>\n";
    return out + "</main></body></html>\n";
}

void write_report(const std::filesystem::path& file, const ReportData& data) {
    base::write_atomically(file, html(data));
}

}  // namespace master::report
