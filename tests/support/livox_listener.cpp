// A client of a LiDAR on the network, for tests of whole runs: finds it, starts it, receives for a while and prints
// what came as JSON.
//
// usage: livox_listener HOST SECONDS [SEARCH_SECONDS]
#include "tests/interfaces/livox/client.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

namespace {

using interfaces::livox::Command;

void listen(std::uint32_t host, double seconds, int search) {
    tests::Discovery discovery(host);
    const auto found = discovery.wait(search);
    if (!found) throw std::runtime_error("no LiDAR was heard");
    tests::LivoxClient client(host, 1);
    client.connect(found->from);
    for (const auto& [command, value] :
         {std::pair{Command::coordinates, std::uint8_t{0}}, std::pair{Command::set_return_mode, std::uint8_t{0}},
          std::pair{Command::sampling, std::uint8_t{1}}})
        if (client.ask(command, {value}) != std::vector<std::uint8_t>{0}) throw std::runtime_error("refused");
    while (client.received().packets == 0) client.receive(10);
    const std::int64_t end = tests::now_ns() + static_cast<std::int64_t>(seconds * 1e9);
    while (tests::now_ns() < end) client.receive(10);
    const auto& received = client.received();
    std::size_t burst = 0;
    for (std::size_t first = 0, last = 0; last < received.arrivals.size(); ++last) {
        while (received.arrivals[last] - received.arrivals[first] > 8'000'000) ++first;
        burst = std::max(burst, last - first + 1);
    }
    const double measured = 1e-9 * static_cast<double>(received.last_time - received.first_time);
    std::printf(
        "{\"code\": \"%s\", \"points\": %llu, \"packets\": %llu, \"kernel_drops\": %llu, \"backwards\": %llu, "
        "\"gaps\": %llu, \"wrong\": %llu, \"burst\": %zu, \"measured\": %.6f}\n",
        found->code.c_str(), static_cast<unsigned long long>(received.points),
        static_cast<unsigned long long>(received.packets), static_cast<unsigned long long>(received.kernel_drops),
        static_cast<unsigned long long>(received.backwards), static_cast<unsigned long long>(received.gaps),
        static_cast<unsigned long long>(received.wrong), burst, measured);
}

}  // namespace

int main(int count, char** arguments) try {
    if (count < 3) throw std::runtime_error("usage: livox_listener HOST SECONDS [SEARCH_SECONDS]");
    const auto host = interfaces::udp::parse_address(arguments[1]);
    if (!host) throw std::runtime_error("HOST is no IPv4 address");
    listen(host->ip, std::atof(arguments[2]), count > 3 ? 1000 * std::atoi(arguments[3]) : 10'000);
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "livox_listener: %s\n", error.what());
    return 1;
}
