#include "master/contracts/pairing.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace master::contracts {
namespace {

bool has_name(const Entry& entry, const std::string& name) {
    return entry.name == name || std::ranges::find(entry.other_names, name) != entry.other_names.end();
}

std::size_t shared(const Element& a, const Element& b) {
    std::set<std::string> names;
    for (const Entry& entry : a.entries) {
        names.insert(entry.name);
        names.insert(entry.other_names.begin(), entry.other_names.end());
    }
    return static_cast<std::size_t>(std::ranges::count_if(b.entries, [&](const Entry& entry) {
        return names.contains(entry.name) ||
               std::ranges::any_of(entry.other_names, [&](const auto& name) { return names.contains(name); });
    }));
}

/// All entries in one element; those of components are called COMPONENT.NAME, and NAME.
Element merge(const Interface& interface) {
    Element all{.name = "", .entries = {}, .where = interface.file};
    for (const Element& element : interface.elements) {
        for (const Entry& entry : element.entries) {
            all.entries.push_back(entry);
            Entry& added = all.entries.back();
            added.step = element.step;
            if (element.name.empty() || interface.form == Interface::Form::bus) continue;
            added.other_names.push_back(added.name);
            added.name = element.name + "." + added.name;
        }
    }
    if (interface.elements.size() == 1) all.unit = interface.elements.front().unit;
    return all;
}

std::vector<const Element*> filled(const Interface& interface) {
    std::vector<const Element*> elements;
    for (const Element& element : interface.elements)
        if (!element.entries.empty() || element.requirements) elements.push_back(&element);
    return elements;
}

[[noreturn]] void refuse(const Interface& actual, const Interface& expected, const std::string& text) {
    throw base::Error("other-interface", expected.elements.empty() ? expected.file : expected.elements.front().where,
                      text + "; is it the specification of another system than '" + actual.file + "'?");
}

std::string names_of(const std::vector<const Element*>& elements) {
    std::string names;
    for (const Element* element : elements)
        names += (names.empty() ? "'" : ", '") + (element->name.empty() ? "(the system)" : element->name) + "'";
    return names;
}

const Element* by_name(const std::vector<const Element*>& elements, const std::string& name) {
    const auto found = std::ranges::find(elements, name, &Element::name);
    return found == elements.end() ? nullptr : *found;
}

/// The element that has most names in common.
const Element* most_like(const std::vector<const Element*>& elements, const Element& other) {
    const Element* best = nullptr;
    std::size_t most = 0;
    for (const Element* element : elements) {
        const std::size_t common = shared(*element, other);
        if (common > most) {
            most = common;
            best = element;
        }
    }
    return best;
}

Pairing pair_elements(const Interface& actual, const Interface& expected) {
    const std::vector<const Element*> have = filled(actual), want = filled(expected);
    Pairing pairing;
    std::set<const Element*> used;
    const auto add = [&](const Element* found, const Element* wanted) {
        pairing.pairs.push_back({found, wanted});
        if (found != nullptr) used.insert(found);
    };
    // One unit is looked at in whatever place of the specification it is for, and the other way round.
    if (have.size() == 1 && want.size() == 1) {
        add(have.front(), want.front());
    } else if (actual.form == Interface::Form::unit && have.size() == 1) {
        const Element* place = most_like(want, *have.front());
        add(have.front(), place != nullptr ? place : want.front());
    } else {
        for (const Element* wanted : want) {
            const Element* found = by_name(have, wanted->name);
            if (found == nullptr && want.size() == 1) found = most_like(have, *wanted);
            add(found, wanted);
        }
    }
    for (const Element* element : have)
        if (!used.contains(element)) pairing.extra.push_back(element);
    return pairing;
}

}  // namespace

const Entry* find(const Element& element, const Entry& wanted) {
    const auto exact = std::ranges::find(element.entries, wanted.name, &Entry::name);
    if (exact != element.entries.end()) return &*exact;
    const Entry* only = nullptr;
    for (const Entry& entry : element.entries) {
        const bool meant =
            has_name(entry, wanted.name) ||
            std::ranges::any_of(wanted.other_names, [&](const auto& name) { return has_name(entry, name); });
        if (!meant) continue;
        if (only != nullptr) return nullptr;
        only = &entry;
    }
    return only;
}

Pairing pair_up(const Interface& actual, const Interface& expected) {
    if (filled(expected).empty())
        throw base::Error("other-interface", expected.file, "there is no connector or signal in it to compare with");
    const bool both_buses = actual.form == Interface::Form::bus && expected.form == Interface::Form::bus;
    Pairing pairing;
    if ((actual.flat() || expected.flat()) && !both_buses) {
        pairing.merged.reserve(2);
        pairing.merged.push_back(merge(actual));
        pairing.merged.push_back(merge(expected));
        pairing.pairs.push_back({&pairing.merged[0], &pairing.merged[1]});
    } else {
        pairing = pair_elements(actual, expected);
    }
    const bool any = std::ranges::any_of(pairing.pairs, [](const Pair& pair) { return pair.actual != nullptr; });
    if (!any)
        refuse(actual, expected,
               fmt::format("of {} there is nothing in {}", names_of(filled(expected)), names_of(filled(actual))));
    const bool common = std::ranges::any_of(pairing.pairs, [](const Pair& pair) {
        return pair.actual != nullptr && (pair.expected->entries.empty() || shared(*pair.actual, *pair.expected) > 0);
    });
    if (!common) refuse(actual, expected, "no name in it is one of the other side");
    return pairing;
}

}  // namespace master::contracts
