#include "master/contracts/deviations.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/page.hpp"
#include "master/base/xml/values.hpp"

#include <fmt/format.h>
#include <optional>
#include <set>

namespace master::contracts {
namespace {

constexpr std::string_view address = "urn:tandem:deviations:1";

struct Deviation {
    std::string id, reason, by, until;
    std::optional<std::chrono::sys_days> last_day;
    std::string where;
    bool used = false;
};

/// YYYY-MM-DD.
std::optional<std::chrono::sys_days> day_of(std::string_view text) {
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return std::nullopt;
    const auto year = base::parse_natural(text.substr(0, 4)), month = base::parse_natural(text.substr(5, 2)),
               day = base::parse_natural(text.substr(8, 2));
    if (!year || !month || !day) return std::nullopt;
    const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                           std::chrono::month(static_cast<unsigned>(*month)),
                                           std::chrono::day(static_cast<unsigned>(*day))};
    if (!date.ok()) return std::nullopt;
    return std::chrono::sys_days(date);
}

std::vector<Deviation> read(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    const base::Document document(file, file.string());
    const pugi::xml_node root = document.root();
    if (base::local_name(root) != "Deviations" || base::address_of(root) != address)
        throw base::Error(
            "wrong-root", document.where(root),
            fmt::format("root element is '{}', expected 'Deviations' of namespace '{}'", root.name(), address));
    base::Page page(document, diagnostics);
    std::vector<Deviation> deviations;
    std::set<std::string> ids;
    for (const pugi::xml_node node : root.children()) {
        if (node.type() != pugi::node_element) continue;
        if (base::local_name(node) != "Accept") {
            page.unknown_child(node);
            continue;
        }
        page.check_attributes(node, {"finding", "reason", "by", "until"});
        Deviation deviation{.id = page.required(node, "finding"),
                            .reason = page.required(node, "reason"),
                            .by = page.required(node, "by"),
                            .until = page.required(node, "until"),
                            .last_day = {},
                            .where = page.where(node)};
        deviation.last_day = day_of(deviation.until);
        if (!deviation.last_day && node.attribute("until"))
            page.error("bad-value", node,
                       fmt::format("until is '{}', expected a day such as 2027-03-31", deviation.until));
        if (!ids.insert(deviation.id).second)
            page.error("duplicate-name", node, fmt::format("finding '{}' is accepted twice", deviation.id));
        deviations.push_back(std::move(deviation));
    }
    return deviations;
}

}  // namespace

void accept_deviations(const std::filesystem::path& file, std::chrono::sys_days today, Comparison& comparison,
                       base::Diagnostics& diagnostics) {
    std::vector<Deviation> deviations = read(file, diagnostics);
    diagnostics.throw_if_errors();
    std::vector<Finding> expired;
    for (Deviation& deviation : deviations) {
        const bool over = *deviation.last_day < today;
        for (Finding& finding : comparison.findings) {
            if (finding.id() != deviation.id) continue;
            deviation.used = true;
            if (!over)
                finding.accepted = fmt::format("{} ({}, until {})", deviation.reason, deviation.by, deviation.until);
        }
        if (over && deviation.used)
            expired.push_back({.code = "expired",
                               .subject = deviation.id,
                               .breaking = true,
                               .text = fmt::format("its acceptance by {} ended on {}", deviation.by, deviation.until),
                               .where = deviation.where,
                               .expected_where = ""});
        if (!deviation.used)
            comparison.notes.push_back(fmt::format("{}: '{}' is accepted, and was not found: it may be removed",
                                                   deviation.where, deviation.id));
    }
    comparison.findings.insert(comparison.findings.end(), expired.begin(), expired.end());
}

}  // namespace master::contracts
