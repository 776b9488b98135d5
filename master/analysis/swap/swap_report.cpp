#include "master/analysis/swap/swap_report.hpp"

#include "master/analysis/linear/linear_report.hpp"
#include "master/analysis/page.hpp"
#include "master/base/json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace master::analysis {
namespace {

constexpr std::size_t most_plots = 12;

std::string number(double value) { return fmt::format("{:.4g}", value); }
std::string number(const std::optional<double>& value) { return value ? number(*value) : "-"; }

std::string share(const SwappedSignal& signal) {
    const Difference& d = signal.difference;
    return d.range > 0 ? fmt::format("{:.2g} %", 100 * d.peak / d.range) : "-";
}

std::string conclusion(const Swap& swap) {
    std::size_t counts[4] = {};
    for (const SwappedSignal& signal : swap.signals) ++counts[static_cast<std::size_t>(signal.judgement.verdict)];
    std::string parts;
    for (std::size_t i = 0; i < 4; ++i)
        if (counts[i] > 0)
            parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ", counts[i], to_string(static_cast<Verdict>(i)));
    return fmt::format("{} ({} signals: {})", to_string(swap.verdict), swap.signals.size(), parts);
}

std::string cost_text(const RunCost& cost) {
    return fmt::format("{:.3g} s, {} steps of {} s, {} events", cost.wall, cost.points, cost.step, cost.events);
}

/// What is known of the noise; empty where no unit has a seed.
std::string noise_text(const Swap& swap) {
    if (swap.seeds.empty()) return {};
    std::string names;
    for (const std::string& seed : swap.seeds) names += (names.empty() ? "" : ", ") + seed;
    return fmt::format("measured by another value of {}; {}", names,
                       swap.common_noise ? "both runs have the same noise" : "the two runs have different noise");
}

/// What the errors of both runs explain.
std::optional<double> errors_of(const SwappedSignal& signal) {
    return signal.bar ? std::optional(*signal.bar + signal.solvers) : std::nullopt;
}

std::string bar_text(const report::ErrorBar& bar) {
    if (!bar.missing.empty()) return "none: " + bar.missing;
    return fmt::format("from a run at {}, median {:.2g} %, worst {:.2g} % of the range{}", bar.shadow, 100 * bar.median,
                       100 * bar.worst, bar.converged ? "" : "; not converged");
}

std::string change_text(const InterfaceChange& change) {
    const std::string names = change.old_name.empty() ? change.new_name
                              : change.new_name.empty() || change.new_name == change.old_name
                                  ? change.old_name
                                  : change.old_name + " -> " + change.new_name;
    return fmt::format("{:<10} {}{}{}", to_string(change.kind), names, names.empty() ? "" : ": ", change.text);
}

report::Plot overlay(const Swap& swap, const SwappedSignal& signal) {
    report::Plot plot;
    plot.unit = signal.unit;
    plot.series.push_back({"before", swap.time, signal.before, false});
    plot.series.push_back({"after", swap.time, signal.after, false});
    return plot;
}

base::Json json_of(const Difference& d) {
    base::Json json{{"range", d.range}, {"peak", d.peak},         {"peak_time", d.peak_time},
                    {"rms", d.rms},     {"at_start", d.at_start}, {"at_end", d.at_end}};
    if (d.at_rest) json["at_rest"] = *d.at_rest;
    if (d.shift) json["time_shift"] = *d.shift;
    return json;
}

base::Json json_of(const RunCost& cost) {
    base::Json json{{"wall", cost.wall}, {"points", cost.points}, {"events", cost.events}, {"step", cost.step}};
    if (cost.bar.missing.empty())
        json["error_bar"] = {{"shadow", cost.bar.shadow},
                             {"median", cost.bar.median},
                             {"worst", cost.bar.worst},
                             {"converged", cost.bar.converged}};
    else
        json["error_bar"] = {{"missing", cost.bar.missing}};
    return json;
}

}  // namespace

std::string swap_text(const Swap& swap, const SwapTitle& title, std::size_t most) {
    std::string out = fmt::format("{}: {} -> {}\n", title.system, title.old_unit, title.new_unit);
    for (const InterfaceChange& change : swap.changes) out += "  " + change_text(change) + "\n";
    for (const std::string& lost : swap.lost) out += "  lost       " + lost + "\n";
    for (const std::string& held : swap.held) out += "  held       " + held + "\n";
    out += fmt::format("before     {}\nafter      {}\n", cost_text(swap.before), cost_text(swap.after));
    if (!swap.seeds.empty()) out += "noise      " + noise_text(swap) + "\n";
    if (!swap.solvers.empty()) out += "solvers    " + swap.solvers + "\n";
    if (!swap.parted.empty()) out += "note       " + swap.parted + "\n";
    out += fmt::format("{:<36} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10}  {}\n", "signal", "peak", "rms", "of range",
                       "at rest", "shift in s", "errors", "verdict");
    for (std::size_t i = 0; i < std::min(most, swap.signals.size()); ++i) {
        const SwappedSignal& s = swap.signals[i];
        out +=
            fmt::format("{:<36} {:>10} {:>10} {:>8} {:>10} {:>10} {:>10}  {}: {}\n", s.name, number(s.difference.peak),
                        number(s.difference.rms), share(s), number(s.difference.at_rest), number(s.difference.shift),
                        number(errors_of(s)), to_string(s.judgement.verdict), s.judgement.reason);
    }
    if (swap.signals.size() > most)
        out += fmt::format("... and {} more with smaller differences\n", swap.signals.size() - most);
    if (swap.response)
        out += fmt::format("bode       {}\n", bode_difference(swap.response->before, swap.response->after));
    if (!swap.advice.empty()) out += "advice     " + swap.advice + "\n";
    return out + fmt::format("verdict    {}\n", conclusion(swap));
}

