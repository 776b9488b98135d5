// CANopen slaves in real time behind the text protocol of serial CAN adapters (slcan) on a TCP port of this machine,
// for masters of other people.
//
// usage: canopen_slaves NODES.xml
//
// The first line that it prints is the port. Commands come by its input, one per line: "set SIGNAL VALUE", "raise NODE
// CODE", "clear NODE CODE" with the code in hexadecimal; each is answered by "ok" or "unknown". It ends with its input.
#include "interfaces/can/transport.hpp"
#include "interfaces/canopen/files/node_file.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <iostream>
#include <memory>
#include <poll.h>
#include <sstream>
#include <string>
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

/// An adapter on a TCP port of this machine; what is sent before a client opens the channel is lost.
class Adapter {
public:
    Adapter() : transport_(can::open_transport("slcan-server:0")) {
        const std::string& name = transport_->name();
        std::cout << name.substr(name.rfind(':') + 1) << std::endl;
    }
    [[nodiscard]] int waiting_for() const { return transport_->descriptor(); }

    void take(Slaves& slaves) {
        while (const auto received = transport_->receive()) {
            Frames out;
            slaves.receive(received->frame, out);
            slaves.advance(out);
            send(out);
        }
    }
    void send(Frames& frames) {
        // Equal frames that begin at once are one frame on a wire: so it is with the answers of LSS.
        for (auto frame = frames.begin(); frame != frames.end(); ++frame)
            if (std::find(frames.begin(), frame, *frame) == frame) static_cast<void>(transport_->send(*frame));
        frames.clear();
    }

private:
    std::unique_ptr<can::Transport> transport_;
};

void serve(const char* path) {
    Slaves slaves(read_node_file(path));
    Adapter adapter;
    std::string commands;
    Frames frames;
    while (true) {
        pollfd waits[]{{.fd = adapter.waiting_for(), .events = POLLIN}, {.fd = STDIN_FILENO, .events = POLLIN}};
        ::poll(waits, 2, 1);
        adapter.take(slaves);
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
