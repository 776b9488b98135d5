#include "interfaces/teleop/endpoint.hpp"

#include <algorithm>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <ctime>
#include <poll.h>
#include <stdexcept>
#include <thread>
#include <vector>

namespace interfaces::teleop {

namespace {

constexpr auto relaxed = std::memory_order_relaxed;
constexpr std::int64_t hello_period = 500'000'000, operator_forgotten = 2'000'000'000;  // ns

std::int64_t steady_now() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

const Key* pointer(const std::optional<Key>& key) { return key ? &*key : nullptr; }

std::uint64_t mark_of(const udp::Address& address) { return std::uint64_t{address.ip} << 16U | address.port; }
udp::Address address_of(std::uint64_t mark) {
    return {static_cast<std::uint32_t>(mark >> 16U), static_cast<std::uint16_t>(mark)};
}

const MachineSettings& checked(const MachineSettings& settings) {
    if (!udp::is_loopback(settings.own.ip) && !settings.key)
        throw std::runtime_error("teleoperation at " + udp::to_string(settings.own) +
                                 " can be reached from outside: expected a key, or an address 127.x.x.x");
    return settings;
}

LinkSettings upward(LinkSettings link) {
    ++link.seed;
    return link;
}

}  // namespace

/// The thread, its socket and the two queues.
class MachineEndpoint::Network {
public:
    struct Telemetry {
        std::int64_t time = 0;
        std::variant<Pose, Edge, Status> content;
    };
    struct Received {
        Header header;
        Command command;
    };

    explicit Network(const MachineSettings& settings)
        : socket_(settings.own),
          key_(settings.key),
          session_(random_id()),
          down_(settings.link),
          up_(upward(settings.link)),
          thread_([this] { work(); }) {}
    ~Network() {
        stop_.store(true, relaxed);
        waker_.wake();
        thread_.join();
    }
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    void push(const Telemetry& telemetry) {
        if (!telemetry_.push(telemetry)) dropped_.fetch_add(1, relaxed);
        waker_.wake();
    }
    [[nodiscard]] bool pop(Received& received) { return commands_.pop(received); }
    [[nodiscard]] std::uint32_t session() const { return session_; }
    [[nodiscard]] udp::Address address() const { return socket_.address(); }
    [[nodiscard]] MachineStatistics statistics() const {
        return {.packets = packets_.load(relaxed),
                .bytes = bytes_.load(relaxed),
                .dropped = dropped_.load(relaxed),
                .refused = refused_.load(relaxed),
                .failed = failed_.load(relaxed),
                .last_failure = last_failure_.load(relaxed),
                .crowded = crowded_.load(relaxed),
                .operators = operator_count_.load(relaxed)};
    }

private:
    struct Known {
        std::uint32_t id = 0;
        udp::Address address;
        std::int64_t until = 0;
    };

    void work() {
        while (!stop_.load(relaxed)) {
            const std::int64_t now = steady_now();
            receive(now);
            send(now);
            wait(now);
        }
    }

    void receive(std::int64_t now) {
        std::array<std::uint8_t, largest_packet + 1> buffer;
        // A flood must not keep the stream waiting.
        for (int i = 0; i < 256; ++i) {
            const auto received = socket_.receive(buffer);
            if (!received) break;
            up_.put(std::span(buffer).first(received->size), now, mark_of(received->from));
        }
        while (const auto arrival = up_.take(now)) {
            const auto packet = decode(arrival->datagram, pointer(key_));
            if (!packet) {
                refused_.fetch_add(1, relaxed);
            } else if (const auto* hello = std::get_if<Hello>(&packet->content)) {
                remember(hello->operator_id, address_of(arrival->mark), now);
                down_.put(encode({{session_, packet->header.sequence, 0}, Echo{hello->operator_id}}, pointer(key_)),
                          now, arrival->mark);
            } else if (const auto* command = std::get_if<Command>(&packet->content)) {
                if (!commands_.push({packet->header, *command})) crowded_.fetch_add(1, relaxed);
            }
        }
        std::erase_if(operators_, [&](const Known& known) { return known.until < now; });
        operator_count_.store(operators_.size(), relaxed);
    }

    void remember(std::uint32_t id, const udp::Address& address, std::int64_t now) {
        const auto known =
            std::find_if(operators_.begin(), operators_.end(), [&](const Known& k) { return k.id == id; });
        if (known != operators_.end()) {
            *known = {id, address, now + operator_forgotten};
        } else if (operators_.size() < most_operators) {
            operators_.push_back({id, address, now + operator_forgotten});
        }
    }

