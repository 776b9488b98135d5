#include "master/analysis/swap/propose.hpp"

#include "interfaces/text/text.hpp"
#include "master/analysis/swap/candidates.hpp"
#include "master/analysis/swap/excitation.hpp"
#include "master/analysis/swap/parameter_search.hpp"
#include "master/analysis/swap/recorded.hpp"
#include "master/analysis/swap/replay.hpp"
#include "master/analysis/swap/tie_break.hpp"
#include "master/analysis/swap/unit_bench.hpp"
#include "master/base/error.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace master::analysis {
namespace {

constexpr double least_answer = 1e-6;     // of what the output does in the recorded run
constexpr double side_effect = 0.01;      // of the output that answers most: what others do by the way
constexpr double clear_answer = 1e-3;     // of what the output does in the recorded run
constexpr double alike = 0.9;             // cosine of two responses that may belong together
constexpr double sure = 1e-3;             // by how much the best must be better than the next
constexpr double negligible = 0.1;        // of the range: an offset that the drift of a replay may have made
constexpr double no_drift = 0.9999;       // R^2 of an output in a replay that does not drift
constexpr double clear_offset = 5;        // by what is left of the difference then: an offset that is one
constexpr double offset_rounding = 1e-9;  // of the largest value
constexpr double least_fit = 0.95;        // R^2 of an output in the replay

class Proposer {
public:
    Proposer(const Recorded& recorded, UnitBench& old_unit, UnitBench& new_unit)
        : recorded_(recorded),
          excitation_(recorded.time.back() - recorded.time.front(), recorded.step),
          old_(old_unit),
          new_(new_unit) {
        take_equal_names();
        gains_ = known_gains(old_.info(), old_.outputs(), new_.info(), new_.outputs());
    }

    Proposal run(bool rest_of_old) {
        excite();
        match_inputs();
        match_parameters();
        replay();
        match_outputs();
        if (rest_of_old) leave_rest_to_old();
        return std::move(proposal_);
    }

private:
    void take_equal_names() {
        const auto take = [&](const auto& old_ones, const auto& new_ones) {
            for (const std::uint32_t i : old_ones)
                for (const std::uint32_t j : new_ones)
                    if (old_.name(i) == new_.name(j)) equal_old_.insert(i), equal_new_.insert(j);
        };
        take(old_.inputs(), new_.inputs());
        take(old_.outputs(), new_.outputs());
    }

    [[nodiscard]] const Series* seen(std::uint32_t old_variable) const {
        const auto found = recorded_.values.find(old_.name(old_variable));
        return found == recorded_.values.end() || found->second.empty() ? nullptr : &found->second;
    }

    [[nodiscard]] double amplitude(std::uint32_t input) const {
        return excursion(old_.info().variables[input], seen(input));
    }

    /// By how much an output moves in the system, or how large it is.
    [[nodiscard]] double scale(std::size_t output) const {
        const Series* values = seen(old_.outputs()[output]);
        if (values == nullptr) return largest(old_rest_->outputs[output]) + 1e-300;
        const auto [low, high] = std::ranges::minmax(*values);
        return high > low ? high - low : std::max(std::fabs(high), 1e-300);
    }

    void excite() {
        old_rest_ = excitation_.on_bench(old_, {});
        new_rest_ = excitation_.on_bench(new_, {});
        if (!old_rest_ || !new_rest_)
            throw base::Error("propose", (!old_rest_ ? "the old unit" : "the new unit"),
                              "cannot be run alone, so that nothing can be measured", base::Exit::failed);
        for (const std::uint32_t input : old_.inputs()) {
            if (equal_old_.contains(input)) continue;
            auto found = excitation_.effect(old_, *old_rest_, input, amplitude(input));
            if (found) old_effects_[input] = std::move(*found);
        }
    }

