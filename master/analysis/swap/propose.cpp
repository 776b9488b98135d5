#include "master/analysis/swap/propose.hpp"

#include "interfaces/text/text.hpp"
#include "master/analysis/swap/known_factors.hpp"
#include "master/analysis/swap/recorded.hpp"
#include "master/analysis/swap/series.hpp"
#include "master/analysis/swap/unit_bench.hpp"
#include "master/base/error.hpp"
#include "master/core/value_text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>

namespace master::analysis {
namespace {

constexpr std::size_t bench_points = 400;
constexpr double longest_trial = 1;    // s
constexpr double step_begins = 0.1;    // of a trial
constexpr double least_answer = 1e-6;  // of what the output does in the recorded run
constexpr double alike = 0.9;          // cosine of two responses that may belong together
constexpr double sure = 1e-3;          // by how much the best must be better than the next
constexpr double negligible = 0.1;     // of the range: an offset that the drift of a replay may have made
constexpr double nearly_equal = 1e-6;
constexpr double least_fit = 0.95;  // R^2 of an output in the replay

class Proposer {
public:
    Proposer(const Recorded& recorded, UnitBench& old_unit, UnitBench& new_unit)
        : recorded_(recorded), old_(old_unit), new_(new_unit) {
        const double length = recorded.time.back() - recorded.time.front();
        const double trial = std::min(longest_trial, length);
        times_ = {0, step_begins * trial, step_begins * trial, trial};
        for (std::size_t i = 0; i < bench_points; ++i)
            grid_.push_back(trial * static_cast<double>(i) / static_cast<double>(bench_points - 1));
        take_equal_names();
    }

    Proposal run() {
        excite();
        match_inputs();
        match_parameters();
        replay();
        match_outputs();
        return std::move(proposal_);
    }

private:
    struct Candidate {
        std::uint32_t after = 0;
        double factor = 1;  // new = factor * old
        double score = 0;
        bool decided = true;  // the factor
    };

    void take_equal_names() {
        for (const std::uint32_t i : old_.inputs())
            for (const std::uint32_t j : new_.inputs())
                if (old_.name(i) == new_.name(j)) equal_old_.insert(i), equal_new_.insert(j);
        for (const std::uint32_t i : old_.outputs())
            for (const std::uint32_t j : new_.outputs())
                if (old_.name(i) == new_.name(j)) equal_old_.insert(i), equal_new_.insert(j);
    }

    [[nodiscard]] const Series* seen(std::uint32_t old_variable) const {
        const auto found = recorded_.values.find(old_.name(old_variable));
        return found == recorded_.values.end() || found->second.empty() ? nullptr : &found->second;
    }

    [[nodiscard]] double amplitude(std::uint32_t input) const {
        return excursion(old_.info().variables[input], seen(input));
    }

    std::optional<Response> on_bench(UnitBench& unit, const std::vector<Drive>& drives,
                                     const std::vector<std::string>& set = {}) {
        auto response = unit.run({.time = times_, .drives = drives, .set = set, .step = recorded_.step});
        if (!response) response = unit.run({.time = times_, .drives = drives, .set = set, .step = {}});
        if (!response) return std::nullopt;
        return response->at(grid_);
    }

    std::optional<Effect> effect(UnitBench& unit, const Response& rest, std::uint32_t input, double by) {
        const double start = start_value(unit.info().variables[input]);
        const auto moved = on_bench(unit, {{unit.name(input), {start, start, start + by, start + by}}});
        if (!moved) return std::nullopt;
        Effect result;
        for (std::size_t o = 0; o < moved->outputs.size(); ++o)
            result.push_back(minus(moved->outputs[o], rest.outputs[o]));
        return result;
    }

    /// By how much an output moves in the system, or how large it is.
    [[nodiscard]] double scale(std::size_t output) const {
        const Series* values = seen(old_.outputs()[output]);
        if (values == nullptr) return largest(old_rest_->outputs[output]) + 1e-300;
        const auto [low, high] = std::ranges::minmax(*values);
        return high > low ? high - low : std::max(std::fabs(high), 1e-300);
    }

    void excite() {
        old_rest_ = on_bench(old_, {});
        new_rest_ = on_bench(new_, {});
        if (!old_rest_ || !new_rest_)
            throw base::Error("propose", (!old_rest_ ? "the old unit" : "the new unit"),
                              "cannot be run alone, so that nothing can be measured", base::Exit::failed);
        for (const std::uint32_t input : old_.inputs()) {
            if (equal_old_.contains(input)) continue;
            auto found = effect(old_, *old_rest_, input, amplitude(input));
            if (found) old_effects_[input] = std::move(*found);
        }
    }