    void send(std::int64_t now) {
        Telemetry telemetry;
        while (telemetry_.pop(telemetry)) {
            Packet packet{.header = {session_, ++sequence_, telemetry.time}, .content = Pose{}};
            std::visit([&](const auto& content) { packet.content = content; }, telemetry.content);
            const auto bytes = encode(packet, pointer(key_));
            packets_.fetch_add(1, relaxed);
            bytes_.fetch_add(bytes.size(), relaxed);
            down_.put(bytes, now);
        }
        while (const auto arrival = down_.take(now)) {
            // What has a mark is for one alone.
            for (const Known& known : operators_) {
                if (arrival->mark != 0 && arrival->mark != mark_of(known.address)) continue;
                const int failure = socket_.send(known.address, arrival->datagram);
                if (failure == 0) continue;
                last_failure_.store(failure, relaxed);
                failed_.fetch_add(1, relaxed);
            }
        }
    }

    void wait(std::int64_t now) {
        std::int64_t until = now + 100'000'000;
        for (const Link* link : {&down_, &up_}) until = std::min(until, link->next().value_or(until));
        const timespec timeout{.tv_sec = 0, .tv_nsec = std::max<std::int64_t>(until - now, 0)};
        std::array<pollfd, 2> polled{{{socket_.descriptor(), POLLIN, 0}, {waker_.descriptor(), POLLIN, 0}}};
        ::ppoll(polled.data(), polled.size(), &timeout, nullptr);
        waker_.clear();
    }

    udp::Socket socket_;
    std::optional<Key> key_;
    std::uint32_t session_, sequence_ = 0;
    Link down_, up_;
    std::vector<Known> operators_;
    boost::lockfree::spsc_queue<Telemetry, boost::lockfree::capacity<64>> telemetry_;
    boost::lockfree::spsc_queue<Received, boost::lockfree::capacity<256>> commands_;
    std::atomic<std::uint64_t> packets_{0}, bytes_{0}, dropped_{0}, refused_{0}, failed_{0}, crowded_{0};
    std::atomic<int> last_failure_{0};
    std::atomic<std::size_t> operator_count_{0};
    std::atomic<bool> stop_{false};
    udp::Waker waker_;
    std::thread thread_;  // last: it uses all of the above
};

MachineEndpoint::MachineEndpoint(const MachineSettings& settings)
    : network_(std::make_unique<Network>(checked(settings))), gate_(network_->session(), settings.gate) {}
MachineEndpoint::~MachineEndpoint() = default;

void MachineEndpoint::publish(std::int64_t time, const Pose& pose, const Edge& edge) {
    const auto due = [&](std::int64_t& last, std::int64_t period) {
        const std::int64_t number = time / period;
        return std::exchange(last, number) != number;
    };
    if (due(last_pose_, pose_period)) network_->push({time, pose});
    if (due(last_edge_, edge_period)) network_->push({time, edge});
    if (due(last_status_, status_period)) network_->push({time, gate_.status()});
}

const std::array<double, axis_count>& MachineEndpoint::axes(std::int64_t time) {
    Network::Received received;
    while (network_->pop(received)) gate_.receive(received.header, received.command, time);
    return gate_.axes(time);
}

Status MachineEndpoint::status() const { return gate_.status(); }
const GateStatistics& MachineEndpoint::gate_statistics() const { return gate_.statistics(); }
MachineStatistics MachineEndpoint::statistics() const { return network_->statistics(); }
udp::Address MachineEndpoint::address() const { return network_->address(); }

OperatorEndpoint::OperatorEndpoint(const udp::Address& machine, std::optional<Key> key, const udp::Address& own)
    : socket_(own), machine_(machine), key_(std::move(key)), station_(random_id()) {}

void OperatorEndpoint::poll(int milliseconds, const Taken& taken) {
    if (const std::int64_t now = steady_now(); now >= next_hello_) {
        next_hello_ = now + hello_period;
        (void)send(station_.hello(now));
    }
    pollfd wait{socket_.descriptor(), POLLIN, 0};
    ::poll(&wait, 1, milliseconds);
    std::array<std::uint8_t, largest_packet + 1> buffer;
    while (const auto received = socket_.receive(buffer)) {
        const auto packet = decode(std::span(buffer).first(received->size), pointer(key_));
        if (!packet || received->from != machine_) continue;
        bytes_ += received->size;
        station_.receive(*packet, steady_now());
        if (taken) taken(*packet, std::span(buffer).first(received->size));
    }
}

std::optional<std::int64_t> OperatorEndpoint::round_trip() const { return station_.round_trip(steady_now()); }

bool OperatorEndpoint::send(const std::array<double, axis_count>& levers, bool held) {
    return send(station_.command(levers, held, steady_now()));
}

bool OperatorEndpoint::release() { return send(station_.release(steady_now())); }

bool OperatorEndpoint::send(const std::optional<Packet>& packet) {
    return packet && socket_.send(machine_, encode(*packet, pointer(key_))) == 0;
}

}  // namespace interfaces::teleop
