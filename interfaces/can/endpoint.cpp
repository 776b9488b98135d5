#include "interfaces/can/endpoint.hpp"

#include "interfaces/udp/socket.hpp"

#include <algorithm>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <csignal>
#include <poll.h>
#include <thread>

namespace interfaces::can {

namespace {

using Clock = std::chrono::steady_clock;

/// While it lives, threads that are started get no signals: those are for the program.
class WithoutSignals {
public:
    WithoutSignals() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_BLOCK, &all, &before_);
    }
    ~WithoutSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
    WithoutSignals(const WithoutSignals&) = delete;
    WithoutSignals& operator=(const WithoutSignals&) = delete;

private:
    sigset_t before_{};
};

}  // namespace

class Endpoint::Worker {
public:
    Worker(const std::string& address, const TransportOptions& options)
        : transport_(open_transport(address, options)), name_(transport_->name()) {
        const WithoutSignals quiet;
        thread_ = std::thread([this] { work(); });
    }
    ~Worker() {
        stop_.store(true);
        waker_.wake();
        thread_.join();
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void send(const Frame& frame) {
        if (!outgoing_.push({frame, Clock::now()})) overflown_.fetch_add(1, std::memory_order_relaxed);
        waker_.wake();
    }
    [[nodiscard]] std::optional<Received> receive() { return pop(arrived_); }
    [[nodiscard]] std::optional<Frame> refused() { return pop(refused_); }
    [[nodiscard]] std::optional<Report> report() { return pop(reports_); }
    [[nodiscard]] const std::string& name() const { return name_; }

private:
    struct Outgoing {
        Frame frame;
        Clock::time_point given;
    };
    template <class T, std::size_t size>
    using Queue = boost::lockfree::spsc_queue<T, boost::lockfree::capacity<size>>;

    template <class T, std::size_t size>
    static std::optional<T> pop(Queue<T, size>& queue) {
        T item;
        if (!queue.pop(item)) return std::nullopt;
        return item;
    }

    void work() {
        while (!stop_.load()) {
            const bool came = take_in();
            send_out();
            tell();
            wait(came);
        }
        send_out();
    }

    /// At most as many as the queue holds, so that a flood does not keep frames from going out.
    bool take_in() {
        bool came = false;
        for (std::size_t i = 0; i < capacity; ++i) {
            const std::optional<Received> received = transport_->receive();
            if (!received) break;
            came = true;
            if (!arrived_.push(*received)) ++overrun_;
        }
        return came;
    }

    void send_out() {
        while (waiting_ || (waiting_ = pop(outgoing_))) {
            const bool sent = transport_->send(waiting_->frame);
            if (!sent && Clock::now() - waiting_->given < std::chrono::milliseconds(patience_ms)) return;
            if (!sent) {
                ++expired_;
                refused_.push(waiting_->frame);
            }
            waiting_.reset();
        }
    }

    void tell() {
        const Counters counters = transport_->counters();
        Report report{.state = transport_->state(),
                      .refused = expired_ + overflown_.load(std::memory_order_relaxed),
                      .lost = counters.lost + overrun_,
                      .malformed = counters.malformed};
        const std::string& problem = transport_->problem();
        std::copy_n(problem.begin(), std::min(problem.size(), report.problem.size() - 1), report.problem.begin());
        if (report != told_ && reports_.push(report)) told_ = report;
    }

    void wait(bool came) {
        constexpr int usual_ms = 50, retry_ms = 1, broken_ms = 10;
        std::array<pollfd, 2> events{{{.fd = transport_->descriptor(), .events = POLLIN, .revents = 0},
                                      {.fd = waker_.descriptor(), .events = POLLIN, .revents = 0}}};
        ::poll(events.data(), events.size(), came ? 0 : waiting_ ? retry_ms : usual_ms);
        if (events[1].revents != 0) waker_.clear();
        // A line that is broken is always ready.
        if (!came && (events[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) ::poll(nullptr, 0, broken_ms);
    }

    std::unique_ptr<Transport> transport_;  // of the thread
    const std::string name_;
    Queue<Outgoing, capacity> outgoing_;
    Queue<Received, capacity> arrived_;
    Queue<Frame, capacity> refused_;
    Queue<Report, 16> reports_;
    std::atomic<std::uint64_t> overflown_{0};
    std::optional<Outgoing> waiting_;  // this and what follows: of the thread
    std::uint64_t expired_ = 0, overrun_ = 0;
    Report told_;
    udp::Waker waker_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

Endpoint::Endpoint(const std::string& address, const TransportOptions& options)
    : worker_(std::make_unique<Worker>(address, options)) {}
Endpoint::~Endpoint() = default;

void Endpoint::send(const Frame& frame) { worker_->send(frame); }
std::optional<Received> Endpoint::receive() { return worker_->receive(); }
std::optional<Frame> Endpoint::refused() { return worker_->refused(); }
std::optional<Endpoint::Report> Endpoint::report() { return worker_->report(); }
const std::string& Endpoint::name() const { return worker_->name(); }

}  // namespace interfaces::can