    [[nodiscard]] std::vector<std::size_t> answering(const Effect& effect) const {
        std::vector<std::size_t> result;
        double most = 0;
        for (std::size_t o = 0; o < effect.size(); ++o) most = std::max(most, largest(effect[o]) / scale(o));
        for (std::size_t o = 0; o < effect.size(); ++o)
            if (largest(effect[o]) / scale(o) > std::max(least_answer, side_effect * most)) result.push_back(o);
        return result;
    }

    [[nodiscard]] std::size_t distance(std::uint32_t before, std::uint32_t after) const {
        const auto words = [](const core::Variable& variable) { return variable.name + " " + variable.description; };
        return interfaces::text::edit_distance(words(old_.info().variables[before]),
                                               words(new_.info().variables[after]));
    }

    void match_inputs() {
        std::set<std::uint32_t> silent_new;
        match_alone(silent_new);
        if (!open_inputs_.empty()) {
            // What is known by now says which outputs belong together: axes that are alike differ in where they answer.
            pair_outputs();
            for (const auto& [o, pair] : answered_)
                for (std::size_t p = 0; p < gains_[o].size(); ++p)
                    if (p != pair.first) gains_[o][p] = 0;
            open_inputs_.clear();
            proposal_.ambiguous.clear();
            match_alone(silent_new);
        }
        match_silent(silent_new);
        pair_silent(silent_new);
    }

    void pair_outputs() {
        for (std::size_t o = 0; o < old_.outputs().size(); ++o)
            if (const auto found = output_by_answers(o)) answered_[o] = *found;
    }

    [[nodiscard]] bool is_taken(std::uint32_t after) const {
        return std::ranges::any_of(inputs_, [&](const auto& pair) { return pair.second.after == after; });
    }

    void match_alone(std::set<std::uint32_t>& silent_new) {
        Candidates candidates;
        for (const std::uint32_t j : new_.inputs()) {
            if (equal_new_.contains(j) || silent_new.contains(j) || is_taken(j)) continue;
            bool answers_at_all = false;
            for (const auto& [i, before] : old_effects_) {
                if (inputs_.contains(i)) continue;
                const std::vector<std::size_t> answers = answering(before);
                for (const double factor : possible_factors({old_.info(), old_.name(i)}, {new_.info(), new_.name(j)})) {
                    const auto after = excitation_.effect(new_, *new_rest_, j, factor * amplitude(i));
                    if (!after) continue;
                    answers_at_all = answers_at_all ||
                                     std::ranges::any_of(*after, [](const Series& s) { return largest(s) > 1e-9; });
                    const double score = likeness(before, answers, *after, gains_);
                    if (score > alike) candidates[i].push_back({j, factor, score});
                }
            }
            if (!answers_at_all) silent_new.insert(j);
        }
        choose(candidates);
        for (auto& pair : inputs_) {
            const auto i = pair.first;
            auto& chosen = pair.second;
            if (candidates.contains(i) && chosen.decided && several_factors(i, chosen.after))
                chosen.decided = !better_beside(chosen.factor, chosen.score, [&](double factor) {
                    const auto after = excitation_.effect(new_, *new_rest_, chosen.after, factor * amplitude(i));
                    return after ? likeness(old_effects_[i], answering(old_effects_[i]), *after, gains_) : 0;
                });
        }
    }

    /// True where neither units nor ranges tell the factor.
    [[nodiscard]] bool several_factors(std::uint32_t before, std::uint32_t after) const {
        return possible_factors({old_.info(), old_.name(before)}, {new_.info(), new_.name(after)}).size() > 2;
    }

