// What emulated LiDARs at full rate cost: devices in one process, their clients in another, on loopback.
//
// usage: benchmark_livox [DEVICES [SECONDS]]       10 devices for 20 s unless said otherwise
#include "interfaces/livox/endpoint.hpp"
#include "tests/interfaces/livox/client.hpp"
#include "tests/interfaces/livox/sensor.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <sys/resource.h>
#include <sys/wait.h>

using namespace interfaces::livox;

namespace {

double cpu_seconds(int who) {
    rusage used{};
    ::getrusage(who, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Receives from all devices for the time; 0 if nothing was wrong.
int run_clients(std::size_t devices, double seconds, std::uint32_t own, const std::vector<Address>& addresses) try {
    std::vector<std::unique_ptr<tests::LivoxClient>> clients;
    for (std::size_t i = 0; i < devices; ++i) {
        clients.push_back(std::make_unique<tests::LivoxClient>(own, static_cast<std::uint16_t>(i + 1)));
        clients.back()->connect(addresses[i]);
        (void)clients.back()->ask(Command::sampling, {1});
    }
    for (const std::int64_t end = tests::now_ns() + static_cast<std::int64_t>(seconds * 1e9); tests::now_ns() < end;) {
        for (auto& client : clients) client->receive(0);
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    std::uint64_t points = 0, drops = 0, gaps = 0, wrong = 0;
    for (auto& client : clients) {
        (void)client->ask(Command::sampling, {0});
        client->receive(0);
        points += client->received().points;
        drops += client->received().kernel_drops;
        gaps += client->received().gaps;
        wrong += client->received().backwards + client->received().wrong;
    }
    std::printf("received %.0f points/s per device, %llu packets dropped by the kernel, %llu gaps, %llu wrong\n",
                static_cast<double>(points) / seconds / static_cast<double>(devices),
                static_cast<unsigned long long>(drops), static_cast<unsigned long long>(gaps),
                static_cast<unsigned long long>(wrong));
    return wrong == 0 ? 0 : 1;
} catch (const std::exception& error) {
    std::fprintf(stderr, "client: %s\n", error.what());
    return 1;
}

}  // namespace

int main(int argc, char** argv) {
    const std::size_t devices = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10;
    const double seconds = argc > 2 ? std::strtod(argv[2], nullptr) : 20;
    const auto settings = tests::some_devices(devices);
    std::vector<Address> addresses;
    for (const DeviceSettings& device : settings) addresses.push_back(device.own);
    const std::uint32_t own = tests::own_loopback(1);

    const pid_t child = ::fork();
    if (child == 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until the devices are there
        const int result = run_clients(devices, seconds, own, addresses);
        std::fflush(stdout);
        std::_Exit(result);
    }
    Endpoint endpoint(settings);
    const double before = cpu_seconds(RUSAGE_SELF), children = cpu_seconds(RUSAGE_CHILDREN);
    int status = 1;
    {
        const tests::Sensor sensor(endpoint);
        ::waitpid(child, &status, 0);
    }
    const double share = (cpu_seconds(RUSAGE_SELF) - before) / seconds;
    Statistics sum;
    for (std::size_t i = 0; i < devices; ++i) {
        const Statistics one = endpoint.statistics(i);
        sum.points += one.points;
        sum.packets += one.packets;
        sum.late += one.late;
        sum.dropped += one.dropped;
        sum.failed += one.failed;
    }
    std::printf(
        "%zu devices sent %.0f points/s each; packets: %llu sent, %llu late, %llu failed; %llu points dropped\n",
        devices, static_cast<double>(sum.points) / seconds / static_cast<double>(devices),
        static_cast<unsigned long long>(sum.packets), static_cast<unsigned long long>(sum.late),
        static_cast<unsigned long long>(sum.failed), static_cast<unsigned long long>(sum.dropped));
    std::printf("share of a core: %.1f %% sending, %.1f %% per device; %.1f %% receiving\n", 100 * share,
                100 * share / static_cast<double>(devices), 100 * (cpu_seconds(RUSAGE_CHILDREN) - children) / seconds);
    const double begun = 0.1;  // s from the command to the first packet, at most: a step, the margin, a busy machine
    const bool full =
        static_cast<double>(sum.points) >= 0.999 * 100'000 * (seconds - begun) * static_cast<double>(devices);
    const bool ok = status == 0 && full && share < 1;
    if (!ok) std::printf("expected: at least 99.9 %% of 100,000 points/s sent, below one core\n");
    return ok ? 0 : 1;
}
