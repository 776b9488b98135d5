#include "master/diagnostics.hpp"

#include "master/error.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace master {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto same = std::tolower(static_cast<unsigned char>(a[i - 1])) ==
                              std::tolower(static_cast<unsigned char>(b[j - 1]));
            const std::size_t replaced = diagonal + (same ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

}  // namespace

void Diagnostics::note(std::string code, std::string where, std::string text) {
    add(Severity::note, std::move(code), std::move(where), std::move(text));
}

void Diagnostics::warn(std::string code, std::string where, std::string text) {
    add(Severity::warning, std::move(code), std::move(where), std::move(text));
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

std::string closest(std::string_view name, std::span<const std::string> candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2) + 1;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > name.size() + best_distance || name.size() > candidate.size() + best_distance) continue;
        const std::size_t distance = edit_distance(name, candidate);
        if (distance >= best_distance) continue;
        best_distance = distance;
        best = candidate;
    }
    return best;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
    const std::string best = closest(name, candidates);
    return best.empty() ? std::string{} : ", closest match '" + best + "'";
}

}  // namespace master