    /// Inputs that do nothing alone may do something beside one that is known: a position while the valve is open.
    void match_silent(const std::set<std::uint32_t>& silent_new) {
        Candidates candidates;
        for (const auto& [i, alone] : old_effects_) {
            if (inputs_.contains(i) || open_inputs_.contains(i) || !answering(alone).empty()) continue;
            std::optional<std::uint32_t> beside;
            Effect most;
            double largest_answer = clear_answer;
            for (const auto& [known, candidate] : inputs_) {
                if (!candidate.decided) continue;
                const std::vector<Drive> other{Excitation::jump(old_, known, amplitude(known))};
                const auto rest = excitation_.on_bench(old_, other);
                const auto found = rest ? excitation_.effect(old_, *rest, i, amplitude(i), other) : std::nullopt;
                double answer = 0;
                for (std::size_t o = 0; found && o < found->size(); ++o)
                    answer = std::max(answer, largest((*found)[o]) / scale(o));
                if (answer <= largest_answer) continue;
                largest_answer = answer;
                beside = known;
                most = *found;
            }
            if (!beside) continue;
            const Candidate& known = inputs_[*beside];
            const std::vector<Drive> other{Excitation::jump(new_, known.after, known.factor * amplitude(*beside))};
            const auto rest = excitation_.on_bench(new_, other);
            for (const std::uint32_t j : silent_new) {
                if (!rest) break;
                for (const double factor : possible_factors({old_.info(), old_.name(i)}, {new_.info(), new_.name(j)})) {
                    const auto after = excitation_.effect(new_, *rest, j, factor * amplitude(i), other);
                    const double score = after ? likeness(most, answering(most), *after, gains_) : 0;
                    if (score > alike) candidates[i].push_back({j, factor, score});
                }
            }
        }
        choose(candidates);
    }

    /// Best pairs first; a pair stays open where another partner is as good.
    void choose(Candidates& candidates) {
        std::vector<std::pair<std::uint32_t, Candidate>> pairs;  // old input first
        for (auto& [i, list] : candidates) {
            std::ranges::stable_sort(list, std::greater{}, &Candidate::score);
            for (const Candidate& one : list) pairs.emplace_back(i, one);
        }
        std::ranges::stable_sort(pairs, std::greater{}, [](const auto& pair) { return pair.second.score; });
        std::set<std::uint32_t> taken;
        for (const auto& [i, candidate] : inputs_) taken.insert(candidate.after);
        for (const auto& pair : pairs) {
            if (inputs_.contains(pair.first) || open_inputs_.contains(pair.first) || taken.contains(pair.second.after))
                continue;
            Candidate best = pair.second;
            std::vector<std::uint32_t> rivals;
            for (const Candidate& other : candidates[pair.first]) {
                if (other.after == best.after) {
                    if (other.factor != best.factor && other.score > best.score - nearly_equal) best.decided = false;
                } else if (!taken.contains(other.after) && other.score > best.score - sure &&
                           !wanted_more(candidates, pair.first, other) &&
                           std::ranges::find(rivals, other.after) == rivals.end()) {
                    rivals.push_back(other.after);
                }
            }
            for (const std::uint32_t rival : rivals) {
                if (distance(pair.first, best.after) < distance(pair.first, rival)) continue;
                open(fmt::format("input '{}' answers like '{}' and like '{}'", old_.name(pair.first),
                                 new_.name(best.after), new_.name(rival)));
                open_inputs_.insert(pair.first);
                break;
            }
            if (open_inputs_.contains(pair.first)) continue;
            inputs_[pair.first] = best;
            taken.insert(best.after);
        }
    }

    /// Inputs that do nothing when they are moved alone: by elimination, and the replay finds the factor.
    void pair_silent(const std::set<std::uint32_t>& silent_new) {
        std::vector<std::uint32_t> rest_old, rest_new;
        for (const auto& [i, effect] : old_effects_)
            if (!inputs_.contains(i) && !open_inputs_.contains(i) && answering(effect).empty()) rest_old.push_back(i);
        for (const std::uint32_t j : silent_new)
            if (!is_taken(j)) rest_new.push_back(j);
        if (rest_old.size() == 1 && rest_new.size() == 1) {
            inputs_[rest_old.front()] = {.after = rest_new.front(), .factor = 1, .score = 0, .decided = false};
            return;
        }
        for (const std::uint32_t i : rest_old)
            open(fmt::format("input '{}' does nothing when it is moved alone, and {} inputs of the new unit are left",
                             old_.name(i), rest_new.size()));
        for (const auto& [i, effect] : old_effects_)
            if (!inputs_.contains(i) && !open_inputs_.contains(i) && !answering(effect).empty())
                open(fmt::format("input '{}': no input of the new unit answers like it", old_.name(i)));
    }