    [[nodiscard]] std::vector<std::size_t> answering(const Effect& effect) const {
        std::vector<std::size_t> result;
        for (std::size_t o = 0; o < effect.size(); ++o)
            if (largest(effect[o]) > least_answer * scale(o)) result.push_back(o);
        return result;
    }

    [[nodiscard]] std::size_t distance(std::uint32_t before, std::uint32_t after) const {
        const auto words = [](const core::Variable& variable) { return variable.name + " " + variable.description; };
        return interfaces::text::edit_distance(words(old_.info().variables[before]),
                                               words(new_.info().variables[after]));
    }

    void match_inputs() {
        std::vector<std::uint32_t> silent_new;
        std::map<std::uint32_t, std::vector<Candidate>> candidates;
        for (const std::uint32_t j : new_.inputs()) {
            if (equal_new_.contains(j)) continue;
            bool answers_at_all = false;
            for (const auto& [i, before] : old_effects_) {
                const std::vector<std::size_t> answers = answering(before);
                for (const double factor : possible_factors({old_.info(), old_.name(i)}, {new_.info(), new_.name(j)})) {
                    const auto after = effect(new_, *new_rest_, j, factor * amplitude(i));
                    if (!after) continue;
                    answers_at_all = answers_at_all ||
                                     std::ranges::any_of(*after, [](const Series& s) { return largest(s) > 1e-9; });
                    const double score = likeness(before, answers, *after);
                    if (score > alike) candidates[i].push_back({j, factor, score});
                }
            }
            if (!answers_at_all) silent_new.push_back(j);
        }
        choose(candidates);
        pair_silent(silent_new);
    }

    /// True where another old input answers more like that new one.
    [[nodiscard]] static bool wanted_more(const std::map<std::uint32_t, std::vector<Candidate>>& candidates,
                                          std::uint32_t before, const Candidate& candidate) {
        return std::ranges::any_of(candidates, [&](const auto& entry) {
            return entry.first != before && std::ranges::any_of(entry.second, [&](const Candidate& other) {
                       return other.after == candidate.after && other.score > candidate.score + nearly_equal;
                   });
        });
    }

    /// Best pairs first; a pair stays open where another partner is as good.
    void choose(std::map<std::uint32_t, std::vector<Candidate>>& candidates) {
        struct Pair {
            std::uint32_t before;
            Candidate candidate;
        };
        std::vector<Pair> pairs;
        for (auto& [i, list] : candidates) {
            std::ranges::stable_sort(list, std::greater{}, &Candidate::score);
            for (const Candidate& one : list) pairs.push_back({i, one});
        }
        std::ranges::stable_sort(pairs, std::greater{}, [](const Pair& pair) { return pair.candidate.score; });
        std::set<std::uint32_t> taken;
        for (const Pair& pair : pairs) {
            if (inputs_.contains(pair.before) || open_inputs_.contains(pair.before) ||
                taken.contains(pair.candidate.after))
                continue;
            Candidate best = pair.candidate;
            std::vector<std::uint32_t> rivals;
            for (const Candidate& other : candidates[pair.before]) {
                if (other.after == best.after) {
                    if (other.factor != best.factor && other.score > best.score - nearly_equal) best.decided = false;
                } else if (!taken.contains(other.after) && other.score > best.score - sure &&
                           !wanted_more(candidates, pair.before, other) &&
                           std::ranges::find(rivals, other.after) == rivals.end()) {
                    rivals.push_back(other.after);
                }
            }
            for (const std::uint32_t rival : rivals) {
                if (distance(pair.before, best.after) < distance(pair.before, rival)) continue;
                open(fmt::format("input '{}' answers like '{}' and like '{}'", old_.name(pair.before),
                                 new_.name(best.after), new_.name(rival)));
                open_inputs_.insert(pair.before);
                break;
            }
            if (open_inputs_.contains(pair.before)) continue;
            inputs_[pair.before] = best;
            taken.insert(best.after);
        }
    }

