#include "master/core/algorithms/thread_team.hpp"

#include "master/base/call_slot.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace master::core::algorithms {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t probing_rounds = 32;
constexpr std::uint64_t parallel_rounds = 256;  // between two looks at what parallel work costs
constexpr double fork_join = 4e-6;              // s, what a round on threads costs beside the work
constexpr double worthwhile = 0.85;             // parallel / serial
constexpr double least_saving = 50e-6;  // s per round; waiting threads burn CPU time that little gain is not worth
constexpr int spins = 2000;             // before a waiting thread yields its core
constexpr int yields = 200;             // before it sleeps

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

/// What it costs to look at the clock, which must not count as the work of a nearly empty unit.
double clock_cost() {
    constexpr int looks = 64;
    const auto begin = Clock::now();
    for (int i = 1; i < looks; ++i) static_cast<void>(Clock::now());
    return seconds_since(begin) / looks;
}

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

ThreadTeam::ThreadTeam(unsigned threads, bool always)
    : threads_(threads == 0 ? std::max(1U, std::thread::hardware_concurrency()) : threads),
      always_(always),
      rounds_left_(probing_rounds) {
    if (threads_ > 1) return;
    mode_ = Mode::serial;
    rounds_left_ = std::numeric_limits<std::uint64_t>::max();
}

ThreadTeam::~ThreadTeam() {
    stop_ = true;
    ++generation_;
    generation_.notify_all();
    for (std::thread& worker : workers_) worker.join();
}

void ThreadTeam::probe(std::span<Node> nodes, const Call& call) {
    if (cost_.size() != nodes.size()) cost_.assign(nodes.size(), 0);
    const double look = clock_cost();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        const auto begin = Clock::now();
        call.invoke(call.work, nodes[i]);
        cost_[i] += std::max(0.0, seconds_since(begin) - look) / static_cast<double>(probing_rounds);
    }
    if (--rounds_left_ == 0 || always_) decide();
}

void ThreadTeam::reconsider(std::size_t nodes) {
    cost_.assign(nodes, 0);
    rounds_left_ = probing_rounds;
    mode_ = Mode::probing;
}

/// Longest work first, each to the thread with the least so far.
void ThreadTeam::decide() {
    const std::size_t count = std::min<std::size_t>(threads_, cost_.size());
    std::vector<std::uint32_t> order(cost_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](auto a, auto b) { return cost_[a] > cost_[b]; });
    shares_.assign(std::max<std::size_t>(count, 1), {});
    std::vector<double> load(shares_.size(), 0);
    for (const std::uint32_t node : order) {
        const auto least = static_cast<std::size_t>(std::ranges::min_element(load) - load.begin());
        shares_[least].push_back(node);
        load[least] += cost_[node];
    }
    for (auto& share : shares_) std::ranges::sort(share);
    serial_cost_ = std::accumulate(cost_.begin(), cost_.end(), 0.0);
    const double parallel_cost = *std::ranges::max_element(load) + fork_join;
    const bool pays = parallel_cost < worthwhile * serial_cost_ && serial_cost_ - parallel_cost > least_saving;
    if (count > 1 && (always_ || pays)) {
        failures_.assign(cost_.size(), nullptr);
        start_threads();
        parallel_spent_ = 0;
        rounds_left_ = parallel_rounds;
        mode_ = Mode::parallel;
        return;
    }
    mode_ = Mode::serial;
    rounds_left_ = patience_;
    patience_ *= 2;
}

void ThreadTeam::start_threads() {
    while (workers_.size() + 1 < shares_.size()) {
        const std::size_t worker = workers_.size() + 1;
        workers_.emplace_back([this, worker, slot = base::call_slot_of_worker(worker)] {
            base::call_slot = slot;
            serve(worker);
        });
    }
}

void ThreadTeam::run_on_threads(std::span<Node> nodes, const Call& call) {
    const auto begin = Clock::now();
    ++threaded_rounds_;
    nodes_ = nodes;
    call_ = call;
    busy_.store(static_cast<std::uint32_t>(workers_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
    work_on(0);
    for (int i = 0; busy_.load(std::memory_order_acquire) != 0; ++i) {
        if (i < spins) {
            relax();
        } else {
            std::this_thread::yield();
        }
    }
    const auto first = std::ranges::find_if(failures_, [](const std::exception_ptr& failure) { return !!failure; });
    if (first != failures_.end()) {
        const std::exception_ptr failure = *first;
        std::ranges::fill(failures_, nullptr);
        std::rethrow_exception(failure);
    }
    if (always_) return;
    parallel_spent_ += seconds_since(begin);
    if (--rounds_left_ != 0) return;
    const bool pays = parallel_spent_ < static_cast<double>(parallel_rounds) * serial_cost_;
    parallel_spent_ = 0;
    rounds_left_ = pays ? parallel_rounds : patience_;
    if (pays) return;
    mode_ = Mode::serial;
    patience_ *= 2;
}

void ThreadTeam::serve(std::size_t worker) {
    std::uint64_t seen = 0;
    while (true) {
        std::uint64_t now = generation_.load(std::memory_order_acquire);
        for (int i = 0; now == seen; ++i) {
            if (i < spins) {
                relax();
            } else if (i < spins + yields) {
                std::this_thread::yield();
            } else {
                generation_.wait(seen, std::memory_order_acquire);
            }
            now = generation_.load(std::memory_order_acquire);
        }
        seen = now;
        if (stop_) return;
        work_on(worker);
        busy_.fetch_sub(1, std::memory_order_release);
    }
}

void ThreadTeam::work_on(std::size_t share) {
    if (share >= shares_.size()) return;
    for (const std::uint32_t node : shares_[share]) {
        try {
            call_.invoke(call_.work, nodes_[node]);
        } catch (...) {
            failures_[node] = std::current_exception();
            return;
        }
    }
}

}  // namespace master::core::algorithms
