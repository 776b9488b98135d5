#include "master/base/diagnostics.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/error.hpp"

#include <algorithm>

namespace master::base {

void Diagnostics::note(std::string code, std::string where, std::string text) {
    add(Severity::note, std::move(code), std::move(where), std::move(text));
}

void Diagnostics::warn(std::string code, std::string where, std::string text) {
    add(strict ? Severity::error : Severity::warning, std::move(code), std::move(where), std::move(text));
}

void Diagnostics::warn_told(std::string code, std::string where, std::string text) {
    const std::size_t before = findings_.size();
    warn(std::move(code), std::move(where), std::move(text));
    if (findings_.size() > before && !strict) findings_.back().told = true;
}

void Diagnostics::error(std::string code, std::string where, std::string text) {
    add(Severity::error, std::move(code), std::move(where), std::move(text));
}

void Diagnostics::ignored(std::string code, std::string where, std::string text) {
    add(strict ? Severity::error : Severity::note, std::move(code), std::move(where), std::move(text));
}

void Diagnostics::throw_if_errors() const {
    const auto first =
        std::ranges::find_if(findings_, [](const Finding& finding) { return finding.severity == Severity::error; });
    if (first != findings_.end()) throw Error(first->code, first->where, first->text);
}

void Diagnostics::add(Severity severity, std::string code, std::string where, std::string text) {
    const auto same = [&](const Finding& f) { return f.code == code && f.where == where && f.text == text; };
    if (std::ranges::any_of(findings_, same)) return;
    if (severity == Severity::error) ++errors_;
    findings_.push_back({severity, std::move(code), std::move(where), std::move(text)});
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    const std::string best = interfaces::text::closest(name, candidates);
    return best.empty() ? std::string{} : ", closest match '" + best + "'";
}

}  // namespace master::base
