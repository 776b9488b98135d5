#pragma once

#include "master/core/system.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <span>
#include <thread>
#include <vector>

namespace master::core::algorithms {

/// Does one thing to every node, on several threads where the measured cost of the nodes makes that faster. The first
/// rounds are serial and timed; rounds on threads are timed as well, and the team goes back to serial work when they
/// do not pay (a busy machine). Whatever it decides, the results are the same.
class ThreadTeam {
public:
    /// `threads` is the most to use, 0 = one per core; `always` skips the measurement (for tests).
    explicit ThreadTeam(unsigned threads, bool always = false);
    ~ThreadTeam();
    ThreadTeam(const ThreadTeam&) = delete;
    ThreadTeam& operator=(const ThreadTeam&) = delete;

    template <typename Work>
    void for_each(std::span<Node> nodes, Work&& work) {
        if (mode_ == Mode::serial) [[likely]] {
            for (Node& node : nodes) work(node);
            if (--rounds_left_ == 0) [[unlikely]]
                reconsider(nodes.size());
            return;
        }
        const Call call{&work, [](void* w, Node& node) { (*static_cast<std::remove_reference_t<Work>*>(w))(node); }};
        if (mode_ == Mode::probing) {
            probe(nodes, call);
        } else {
            run_on_threads(nodes, call);
        }
    }

    [[nodiscard]] std::uint64_t threaded_rounds() const { return threaded_rounds_; }

private:
    enum class Mode { serial, probing, parallel };
    struct Call {
        void* work = nullptr;
        void (*invoke)(void*, Node&) = nullptr;
    };

    void probe(std::span<Node> nodes, const Call& call);
    void reconsider(std::size_t nodes);
    void decide();
    void start_threads();
    void run_on_threads(std::span<Node> nodes, const Call& call);
    void serve(std::size_t worker);
    void work_on(std::size_t share);

    unsigned threads_;
    bool always_;
    Mode mode_ = Mode::probing;
    std::uint64_t rounds_left_;
    std::uint64_t patience_ = 4096;  // serial rounds until parallel work is tried again; doubles with each failure
    std::vector<double> cost_;       // seconds per round and node
    double serial_cost_ = 0;
    double parallel_spent_ = 0;
    std::uint64_t threaded_rounds_ = 0;
    std::vector<std::vector<std::uint32_t>> shares_;  // nodes per thread; the caller works on share 0
    std::vector<std::exception_ptr> failures_;        // per node, so that the first one in order is reported
    std::vector<std::thread> workers_;
    std::span<Node> nodes_;
    Call call_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<std::uint32_t> busy_{0};
    std::atomic<bool> stop_{false};
};

}  // namespace master::core::algorithms
