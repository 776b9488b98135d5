#include "interfaces/text/text.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

namespace interfaces::text {
namespace {

std::size_t common_beginning(std::string_view a, std::string_view b) {
    return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
    const auto same = [](char x, char y) {
        return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
    };
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t replaced = diagonal + (same(a[i - 1], b[j - 1]) ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row[b.size()];
}

std::string closest(std::string_view name, std::span<const std::string> candidates) {
    std::string best;
    std::size_t best_distance = std::max<std::size_t>(2, name.size() / 2) + 1;
    for (const std::string& candidate : candidates) {
        if (candidate.size() > name.size() + best_distance || name.size() > candidate.size() + best_distance) continue;
        const std::size_t distance = edit_distance(name, candidate);
        // Of two that are equally far, the one that begins alike: '--output' means '--out', not '--input'.
        const bool nearer =
            distance < best_distance || (!best.empty() && distance == best_distance &&
                                         common_beginning(name, candidate) > common_beginning(name, best));
        if (!nearer) continue;
        best_distance = distance;
        best = candidate;
    }
    return best;
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::string escaped(std::string_view text) {
    std::string result;
    for (const char character : text) {
        switch (character) {
            case '&':
                result += "&amp;";
                break;
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '"':
                result += "&quot;";
                break;
            case '\t':
                result += "&#9;";
                break;
            case '\n':
                result += "&#10;";
                break;
            case '\r':
                result += "&#13;";
                break;
            default:
                result += character;
                break;
        }
    }
    return result;
}

Lines::Lines(std::string_view text) {
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n', end + 1))
        ends_.push_back(static_cast<std::ptrdiff_t>(end));
}

std::size_t Lines::line_of(std::ptrdiff_t offset) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(ends_, offset) - ends_.begin()) + 1;
}

}  // namespace interfaces::text
