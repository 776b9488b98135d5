#include "master/analysis/shadow.hpp"

#include "master/analysis/shadow_steps.hpp"
#include "master/base/error.hpp"
#include "master/base/json.hpp"
#include "master/runs/interrupt.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <thread>

namespace master::analysis {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t run_rows = 2;            // after those of the two shadows, see ShadowStep
constexpr std::size_t most_numbers = 1 << 21;  // per run
constexpr std::size_t most_orders = 1 << 24;   // bytes
constexpr std::size_t most_points = 2000;
constexpr std::size_t most_opening_numbers = 1 << 19;  // per run, a row at least
constexpr std::size_t least_points = 5;
constexpr double least_patience = 1;  // s
constexpr double patience = 0.1;      // of the run's time
constexpr std::chrono::milliseconds look_period{3};
constexpr int low_priority = 10;

/// That this process may use, which can be less than the machine has.
int cores() {
    cpu_set_t set;
    return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

double now() { return Seconds(Clock::now().time_since_epoch()).count(); }

std::string other_algorithm(const build::Simulation& simulation) {
    return simulation.method->sequential ? "another order of the units" : "--algorithm gauss-seidel";
}

std::string advice(build::Simulation& simulation) {
    const build::Timing& timing = simulation.timing;
    const base::Fraction half =
        *base::exact_fraction(fmt::format("{}/{}", timing.step.numerator, 2 * timing.step.denominator));
    const bool constant = std::ranges::any_of(simulation.system->couplings(), [](const core::Coupling& coupling) {
        return coupling.continuous && coupling.hold == core::Hold::constant;
    });
    return fmt::format("try --step {}, {}, or --hold {}", base::to_string(half), other_algorithm(simulation),
                       constant ? "compensated" : "linear");
}

/// A loop that feeds through multiplies what it is off by its gain in every step, however short that is.
std::string advice_where_finer_is_worse(const build::Simulation& simulation) {
    return fmt::format(
        "half the step makes it worse, as in a loop that feeds through with a gain above one: try {}, or put what "
        "feeds "
        "through into one unit",
        other_algorithm(simulation));
}

int order_of(const core::System& system) {
    int order = 2;
    for (const core::Coupling& coupling : system.couplings())
        if (coupling.continuous) order = std::min(order, coupling.order);
    return order;
}

}  // namespace

/// What the run tells the processes beside it, once it knows.
struct Shadow::Orders {
    std::array<std::vector<base::Fraction>, 2> steps;  // of every unit, by ShadowStep; empty: no such shadow
    std::array<std::string, 2> stop;
    std::vector<std::string> sampled;  // units whose step is taken for their sampling time
    base::Fraction spacing;
    std::size_t points = 0;          // to compare, at most
    base::Fraction opening_spacing;  // at every step of the run, at its beginning
    std::size_t opening_points = 0;
    std::string stop_opening;
    std::vector<std::string> corrections;
    ComparedSignals signals;  // without their names in the other processes
    base::Time start, end;    // of the comparison, in ticks of the run
    base::Timebase timebase;
    int order = 1;
    std::string advice, advice_where_finer_is_worse;

    [[nodiscard]] std::string text() const {
        base::Json json;
        for (std::size_t which = 0; which < steps.size(); ++which) {
            base::Json list = base::Json::array();
            for (const base::Fraction& step : steps[which]) list.push_back(base::to_string(step));
            json["steps"].push_back(list);
            json["stop"].push_back(stop[which]);
        }
        json["spacing"] = base::to_string(spacing);
        json["points"] = points;
        json["opening"] = {base::to_string(opening_spacing), opening_points, stop_opening};
        json["corrections"] = corrections;
        json["order"] = order;
        for (const ComparedSignals::Real& signal : signals.reals)
            json["signals"].push_back({signal.unit, signal.nominal, signal.coupled});
        json["discrete"] = signals.discrete.size();
        return json.dump();
    }

