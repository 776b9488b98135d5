#include "master/contracts/compare.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/error.hpp"
#include "master/contracts/pairing.hpp"
#include "master/contracts/rules.hpp"
#include "master/ssp/common.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace master::contracts {
namespace {

std::string subject_of(const Element& element, const Entry& entry) {
    return element.name.empty() || element.message ? entry.name : element.name + "." + entry.name;
}

bool is_exchanged(const Entry& entry) {
    return entry.kind == ssp::Kind::input || entry.kind == ssp::Kind::output || entry.kind == ssp::Kind::inout;
}

/// One element against its partner.
class ElementComparison {
public:
    ElementComparison(const Pair& pair, Comparison& comparison)
        : actual_(*pair.actual), expected_(*pair.expected), comparison_(comparison) {}

    void apply() {
        for (const Entry& wanted : expected_.entries) {
            const Entry* found = find(actual_, wanted);
            if (found != nullptr) used_.insert(found);
            partners_.push_back(found);
        }
        check_unit_facts(actual_, expected_, comparison_);
        check_message(actual_, expected_, comparison_);
        for (std::size_t i = 0; i < expected_.entries.size(); ++i) {
            const Entry& wanted = expected_.entries[i];
            const std::string subject = subject_of(expected_, wanted);
            comparison_.compared.push_back(subject);
            if (partners_[i] != nullptr)
                compare(*partners_[i], wanted, subject);
            else
                report_missing(wanted, subject);
        }
        for (const Entry& entry : actual_.entries)
            if (!used_.contains(&entry) && (comparison_.versions || (is_exchanged(entry) && !merged())))
                report_extra(entry);
    }

private:
    /// What does not stand in a dictionary or on a bus is not meant by it.
    [[nodiscard]] bool merged() const { return actual_.name.empty() && expected_.name.empty(); }

    void compare(const Entry& found, const Entry& wanted, const std::string& subject) {
        EntryRules(found, wanted, subject, comparison_).apply(found.step ? found.step : actual_.step);
    }

    void add(const char* code, const Entry* found, const Entry* wanted, bool breaking, const std::string& text) {
        const ssp::Contract contract = wanted != nullptr ? wanted->contract : ssp::Contract{};
        comparison_.findings.push_back(
            {.code = code,
             .subject = wanted != nullptr ? subject_of(expected_, *wanted) : subject_of(actual_, *found),
             .breaking = breaking && contract.severity == ssp::Severity::error,
             .text = text,
             .where = found != nullptr ? found->where : actual_.where,
             .expected_where = wanted != nullptr ? wanted->where : expected_.where,
             .requirement = contract.requirement});
    }

    /// The one that nobody asked for and that sounds or lies like what is missed.
    [[nodiscard]] const Entry* renamed(const Entry& wanted) const {
        std::vector<std::string> names;
        for (const Entry& entry : actual_.entries) {
            if (used_.contains(&entry)) continue;
            const bool same_place = entry.bus && wanted.bus && entry.bus->signal.start == wanted.bus->signal.start &&
                                    entry.bus->signal.length == wanted.bus->signal.length;
            if (same_place) return &entry;
            if (entry.kind == wanted.kind || wanted.kind == ssp::Kind::inout || entry.kind == ssp::Kind::inout)
                names.push_back(entry.name);
        }
        const std::string name = interfaces::text::closest(wanted.name, names);
        const auto found = std::ranges::find(actual_.entries, name, &Entry::name);
        return name.empty() || found == actual_.entries.end() ? nullptr : &*found;
    }

    void report_missing(const Entry& wanted, const std::string& subject) {
        if (const Entry* other = renamed(wanted)) {
            used_.insert(other);
            add("renamed", other, &wanted, true,
                comparison_.versions ? fmt::format("it is called '{}' now", other->name)
                                     : fmt::format("there is none of this name; closest is '{}'", other->name));
            compare(*other, wanted, subject);
            return;
        }
        const std::string kind = wanted.kind == ssp::Kind::inout || wanted.kind == ssp::Kind::unspecified
                                     ? "it"
                                     : "the " + std::string(ssp::to_string(wanted.kind));
        add("missing", nullptr, &wanted, true, kind + (comparison_.versions ? " was removed" : " is missing"));
    }

    void report_extra(const Entry& entry) {
        const std::string kind(ssp::to_string(entry.kind));
        const bool needs_source = entry.kind == ssp::Kind::input && !entry.contract.start && comparison_.versions;
        if (comparison_.versions)
            add("extra", &entry, nullptr, needs_source,
                needs_source ? "the input was added, and says no start value: whoever uses it has to connect it"
                             : (entry.bus ? "the signal" : "the " + kind) + std::string(" was added"));
        else
            add("extra", &entry, nullptr, false,
                fmt::format("the {} is not in the specification{}", kind,
                            entry.kind == ssp::Kind::input ? ", and will hold its start value" : ""));
    }

    const Element& actual_;
    const Element& expected_;
    Comparison& comparison_;
    std::vector<const Entry*> partners_;
    std::set<const Entry*> used_;
};

void report_element(const char* code, const Element& element, bool breaking, const std::string& text,
                    Comparison& comparison) {
    comparison.findings.push_back({.code = code,
                                   .subject = element.name.empty() ? "(the system)" : element.name,
                                   .breaking = breaking,
                                   .text = text,
                                   .where = comparison.actual,
                                   .expected_where = element.where});
}

/// A message by another name is found by its identifier.
void match_messages(Pairing& pairing, Comparison& comparison) {
    for (Pair& pair : pairing.pairs) {
        if (pair.actual != nullptr || !pair.expected->message) continue;
        const auto same = std::ranges::find_if(pairing.extra, [&](const Element* element) {
            return element->message && element->message->id == pair.expected->message->id &&
                   element->message->extended == pair.expected->message->extended;
        });
        if (same == pairing.extra.end()) continue;
        pair.actual = *same;
        pairing.extra.erase(same);
        report_element("renamed", *pair.expected, true,
                       fmt::format("the message of this identifier is called '{}'", pair.actual->name), comparison);
    }
}

bool are_versions(const Interface& actual, const Interface& expected) {
    return actual.form == expected.form && actual.form != Interface::Form::unit &&
           actual.form != Interface::Form::system;
}

}  // namespace

std::size_t Comparison::breaking() const {
    return static_cast<std::size_t>(std::ranges::count_if(findings, &Finding::fails));
}

bool Comparison::passed() const { return breaking() == 0; }

Comparison compare(const Interface& first, const Interface& second) {
    Comparison comparison;
    comparison.versions = are_versions(first, second);
    // Whoever used the older one is to be served by the newer one.
    const Interface& actual = comparison.versions ? second : first;
    const Interface& expected = comparison.versions ? first : second;
    comparison.actual = actual.file;
    comparison.expected = expected.file;
    Pairing pairing = pair_up(actual, expected);
    match_messages(pairing, comparison);
    for (const Pair& pair : pairing.pairs) {
        if (pair.actual != nullptr)
            ElementComparison(pair, comparison).apply();
        else
            report_element("missing", *pair.expected, true,
                           std::string(pair.expected->message ? "the message" : "the component") +
                               (comparison.versions ? " was removed" : " is missing"),
                           comparison);
    }
    for (const Element* element : pairing.extra)
        if (comparison.versions || element->message)
            report_element("extra", *element, false,
                           std::string(element->message ? "the message" : "the component") +
                               (comparison.versions ? " was added" : " is not in the specification"),
                           comparison);
    return comparison;
}

}  // namespace master::contracts