    /// Inputs that do nothing when they are moved alone: by elimination, and the replay finds the factor.
    void pair_silent(const std::vector<std::uint32_t>& silent_new) {
        std::vector<std::uint32_t> rest_old, rest_new;
        std::set<std::uint32_t> used;
        for (const auto& [i, candidate] : inputs_) used.insert(candidate.after);
        for (const auto& [i, effect] : old_effects_)
            if (!inputs_.contains(i) && !open_inputs_.contains(i) && answering(effect).empty()) rest_old.push_back(i);
        for (const std::uint32_t j : silent_new)
            if (!used.contains(j)) rest_new.push_back(j);
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
            const auto after = effect(new_, *new_rest_, candidate.after, candidate.factor * amplitude(i));
            if (!after) continue;
            const Series& before = old_effects_[i][output];
            for (std::size_t p = 0; p < after->size(); ++p) {
                const double pp = dot((*after)[p], (*after)[p]), both = dot(before, (*after)[p]);
                if (pp <= 0) continue;
                const double cosine = std::fabs(both) / std::sqrt(pp * dot(before, before));
                if (cosine <= quality) continue;
                quality = cosine;
                best = {p, both / pp};
            }
        }
        return best;
    }

    /// Parameters that the system gives: what they do to the outputs at the start.
    void match_parameters() {
        for (std::size_t o = 0; o < old_.outputs().size(); ++o)
            if (const auto found = output_by_answers(o)) answered_[o] = *found;
        for (const std::string& given : recorded_.given) {
            const std::string name = given.substr(0, given.find('='));
            const double value = std::stod(given.substr(given.find('=') + 1));
            const auto same = std::ranges::find(new_.info().variables, name, &core::Variable::name);
            if (same != new_.info().variables.end()) {
                set_.push_back(given);
                continue;
            }
            const auto before = on_bench(old_, {}, {given});
            if (!before) continue;
            match_parameter(name, value, *before);
        }
    }

    void match_parameter(const std::string& name, double value, const Response& before) {
        std::string best_name;
        double best_factor = 1, best = 0.05, next = 1;
        for (const core::Variable& variable : new_.info().variables) {
            if (!core::is_parameter(variable) || variable.type != core::Type::real || variable.size != 1) continue;
            for (const double known : known_factors()) {
                for (const double factor : {known, -known}) {
                    const auto after = on_bench(new_, {}, {variable.name + "=" + core::number_text(factor * value)});
                    if (!after) continue;
                    double off = 0, size = 0;
                    for (const auto& [o, pair] : answered_) {
                        const double moved = before.outputs[o].front() - old_rest_->outputs[o].front();
                        const double answer =
                            pair.second * (after->outputs[pair.first].front() - new_rest_->outputs[pair.first].front());
                        off += std::fabs(moved - answer) / scale(o);
                        size += std::fabs(moved) / scale(o);
                    }
                    const double share = size > 0 ? off / size : 1;
                    if (share < best) {
                        next = best;
                        best = share;
                        best_name = variable.name;
                        best_factor = factor;
                    } else {
                        next = std::min(next, share);
                    }
                }
            }
        }
        if (best_name.empty() || next - best < sure) {
            open(fmt::format(
                "parameter '{}' = {}: no parameter of the new unit does the same to the outputs at the start", name,
                core::number_text(value)));
            return;
        }
        set_.push_back(best_name + "=" + core::number_text(best_factor * value));
        add_row(name, best_name, 1 / best_factor, 0, "parameter, by the outputs at the start");
    }

    [[nodiscard]] std::optional<Response> replayed() {
        Trial trial{.time = recorded_.time, .drives = {}, .set = set_, .step = recorded_.step};
        const double begin = trial.time.front();
        for (double& t : trial.time) t -= begin;
        for (const std::uint32_t i : old_.inputs()) {
            const Series* values = seen(i);
            if (values == nullptr) continue;
            Drive drive;
            double factor = 1;
            if (const auto found = inputs_.find(i); found != inputs_.end()) {
                drive.input = new_.name(found->second.after);
                factor = found->second.factor;
            } else if (equal_old_.contains(i)) {
                drive.input = old_.name(i);
            } else {
                continue;
            }
            for (const double value : *values) drive.values.push_back(factor * value);
            trial.drives.push_back(std::move(drive));
        }
        auto response = new_.run(trial);
        if (!response) {
            trial.step.clear();
            response = new_.run(trial);
        }
        if (!response) return std::nullopt;
        return response->at(trial.time);
    }

