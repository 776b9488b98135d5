#include "master/report/requirements.hpp"

#include "master/base/printable.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::report {

using base::printable_html;
using contracts::Verdict;

std::string text_of(const contracts::Violation& violation) {
    return fmt::format("{}, first at t = {:g} s, at {} point{}, worst {:.6g}", violation.what, violation.first,
                       violation.count, violation.count == 1 ? "" : "s", violation.worst);
}

std::string tally(const std::vector<Verdict>& verdicts) {
    const auto count = [&](Verdict::Outcome outcome) {
        return std::ranges::count(verdicts, outcome, &Verdict::outcome);
    };
    return fmt::format("{} passed, {} failed, {} not exercised", count(Verdict::Outcome::passed),
                       count(Verdict::Outcome::failed), count(Verdict::Outcome::not_exercised));
}

std::string requirements_section(const std::vector<Verdict>& verdicts) {
    if (verdicts.empty()) return {};
    std::string out = fmt::format(
        "<section><h2>Requirements</h2><p class=\"quiet\">{}. Not exercised: the signal moved less than 5 % of its "
        "range, which shows nothing.</p><div class=\"scroll\"><table><thead><tr><th>requirement<th>watched at"
        "<th>verdict<th>margin used<th>evidence</tr></thead><tbody>",
        tally(verdicts));
    for (const Verdict& verdict : verdicts) {
        const bool failed = verdict.outcome == Verdict::Outcome::failed;
        const bool shown = verdict.outcome != Verdict::Outcome::not_exercised;
        const char* colour = failed ? (verdict.warning ? "var(--warning)" : "var(--error)") : "var(--c2)";
        std::string evidence = printable_html(verdict.evidence);
        for (const contracts::Violation& violation : verdict.violations)
            evidence += "<br><b>" + printable_html(text_of(violation)) + "</b>";
        out += fmt::format(
            "<tr><td><code>{}</code><td><code>{}</code><td style=\"white-space:nowrap;color:{}\">{}{}"
            "<td style=\"white-space:nowrap\"><span class=\"bar\"><i style=\"width:{:.1f}%;background:{}\"></i></span> "
            "{:.0f} %<td>{}</tr>",
            printable_html(verdict.requirement), printable_html(verdict.subject), shown ? colour : "var(--quiet)",
            contracts::name_of(verdict.outcome), failed && verdict.warning ? " (warning)" : "",
            100 * std::clamp(verdict.used, 0.0, 1.0), shown ? colour : "var(--quiet)", 100 * verdict.used, evidence);
    }
    return out + "</tbody></table></div></section>\n";
}

}  // namespace master::report
