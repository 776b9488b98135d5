#include "master/analysis/mutation/mutation.hpp"

#include "master/analysis/mutation/faulty_unit.hpp"
#include "master/base/error.hpp"
#include "master/base/json.hpp"
#include "master/base/patterns.hpp"
#include "master/build/resolve/well_known_units.hpp"
#include "master/contracts/monitor.hpp"
#include "master/contracts/read_interface.hpp"
#include "master/runs/session.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

namespace master::analysis {
namespace {

// Longer arrays are pictures and clouds, which no contract speaks about.
constexpr std::size_t longest_array = 16;
constexpr double wrong_scale = 2;
// A delay that a person notices and that is long for a controller.
constexpr std::int64_t late_steps = 10;
constexpr std::int64_t late_part_of_second = 10;
// In which engineers say what SI says otherwise; the first of a dimension is the one that is mixed up.
constexpr std::array customary_units{"mm",   "bar",  "kN",  "%",     "deg",  "mm/s", "deg/s", "l/min", "kW",
                                     "kN.m", "km/h", "g",   "ms",    "degC", "cm2",  "l",     "kJ",    "m",
                                     "Pa",   "N",    "rad", "rad/s", "W",    "m/s",  "kg",    "s",     "m3/s"};
// What is changed by less than this share of the output's own size is no change.
constexpr double least_change = 1e-6;

/// One number that a unit gives.
struct Output {
    std::string name;
    std::size_t request = 0;
    std::uint32_t element = 0;
    double low = std::numeric_limits<double>::infinity(), high = -low;  // in the sound run

    [[nodiscard]] double size() const { return std::max(std::fabs(low), std::fabs(high)); }
    [[nodiscard]] double span() const { return high - low; }
};

struct Seed {
    const char* kind;
    Fault fault;
    std::string words;
};

/// How far outputs go.
class ExtentTap final : public core::Tap {
public:
    ExtentTap(std::vector<Output>& outputs, const std::vector<build::SignalRequest>& requests) : outputs_(outputs) {
        for (const Output& output : outputs) {
            const build::LocatedSignal& located = *requests[output.request].signal();
            signals_.push_back(located.first.element(output.element));
        }
    }
    void after_step(base::Time, const core::Signals& signals) override {
        for (std::size_t i = 0; i < signals_.size(); ++i) {
            const double value = core::number(signals_[i], signals);
            outputs_[i].low = std::min(outputs_[i].low, value);
            outputs_[i].high = std::max(outputs_[i].high, value);
        }
    }

private:
    std::vector<Output>& outputs_;
    std::vector<core::SignalRef> signals_;
};

/// Ends a run at the first broken promise: what comes after it is a consequence.
class UntilBroken final : public core::Pacer {
public:
    UntilBroken(const contracts::Monitor& monitor, bool stops) : monitor_(monitor), stops_(stops) {}
    [[nodiscard]] bool go() override { return !(stops_ && monitor_.any_broken()); }
    void wait_until(base::Time) override {}

private:
    const contracts::Monitor& monitor_;
    bool stops_;
};

/// "COMPONENT" of the specification's elements, or of its names.
std::set<std::string> components_of(const std::filesystem::path& specification, base::Diagnostics& diagnostics) {
    std::set<std::string> names;
    const contracts::Interface interface = contracts::read_interface(specification, diagnostics);
    for (const contracts::Element& element : interface.elements) {
        if (!element.name.empty() && !element.message) names.insert(element.name);
        if (!interface.flat()) continue;
        for (const contracts::Entry& entry : element.entries)
            for (std::size_t dot = entry.name.find('.'); dot != std::string::npos; dot = entry.name.find('.', dot + 1))
                names.insert(entry.name.substr(0, dot));
    }
    return names;
}

class Mutator {
public:
    Mutator(const MutationRequest& request, base::Diagnostics& diagnostics, base::Log& log, runs::Board* board)
        : request_(request),
          list_(request.specification, request.run.build.single_fmu(), diagnostics),
          diagnostics_(diagnostics),
          log_(log),
          board_(board) {
        run_ = request.run;
        run_.build.archives = &archives_;
        run_.build.record = {"none"};
        find_outputs();
        for (build::SignalRequest* wish : list_.requests()) run_.requests.push_back(wish);
        for (build::SignalRequest& wish : outputs_wished_) run_.requests.push_back(&wish);
    }

