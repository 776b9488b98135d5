#include "interfaces/udp/socket.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <netinet/in.h>
#include <stdexcept>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace interfaces::udp {

namespace {

sockaddr_in native(const Address& address) {
    sockaddr_in result{};
    result.sin_family = AF_INET;
    result.sin_addr.s_addr = htonl(address.ip);
    result.sin_port = htons(address.port);
    return result;
}

Address from_native(const sockaddr_in& address) { return {ntohl(address.sin_addr.s_addr), ntohs(address.sin_port)}; }

[[noreturn]] void fail(const std::string& what, int error) {
    throw std::runtime_error(what + ": " + std::generic_category().message(error));
}

}  // namespace

std::string to_string(const Address& address) {
    const in_addr ip{htonl(address.ip)};
    char text[INET_ADDRSTRLEN] = {};
    inet_ntop(AF_INET, &ip, text, sizeof text);
    return std::string(text) + ":" + std::to_string(address.port);
}

std::optional<Address> parse_address(const std::string& text, std::uint16_t port) {
    const std::size_t colon = text.find(':');
    if (colon != std::string::npos) {
        const char* end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + colon + 1, end, port);
        if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    }
    in_addr ip{};
    if (inet_pton(AF_INET, text.substr(0, colon).c_str(), &ip) != 1) return std::nullopt;
    return Address{ntohl(ip.s_addr), port};
}

Socket::Socket(const Address& own) : descriptor_(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)) {
    if (descriptor_ < 0) fail("no UDP socket for " + to_string(own), errno);
    const int yes = 1;
    ::setsockopt(descriptor_, SOL_SOCKET, SO_BROADCAST, &yes, sizeof yes);
    const sockaddr_in name = native(own);
    if (::bind(descriptor_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) {
        const int error = errno;
        ::close(descriptor_);
        fail("cannot use UDP address " + to_string(own), error);
    }
}

Socket::~Socket() {
    if (descriptor_ >= 0) ::close(descriptor_);
}

Socket::Socket(Socket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

int Socket::send(const Address& to, std::span<const std::uint8_t> datagram) noexcept {
    const sockaddr_in name = native(to);
    const auto sent = ::sendto(descriptor_, datagram.data(), datagram.size(), MSG_NOSIGNAL,
                               reinterpret_cast<const sockaddr*>(&name), sizeof name);
    return sent < 0 ? errno : 0;
}

std::optional<Socket::Received> Socket::receive(std::span<std::uint8_t> buffer) noexcept {
    sockaddr_in name{};
    socklen_t size = sizeof name;
    const auto got =
        ::recvfrom(descriptor_, buffer.data(), buffer.size(), 0, reinterpret_cast<sockaddr*>(&name), &size);
    if (got < 0) return std::nullopt;
    return Received{static_cast<std::size_t>(got), from_native(name)};
}

Address Socket::address() const {
    sockaddr_in name{};
    socklen_t size = sizeof name;
    if (::getsockname(descriptor_, reinterpret_cast<sockaddr*>(&name), &size) != 0) return {};
    return from_native(name);
}

Waker::Waker() : descriptor_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("no event descriptor", errno);
}

Waker::~Waker() { ::close(descriptor_); }

void Waker::wake() noexcept {
    const std::uint64_t one = 1;
    // Full means that a wake-up is waiting already.
    [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

void Waker::clear() noexcept {
    std::uint64_t count = 0;
    // Empty means that nobody called.
    [[maybe_unused]] const auto size = ::read(descriptor_, &count, sizeof count);
}

}  // namespace interfaces::udp