    /// From the answers of the pairs so far: which new output follows an old one, and by which gain.
    [[nodiscard]] std::optional<std::pair<std::size_t, double>> output_by_answers(std::size_t output) {
        std::optional<std::pair<std::size_t, double>> best;
        double quality = alike;
        for (const auto& [i, candidate] : inputs_) {
            if (!candidate.decided || largest(old_effects_[i][output]) <= least_answer * scale(output)) continue;
            const auto after = excitation_.effect(new_, *new_rest_, candidate.after, candidate.factor * amplitude(i));
            if (!after) continue;
            const Series& before = old_effects_[i][output];
            for (std::size_t p = 0; p < after->size(); ++p) {
                const double score = likeness(before, (*after)[p], gains_[output][p]);
                if (score <= quality) continue;
                quality = score;
                best = {p, dot(before, (*after)[p]) / dot((*after)[p], (*after)[p])};
            }
        }
        return best;
    }

    /// Parameters that the system gives: what they do to the outputs at the start.
    void match_parameters() {
        pair_outputs();
        for (const std::string& given : recorded_.given) {
            const std::string name = given.substr(0, given.find('='));
            const double value = std::stod(given.substr(given.find('=') + 1));
            const auto same = std::ranges::find(new_.info().variables, name, &core::Variable::name);
            if (same != new_.info().variables.end()) {
                set_.push_back(given);
                continue;
            }
            const auto before = excitation_.on_bench(old_, {}, {given});
            if (!before) continue;
            match_parameter(name, value, *before);
        }
    }

    void match_parameter(const std::string& name, double value, const Response& before) {
        std::vector<ParameterSearch::Wanted> wanted;
        wanted.reserve(answered_.size());
        for (const auto& [o, pair] : answered_)
            wanted.push_back({.output = pair.first,
                              .gain = pair.second,
                              .moved = before.outputs[o].front() - old_rest_->outputs[o].front(),
                              .size = scale(o)});
        const auto found = ParameterSearch(new_, excitation_, *new_rest_).find({old_.info(), name}, value, wanted);
        if (!found) {
            open(fmt::format(
                "parameter '{}' = {}: no parameter of the new unit does the same to the outputs at the start", name,
                core::number_text(value)));
            return;
        }
        set_.push_back(found->name + "=" + core::number_text(found->factor * value));
        add_row(name, found->name, {.gain = 1 / found->factor}, "parameter, by the outputs at the start");
    }

    [[nodiscard]] std::optional<Response> replayed() {
        std::vector<ReplayedInput> inputs;
        for (const std::uint32_t i : old_.inputs()) {
            if (seen(i) == nullptr) continue;
            const auto found = inputs_.find(i);
            if (found == inputs_.end() && !equal_old_.contains(i)) continue;
            const std::string after = found != inputs_.end() ? new_.name(found->second.after) : old_.name(i);
            const auto declared = declared_scale({old_.info(), old_.name(i)}, {new_.info(), after});
            build::Scale to_new = declared.value_or(build::Scale{});
            if (found != inputs_.end() && found->second.factor != to_new.gain) to_new = {found->second.factor, 0};
            inputs.push_back({old_.name(i), after, to_new});
        }
        return analysis::replay(new_, recorded_, inputs, set_);
    }

    [[nodiscard]] std::vector<const Series*> seen_outputs() const {
        std::vector<const Series*> result;
        for (const std::uint32_t o : old_.outputs())
            if (const Series* values = seen(o)) result.push_back(values);
        return result;
    }

