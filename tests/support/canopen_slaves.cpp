// CANopen slaves in real time behind the text protocol of serial CAN adapters (slcan) on a TCP port of this machine,
// for masters of other people.
//
// usage: canopen_slaves NODES.xml
//
// The first line that it prints is the port. Commands come by its input, one per line: "set SIGNAL VALUE", "raise NODE
// CODE", "clear NODE CODE" with the code in hexadecimal; each is answered by "ok" or "unknown". It ends with its input.
#include "interfaces/canopen/files/node_file.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <chrono>
#include <cstdio>
#include <exception>
#include <iostream>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sstream>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace interfaces::canopen;
namespace can = interfaces::can;

Time now() { return std::chrono::duration_cast<Time>(std::chrono::steady_clock::now().time_since_epoch()); }

/// The nodes of a file as slaves, with the values that their sensors see.
class Slaves {
public:
    explicit Slaves(NodeFile file) : file_(std::move(file)) {
        for (const Node& node : file_.nodes) {
            slaves_.emplace_back(node.device, node.commissioning, now());
            values_.emplace_back(node.signals.size());
        }
    }
    void receive(const can::Frame& frame, Frames& out) {
        for (Slave& slave : slaves_) slave.receive(frame, now(), out);
    }
    void advance(Frames& out) {
        for (std::size_t i = 0; i < slaves_.size(); ++i) {
            measure(slaves_[i], file_.nodes[i].signals, values_[i], now());
            slaves_[i].advance(now(), out);
        }
    }
    bool obey(const std::string& line) {
        std::istringstream words(line);
        std::string verb, name, value;
        words >> verb >> name >> value;
        for (std::size_t i = 0; i < slaves_.size(); ++i) {
            const Node& node = file_.nodes[i];
            for (std::size_t j = 0; j < node.signals.size() && verb == "set"; ++j) {
                if (node.signals[j].name != name) continue;
                values_[i][j] = std::stod(value);
                return true;
            }
            if (node.name != name) continue;
            const auto code = static_cast<std::uint16_t>(std::stoul(value, nullptr, 16));
            if (verb == "raise") slaves_[i].raise({.code = code});
            if (verb == "clear") slaves_[i].clear(code);
            return verb == "raise" || verb == "clear";
        }
        return false;
    }

private:
    NodeFile file_;
    std::vector<Slave> slaves_;
    std::vector<std::vector<double>> values_;
};

/// "t1812AABB", or empty for what is no frame with 11 bits.
bool parse_frame(const std::string& line, can::Frame& frame) {
    if (line.size() < 5 || line[0] != 't') return false;
    const auto number = [&](std::size_t at, std::size_t count) {
        return static_cast<std::uint32_t>(std::stoul(line.substr(at, count), nullptr, 16));
    };
    frame = {.id = number(1, 3), .size = static_cast<std::uint8_t>(number(4, 1))};
    if (frame.size > 8 || line.size() < 5u + 2u * frame.size) return false;
    for (std::size_t i = 0; i < frame.size; ++i) frame.data[i] = static_cast<std::uint8_t>(number(5 + 2 * i, 2));
    return true;
}

std::string text_of(const can::Frame& frame) {
    char text[32];
    int length = std::snprintf(text, sizeof text, "t%03X%u", static_cast<unsigned>(frame.id), unsigned{frame.size});
    for (const std::uint8_t byte : frame.bytes())
        length += std::snprintf(text + length, sizeof text - static_cast<std::size_t>(length), "%02X", unsigned{byte});
    return std::string(text) + "\r";
}

/// One client at a time; what is sent before it opens the channel is lost.
class Adapter {
public:
    Adapter() : listener_(::socket(AF_INET, SOCK_STREAM, 0)) {
        sockaddr_in address{.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
        socklen_t size = sizeof address;
        auto* plain = reinterpret_cast<sockaddr*>(&address);
        if (::bind(listener_, plain, size) != 0 || ::listen(listener_, 1) != 0 ||
            ::getsockname(listener_, plain, &size) != 0)
            throw std::runtime_error("no port of this machine could be opened");
        std::cout << ntohs(address.sin_port) << std::endl;
    }
    [[nodiscard]] int waiting_for() const { return client_ >= 0 ? client_ : listener_; }

    void take(Slaves& slaves) {
        if (client_ < 0) {
            client_ = ::accept(listener_, nullptr, nullptr);
            const int yes = 1;
            ::setsockopt(client_, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
            return;
        }
        char bytes[512];
        const ssize_t count = ::recv(client_, bytes, sizeof bytes, 0);
        if (count <= 0) return close();
        received_.append(bytes, static_cast<std::size_t>(count));
        for (std::size_t end; (end = received_.find('\r')) != std::string::npos; received_.erase(0, end + 1))
            answer(received_.substr(0, end), slaves);
    }
    void send(Frames& frames) {
        // Equal frames that begin at once are one frame on a wire: so it is with the answers of LSS.
        std::string text;
        for (auto frame = frames.begin(); frame != frames.end(); ++frame)
            if (std::find(frames.begin(), frame, *frame) == frame) text += text_of(*frame);
        frames.clear();
        if (open_) write(text);
    }

private:
    void answer(const std::string& line, Slaves& slaves) {
        if (line == "O" || line == "C") open_ = line == "O";
        can::Frame frame;
        if (!parse_frame(line, frame)) return write("\r");
        write("z\r");
        Frames out;
        slaves.receive(frame, out);
        slaves.advance(out);
        send(out);
    }
    void write(const std::string& text) {
        if (::send(client_, text.data(), text.size(), MSG_NOSIGNAL) < 0) close();
    }
    void close() {
        ::close(client_);
        client_ = -1;
        open_ = false;
        received_.clear();
    }

    int listener_, client_ = -1;
    bool open_ = false;
    std::string received_;
};

void serve(const char* path) {
    Slaves slaves(read_node_file(path));
    Adapter adapter;
    std::string commands;
    Frames frames;
    while (true) {
        pollfd waits[]{{.fd = adapter.waiting_for(), .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
        ::poll(waits, 2, 1);
        if (waits[0].revents != 0) adapter.take(slaves);
        if (waits[1].revents != 0) {
            char bytes[512];
            const ssize_t count = ::read(STDIN_FILENO, bytes, sizeof bytes);
            if (count <= 0) return;
            commands.append(bytes, static_cast<std::size_t>(count));
            for (std::size_t end; (end = commands.find('\n')) != std::string::npos; commands.erase(0, end + 1))
                std::cout << (slaves.obey(commands.substr(0, end)) ? "ok" : "unknown") << std::endl;
        }
        slaves.advance(frames);
        adapter.send(frames);
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::cerr << "usage: canopen_slaves NODES.xml\n";
        return 2;
    }
    try {
        serve(arguments[1]);
        return 0;
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
