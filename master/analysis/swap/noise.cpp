#include "master/analysis/swap/noise.hpp"

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>

namespace master::analysis {
namespace {

std::optional<std::int64_t> whole(const std::optional<core::Value>& value) {
    if (!value) return std::nullopt;
    if (const auto* signed_values = std::get_if<std::vector<std::int64_t>>(&*value); signed_values != nullptr)
        return signed_values->front();
    if (const auto* unsigned_values = std::get_if<std::vector<std::uint64_t>>(&*value); unsigned_values != nullptr)
        return static_cast<std::int64_t>(
            std::min<std::uint64_t>(unsigned_values->front(), std::numeric_limits<std::int64_t>::max()));
    return std::nullopt;
}

const NoiseSeed* partner_of(const NoiseSeed& seed, const std::vector<NoiseSeed>& others) {
    const auto found =
        std::ranges::find_if(others, [&](const NoiseSeed& other) { return other.path() == seed.path(); });
    return found == others.end() ? nullptr : &*found;
}

/// What counts of one run's seeds; clears `common` where its noise is not that of the other run.
std::vector<NoiseSeed> relevant(const std::vector<NoiseSeed>& own, const std::vector<NoiseSeed>& others,
                                const std::string& component, bool same_step, bool& common) {
    std::vector<NoiseSeed> result;
    for (const NoiseSeed& seed : own) {
        const NoiseSeed* partner = partner_of(seed, others);
        const bool same = partner != nullptr && partner->value == seed.value && partner->token == seed.token;
        if (seed.component != component && same) continue;
        common = common && same && same_step;
        result.push_back(seed);
    }
    return result;
}

}  // namespace

bool names_a_seed(const std::string& variable) {
    std::string name = variable;
    while (!name.empty() && (std::isdigit(static_cast<unsigned char>(name.back())) != 0)) name.pop_back();
    constexpr std::string_view word = "seed";
    if (name.size() < word.size()) return false;
    const std::size_t begin = name.size() - word.size();
    const bool spelt = std::ranges::equal(std::string_view(name).substr(begin), word,
                                          [](unsigned char a, char b) { return std::tolower(a) == b; });
    // "globalSeed" and "noise.seed" are seeds, "linseed" is oil.
    return spelt &&
           (begin == 0 || name[begin] == 'S' || std::isalpha(static_cast<unsigned char>(name[begin - 1])) == 0);
}

std::vector<NoiseSeed> seeds_of(core::System& system) {
    std::vector<NoiseSeed> result;
    for (const core::Node& node : system.nodes()) {
        const core::UnitInfo& info = node.unit->info();
        for (std::uint32_t i = 0; i < info.variables.size(); ++i) {
            const core::Variable& variable = info.variables[i];
            if (!core::is_parameter(variable) || variable.variability == core::Variability::constant ||
                variable.size != 1 || !names_a_seed(variable.name))
                continue;
            const auto value = whole(node.unit->value_of(i));
            if (!value) continue;
            const bool last = *value == std::numeric_limits<std::int32_t>::max() ||
                              (variable.maximum && static_cast<double>(*value) >= *variable.maximum);
            result.push_back({.component = node.name,
                              .name = variable.name,
                              .token = info.token,
                              .value = *value,
                              .other = last ? *value - 1 : *value + 1});
        }
    }
    return result;
}

Seeding seeding(const std::vector<NoiseSeed>& before, const std::vector<NoiseSeed>& after, const std::string& component,
                bool same_step) {
    Seeding result;
    result.before = relevant(before, after, component, same_step, result.common);
    result.after = relevant(after, before, component, same_step, result.common);
    return result;
}

build::BuildOptions reseeded(build::BuildOptions options, const std::vector<NoiseSeed>& seeds) {
    for (const NoiseSeed& seed : seeds) options.set.push_back(seed.path() + "=" + std::to_string(seed.other));
    return options;
}

}  // namespace master::analysis