    void replay() {
        const auto undecided = std::ranges::count_if(inputs_, [](const auto& pair) { return !pair.second.decided; });
        for (auto& input : inputs_) {
            const auto i = input.first;
            auto& candidate = input.second;
            if (candidate.decided) continue;
            const NamedVariable before{old_.info(), old_.name(i)}, after{new_.info(), new_.name(candidate.after)};
            const auto fit_with = [&](double factor) {
                candidate.factor = factor;
                const auto response = replayed();
                return response ? mean_fit(seen_outputs(), response->outputs) : -1;
            };
            const BestFactors found = best_factors(possible_factors(before, after), fit_with);
            const double best = found.tied.empty() ? 1 : found.tied.front();
            candidate.decided = found.quality > 0 && found.tied.size() == 1;
            candidate.unknown = candidate.decided && several_factors(i, candidate.after) &&
                                better_beside(best, found.quality, fit_with);
            candidate.decided = candidate.decided && !candidate.unknown;
            candidate.factor = best;
            if (candidate.decided || candidate.unknown || undecided > 1 || found.quality < least_fit) continue;
            const auto described = factor_by_description(before, after, found.tied, [&](double factor) {
                candidate.factor = factor;
                const auto response = replayed();
                return response ? signs_kept(seen_outputs(), response->outputs) : 0;
            });
            candidate.decided = candidate.by_description = described.has_value();
            if (described) candidate.factor = *described;
        }
        for (const auto& [i, candidate] : inputs_) {
            if (!candidate.decided) {
                open(fmt::format("input '{}' belongs to '{}', but {}", old_.name(i), new_.name(candidate.after),
                                 candidate.unknown
                                     ? fmt::format("the factor is none between units: others fit better than {:.6g}",
                                                   candidate.factor)
                                     : std::string("neither excitation nor replay tells the factor, nor does its "
                                                   "description name a unit")));
                continue;
            }
            add_row(old_.name(i), new_.name(candidate.after), {.gain = 1 / candidate.factor},
                    candidate.by_description ? std::string("input, unit by its description")
                    : candidate.score > 0    ? fmt::format("input, answers alike {:.4f}", candidate.score)
                                             : std::string("input, by elimination and replay"));
        }
        std::erase_if(inputs_, [](const auto& pair) { return !pair.second.decided; });
        replay_ = replayed();
    }

    /// A new output that does what an old one did.
    struct Follower {
        std::uint32_t before = 0;
        std::size_t after = 0;  // among the new outputs
        Fit fit;
    };

    /// old / new where the answers on the bench pair the two.
    [[nodiscard]] std::optional<double> bench_gain(std::uint32_t before, std::size_t after) const {
        const auto place = std::ranges::find(old_.outputs(), before) - old_.outputs().begin();
        const auto answer = answered_.find(static_cast<std::size_t>(place));
        if (answer == answered_.end() || answer->second.first != after) return std::nullopt;
        return answer->second.second;
    }

    /// The answers on the bench tell the gain better than a replay, in which the new unit may drift.
    [[nodiscard]] MeasuredLine line_of(const Follower& one) const {
        const double measured = bench_gain(one.before, one.after).value_or(one.fit.gain);
        const double gain = meant_gain({old_.info(), old_.name(one.before)},
                                       {new_.info(), new_.name(new_.outputs()[one.after])}, measured);
        const Distance apart = distance_of(*seen(one.before), replay_->outputs[one.after], gain);
        const double drift = one.fit.quality > no_drift ? clear_offset * apart.rms : negligible * apart.range;
        return {measured, apart.mean, std::max(drift, offset_rounding * apart.size)};
    }

