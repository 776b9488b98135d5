#pragma once

#include "interfaces/livox/device.hpp"
#include "interfaces/udp/socket.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tests {

/// An address of this machine that no other running test has: processes differ in the middle bytes.
inline std::uint32_t own_loopback(std::uint8_t last) {
    const auto process = static_cast<std::uint32_t>(::getpid());
    return 0x7F000000U | (process & 0xFFFFU) << 8U | last;
}

inline std::int64_t now_ns() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A client of one LiDAR as the maker's SDK is one: waits for an advert, shakes hands, asks for the device info, keeps
/// heartbeats going and receives points. One thread drives it.
class LivoxClient {
public:
    using Address = interfaces::udp::Address;

    struct Received {
        std::uint64_t packets = 0, points = 0, bytes = 0, wrong = 0;
        std::uint64_t kernel_drops = 0;  // SO_RXQ_OVFL
        std::uint64_t backwards = 0;     // timestamps that do not grow
        std::uint64_t gaps = 0;          // steps between timestamps that are not one packet
        std::int64_t first_time = 0, last_time = 0;
        std::vector<std::int64_t> arrivals;  // kernel's times, ns
    };

    /// `port` is added to 55500 and 56000, as the SDK counts its handshakes.
    LivoxClient(std::uint32_t ip, std::uint16_t port)
        : commands_({ip, static_cast<std::uint16_t>(55500 + port)}),
          data_({ip, static_cast<std::uint16_t>(56000 + port)}) {
        const int yes = 1, megabytes = 8 << 20;
        ::setsockopt(data_.descriptor(), SOL_SOCKET, SO_RXQ_OVFL, &yes, sizeof yes);
        ::setsockopt(data_.descriptor(), SOL_SOCKET, SO_TIMESTAMPNS, &yes, sizeof yes);
        if (::setsockopt(data_.descriptor(), SOL_SOCKET, SO_RCVBUFFORCE, &megabytes, sizeof megabytes) != 0)
            ::setsockopt(data_.descriptor(), SOL_SOCKET, SO_RCVBUF, &megabytes, sizeof megabytes);
    }

    /// Shakes hands with the device that advertised from there.
    void connect(const Address& device) {
        device_ = device;
        const interfaces::livox::Handshake hands{.ip = data_.address().ip,
                                                 .data_port = data_.address().port,
                                                 .command_port = commands_.address().port,
                                                 .sensor_port = data_.address().port};
        const auto answer = ask(interfaces::livox::Command::handshake, interfaces::livox::encode(hands));
        if (answer != std::vector<std::uint8_t>{0}) throw std::runtime_error("the handshake was refused");
        if (ask(interfaces::livox::Command::device_info, {}).size() != 5) throw std::runtime_error("no device info");
        heartbeat();
    }

    /// The data of the answer; an exception if none comes within half a second, as for the SDK.
    std::vector<std::uint8_t> ask(interfaces::livox::Command command, std::span<const std::uint8_t> data) {
        using namespace interfaces::livox;
        const std::uint16_t sequence = ++sequence_;
        const auto type = command == Command::handshake ? FrameType::acknowledge : FrameType::command;
        if (commands_.send(device_, encode(command, type, sequence, data)) != 0)
            throw std::runtime_error("the command could not be sent");
        for (const std::int64_t end = now_ns() + 500'000'000; now_ns() < end;) {
            pollfd wait{commands_.descriptor(), POLLIN, 0};
            ::poll(&wait, 1, 10);
            std::array<std::uint8_t, 2048> buffer;
            while (const auto received = commands_.receive(buffer)) {
                std::span<const std::uint8_t> bytes = std::span(buffer).first(received->size);
                while (const auto frame = next_frame(bytes)) {
                    if (frame->type == FrameType::message) ++messages_;
                    if (frame->type == FrameType::acknowledge && frame->sequence == sequence)
                        return {frame->data.begin(), frame->data.end()};
                }
            }
        }
        throw std::runtime_error("no answer within 500 ms");
    }
    std::vector<std::uint8_t> ask(interfaces::livox::Command command, std::initializer_list<std::uint8_t> data) {
        return ask(command, std::span(data.begin(), data.size()));
    }

    void heartbeat() {
        last_heartbeat_ = now_ns();
        const auto answer = interfaces::livox::parse_heartbeat_answer(ask(interfaces::livox::Command::heartbeat, {}));
        if (!answer || answer->state != interfaces::livox::State::normal)
            throw std::runtime_error("the state is not normal");
    }