    MutationScore score() {
        run_sound();
        MutationScore score;
        std::set<std::string> busy;
        for (const Output& output : outputs_) {
            for (const Seed& seed : seeds_of(output)) {
                score.mutations.push_back(run_with(output, seed));
                busy.insert(score.mutations.back().requirements.begin(), score.mutations.back().requirements.end());
            }
        }
        for (const contracts::Verdict& verdict : sound_)
            if (busy.insert(verdict.requirement).second) score.idle.push_back(verdict.requirement);
        return score;
    }

private:
    /// Real outputs of the components that the specification names.
    void find_outputs() {
        const build::Parts parts = build::read_parts(run_.build, diagnostics_, false);
        diagnostics_.throw_if_errors();
        const bool alone = run_.build.single_fmu();
        const std::set<std::string> named = components_of(request_.specification, diagnostics_);
        for (std::size_t unit = 0; unit < parts.components.size(); ++unit) {
            const core::UnitInfo* info = parts.components[unit].info;
            const std::string& component = parts.plan.units[unit].name;
            if (info == nullptr || parts.components[unit].fmu == nullptr || (!alone && !named.contains(component)))
                continue;
            for (const core::Variable& variable : info->variables) {
                const std::string name = alone ? variable.name : component + "." + variable.name;
                if (variable.causality != core::Causality::output || variable.type != core::Type::real ||
                    variable.size > longest_array || !base::matches(request_.outputs, name))
                    continue;
                outputs_wished_.push_back({.use = build::SignalRequest::Use::observe, .name = name});
                for (std::uint32_t i = 0; i < variable.size; ++i)
                    outputs_.push_back({.name = variable.size > 1 ? fmt::format("{}[{}]", name, i + 1) : name,
                                        .request = outputs_wished_.size() - 1,
                                        .element = i});
            }
        }
        if (outputs_.empty())
            throw base::Error("unknown-name", "--mutate",
                              fmt::format("'{}' matches no real output of a component that '{}' names",
                                          request_.outputs, request_.specification.string()));
    }

    void run_sound() {
        runs::Prepared prepared = runs::prepare(run_, diagnostics_, log_);
        corrections_ = prepared.corrections;
        timing_ = prepared.simulation.timing;
        parts_outputs(prepared.simulation);
        list_.resolve(prepared.simulation);
        contracts::Monitor monitor(list_.signals(), clock());
        ExtentTap extent(outputs_, outputs_wished_);
        const runs::Outcome outcome = execute(prepared, {&monitor, &extent}, nullptr);
        if (outcome.error) throw base::Error(*outcome.error);
        sound_ = monitor.verdicts();
        for (const contracts::Verdict& verdict : sound_) {
            if (verdict.outcome != contracts::Verdict::Outcome::failed) continue;
            has_warnings_ = true;
            if (!verdict.warning)
                throw base::Error("contract", verdict.where,
                                  fmt::format("'{}' {} without any seeded error: that comes first", verdict.subject,
                                              verdict.violations.front().what),
                                  base::Exit::violated);
        }
        prepared.simulation.system->terminate();
    }

