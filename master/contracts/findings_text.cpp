#include "master/contracts/findings_text.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace master::contracts {
namespace {

using interfaces::text::escaped;

std::string line_of(const Finding& finding) {
    std::string where = finding.where;
    if (!finding.expected_where.empty() && finding.expected_where != finding.where)
        where += (where.empty() ? "" : "; ") + finding.expected_where;
    return fmt::format(
        "{}[{}]: {}: {}{}{}{}", finding.breaking ? "breaking" : "compatible", finding.code, finding.subject,
        finding.text, finding.requirement.empty() ? "" : " [" + finding.requirement + "]",
        where.empty() ? "" : " (" + where + ")", finding.accepted.empty() ? "" : "; accepted: " + finding.accepted);
}

const char* plural(std::size_t n) { return n == 1 ? "" : "s"; }

}  // namespace

std::string text_of(const Comparison& comparison) {
    std::string out;
    std::size_t compatible = 0, accepted = 0;
    for (const bool breaking : {true, false}) {
        for (const Finding& finding : comparison.findings) {
            if (finding.breaking != breaking) continue;
            out += line_of(finding) + "\n";
            if (!breaking) ++compatible;
            if (breaking && !finding.accepted.empty()) ++accepted;
        }
    }
    for (const std::string& note : comparison.notes) out += "note: " + note + "\n";
    if (!comparison.unstated.empty())
        out += fmt::format(
            "note: of {} signal{} the specification promises what only a run can show (range, rate, age, resolution or "
            "period), '{}' for one; run --contract watches them\n",
            comparison.unstated.size(), plural(comparison.unstated.size()), comparison.unstated.front());
    const std::string sides = comparison.versions
                                  ? fmt::format("{} to {}", comparison.expected, comparison.actual)
                                  : fmt::format("{} against {}", comparison.actual, comparison.expected);
    out += fmt::format("{}: {}, {} compared, {} breaking, {} compatible{}\n", sides,
                       comparison.passed() ? "ok" : "does not fit", comparison.compared.size(), comparison.breaking(),
                       compatible, accepted > 0 ? fmt::format(", {} accepted", accepted) : "");
    return out;
}

std::string json_of(const Comparison& comparison) {
    base::Json json{{"actual", comparison.actual},     {"expected", comparison.expected},
                    {"versions", comparison.versions}, {"passed", comparison.passed()},
                    {"compared", comparison.compared}, {"findings", base::Json::array()}};
    for (const Finding& finding : comparison.findings)
        json["findings"].push_back({{"id", finding.id()},
                                    {"code", finding.code},
                                    {"subject", finding.subject},
                                    {"class", finding.breaking ? "breaking" : "compatible"},
                                    {"text", finding.text},
                                    {"where", finding.where},
                                    {"expected_where", finding.expected_where},
                                    {"requirement", finding.requirement},
                                    {"accepted", finding.accepted}});
    json["unstated"] = comparison.unstated;
    json["notes"] = comparison.notes;
    return base::json_text(std::move(json));
}

std::string junit_of(const Comparison& comparison) {
    std::map<std::string, std::vector<const Finding*>> by_subject;
    std::vector<std::string> subjects = comparison.compared;
    for (const Finding& finding : comparison.findings) {
        by_subject[finding.subject].push_back(&finding);
        if (std::ranges::find(subjects, finding.subject) == subjects.end()) subjects.push_back(finding.subject);
    }
    std::string cases;
    std::size_t failures = 0;
    for (const std::string& subject : subjects) {
        std::string failure, told;
        for (const Finding* finding : by_subject[subject]) {
            const std::string line = line_of(*finding);
            if (finding->fails())
                failure += line + "\n";
            else
                told += line + "\n";
        }
        cases +=
            fmt::format("    <testcase classname=\"{}\" name=\"{}\">", escaped(comparison.expected), escaped(subject));
        if (!failure.empty()) {
            ++failures;
            cases += fmt::format("<failure message=\"{}\">{}</failure>", escaped(failure.substr(0, failure.find('\n'))),
                                 escaped(failure));
        }
        if (!told.empty()) cases += "<system-out>" + escaped(told) + "</system-out>";
        cases += "</testcase>\n";
    }
    return fmt::format(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
        "  <testsuite name=\"{} against {}\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n{}"
        "  </testsuite>\n</testsuites>\n",
        escaped(comparison.actual), escaped(comparison.expected), subjects.size(), failures, cases);
}

}  // namespace master::contracts
