#include "interfaces/can/socketcan.hpp"

#include "interfaces/can/descriptor.hpp"
#include "interfaces/can/kernel_message.hpp"

#include <cerrno>
#include <cstring>
#include <linux/can.h>
#include <linux/can/error.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

namespace interfaces::can {

namespace {

constexpr const char* other_ways =
    "; without it there are udp: (python-can's udp_multicast), slcan-pty: and slcan-server:";

class SocketCan final : public Transport {
public:
    SocketCan(const std::string& interface, const TransportOptions& options) : name_(interface) {
        if (interface.empty() || interface.size() >= IFNAMSIZ)
            throw Error("socketcan:" + interface + ": an interface has a name of 1 to 15 letters, such as can0");
        socket_ = Descriptor(::socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW));
        if (!socket_) {
            const bool absent = errno == EAFNOSUPPORT || errno == EPROTONOSUPPORT;
            throw Error("socketcan:" + interface + ": " +
                        (absent ? "this kernel has no CAN (modprobe can-raw may load it)" : std::strerror(errno)) +
                        other_ways);
        }
        find_interface();
        set_options(options);
        sockaddr_can address{};
        address.can_family = AF_CAN;
        address.can_ifindex = index_;
        if (::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
            throw Error("socketcan:" + interface + ": " + std::strerror(errno));
    }

    bool send(const Frame& frame) override {
        const KernelFrame bytes = kernel_frame(frame);
        const bool possible = is_valid(frame) && !frame.error && (fd_ || !frame.fd);
        const ssize_t written = possible ? ::write(socket_.get(), bytes.bytes.data(), bytes.size) : -1;
        if (written == static_cast<ssize_t>(bytes.size)) {
            recover();
            ++counters_.sent;
            return true;
        }
        ++counters_.refused;
        // A full queue empties by itself.
        if (possible && errno != ENOBUFS && errno != EAGAIN && errno != EINTR) fail(errno);
        return false;
    }

    std::optional<Received> receive() override {
        std::array<std::uint8_t, 128> buffer;
        while (true) {
            const KernelMessage message = receive_message(socket_.get(), buffer);
            if (message.error != 0) {
                if (message.error != EAGAIN && message.error != EINTR) fail(message.error);
                return std::nullopt;
            }
            if (message.lost) counters_.lost = *message.lost;
            const std::optional<Frame> frame = frame_of_kernel(std::span(buffer).first(message.size));
            if (!frame) {
                ++counters_.malformed;
                continue;
            }
            recover();
            if (const auto state = reported_state(*frame)) state_ = *state;
            ++counters_.received;
            return Received{*frame, message.nanoseconds, message.own};
        }
    }

    BusState state() const override { return state_; }
    Counters counters() const override { return counters_; }
    int descriptor() const override { return socket_.get(); }
    const std::string& name() const override { return name_; }
    const std::string& problem() const override { return problem_; }

private:
    void find_interface() {
        ifreq request{};
        std::copy(name_.begin(), name_.end(), request.ifr_name);
        if (::ioctl(socket_.get(), SIOCGIFINDEX, &request) != 0)
            throw Error("socketcan:" + name_ + ": there is no such interface (ip link show)");
        index_ = request.ifr_ifindex;
        if (::ioctl(socket_.get(), SIOCGIFMTU, &request) != 0 || request.ifr_mtu < static_cast<int>(CAN_MTU) ||
            request.ifr_mtu > 2060)
            throw Error("socketcan:" + name_ + ": this interface is no CAN bus");
        fd_ = request.ifr_mtu >= static_cast<int>(CANFD_MTU);
        if (::ioctl(socket_.get(), SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_UP) == 0)
            throw Error("socketcan:" + name_ + ": the interface is down (ip link set " + name_ + " up)");
    }

    void set_options(const TransportOptions& options) {
        const int on = 1, echo = options.echo ? 1 : 0, buffer = 4 << 20;
        const can_err_mask_t errors = CAN_ERR_MASK;
        std::vector<can_filter> filters;
        filters.reserve(options.filters.size());
        for (const Filter& filter : options.filters)
            filters.push_back(
                {.can_id = filter.id | (filter.extended ? CAN_EFF_FLAG : 0u), .can_mask = filter.mask | CAN_EFF_FLAG});
        const auto size = static_cast<socklen_t>(filters.size() * sizeof(can_filter));
        const bool set = (filters.empty() || option(SOL_CAN_RAW, CAN_RAW_FILTER, filters.data(), size)) &&
                         option(SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &errors, sizeof errors) &&
                         option(SOL_CAN_RAW, CAN_RAW_RECV_OWN_MSGS, &echo, sizeof echo) &&
                         option(SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) &&
                         option(SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on) &&
                         (!fd_ || option(SOL_CAN_RAW, CAN_RAW_FD_FRAMES, &on, sizeof on));
        if (!set) throw Error("socketcan:" + name_ + ": " + std::strerror(errno));
        // Beyond the usual limit only for those who may; a small buffer works as well, until a flood.
        if (!option(SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer))
            static_cast<void>(option(SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer));
    }

    [[nodiscard]] bool option(int level, int name, const void* value, socklen_t size) const {
        return ::setsockopt(socket_.get(), level, name, value, size) == 0;
    }

    void fail(int error) {
        state_ = BusState::down;
        problem_ = name_ + ": " +
                   (error == ENETDOWN                   ? "the interface is down"
                    : error == ENODEV || error == ENXIO ? "the interface has gone"
                                                        : std::strerror(error));
    }

    /// An interface that comes up again carries the same socket on.
    void recover() {
        if (problem_.empty()) return;
        problem_.clear();
        state_ = BusState::error_active;
    }

    Descriptor socket_;
    std::string name_, problem_;
    int index_ = 0;
    bool fd_ = false;
    BusState state_ = BusState::error_active;
    Counters counters_;
};

}  // namespace

std::unique_ptr<Transport> open_socketcan(const std::string& interface, const TransportOptions& options) {
    return std::make_unique<SocketCan>(interface, options);
}

}  // namespace interfaces::can