    explicit Orders(std::string_view text) {
        const base::Json json = base::Json::parse(text);
        for (std::size_t which = 0; which < steps.size(); ++which) {
            for (const base::Json& step : json["steps"][which])
                steps[which].push_back(*base::exact_fraction(step.get<std::string>()));
            stop[which] = json["stop"][which].get<std::string>();
        }
        spacing = *base::exact_fraction(json["spacing"].get<std::string>());
        points = json["points"].get<std::size_t>();
        opening_spacing = *base::exact_fraction(json["opening"][0].get<std::string>());
        opening_points = json["opening"][1].get<std::size_t>();
        stop_opening = json["opening"][2].get<std::string>();
        corrections = json["corrections"].get<std::vector<std::string>>();
        order = json["order"].get<int>();
        for (const base::Json& signal : json["signals"])
            signals.reals.push_back({.name = {},
                                     .unit = signal[0].get<std::string>(),
                                     .nominal = signal[1].get<double>(),
                                     .coupled = signal[2].get<bool>()});
        signals.discrete.resize(json["discrete"].get<std::size_t>());
    }
    Orders() = default;
};

/// Where the processes meet.
struct Shadow::Board {
    std::array<std::atomic<std::uint32_t>, 3> points, opening;  // rows that are written
    std::atomic<std::uint32_t> orders;                          // bytes of them, behind the board
    std::atomic<bool> run_ended, stop;
    std::array<std::atomic<double>, 2> begin;  // when a shadow was started; 0: never
    std::atomic<double> begin_opening;         // of one that sees the beginning alone
    std::array<std::atomic<bool>, 2> failed;
};

Shadow::Shadow(Wish wish, const build::BuildOptions& options, Prepare prepare, std::string missing)
    : wish_(wish), options_(options), prepare_(std::move(prepare)), begin_(now()), missing_(std::move(missing)) {
    const bool nothing_recorded = options.record.size() == 1 && options.record.front() == "none";
    if (wish == Wish::off) missing_ = "--shadow off";
    if (options.single_fmu()) missing_ = "a single unit is coupled with nothing";
    if (wish == Wish::automatic && nothing_recorded) missing_ = "nothing is recorded (--shadow on for one)";
    if (wish == Wish::automatic && cores() < 2) missing_ = "there is one core only (--shadow on for one)";
    if (options.paced) missing_ = "a run in real time needs the machine for itself";
    if (!missing_.empty()) return;
    folder_.emplace("tandem-shadow-");
    block_ = std::make_unique<base::SharedBlock>(sizeof(Board) + most_orders +
                                                 3 * (most_numbers + most_opening_numbers) * sizeof(double));
    new (block_->data()) Board{};
    monitor_ = std::make_unique<base::ChildProcess>([this] { return monitor(); });
}

Shadow::~Shadow() {
    // A monitor that is asked ends its shadow before itself.
    if (!monitor_) return;
    board().stop = true;
    static_cast<void>(monitor_->wait(Seconds(least_patience)));
}

Shadow::Board& Shadow::board() const { return *std::launder(reinterpret_cast<Board*>(block_->data())); }

std::span<double> Shadow::rows(std::size_t which) const {
    auto* const first = reinterpret_cast<double*>(block_->data() + sizeof(Board) + most_orders);
    return {first + which * most_numbers, most_numbers};
}

std::span<double> Shadow::opening_rows(std::size_t which) const {
    auto* const first = rows(0).data() + 3 * most_numbers;
    return {first + which * most_opening_numbers, most_opening_numbers};
}

runs::Visitor* Shadow::start(runs::Prepared& run) {
    if (!monitor_) return nullptr;
    build::Simulation& simulation = run.simulation;
    const build::Timing& timing = simulation.timing;
    auto orders = std::make_unique<Orders>();
    orders->signals = compared_signals(simulation);
    const std::size_t row = orders->signals.row();
    const ShadowSteps steps =
        shadow_steps(simulation, std::min(most_points, most_numbers / std::max<std::size_t>(row, 1) - 1),
                     most_opening_numbers / std::max<std::size_t>(row, 1));
    preparation_ = now() - begin_;
    missing_ = steps.missing;
    if (missing_.empty() && steps.points < least_points)
        missing_ = row > most_numbers / least_points ? "there are too many signals to compare"
                                                     : "the run is too short: a few steps tell nothing";
    if (!missing_.empty()) return nullptr;
    orders->steps = {steps.twice, steps.half};
    orders->stop = {steps.stop_twice, steps.stop_half};
    orders->spacing = timing.timebase.fraction(steps.spacing);
    orders->points = steps.points;
    orders->opening_spacing = timing.timebase.fraction(steps.opening_spacing);
    orders->opening_points = steps.opening_points;
    orders->stop_opening = steps.stop_opening;
    orders->corrections = run.corrections;
    orders->start = timing.start;
    orders->end = timing.start + steps.spacing * static_cast<std::int64_t>(steps.points - 1);
    orders->timebase = timing.timebase;
    orders->order = order_of(*simulation.system);
    orders->sampled = steps.seem_sampled;
    orders->advice = advice(simulation);
    orders->advice_where_finer_is_worse = advice_where_finer_is_worse(simulation);
    const std::string text = orders->text();
    if (text.size() > most_orders) {
        missing_ = "there are too many units";
        return nullptr;
    }
    std::ranges::copy(std::as_bytes(std::span(text)), block_->data() + sizeof(Board));
    board().orders.store(static_cast<std::uint32_t>(text.size()), std::memory_order_release);
    sampler_ = std::make_unique<ShadowSampler>(
        orders->signals, timing.start,
        ShadowSampler::Grid{steps.spacing, rows(run_rows).first(row * steps.points), board().points[run_rows]},
        ShadowSampler::Grid{steps.opening_spacing, opening_rows(run_rows).first(row * steps.opening_points),
                            board().opening[run_rows]});
    orders_ = std::move(orders);
    return sampler_.get();
}

int Shadow::monitor() {
    ::setpriority(PRIO_PROCESS, 0, low_priority);
    // What a shadow unpacks goes where the run removes it, however the shadow ends.
    ::setenv("TMPDIR", folder_->path().c_str(), 1);
    Board& board = this->board();
    while (board.orders.load(std::memory_order_acquire) == 0) {
        if (board.stop) return 0;
        std::this_thread::sleep_for(look_period);
    }
    const Orders orders({reinterpret_cast<const char*>(block_->data() + sizeof(Board)), board.orders.load()});
    for (const std::size_t which : {std::size_t{0}, std::size_t{1}}) {
        if (orders.steps[which].empty()) continue;
        board.begin[which] = now();
        base::ChildProcess child([&] { return run_shadow(orders, which, Part::whole); });
        if (which == 0 && sound(orders, child)) {
            look_at_opening(orders);
            return 0;
        }
        while (which == 1 && !child.ended() && !board.stop) std::this_thread::sleep_for(look_period);
        board.failed[which] = child.ended().value_or(0) != 0;
        if (board.stop) return 0;
    }
    return 0;
}

/// Looks at the shadow at twice the step until the run and it are over, or until one at half the step is needed.
bool Shadow::sound(const Orders& orders, base::ChildProcess& child) const {
    Board& board = this->board();
    std::size_t next = orders.points / 10;  // the beginning of a run says little about its range
    while (!board.stop) {
        const bool run_ended = board.run_ended;
        const std::optional<int> ended = child.ended();
        if (ended && *ended != 0) return false;
        const std::size_t both = std::min(board.points[0].load(std::memory_order_acquire),
                                          board.points[run_rows].load(std::memory_order_acquire));
        const bool over = ended && (run_ended || board.points[run_rows] >= board.points[0]);
        if (both >= std::max(next, least_points) || (over && both >= least_points)) {
            next = both + both / 10 + 1;
            const Comparison found = compare(orders.signals, {rows(run_rows), rows(0), both});
            report::ErrorBar bar{.order = orders.order};
            judge(orders.signals, found, ShadowStep::twice, bar);
            if (found.parted || !bar.converged) return false;
        }
        if (over) return true;
        std::this_thread::sleep_for(look_period);
    }
    return true;
}

/// Where the differences at twice the step are largest right at the start, one at half the step tells what they were
/// before.
void Shadow::look_at_opening(const Orders& orders) {
    Board& board = this->board();
    const Comparison whole = compare(orders.signals, compared(0));
    if (board.stop ||
        !worst_at_the_start(orders.signals, whole, opening_at_twice(orders.signals), ShadowStep::twice, orders.order))
        return;
    board.begin_opening = now();
    base::ChildProcess child([&] { return run_shadow(orders, 1, Part::opening); });
    while (!child.ended() && !board.stop) std::this_thread::sleep_for(look_period);
}

int Shadow::run_shadow(const Orders& orders, std::size_t which, Part part) const {
    build::BuildOptions options = options_;
    options.unit_steps = orders.steps[which];
    // Errors of solvers are as their tolerance: so changed they are in the estimate like those of the coupling.
    options.solver_factor = std::exp2(which == 0 ? orders.order : -orders.order);
    options.stop = part == Part::opening ? orders.stop_opening : orders.stop[which];
    runs::Prepared run = prepare_(options, orders.corrections);
    build::Simulation& simulation = run.simulation;
    simulation.algorithm = simulation.method->make({.threads = 1});
    const ComparedSignals signals = compared_signals(simulation);
    if (signals.row() != orders.signals.row()) return 1;
    const build::Timing& timing = simulation.timing;
    // At twice the step every second point of the beginning is there.
    const std::int64_t every = which == 0 ? 2 : 1;
    const std::size_t opening = (orders.opening_points - 1) / static_cast<std::size_t>(every) + 1;
    ShadowSampler sampler(
        signals, timing.start,
        {*timing.timebase.exactly(orders.spacing),
         rows(which).first(part == Part::opening ? 0 : signals.row() * orders.points), board().points[which]},
        {*timing.timebase.exactly(orders.opening_spacing) * every, opening_rows(which).first(signals.row() * opening),
         board().opening[which]});
    std::vector<core::Tap*> taps;
    if (run.script) taps.push_back(run.script.get());
    const runs::Outcome outcome = runs::execute(simulation, taps, {.visitor = &sampler});
    try {
        if (!outcome.error) simulation.system->terminate();
    } catch (const base::Error&) {  // what was sampled stands; the run itself says how its units end
    }
    return static_cast<int>(outcome.exit);
}

report::ErrorBar Shadow::finish(const runs::Outcome& outcome) {
    if (!sampler_) return {.missing = missing_};
    wait_for_monitor(outcome);
    const Board& board = this->board();
    const bool half = board.begin[1] != 0 && board.points[1] >= least_points;
    report::ErrorBar bar = bar_from(half ? 1 : 0);
    // Unstable at twice the step may be right at the step: only a finer run can tell.
    if (half || bar.converged || board.failed[1]) {
        if (bar.missing.empty()) used_ = half ? 1 : 0;
        return bar;
    }
    return {.missing =
                "a run at twice the step differs too much to tell, and one at half the step did not get far "
                "enough in time (--shadow on waits for it)"};
}

void Shadow::wait_for_monitor(const runs::Outcome& outcome) {
    Board& board = this->board();
    board.run_ended = true;
    const double end = now();
    const runs::InterruptGuard guard;
    while (outcome.exit == base::Exit::ok && !monitor_->wait(look_period) && !runs::InterruptGuard::interrupted()) {
        if (wish_ == Wish::on) continue;
        const double begin_half = board.begin[1];
        const double granted =
            std::max(least_patience, preparation_) + (begin_half != 0 ? 1 : patience) * outcome.wall.count();
        if (now() > (begin_half != 0 ? begin_half : std::max(end, board.begin_opening.load())) + granted) break;
    }
    board.stop = true;
    static_cast<void>(monitor_->wait(Seconds(least_patience)));
}

Rows Shadow::compared(std::size_t which) const {
    const Board& board = this->board();
    return {rows(run_rows), rows(which), std::min(board.points[run_rows].load(), board.points[which].load())};
}

std::size_t Shadow::opening_points(std::size_t which) const {
    const Board& board = this->board();
    const std::size_t of_run = board.opening[run_rows].load(std::memory_order_acquire);
    const std::size_t of_shadow = board.opening[which].load(std::memory_order_acquire);
    return std::min(which == 0 ? (of_run + 1) / 2 : of_run, of_shadow);
}

Rows Shadow::opening_at_twice(const ComparedSignals& signals) {
    const std::size_t row = signals.row(), points = opening_points(0);
    thinned_.clear();
    for (std::size_t point = 0; point < points; ++point) {
        const std::span<double> of_run = opening_rows(run_rows).subspan(2 * point * row, row);
        thinned_.insert(thinned_.end(), of_run.begin(), of_run.end());
    }
    return {thinned_, opening_rows(0), points};
}

/// What is known of the beginning beside what a shadow at twice the step told.
void Shadow::add_opening_to(Comparison& found, std::size_t which, report::ErrorBar& bar) {
    const ComparedSignals& signals = orders_->signals;
    const auto step = which == 0 ? ShadowStep::twice : ShadowStep::half;
    const Rows at_half{opening_rows(run_rows), opening_rows(1), opening_points(1)};
    const Comparison opening = compare(signals, at_half);
    if (opening.points >= 2) {
        add_opening(opening, step, orders_->order, found);
        const double spacing = orders_->opening_spacing.value();
        if (which == 0)
            bar.opening = fmt::format("its first {:.4g} s also from one at half the step",
                                      spacing * static_cast<double>(opening.points - 1));
    } else if (which == 0 && worst_at_the_start(signals, found, opening_at_twice(signals), step, orders_->order)) {
        bar.opening = "it is worst at the start, and may be worse before the first point of the shadow";
    }
}

double Shadow::time_of(std::size_t point) const {
    const base::Duration passed = orders_->end - orders_->start;
    const auto spacing = passed.ticks / static_cast<std::int64_t>(orders_->points - 1);
    return orders_->timebase.seconds(orders_->start + base::Duration{spacing} * static_cast<std::int64_t>(point));
}

CouplingErrors Shadow::errors() const {
    CouplingErrors result;
    if (!used_) return result;
    Rows both = compared(*used_);
    both.points = compare(orders_->signals, both).points;
    const auto step = *used_ == 0 ? ShadowStep::twice : ShadowStep::half;
    std::vector<std::vector<double>> found = signed_errors(orders_->signals, both, step, orders_->order);
    for (std::size_t point = 0; point < both.points; ++point) result.time.push_back(time_of(point));
    for (std::size_t i = 0; i < found.size(); ++i) result.values[orders_->signals.reals[i].name] = std::move(found[i]);
    return result;
}

report::ErrorBar Shadow::bar_from(std::size_t which) {
    const Board& board = this->board();
    const Rows both = compared(which);
    const char* name = which == 0 ? "twice the step" : "half the step";
    if (both.points < least_points)
        return {.missing = fmt::format("the shadow at {} {}", name,
                                       board.failed[which] ? "failed at once" : "did not get far enough in time")};
    report::ErrorBar bar{.sampled = orders_->sampled, .order = orders_->order};
    Comparison found = compare(orders_->signals, both);
    if (found.points < least_points)
        return {.missing = "discrete outputs of the run and of its shadow part at the very beginning"};
    bar.from = time_of(0);
    bar.to = time_of(found.points - 1);
    if (found.parted)
        bar.ends = fmt::format("'{}' parts there, from then on the two are different stories",
                               orders_->signals.discrete[*found.parted].name);
    else if (board.points[which] < board.points[run_rows])
        bar.ends = board.failed[which] ? "the shadow failed there" : "the shadow got no further in time";
    add_opening_to(found, which, bar);
    judge(orders_->signals, found, which == 0 ? ShadowStep::twice : ShadowStep::half, bar);
    if (bar.converged) return bar;
    const bool finer_is_worse = which == 1 && worse_when_finer(orders_->signals, found);
    bar.advice = finer_is_worse ? orders_->advice_where_finer_is_worse : orders_->advice;
    return bar;
}

}  // namespace master::analysis