    Mutation run_with(const Output& output, const Seed& wrong) {
        Mutation mutation{.kind = wrong.kind, .output = output.name, .words = wrong.words};
        if (!shows(output, wrong.fault)) {
            mutation.outcome = Mutation::Outcome::no_effect;
            mutation.evidence = fmt::format("it was {:.5g} to {:.5g}", output.low, output.high);
            return mutation;
        }
        base::Diagnostics unsaid;
        runs::Prepared prepared = runs::prepare_with(run_, corrections_, unsaid, log_);
        list_.resolve(prepared.simulation);
        const build::LocatedSignal& located = *outputs_wished_[output.request].signal();
        std::vector<contracts::Watched> watched = list_.signals();
        for (contracts::Watched& signal : watched)
            for (contracts::AgeChain::Link& link : signal.chain.links)
                if (link.unit == located.unit && link.gives == located.variable) link.delay = wrong.fault.delay;
        contracts::Monitor monitor(watched, clock());
        seed(*prepared.simulation.system, located, output.element, wrong.fault);
        UntilBroken pacer(monitor, !has_warnings_);
        const runs::Outcome outcome = execute(prepared, {&monitor}, &pacer);
        if (outcome.exit == base::Exit::interrupted)
            throw base::Error("interrupted", output.name, "the runs were interrupted", base::Exit::interrupted);
        take_verdicts(monitor.verdicts(), mutation);
        if (mutation.requirements.empty() && outcome.error) {
            mutation.outcome = Mutation::Outcome::stopped;
            mutation.evidence = outcome.error->where() + ": " + outcome.error->what();
        }
        if (!outcome.error) prepared.simulation.system->terminate();
        return mutation;
    }

    void take_verdicts(const std::vector<contracts::Verdict>& verdicts, Mutation& mutation) const {
        for (std::size_t i = 0; i < verdicts.size(); ++i) {
            const contracts::Verdict& verdict = verdicts[i];
            if (verdict.outcome != contracts::Verdict::Outcome::failed ||
                sound_[i].outcome == contracts::Verdict::Outcome::failed)
                continue;
            mutation.outcome = Mutation::Outcome::caught;
            if (std::ranges::find(mutation.requirements, verdict.requirement) == mutation.requirements.end())
                mutation.requirements.push_back(verdict.requirement);
            if (!mutation.evidence.empty()) continue;
            const contracts::Violation& violation = verdict.violations.front();
            mutation.evidence = fmt::format("'{}' {} at t = {:g} s", verdict.subject, violation.what, violation.first);
        }
    }

    [[nodiscard]] runs::Outcome execute(runs::Prepared& prepared, std::vector<core::Tap*> taps,
                                        core::Pacer* pacer) const {
        if (prepared.script) taps.insert(taps.begin(), prepared.script.get());
        return runs::execute(prepared.simulation, taps, {.board = board_, .pacer = pacer});
    }

    [[nodiscard]] contracts::Monitor::Clock clock() const { return {timing_.timebase, timing_.start, timing_.periods}; }

    void parts_outputs(const build::Simulation& simulation) {
        for (const build::SignalRequest& wish : outputs_wished_) {
            const build::LocatedSignal* located = wish.signal();
            if (located == nullptr || located->first.input)
                throw base::Error("unknown-name", wish.name, "is no output that can be read");
            const core::UnitInfo& info = *simulation.parts.components[located->unit].info;
            const auto unit = std::ranges::find(info.units, located->variable->unit, &core::PhysicalUnit::name);
            units_.push_back(unit == info.units.end()
                                 ? core::PhysicalUnit{.name = located->variable->unit, .exponents = {}}
                                 : *unit);
            periods_.push_back(timing_.periods[located->unit]);
        }
    }

    [[nodiscard]] std::vector<Seed> seeds_of(const Output& output) const {
        const base::Duration late{std::max(periods_[output.request].ticks * late_steps,
                                           timing_.timebase.ticks_per_second / late_part_of_second)};
        const double beyond = output.span() > 0 ? output.span() : std::max(output.size(), 1.0);
        return {{"sign", {.gain = -1}, "times -1"},
                wrong_unit(units_[output.request]),
                {"scale", {.gain = wrong_scale}, fmt::format("times {:g}", wrong_scale)},
                {"delay", {.delay = late}, fmt::format("{:g} s late", timing_.timebase.seconds(late))},
                {"range", {.offset = beyond}, fmt::format("{:.3g} higher, as far as it moves by itself", beyond)}};
    }

