#pragma once

#include "interfaces/livox/endpoint.hpp"
#include "tests/interfaces/livox/client.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace tests {

/// Stands for a simulation that runs in real time: hands the points of each 10 ms over at their end.
class Sensor {
public:
    explicit Sensor(interfaces::livox::Endpoint& endpoint) : thread_([this, &endpoint] { work(endpoint); }) {}
    ~Sensor() {
        stop_ = true;
        thread_.join();
    }
    Sensor(const Sensor&) = delete;
    Sensor& operator=(const Sensor&) = delete;

private:
    void work(interfaces::livox::Endpoint& endpoint) {
        constexpr std::size_t count = 1000;  // of a Mid-70 in one step
        std::vector<interfaces::livox::Point> points(count);
        std::int64_t time = 0;
        const auto start = std::chrono::steady_clock::now();
        for (int step = 1; !stop_; ++step) {
            for (auto& point : points) {
                point = {.x = 5, .y = 1, .z = -1, .intensity = 50, .time = time};
                time += interfaces::livox::point_interval;
            }
            std::this_thread::sleep_until(start + std::chrono::milliseconds(10) * step);
            for (std::size_t i = 0; i < endpoint.size(); ++i) endpoint.push(i, points);
        }
    }
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

/// So many devices at addresses of this process, which advertise to .1.
inline std::vector<interfaces::livox::DeviceSettings> some_devices(std::size_t count) {
    std::vector<interfaces::livox::DeviceSettings> devices(count);
    for (std::size_t i = 0; i < count; ++i) {
        devices[i].code = "3GGDJ6K002" + std::to_string(1001 + i) + "1";
        devices[i].own.ip = own_loopback(static_cast<std::uint8_t>(10 + i));
        devices[i].advert_to.ip = own_loopback(1);
        devices[i].advert_period = 50'000'000;
    }
    return devices;
}

}  // namespace tests
