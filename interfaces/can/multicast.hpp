#pragma once

#include "interfaces/can/transport.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace interfaces::can {

/// Where python-can's `udp_multicast` meets. Buses are told apart by the port: receivers of python-can hear all groups.
struct MulticastPlace {
    std::string group = "239.74.163.2";
    std::uint16_t port = 43113;
    std::string interface = "lo";
};

[[nodiscard]] std::unique_ptr<Transport> open_multicast(const MulticastPlace& place, const TransportOptions& options);

}  // namespace interfaces::can
