#pragma once

#include "master/analysis/swap/excitation.hpp"
#include "master/analysis/swap/proposal.hpp"
#include "master/core/value_text.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace master::analysis {

/// Looks for the parameter of the new unit that does to its outputs at the start what one of the old unit did.
class ParameterSearch {
public:
    /// What an old output did, and the new one that stands for it.
    struct Wanted {
        std::size_t output = 0;      // among the new ones
        double gain = 1;             // old = gain * new
        double moved = 0, size = 1;  // of the old one: by the parameter, and in the system
    };
    struct Found {
        std::string name;
        double factor = 1;  // new = factor * old
    };

    ParameterSearch(UnitBench& unit, const Excitation& excitation, const Response& rest)
        : unit_(unit), excitation_(excitation), rest_(rest) {}

    /// Nothing where none does, or two do.
    [[nodiscard]] std::optional<Found> find(const NamedVariable& old, double value,
                                            const std::vector<Wanted>& wanted) const {
        Found found;
        double best = close, next = 1;
        for (const core::Variable& variable : unit_.info().variables) {
            if (!core::is_parameter(variable) || variable.type != core::Type::real || variable.size != 1) continue;
            for (const double factor : possible_factors(old, {unit_.info(), variable.name})) {
                const auto after =
                    excitation_.on_bench(unit_, {}, {variable.name + "=" + core::number_text(factor * value)});
                const double share = after ? difference(*after, wanted) : 1;
                if (share < best) {
                    next = best;
                    best = share;
                    found = {variable.name, factor};
                } else {
                    next = std::min(next, share);
                }
            }
        }
        if (found.name.empty() || next - best < sure) return std::nullopt;
        return found;
    }

private:
    static constexpr double close = 0.05;  // share of what the old one did
    static constexpr double sure = 1e-3;   // by which the best must be better than the next

    [[nodiscard]] double difference(const Response& after, const std::vector<Wanted>& wanted) const {
        double off = 0, size = 0;
        for (const Wanted& one : wanted) {
            const double answer = one.gain * (after.outputs[one.output].front() - rest_.outputs[one.output].front());
            off += std::fabs(one.moved - answer) / one.size;
            size += std::fabs(one.moved) / one.size;
        }
        return size > 0 ? off / size : 1;
    }

    UnitBench& unit_;
    const Excitation& excitation_;
    const Response& rest_;
};

}  // namespace master::analysis