    /// Values in another customary unit than the one that is declared.
    static Seed wrong_unit(const core::PhysicalUnit& unit) {
        const core::PhysicalUnit* own = unit.exponents ? &unit : build::well_known_unit(unit.name);
        for (const char* name : customary_units) {
            const core::PhysicalUnit* other = build::well_known_unit(name);
            if (own != nullptr && other != nullptr && other->exponents == own->exponents &&
                other->factor != own->factor)
                return {"unit", {.gain = own->factor / other->factor}, fmt::format("in {}", name)};
        }
        return {"unit", {.gain = 1000}, "1000 times as large"};
    }

    static bool shows(const Output& output, const Fault& fault) {
        if (fault.delay.ticks != 0) return output.span() > least_change * output.size();
        return fault.offset != 0 || output.size() > 0;
    }

    const MutationRequest& request_;
    base::ArchiveCache archives_;
    contracts::WatchList list_;
    base::Diagnostics& diagnostics_;
    base::Log& log_;
    runs::Board* board_;
    runs::RunRequest run_;
    std::vector<build::SignalRequest> outputs_wished_;
    std::vector<core::PhysicalUnit> units_;  // one for each wish
    std::vector<base::Duration> periods_;
    std::vector<Output> outputs_;
    std::vector<std::string> corrections_;
    std::vector<contracts::Verdict> sound_;
    build::Timing timing_;
    bool has_warnings_ = false;  // a warning in the sound run
};

}  // namespace

std::size_t MutationScore::count(Mutation::Outcome outcome) const {
    return static_cast<std::size_t>(std::ranges::count(mutations, outcome, &Mutation::outcome));
}

std::size_t MutationScore::seeded() const { return mutations.size() - count(Mutation::Outcome::no_effect); }

double MutationScore::share() const {
    if (seeded() == 0) return 0;
    return static_cast<double>(count(Mutation::Outcome::caught)) / static_cast<double>(seeded());
}

MutationScore mutate(const MutationRequest& request, base::Diagnostics& diagnostics, base::Log& log,
                     runs::Board* board) {
    return Mutator(request, diagnostics, log, board).score();
}

const char* name_of(Mutation::Outcome outcome) {
    switch (outcome) {
        case Mutation::Outcome::caught:
            return "caught";
        case Mutation::Outcome::missed:
            return "missed";
        case Mutation::Outcome::stopped:
            return "stopped";
        case Mutation::Outcome::no_effect:
            break;
    }
    return "no effect";
}

std::string text_of(const MutationScore& score) {
    std::size_t widest = 0;
    for (const Mutation& mutation : score.mutations) widest = std::max(widest, mutation.output.size());
    std::string out;
    for (const Mutation& mutation : score.mutations) {
        std::string by;
        for (const std::string& requirement : mutation.requirements) by += (by.empty() ? " by " : ", ") + requirement;
        out += fmt::format("{:<5}  {:<{}}  {}{}: {}{}\n", mutation.kind, mutation.output, widest,
                           name_of(mutation.outcome), by, mutation.words,
                           mutation.evidence.empty() ? "" : "; " + mutation.evidence);
    }
    if (!score.idle.empty()) {
        out += "requirements that caught nothing:";
        for (const std::string& requirement : score.idle) out += " " + requirement;
        out += "\n";
    }
    return out +
           fmt::format(
               "score {:.0f} %: {} of {} seeded errors caught, {} missed, {} stopped the run; {} without effect\n",
               100 * score.share(), score.count(Mutation::Outcome::caught), score.seeded(),
               score.count(Mutation::Outcome::missed), score.count(Mutation::Outcome::stopped),
               score.count(Mutation::Outcome::no_effect));
}

std::string json_of(const MutationScore& score) {
    base::Json json{{"score", score.share()},
                    {"seeded", score.seeded()},
                    {"caught", score.count(Mutation::Outcome::caught)},
                    {"idle_requirements", score.idle},
                    {"mutations", base::Json::array()}};
    for (const Mutation& mutation : score.mutations)
        json["mutations"].push_back({{"kind", mutation.kind},
                                     {"output", mutation.output},
                                     {"change", mutation.words},
                                     {"outcome", name_of(mutation.outcome)},
                                     {"requirements", mutation.requirements},
                                     {"evidence", mutation.evidence}});
    return base::json_text(std::move(json));
}

}  // namespace master::analysis