    void match_outputs() {
        std::vector<Follower> followers;
        if (!replay_) return open("outputs: the new unit refuses the recorded inputs");
        if (inputs_.empty() && equal_old_.empty() && !old_.inputs().empty())
            return open("outputs: cannot be matched before an input is");
        for (const std::uint32_t o : old_.outputs()) {
            const Series* values = seen(o);
            if (equal_old_.contains(o) || values == nullptr) continue;
            const auto [best, second, best_fit, next] = best_fits(
                *values, replay_->outputs, [&](std::size_t p) { return !equal_new_.contains(new_.outputs()[p]); });
            if (best_fit.quality < (bench_gain(o, best) ? alike : least_fit)) {
                open(fmt::format("output '{}': no output of the new unit follows it (best '{}', R2 = {:.3f})",
                                 old_.name(o), new_.outputs().empty() ? "" : new_.name(new_.outputs()[best]),
                                 best_fit.quality));
                continue;
            }
            if (best_fit.quality - next.quality < sure * (1 - best_fit.quality + 1e-3) &&
                distance(o, new_.outputs()[best]) >= distance(o, new_.outputs()[second])) {
                open(fmt::format("output '{}' is followed by '{}' and by '{}'", old_.name(o),
                                 new_.name(new_.outputs()[best]), new_.name(new_.outputs()[second])));
                continue;
            }
            followers.push_back({o, best, best_fit});
        }
        for (const Follower& one : followers) {
            const auto better = std::ranges::find_if(followers, [&](const Follower& other) {
                return other.after == one.after && other.before != one.before && other.fit.quality > one.fit.quality;
            });
            if (better != followers.end()) {
                open(fmt::format("output '{}': '{}' is the nearest (R2 = {:.4f}), but follows '{}' better",
                                 old_.name(one.before), new_.name(new_.outputs()[one.after]), one.fit.quality,
                                 old_.name(better->before)));
                continue;
            }
            add_row(old_.name(one.before), new_.name(new_.outputs()[one.after]), line_of(one),
                    fmt::format("output, R2 = {:.5f}", one.fit.quality));
        }
    }

    void leave_rest_to_old() {
        using Form = build::MapRow::Form;
        for (const std::uint32_t i : old_.inputs())
            if (!equal_old_.contains(i)) proposal_.leave_to_old(old_.name(i), Form::none, "input of the old unit");
        for (const std::uint32_t o : old_.outputs())
            if (!equal_old_.contains(o)) proposal_.leave_to_old(old_.name(o), Form::of_old_unit, "output");
    }

    void open(std::string text) { proposal_.ambiguous.push_back(std::move(text)); }

    void add_row(const std::string& old_name, const std::string& new_name, const MeasuredLine& line,
                 const std::string& note) {
        proposal_.rows.push_back(proposed_row({old_.info(), old_name}, {new_.info(), new_name}, line, note));
    }

    const Recorded& recorded_;
    Excitation excitation_;
    UnitBench& old_;
    UnitBench& new_;
    std::set<std::uint32_t> equal_old_, equal_new_, open_inputs_;
    std::optional<Response> old_rest_, new_rest_, replay_;
    std::map<std::uint32_t, Effect> old_effects_;
    std::map<std::uint32_t, Candidate> inputs_;
    std::map<std::size_t, std::pair<std::size_t, double>> answered_;  // by old output: new output and gain
    std::vector<std::string> set_;
    OutputGains gains_;
    Proposal proposal_;
};

}  // namespace

Proposal propose_map(const ProposalRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                     runs::Board* board) {
    base::ArchiveCache archives;
    runs::Scenario scenario;
    if (!request.scenario.empty()) scenario = runs::read_scenario(request.scenario, diagnostics);
    diagnostics.throw_if_errors();
    const runs::RunRequest run{.build = request.build, .scenario = request.scenario.empty() ? nullptr : &scenario};
    const Recorded recorded = record_component(run, request.component, archives, diagnostics, log, board);
    UnitBench old_unit(recorded.old_fmu, archives, log, board);
    UnitBench new_unit(request.fmu, archives, log, board);
    return Proposer(recorded, old_unit, new_unit).run(request.rest_of_old);
}

}  // namespace master::analysis
