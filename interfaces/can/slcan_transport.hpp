#pragma once

#include "interfaces/can/byte_link.hpp"
#include "interfaces/can/transport.hpp"

#include <memory>

namespace interfaces::can {

/// The host of an adapter: opens its channel with the bit rate of the options, closes it at the end.
[[nodiscard]] std::unique_ptr<Transport> open_slcan_host(ByteLink link, const TransportOptions& options);

/// An adapter that a host, such as python-can or slcand, may open. As long as none has, nothing is sent.
[[nodiscard]] std::unique_ptr<Transport> open_slcan_adapter(ByteLink link, const TransportOptions& options);

}  // namespace interfaces::can
