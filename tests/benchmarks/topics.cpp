// How long a value of a topic takes from one process to another over shared memory: 250,152 bytes at 100 Hz.
//
// usage: benchmark_topics [SECONDS]       10 s unless said otherwise
#include "interfaces/topics/topics.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace interfaces::topics;

namespace {

constexpr std::size_t size = 250'152;  // a scanner of 15,606 rays

std::int64_t now_ns() { return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count(); }

/// Copies every value until the one with a negative time; 0 if enough came.
int subscribe(const std::string& name, std::size_t expected) {
    Subscriber subscriber(name);
    std::vector<double> latencies;
    while (const auto value = subscriber.wait(2000)) {
        if (value->time < 0) break;
        latencies.push_back(1e-6 * static_cast<double>(now_ns() - value->stamp));
    }
    if (latencies.empty()) return 1;
    std::sort(latencies.begin(), latencies.end());
    std::printf("%zu of %zu values received; latency median %.3f ms, 99 %% %.3f ms, largest %.3f ms\n",
                latencies.size(), expected, latencies[latencies.size() / 2], latencies[latencies.size() * 99 / 100],
                latencies.back());
    return latencies.size() * 100 >= expected * 99 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 10;
    const auto count = static_cast<int>(100 * seconds);
    const std::string name = "/benchmark/" + std::to_string(::getpid());
    const pid_t child = ::fork();
    if (child == 0) {
        const int result = subscribe(name, static_cast<std::size_t>(count));
        std::fflush(stdout);
        std::_Exit(result);
    }
    Publisher publisher({.name = name, .type = "bytes", .capacity = size});
    const std::vector<std::uint8_t> value(size);
    std::vector<double> costs;
    const auto start = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
    for (int i = 0; i < count; ++i) {
        std::this_thread::sleep_until(start + std::chrono::milliseconds(10) * i);
        const std::int64_t begin = now_ns();
        (void)publisher.publish(i, value);
        costs.push_back(1e-3 * static_cast<double>(now_ns() - begin));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    (void)publisher.publish(-1, {});
    int status = 1;
    ::waitpid(child, &status, 0);
    std::sort(costs.begin(), costs.end());
    std::printf("publishing costs %.1f us (median)\n", costs[costs.size() / 2]);
    return status == 0 ? 0 : 1;
}
