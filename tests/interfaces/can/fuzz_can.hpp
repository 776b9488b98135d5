#pragma once

#include "interfaces/can/multicast_datagram.hpp"
#include "interfaces/can/slcan.hpp"
#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/timing.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

/// Any bytes as what a bus, a serial line or a datagram brings. What is read can be written and read again.
namespace tests {

inline void require(bool holds) {
    if (!holds) std::abort();
}

inline void fuzz_kernel_frame(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::can;
    const auto frame = frame_of_kernel(bytes);
    if (!frame) return;
    require(is_valid(*frame) && bit_count(*frame) < 1000);
    static_cast<void>(description_of_error(*frame));
    const KernelFrame again = kernel_frame(*frame);
    require(frame_of_kernel(std::span(again.bytes).first(again.size)) == frame);
}

inline void fuzz_slcan(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::can;
    SlcanAdapter adapter;
    std::string answer;
    for (const std::uint8_t byte : bytes) {
        answer.clear();
        const auto frame = adapter.take(static_cast<char>(byte), answer);
        require(answer.size() <= 16);
        if (frame) require(slcan_frame(slcan_line(*frame)) == frame);
    }
}

inline void fuzz_datagram(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::can;
    const auto frame = read_datagram(bytes);
    if (!frame) return;
    std::vector<std::uint8_t> again;
    write_datagram(*frame, again);
    require(read_datagram(again) == frame);
}

}  // namespace tests
