#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// UDP over IPv4, without waiting.
namespace interfaces::udp {

inline constexpr std::uint32_t loopback = 0x7F000001;

/// An IPv4 address as a number, 127.0.0.1 = 0x7F000001, and a port.
struct Address {
    std::uint32_t ip = 0;
    std::uint16_t port = 0;
    friend bool operator==(const Address&, const Address&) = default;
};
[[nodiscard]] constexpr bool is_loopback(std::uint32_t ip) { return ip >> 24U == 127; }
[[nodiscard]] std::string to_string(const Address& address);
/// "127.0.0.1:9000", or "127.0.0.1" with the given port.
[[nodiscard]] std::optional<Address> parse_address(const std::string& text, std::uint16_t port = 0);

/// A datagram socket bound to one address.
class Socket {
public:
    /// Port 0 takes a free one. Throws std::runtime_error with the address and the reason.
    explicit Socket(const Address& own);
    ~Socket();
    Socket(Socket&& other) noexcept;
    Socket& operator=(Socket&&) = delete;

    /// 0, or the errno: a full buffer, an interface that went away.
    [[nodiscard]] int send(const Address& to, std::span<const std::uint8_t> datagram) noexcept;
    struct Received {
        std::size_t size = 0;  // of the datagram, at most that of the buffer
        Address from;
    };
    /// None when nothing is there.
    [[nodiscard]] std::optional<Received> receive(std::span<std::uint8_t> buffer) noexcept;

    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] Address address() const;

private:
    int descriptor_ = -1;
};

/// Ends a wait of another thread.
class Waker {
public:
    Waker();
    ~Waker();
    Waker(const Waker&) = delete;
    Waker& operator=(const Waker&) = delete;
    void wake() noexcept;
    /// Wake-ups so far are over; for the one who was woken.
    void clear() noexcept;
    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    int descriptor_ = -1;
};

}  // namespace interfaces::udp
