#include "master/fmi/description/reader.hpp"

#include "master/base/xml/values.hpp"

namespace master::fmi {
namespace {

constexpr std::size_t shown_per_code = 5;

}  // namespace

void Remarks::error(const std::string& code, pugi::xml_node node, const std::string& message) {
    if (++errors_[code] <= shown_per_code) diagnostics_.error(code, text_.where(node), message);
}

void Remarks::deviation(const std::string& code, pugi::xml_node node, const std::string& message) {
    if (++deviations_[code] <= shown_per_code) diagnostics_.ignored(code, text_.where(node), message);
}

void Remarks::summarize() {
    const auto left_out = [](std::size_t count) {
        return std::to_string(count - shown_per_code) + " more of this kind";
    };
    for (const auto& [code, count] : errors_) {
        if (count > shown_per_code) diagnostics_.error(code, text_.shown(), left_out(count));
    }
    for (const auto& [code, count] : deviations_) {
        if (count > shown_per_code) diagnostics_.ignored(code, text_.shown(), left_out(count));
    }
}

std::optional<std::uint32_t> DescriptionReader::variable(std::uint32_t reference) const {
    if (is_fmi3()) {
        const auto found = by_reference.find(reference);
        return found == by_reference.end() ? std::nullopt : std::optional(found->second);
    }
    if (reference == 0 || reference > variables().size()) return std::nullopt;
    return reference - 1;
}

std::optional<std::uint32_t> DescriptionReader::resolve(std::string_view word, pugi::xml_node node,
                                                        const std::string& who) {
    const std::optional<std::uint32_t> reference = base::number_from<std::uint32_t>(word);
    const std::optional<std::uint32_t> found = reference ? variable(*reference) : std::nullopt;
    if (found) return found;
    const std::string expected =
        is_fmi3() ? "the value reference of a variable" : "an index from 1 to " + std::to_string(variables().size());
    remarks.error("dangling-reference", node, who + " '" + std::string(word) + "'; expected " + expected);
    return std::nullopt;
}

bool DescriptionReader::flag(pugi::xml_node node, const char* attribute) {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return false;
    const std::optional<bool> value = base::parse_boolean(found.value());
    if (value) return *value;
    remarks.error("bad-value", node, std::string(attribute) + " is '" + found.value() + "'; expected true or false");
    return false;
}

std::optional<double> DescriptionReader::real(pugi::xml_node node, const char* attribute) {
    const pugi::xml_attribute found = node.attribute(attribute);
    if (!found) return std::nullopt;
    const std::optional<double> value = base::number_from<double>(found.value());
    if (!value) {
        remarks.deviation("bad-value", node,
                          std::string(attribute) + " is '" + found.value() + "'; expected a number, so it is ignored");
    }
    return value;
}

}  // namespace master::fmi
