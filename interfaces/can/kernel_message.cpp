#include "interfaces/can/kernel_message.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <sys/socket.h>
#include <sys/uio.h>

namespace interfaces::can {

KernelMessage receive_message(int socket, std::span<std::uint8_t> buffer) {
    KernelMessage out;
    iovec part{.iov_base = buffer.data(), .iov_len = buffer.size()};
    alignas(cmsghdr) char control[256];
    msghdr header{};
    header.msg_name = &out.from;
    header.msg_namelen = sizeof out.from;
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control;
    header.msg_controllen = sizeof control;
    const ssize_t size = ::recvmsg(socket, &header, MSG_DONTWAIT);
    if (size < 0) {
        out.error = errno;
        return out;
    }
    out.size = static_cast<std::size_t>(size);
    out.own = (header.msg_flags & MSG_CONFIRM) != 0;
    for (cmsghdr* item = CMSG_FIRSTHDR(&header); item; item = CMSG_NXTHDR(&header, item)) {
        if (item->cmsg_level != SOL_SOCKET) continue;
        if (item->cmsg_type == SCM_TIMESTAMPNS) {
            timespec stamp{};
            std::memcpy(&stamp, CMSG_DATA(item), sizeof stamp);
            out.nanoseconds = stamp.tv_sec * 1000000000LL + stamp.tv_nsec;
        } else if (item->cmsg_type == SO_RXQ_OVFL) {
            std::uint32_t lost = 0;
            std::memcpy(&lost, CMSG_DATA(item), sizeof lost);
            out.lost = lost;
        }
    }
    if (out.nanoseconds == 0) out.nanoseconds = time_of_day();
    return out;
}

std::int64_t time_of_day() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

}  // namespace interfaces::can