    /// Waits up to so long for points and takes all that are there; sends a heartbeat when it is due.
    void receive(int milliseconds) {
        if (now_ns() - last_heartbeat_ > 800'000'000) heartbeat();
        pollfd wait{data_.descriptor(), POLLIN, 0};
        if (::poll(&wait, 1, milliseconds) <= 0) return;
        while (receive_some()) {
        }
    }

    [[nodiscard]] const Received& received() const { return received_; }
    [[nodiscard]] std::uint64_t messages() const { return messages_; }
    [[nodiscard]] const Address& device() const { return device_; }

private:
    static constexpr std::size_t batch = 64;

    bool receive_some() {
        std::array<mmsghdr, batch> messages{};
        std::array<iovec, batch> parts;
        for (std::size_t i = 0; i < batch; ++i) {
            parts[i] = {buffers_[i].data(), buffers_[i].size()};
            messages[i].msg_hdr.msg_iov = &parts[i];
            messages[i].msg_hdr.msg_iovlen = 1;
            messages[i].msg_hdr.msg_control = controls_[i].data();
            messages[i].msg_hdr.msg_controllen = controls_[i].size();
        }
        const int count = ::recvmmsg(data_.descriptor(), messages.data(), batch, MSG_DONTWAIT, nullptr);
        for (int i = 0; i < count; ++i) {
            const auto index = static_cast<std::size_t>(i);
            note_control(messages[index].msg_hdr);
            take(std::span(buffers_[index]).first(messages[index].msg_len));
        }
        return count == static_cast<int>(batch);
    }

    void note_control(msghdr& header) {
        for (cmsghdr* part = CMSG_FIRSTHDR(&header); part != nullptr; part = CMSG_NXTHDR(&header, part)) {
            if (part->cmsg_level != SOL_SOCKET) continue;
            if (part->cmsg_type == SO_RXQ_OVFL) {
                std::uint32_t drops = 0;
                std::memcpy(&drops, CMSG_DATA(part), sizeof drops);
                received_.kernel_drops = drops;
            } else if (part->cmsg_type == SCM_TIMESTAMPNS) {
                timespec at{};
                std::memcpy(&at, CMSG_DATA(part), sizeof at);
                received_.arrivals.push_back(std::int64_t{at.tv_sec} * 1'000'000'000 + at.tv_nsec);
            }
        }
    }

    void take(std::span<const std::uint8_t> bytes) {
        using namespace interfaces::livox;
        const auto packet = PacketView::parse(bytes);
        if (!packet || bytes.size() != packet_header_size + layout_of(packet->header().data_type).data_size()) {
            ++received_.wrong;
            return;
        }
        const auto time = static_cast<std::int64_t>(packet->header().timestamp);
        if (received_.packets == 0) {
            received_.first_time = time;
        } else if (time <= received_.last_time) {
            ++received_.backwards;
        } else if (time - received_.last_time != static_cast<std::int64_t>(packet->size()) * point_interval) {
            ++received_.gaps;
        }
        received_.last_time = time;
        ++received_.packets;
        received_.points += packet->size();
        received_.bytes += bytes.size();
    }

    interfaces::udp::Socket commands_, data_;
    Address device_;
    std::uint16_t sequence_ = 0;
    std::int64_t last_heartbeat_ = 0;
    std::uint64_t messages_ = 0;
    Received received_;
    std::array<std::array<std::uint8_t, 2048>, batch> buffers_;
    std::array<std::array<char, 128>, batch> controls_;
};

/// Hears adverts on the discovery port of an address.
class Discovery {
public:
    explicit Discovery(std::uint32_t ip) : socket_({ip, interfaces::livox::discovery_port}) {}

    struct Found {
        std::string code;
        interfaces::udp::Address from;
    };
    std::optional<Found> wait(int milliseconds) {
        const std::int64_t end = now_ns() + std::int64_t{milliseconds} * 1'000'000;
        do {
            std::array<std::uint8_t, 2048> buffer;
            while (const auto received = socket_.receive(buffer)) {
                std::span<const std::uint8_t> bytes = std::span(buffer).first(received->size);
                const auto frame = interfaces::livox::next_frame(bytes);
                if (!frame || interfaces::livox::command_of(*frame) != interfaces::livox::Command::advert) continue;
                if (const auto advert = interfaces::livox::parse_advert(frame->data))
                    return Found{advert->code, received->from};
            }
            pollfd poll{socket_.descriptor(), POLLIN, 0};
            ::poll(&poll, 1, 10);
        } while (now_ns() < end);
        return std::nullopt;
    }

private:
    interfaces::udp::Socket socket_;
};

}  // namespace tests