std::string swap_json(const Swap& swap, const SwapTitle& title) {
    base::Json json{{"system", title.system},
                    {"component", swap.component},
                    {"old_unit", title.old_unit},
                    {"new_unit", title.new_unit},
                    {"verdict", std::string(to_string(swap.verdict))}};
    json["interface"] = base::Json::array();
    for (const InterfaceChange& change : swap.changes)
        json["interface"].push_back({{"kind", std::string(to_string(change.kind))},
                                     {"old", change.old_name},
                                     {"new", change.new_name},
                                     {"text", change.text}});
    json["lost"] = swap.lost;
    json["held"] = swap.held;
    json["before"] = json_of(swap.before);
    json["after"] = json_of(swap.after);
    if (!swap.advice.empty()) json["advice"] = swap.advice;
    if (!swap.seeds.empty()) json["noise"] = {{"seeds", swap.seeds}, {"common", swap.common_noise}};
    if (!swap.solvers.empty()) json["solvers"] = swap.solvers;
    if (!swap.parted.empty()) json["parted"] = swap.parted;
    json["signals"] = base::Json::array();
    for (const SwappedSignal& signal : swap.signals) {
        base::Json one{{"name", signal.name}, {"new_name", signal.new_name}, {"unit", signal.unit}};
        one.update(json_of(signal.difference));
        if (signal.initial.peak > 0) one["initial"] = json_of(signal.initial);
        if (signal.bar) one["coupling_error"] = *signal.bar;
        if (!swap.solvers.empty()) one["solver_error"] = signal.solvers;
        if (!swap.seeds.empty()) one["noise"] = signal.noise;
        one["verdict"] = std::string(to_string(signal.judgement.verdict));
        one["reason"] = signal.judgement.reason;
        json["signals"].push_back(std::move(one));
    }
    json["unmatched"] = swap.unmatched;
    if (swap.response) {
        const auto linear = [&](const Linearization& found) {
            return base::parse_json(linear_json(found, title.system), "linear.json");
        };
        json["bode"] = {{"before", linear(swap.response->before)}, {"after", linear(swap.response->after)}};
    }
    return base::json_text(std::move(json));
}

std::string swap_html(const Swap& swap, const SwapTitle& title) {
    Page page(fmt::format("{}: {} exchanged", title.system, swap.component),
              title.old_unit + " was replaced by " + title.new_unit);
    report::Facts facts{{"verdict", conclusion(swap)},
                        {"before", cost_text(swap.before)},
                        {"after", cost_text(swap.after)},
                        {"coupling error before", bar_text(swap.before.bar)},
                        {"coupling error after", bar_text(swap.after.bar)}};
    if (!swap.seeds.empty()) facts.push_back({"noise", noise_text(swap)});
    if (!swap.solvers.empty()) facts.push_back({"errors of the solvers", swap.solvers});
    if (!swap.advice.empty()) facts.push_back({"advice", swap.advice});
    page.facts(facts);
    page.begin("What the differences come from");
    page.paragraph(
        "physics: several times what the errors of both runs explain, those of the coupling and those of the solvers; "
        "coupling: as large as the coupling errors, and gone without them; no difference: rounding or the solvers' "
        "tolerance; cannot tell: no error bar, it is too close, the errors may hide something else, or it is noise "
        "that another seed would change as much.");
    if (!swap.parted.empty()) page.paragraph(swap.parted);
    PageTable table{.columns = {{"signal", false, true},
                                {"peak", true},
                                {"of range", true},
                                {"at", true},
                                {"rms", true},
                                {"at rest", true},
                                {"shift in s", true},
                                {"errors", true},
                                {"verdict"}},
                    .rows = {}};
    for (const SwappedSignal& s : swap.signals) {
        const Difference& d = s.difference;
        table.rows.push_back({s.name, number(d.peak) + (s.unit.empty() ? "" : " " + s.unit), share(s),
                              number(d.peak_time) + " s", number(d.rms), number(d.at_rest), number(d.shift),
                              number(errors_of(s)),
                              fmt::format("{}: {}", to_string(s.judgement.verdict), s.judgement.reason)});
    }
    page.table(table);
    page.begin("Before and after");
    std::size_t drawn = 0;
    for (const SwappedSignal& signal : swap.signals)
        if (drawn < most_plots && signal.difference.peak > 0 && ++drawn > 0)
            page.figure(signal.name, overlay(swap, signal));
    if (drawn == 0) page.paragraph("No signal differs.");
    if (swap.response) {
        const Linearization& before = swap.response->before;
        page.begin("Frequency responses");
        page.paragraph(fmt::format("From '{}' to '{}' around t = {} s: {}.", before.input, before.output, before.at,
                                   bode_difference(before, swap.response->after)));
        page.drawing("Bode", bode_overlay(before, swap.response->after));
    }
    page.begin("Interface");
    PageTable interface {
        .columns = {{"what"}, {"old", false, true}, {"new", false, true}, {"how"}}, .rows = {}
    };
    for (const InterfaceChange& change : swap.changes)
        interface.rows.push_back({std::string(to_string(change.kind)), change.old_name, change.new_name, change.text});
    if (interface.rows.empty())
        page.paragraph("Both units have the same interface.");
    else
        page.table(interface);
    std::vector<std::string> items;
    items.reserve(swap.lost.size());
    for (const std::string& lost : swap.lost) items.push_back("lost: " + lost);
    for (const std::string& held : swap.held) items.push_back("held: " + held);
    if (!swap.unmatched.empty()) {
        std::string names;
        for (const std::string& name : swap.unmatched) names += " " + name;
        items.push_back("recorded before only:" + names);
    }
    if (!items.empty()) page.list(items);
    return page.html();
}

}  // namespace master::analysis
