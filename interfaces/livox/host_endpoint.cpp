#include "interfaces/livox/host_endpoint.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/lockfree/spsc_queue.hpp>
#include <chrono>
#include <poll.h>
#include <sys/socket.h>
#include <thread>

namespace interfaces::livox {

class HostEndpoint::Network {
public:
    explicit Network(const HostEndpointSettings& settings)
        : discovery_({udp::is_loopback(settings.ip) ? settings.ip : 0, discovery_port}),
          commands_({settings.ip, 0}),
          data_({settings.ip, 0}),
          host_(
              {.code = settings.code, .commands = commands_.address(), .data = data_.address(), .mode = settings.mode}),
          queue_(queue_packets) {
        const int bytes = 4 << 20;  // as much of it as the system allows
        ::setsockopt(data_.descriptor(), SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
        thread_ = std::thread([this] { work(); });
    }
    ~Network() {
        stop_.store(true, relaxed);
        waker_.wake();
        thread_.join();
    }
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    std::span<const std::uint8_t> next() {
        if (!queue_.pop(taken_)) return {};
        return std::span(taken_.bytes).first(taken_.size);
    }
    [[nodiscard]] HostReport report() const {
        return {.connected = connected_.load(relaxed),
                .sampling = sampling_.load(relaxed),
                .packets = packets_.load(relaxed),
                .lost = lost_.load(relaxed),
                .malformed = malformed_.load(relaxed),
                .failed = failed_.load(relaxed)};
    }

private:
    static constexpr auto relaxed = std::memory_order_relaxed;
    /// So much of a flood is taken before the others get their turn.
    static constexpr int batch = 256;
    struct Packet {
        std::size_t size = 0;
        std::array<std::uint8_t, largest_packet> bytes;
    };

    void work() {
        std::array<pollfd, 4> polled{{{discovery_.descriptor(), POLLIN, 0},
                                      {commands_.descriptor(), POLLIN, 0},
                                      {data_.descriptor(), POLLIN, 0},
                                      {waker_.descriptor(), POLLIN, 0}}};
        while (!stop_.load(relaxed)) {
            const std::int64_t now = steady_now();
            std::array<std::uint8_t, 2048> buffer;
            each(discovery_, buffer,
                 [&](auto bytes, const Address& from) { host_.discover(bytes, from, now, outbox_); });
            each(commands_, buffer, [&](auto bytes, const Address& from) { host_.receive(bytes, from, now, outbox_); });
            each(data_, buffer, [&](auto bytes, const Address& from) { keep(bytes, from); });
            host_.tick(now, outbox_);
            for (const Datagram& datagram : outbox_)
                if (commands_.send(datagram.to, datagram.bytes) != 0) failed_.fetch_add(1, relaxed);
            outbox_.clear();
            connected_.store(host_.connected(), relaxed);
            sampling_.store(host_.sampling(), relaxed);
            constexpr std::int64_t longest = 1'000'000'000;
            const std::int64_t pause =
                std::clamp<std::int64_t>(host_.next_tick().value_or(now + longest) - now, 0, longest);
            ::poll(polled.data(), polled.size(), static_cast<int>((pause + 999'999) / 1'000'000));
        }
    }
    template <class Take>
    static void each(udp::Socket& socket, std::span<std::uint8_t> buffer, Take take) {
        for (int i = 0; i < batch; ++i) {
            const auto received = socket.receive(buffer);
            if (!received) return;
            take(std::span<const std::uint8_t>(buffer.first(received->size)), received->from);
        }
    }
    void keep(std::span<const std::uint8_t> bytes, const Address& from) {
        const auto device = host_.device();
        if (!device || from.ip != *device) return;
        const auto view = PacketView::parse(bytes);
        if (!view || view->size() == 0 || bytes.size() > largest_packet) {
            malformed_.fetch_add(1, relaxed);
            return;
        }
        packet_.size = bytes.size();
        std::copy(bytes.begin(), bytes.end(), packet_.bytes.begin());
        packets_.fetch_add(1, relaxed);
        if (!queue_.push(packet_)) lost_.fetch_add(1, relaxed);
    }
    static std::int64_t steady_now() {
        return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    }

    udp::Socket discovery_, commands_, data_;
    udp::Waker waker_;
    Host host_;
    Host::Outbox outbox_;
    boost::lockfree::spsc_queue<Packet> queue_;
    Packet packet_, taken_;
    std::atomic<bool> stop_{false}, connected_{false}, sampling_{false};
    std::atomic<std::uint64_t> packets_{0}, lost_{0}, malformed_{0}, failed_{0};
    std::thread thread_;
};

HostEndpoint::HostEndpoint(const HostEndpointSettings& settings) : network_(std::make_unique<Network>(settings)) {}
HostEndpoint::~HostEndpoint() = default;
std::span<const std::uint8_t> HostEndpoint::next() { return network_->next(); }
HostReport HostEndpoint::report() const { return network_->report(); }

}  // namespace interfaces::livox
