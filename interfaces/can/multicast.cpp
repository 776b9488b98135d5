#include "interfaces/can/multicast.hpp"

#include "interfaces/can/descriptor.hpp"
#include "interfaces/can/kernel_message.hpp"
#include "interfaces/can/multicast_datagram.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstring>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

namespace interfaces::can {

namespace {

class Multicast final : public Transport {
public:
    Multicast(const MulticastPlace& place, TransportOptions options)
        : name_("udp:" + place.group + ":" + std::to_string(place.port) + "@" + place.interface),
          options_(std::move(options)) {
        group_.sin_family = AF_INET;
        group_.sin_port = htons(place.port);
        if (::inet_pton(AF_INET, place.group.c_str(), &group_.sin_addr) != 1 ||
            !IN_MULTICAST(ntohl(group_.sin_addr.s_addr)))
            throw Error(name_ + ": '" + place.group +
                        "' is no IPv4 multicast group, expected 224.0.0.0 to 239.255.255.255");
        interface_ = ::if_nametoindex(place.interface.c_str());
        if (interface_ == 0) throw Error(name_ + ": there is no network interface '" + place.interface + "'");
        open_receiver();
        open_sender();
    }

    bool send(const Frame& frame) override {
        if (!is_valid(frame)) {
            ++counters_.refused;
            return false;
        }
        write_datagram(frame, datagram_);
        const ssize_t sent = ::send(sender_.get(), datagram_.data(), datagram_.size(), MSG_DONTWAIT);
        if (sent == static_cast<ssize_t>(datagram_.size())) {
            ++counters_.sent;
            problem_.clear();
            return true;
        }
        ++counters_.refused;
        if (errno != EAGAIN && errno != ENOBUFS && errno != EINTR) problem_ = name_ + ": " + std::strerror(errno);
        return false;
    }

    std::optional<Received> receive() override {
        std::array<std::uint8_t, 4096> buffer;
        while (true) {
            const KernelMessage message = receive_message(receiver_.get(), buffer);
            if (message.error != 0) {
                if (message.error != EAGAIN && message.error != EINTR)
                    problem_ = name_ + ": " + std::strerror(message.error);
                return std::nullopt;
            }
            if (message.lost) counters_.lost = *message.lost;
            const bool own =
                message.from.sin_port == own_.sin_port && message.from.sin_addr.s_addr == own_.sin_addr.s_addr;
            if (own && !options_.echo) continue;
            const std::optional<Frame> frame = read_datagram(std::span(buffer).first(message.size));
            if (!frame) {
                ++counters_.malformed;
                continue;
            }
            if (!passes(options_.filters, *frame)) continue;
            ++counters_.received;
            return Received{*frame, message.nanoseconds, own};
        }
    }

    BusState state() const override { return problem_.empty() ? BusState::error_active : BusState::down; }
    Counters counters() const override { return counters_; }
    int descriptor() const override { return receiver_.get(); }
    const std::string& name() const override { return name_; }
    const std::string& problem() const override { return problem_; }

private:
    void open_receiver() {
        receiver_ = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        ip_mreqn membership{};
        membership.imr_multiaddr = group_.sin_addr;
        membership.imr_ifindex = static_cast<int>(interface_);
        set(receiver_, SOL_SOCKET, SO_REUSEADDR, 1);
        set(receiver_, SOL_SOCKET, SO_REUSEPORT, 1);  // python-can sets both, and all must
        set(receiver_, SOL_SOCKET, SO_TIMESTAMPNS, 1);
        set(receiver_, SOL_SOCKET, SO_RXQ_OVFL, 1);
        set(receiver_, IPPROTO_IP, IP_MULTICAST_ALL, 0);
        const int size = 4 << 20;
        static_cast<void>(::setsockopt(receiver_.get(), SOL_SOCKET, SO_RCVBUF, &size, sizeof size));
        // To the group, not to any address: other groups on this port are other buses.
        if (::bind(receiver_.get(), reinterpret_cast<const sockaddr*>(&group_), sizeof group_) != 0) fail("bind");
        if (::setsockopt(receiver_.get(), IPPROTO_IP, IP_ADD_MEMBERSHIP, &membership, sizeof membership) != 0)
            fail("join the group");
    }

    /// A socket of its own, so that own datagrams are known by their source.
    void open_sender() {
        sender_ = Descriptor(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
        ip_mreqn through{};
        through.imr_ifindex = static_cast<int>(interface_);
        if (::setsockopt(sender_.get(), IPPROTO_IP, IP_MULTICAST_IF, &through, sizeof through) != 0)
            fail("choose the interface");
        set(sender_, IPPROTO_IP, IP_MULTICAST_TTL, 1);
        set(sender_, IPPROTO_IP, IP_MULTICAST_LOOP, 1);
        socklen_t size = sizeof own_;
        if (::connect(sender_.get(), reinterpret_cast<const sockaddr*>(&group_), sizeof group_) != 0 ||
            ::getsockname(sender_.get(), reinterpret_cast<sockaddr*>(&own_), &size) != 0)
            fail("connect");
    }

    void set(const Descriptor& socket, int level, int option, int value) const {
        if (::setsockopt(socket.get(), level, option, &value, sizeof value) != 0) fail("set an option of the socket");
    }

    [[noreturn]] void fail(const std::string& what) const {
        throw Error(name_ + ": cannot " + what + ": " + std::strerror(errno));
    }

    std::string name_, problem_;
    TransportOptions options_;
    sockaddr_in group_{}, own_{};
    unsigned interface_ = 0;
    Descriptor receiver_, sender_;
    std::vector<std::uint8_t> datagram_;
    Counters counters_;
};

}  // namespace

std::unique_ptr<Transport> open_multicast(const MulticastPlace& place, const TransportOptions& options) {
    return std::make_unique<Multicast>(place, options);
}

}  // namespace interfaces::can