    /// How well the best new output fits each old one, on average.
    [[nodiscard]] double quality(const Response& response) const {
        double sum = 0;
        std::size_t count = 0;
        for (const std::uint32_t o : old_.outputs()) {
            const Series* values = seen(o);
            if (values == nullptr) continue;
            double best = 0;
            for (const Series& output : response.outputs) best = std::max(best, fit(*values, output).quality);
            sum += best;
            ++count;
        }
        return count == 0 ? 0 : sum / static_cast<double>(count);
    }

    void replay() {
        for (auto& [i, candidate] : inputs_) {
            if (candidate.decided) continue;
            double best = -1, next = -1, chosen = 1;
            for (const double factor :
                 possible_factors({old_.info(), old_.name(i)}, {new_.info(), new_.name(candidate.after)})) {
                candidate.factor = factor;
                const auto response = replayed();
                const double found = response ? quality(*response) : -1;
                if (found > best) {
                    next = best;
                    best = found;
                    chosen = factor;
                } else {
                    next = std::max(next, found);
                }
            }
            candidate.factor = chosen;
            candidate.decided = best > 0 && best - next > 1e-9;
        }
        for (const auto& [i, candidate] : inputs_) {
            if (!candidate.decided) {
                open(fmt::format("input '{}' belongs to '{}', but neither excitation nor replay tells the factor",
                                 old_.name(i), new_.name(candidate.after)));
                continue;
            }
            add_row(old_.name(i), new_.name(candidate.after), 1 / candidate.factor, 0,
                    candidate.score > 0 ? fmt::format("input, answers alike {:.4f}", candidate.score)
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

    /// The answers on the bench tell the gain better than a replay, in which the new unit may drift.
    [[nodiscard]] build::Scale line_of(const Follower& one) const {
        const auto place = std::ranges::find(old_.outputs(), one.before) - old_.outputs().begin();
        const auto answer = answered_.find(static_cast<std::size_t>(place));
        const bool same = answer != answered_.end() && answer->second.first == one.after;
        const double gain = same ? answer->second.second : one.fit.gain;
        const Series& before = *seen(one.before);
        const Series& after = replay_->outputs[one.after];
        double offset = 0;
        for (std::size_t i = 0; i < before.size(); ++i)
            offset += (before[i] - gain * after[i]) / static_cast<double>(before.size());
        const auto [low, high] = std::ranges::minmax(before);
        return {gain, std::fabs(offset) < negligible * (high - low) ? 0 : offset};
    }

    void match_outputs() {
        std::vector<Follower> followers;
        if (!replay_) {
            open("outputs: the new unit refuses the recorded inputs");
            return;
        }
        for (const std::uint32_t o : old_.outputs()) {
            const Series* values = seen(o);
            if (equal_old_.contains(o) || values == nullptr) continue;
            std::size_t best = 0;
            Fit best_fit, next;
            std::size_t second = 0;
            for (std::size_t p = 0; p < new_.outputs().size(); ++p) {
                if (equal_new_.contains(new_.outputs()[p])) continue;
                const Fit found = fit(*values, replay_->outputs[p]);
                const bool better = found.quality > best_fit.quality;
                if (better || found.quality > next.quality) {
                    next = better ? best_fit : found;
                    second = better ? best : p;
                }
                if (better) best = p, best_fit = found;
            }
            if (best_fit.quality < least_fit) {
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
            const build::Scale scale = line_of(one);
            add_row(old_.name(one.before), new_.name(new_.outputs()[one.after]), scale.gain, scale.offset,
                    fmt::format("output, R2 = {:.5f}", one.fit.quality));
        }
    }

    void open(std::string text) { proposal_.ambiguous.push_back(std::move(text)); }

    void add_row(const std::string& old_name, const std::string& new_name, double ratio, double offset,
                 const std::string& note) {
        proposal_.rows.push_back(proposed_row({old_.info(), old_name}, {new_.info(), new_name}, {ratio, offset}, note));
    }

    const Recorded& recorded_;
    UnitBench& old_;
    UnitBench& new_;
    std::vector<double> times_, grid_;
    std::set<std::uint32_t> equal_old_, equal_new_, open_inputs_;
    std::optional<Response> old_rest_, new_rest_, replay_;
    std::map<std::uint32_t, Effect> old_effects_;
    std::map<std::uint32_t, Candidate> inputs_;
    std::map<std::size_t, std::pair<std::size_t, double>> answered_;  // by old output: new output and gain
    std::vector<std::string> set_;
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
    return Proposer(recorded, old_unit, new_unit).run();
}

}  // namespace master::analysis
