#include "interfaces/can/byte_link.hpp"

#include "interfaces/can/transport.hpp"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <termios.h>

namespace interfaces::can {

namespace {

constexpr std::size_t most_waiting = 64 << 10;
constexpr int connect_milliseconds = 3000;

[[noreturn]] void fail_open(const std::string& name, const std::string& what) {
    throw Error(name + ": cannot " + what + ": " + std::strerror(errno));
}

void make_raw(int descriptor, const std::string& name) {
    termios settings{};
    if (::tcgetattr(descriptor, &settings) != 0) fail_open(name, "read the settings of the line");
    ::cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    if (::tcsetattr(descriptor, TCSANOW, &settings) != 0) fail_open(name, "set the line to raw bytes");
}

sockaddr_in address_of(const std::string& host, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    if (::inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1)
        throw Error("'" + host + "' is no IPv4 address, expected one such as 127.0.0.1");
    return address;
}

void no_delay(int socket) {
    const int on = 1;
    static_cast<void>(::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on));
}

}  // namespace

ByteLink ByteLink::serial(const std::string& device) {
    ByteLink link;
    link.name_ = device;
    link.stream_ = Descriptor(::open(device.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (!link.stream_) fail_open(device, "open the serial line");
    make_raw(link.stream_.get(), device);
    return link;
}

ByteLink ByteLink::pseudo_terminal(const std::string& at) {
    ByteLink link;
    link.stream_ = Descriptor(::posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    std::array<char, 128> name{};
    if (!link.stream_ || ::grantpt(link.stream_.get()) != 0 || ::unlockpt(link.stream_.get()) != 0 ||
        ::ptsname_r(link.stream_.get(), name.data(), name.size()) != 0)
        fail_open("slcan-pty:" + at, "make a pseudo terminal");
    link.name_ = name.data();
    // Its settings stay. The end itself does not: reading fails from now on while no program has it open.
    const Descriptor other_end(::open(name.data(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));
    if (!other_end) fail_open(link.name_, "open the pseudo terminal");
    make_raw(other_end.get(), link.name_);
    link.pseudo_ = link.deserted_ = true;
    if (at.empty()) return link;
    // A link of an earlier run is replaced, a file of anybody else is not.
    std::array<char, 2> target;
    if (::readlink(at.c_str(), target.data(), target.size()) > 0) ::unlink(at.c_str());
    if (::symlink(name.data(), at.c_str()) != 0) fail_open(at, "make a link to " + link.name_);
    link.link_ = std::make_unique<Link>(at);
    return link;
}

ByteLink ByteLink::connect(const std::string& host, std::uint16_t port) {
    ByteLink link;
    link.name_ = host + ":" + std::to_string(port);
    link.socket_ = true;
    const sockaddr_in address = address_of(host, port);
    link.stream_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!link.stream_) fail_open(link.name_, "make a socket");
    const int result = ::connect(link.stream_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    if (result != 0 && errno == EINPROGRESS) {
        pollfd wait{.fd = link.stream_.get(), .events = POLLOUT, .revents = 0};
        int error = ETIMEDOUT;
        socklen_t size = sizeof error;
        if (::poll(&wait, 1, connect_milliseconds) == 1)
            static_cast<void>(::getsockopt(link.stream_.get(), SOL_SOCKET, SO_ERROR, &error, &size));
        errno = error;
    }
    if (result != 0 && errno != 0) fail_open(link.name_, "connect");
    no_delay(link.stream_.get());
    return link;
}

ByteLink ByteLink::listen(const std::string& host, std::uint16_t port) {
    ByteLink link;
    link.name_ = host + ":" + std::to_string(port);
    link.socket_ = true;
    sockaddr_in address = address_of(host, port);
    link.listener_ = Descriptor(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const int on = 1;
    static_cast<void>(::setsockopt(link.listener_.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on));
    if (::bind(link.listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        fail_open(link.name_, "take the port");
    if (::listen(link.listener_.get(), 1) != 0) fail_open(link.name_, "listen");
    socklen_t size = sizeof address;
    if (::getsockname(link.listener_.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0)
        link.name_ = host + ":" + std::to_string(ntohs(address.sin_port));
    return link;
}

void ByteLink::accept() {
    if (!listener_) return;
    Descriptor next(::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!next || stream_) return;  // one peer at a time: another one is closed at once
    no_delay(next.get());
    stream_ = std::move(next);
    ++peer_;
    problem_.clear();
}

void ByteLink::end(const std::string& problem) {
    stream_ = Descriptor();
    waiting_.clear();
    if (!listener_) problem_ = name_ + ": " + problem;  // a server waits for the next peer
}

/// What nobody has read is not for whoever comes next.
void ByteLink::desert() {
    if (deserted_) return;
    deserted_ = true;
    ++peer_;
    waiting_.clear();
    static_cast<void>(::tcflush(stream_.get(), TCIOFLUSH));
}

std::size_t ByteLink::read(std::span<char> buffer) {
    accept();
    flush();
    if (!stream_) return 0;
    const ssize_t count = ::read(stream_.get(), buffer.data(), buffer.size());
    if (pseudo_ && count < 0 && errno == EIO) {
        desert();
        return 0;
    }
    if (count > 0 || (count < 0 && errno == EAGAIN)) deserted_ = false;
    if (count > 0) return static_cast<std::size_t>(count);
    // A terminal without a peer has nothing to read; a socket at its end was closed.
    if (count == 0 && socket_) end("the other side has closed the line");
    if (count < 0 && errno != EAGAIN && errno != EINTR) end(std::strerror(errno));
    return 0;
}

bool ByteLink::write(std::string_view bytes) {
    if (!connected() || waiting_.size() + bytes.size() > most_waiting) {
        flush();
        if (!connected() || waiting_.size() + bytes.size() > most_waiting) return false;
    }
    waiting_ += bytes;
    flush();
    return connected();
}

void ByteLink::flush() {
    if (!connected() || waiting_.empty()) return;
    const ssize_t count = socket_ ? ::send(stream_.get(), waiting_.data(), waiting_.size(), MSG_NOSIGNAL)
                                  : ::write(stream_.get(), waiting_.data(), waiting_.size());
    if (count > 0) waiting_.erase(0, static_cast<std::size_t>(count));
    if (count < 0 && errno != EAGAIN && errno != EINTR) end(std::strerror(errno));
}

}  // namespace interfaces::can
