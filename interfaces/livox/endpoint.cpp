#include "interfaces/livox/endpoint.hpp"

#include "interfaces/livox/schedule.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <ctime>
#include <deque>
#include <poll.h>
#include <stdexcept>
#include <thread>

namespace interfaces::livox {

namespace {

constexpr std::int64_t millisecond = 1'000'000;
constexpr auto relaxed = std::memory_order_relaxed;

std::int64_t steady_now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace

/// One device with its socket and the points that wait to be sent.
class Endpoint::Sender {
public:
    explicit Sender(const DeviceSettings& settings) try
        : device_(settings), socket_(settings.own), queue_(Endpoint::queue_points) {
    } catch (const std::runtime_error& error) {
        throw std::runtime_error("livox device '" + settings.code + "': " + error.what());
    }

    void push(std::span<const Point> points) {
        if (!sampling_.load(relaxed)) return;
        const std::size_t taken = queue_.push(points.data(), points.size());
        dropped_.add(points.size() - taken);
    }

    void control(std::int64_t now) {
        std::array<std::uint8_t, largest_frame> buffer;
        // A flood of commands must not keep the points waiting.
        for (int i = 0; i < 64; ++i) {
            const auto received = socket_.receive(buffer);
            if (!received) break;
            const bool was = device_.connected();
            device_.receive(std::span(buffer).first(received->size), received->from, now, outbox_);
            if (!was && device_.connected()) sessions_.add(1);
        }
        device_.tick(now, outbox_);
        // Before the answers leave: who has one may rely on it.
        follow(device_.stream());
        for (const Datagram& datagram : outbox_) note(socket_.send(datagram.to, datagram.bytes));
        outbox_.clear();
    }

    void send_points(std::int64_t now) {
        if (!stream_) return;
        for (std::size_t sent = 0; sent < Endpoint::packets_per_millisecond; ++sent) {
            if (!waiting_ && !build(now)) return;
            if (due_ > now) return;
            const int error = socket_.send(stream_->to, *waiting_);
            note(error);
            if (error != 0) {
                failed_.add(1);
            } else {
                packets_.add(1);
                points_.add(layout_of(stream_->type).points);
                if (now - due_ > Schedule::late_after) late_.add(1);
            }
            waiting_.reset();
        }
    }

    [[nodiscard]] bool streaming() const { return stream_.has_value(); }
    [[nodiscard]] std::int64_t next_tick() const { return device_.next_tick(); }
    [[nodiscard]] int descriptor() const { return socket_.descriptor(); }
    [[nodiscard]] Statistics statistics() const {
        return {.packets = packets_.value(),
                .points = points_.value(),
                .late = late_.value(),
                .dropped = dropped_.value(),
                .failed = failed_.value(),
                .sessions = sessions_.value(),
                .connected = connected_.load(relaxed),
                .sampling = sampling_.load(relaxed),
                .last_failure = last_failure_.load(relaxed)};
    }

private:
    /// Written by one thread, read by others.
    class Counter {
    public:
        void add(std::uint64_t n) { value_.store(value_.load(relaxed) + n, relaxed); }
        [[nodiscard]] std::uint64_t value() const { return value_.load(relaxed); }

    private:
        std::atomic<std::uint64_t> value_{0};
    };

    /// What the client asks for may have changed.
    void follow(const std::optional<Stream>& wanted) {
        connected_.store(device_.connected(), relaxed);
        if (wanted == stream_) return;
        stream_ = wanted;
        waiting_.reset();
        schedule_.restart();
        starved_ = true;
        if (!wanted) {
            sampling_.store(false, relaxed);
            return;
        }
        // What is left from before is old.
        queue_.consume_all([](const Point&) {});
        builder_ = PacketBuilder(wanted->type, wanted->mode, wanted->slot);
        sampling_.store(true, relaxed);
    }

    /// Fills the next packet as far as there are points; true if it is full.
    bool build(std::int64_t now) {
        Point point;
        while (queue_.pop(point)) {
            waiting_ = builder_.add(point);
            if (!waiting_) continue;
            due_ = schedule_.due(builder_.time(), now, starved_);
            starved_ = false;
            return true;
        }
        starved_ = true;
        return false;
    }

    void note(int error) {
        if (error != 0) last_failure_.store(error, relaxed);
    }

    Device device_;
    udp::Socket socket_;
    boost::lockfree::spsc_queue<Point> queue_;
    Device::Outbox outbox_;
    std::optional<Stream> stream_;
    PacketBuilder builder_{DataType::cartesian_tag, ReturnMode::first};
    std::optional<std::span<const std::uint8_t>> waiting_;  // in the builder
    Schedule schedule_;
    std::int64_t due_ = 0;
    bool starved_ = true;
    std::atomic<bool> connected_{false}, sampling_{false};
    std::atomic<int> last_failure_{0};
    Counter packets_, points_, late_, dropped_, failed_, sessions_;
};

class Endpoint::Network {
public:
    explicit Network(const std::vector<DeviceSettings>& devices) {
        for (const DeviceSettings& settings : devices) senders_.emplace_back(settings);
        for (const Sender& sender : senders_) polled_.push_back({sender.descriptor(), POLLIN, 0});
        polled_.push_back({waker_.descriptor(), POLLIN, 0});
        thread_ = std::thread([this] { work(); });
    }
    ~Network() {
        stop_.store(true, relaxed);
        waker_.wake();
        thread_.join();
    }
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    [[nodiscard]] Sender& sender(std::size_t i) { return senders_.at(i); }
    [[nodiscard]] std::size_t size() const { return senders_.size(); }

private:
    void work() {
        std::int64_t next_round = 0;
        while (!stop_.load(relaxed)) {
            const std::int64_t now = steady_now();
            for (Sender& sender : senders_) sender.control(now);
            if (now >= next_round) {
                for (Sender& sender : senders_) sender.send_points(now);
                // From now on, not from when it should have been: rounds that were missed are not made up for.
                next_round = now + millisecond;
            }
            wait(now, next_round);
        }
    }

    /// Until the next round of points, the next thing a device has to say, or a datagram.
    void wait(std::int64_t now, std::int64_t next_round) {
        std::int64_t until = now + 1000 * millisecond;
        for (const Sender& sender : senders_)
            until = std::min(until, sender.streaming() ? next_round : sender.next_tick());
        const std::int64_t pause = std::clamp<std::int64_t>(until - steady_now(), 0, 1000 * millisecond);
        const timespec timeout{.tv_sec = pause / 1'000'000'000, .tv_nsec = pause % 1'000'000'000};
        ::ppoll(polled_.data(), polled_.size(), &timeout, nullptr);
    }

    std::deque<Sender> senders_;
    std::vector<pollfd> polled_;
    udp::Waker waker_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

Endpoint::Endpoint(const std::vector<DeviceSettings>& devices) : network_(std::make_unique<Network>(devices)) {}
Endpoint::~Endpoint() = default;

void Endpoint::push(std::size_t device, std::span<const Point> points) { network_->sender(device).push(points); }
Statistics Endpoint::statistics(std::size_t device) const { return network_->sender(device).statistics(); }
std::size_t Endpoint::size() const { return network_->size(); }

}  // namespace interfaces::livox
