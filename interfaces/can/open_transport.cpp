#include "interfaces/can/byte_link.hpp"
#include "interfaces/can/multicast.hpp"
#include "interfaces/can/slcan_transport.hpp"
#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/transport.hpp"
#include "interfaces/text/suggestion.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>

namespace interfaces::can {

namespace {

const std::vector<std::string> kinds{"socketcan", "udp", "slcan", "slcan-tcp", "slcan-pty", "slcan-server"};

std::uint16_t port_of(const std::string& address, std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (problem != std::errc() || end != text.data() + text.size())
        throw Error(address + ": '" + std::string(text) + "' is no port, expected 0 to 65535");
    return port;
}

MulticastPlace multicast_place(const std::string& address, std::string_view rest) {
    MulticastPlace place;
    if (const auto at = rest.find('@'); at != std::string_view::npos) {
        place.interface = rest.substr(at + 1);
        rest = rest.substr(0, at);
    }
    const auto colon = rest.find(':');
    if (colon != std::string_view::npos) place.port = port_of(address, rest.substr(colon + 1));
    if (const auto group = rest.substr(0, colon); !group.empty()) place.group = group;
    return place;
}

struct Host {
    std::string host;
    std::uint16_t port;
};

Host host_of(const std::string& address, std::string_view rest, const std::string& usual) {
    const auto colon = rest.rfind(':');
    if (colon != std::string_view::npos)
        return {std::string(rest.substr(0, colon)), port_of(address, rest.substr(colon + 1))};
    if (usual.empty()) throw Error(address + ": expected HOST:PORT, such as 127.0.0.1:20000");
    return {usual, port_of(address, rest)};
}

}  // namespace

bool is_transport_address(const std::string& text) {
    const auto colon = text.find(':');
    return colon != std::string::npos && std::find(kinds.begin(), kinds.end(), text.substr(0, colon)) != kinds.end();
}

std::unique_ptr<Transport> open_transport(const std::string& address, const TransportOptions& options) {
    const auto colon = address.find(':');
    const std::string kind = address.substr(0, colon);
    const std::string rest = colon == std::string::npos ? "" : address.substr(colon + 1);
    if (colon == std::string::npos)
        throw Error("'" + address + "' names no kind of bus, expected KIND:PLACE such as socketcan:can0 or udp:" +
                    interfaces::text::suggestion(kind, kinds));
    if (kind == "socketcan") return open_socketcan(rest, options);
    if (kind == "udp") return open_multicast(multicast_place(address, rest), options);
    if (kind == "slcan") return open_slcan_host(ByteLink::serial(rest), options);
    if (kind == "slcan-pty") return open_slcan_adapter(ByteLink::pseudo_terminal(rest), options);
    if (kind == "slcan-tcp") {
        const Host place = host_of(address, rest, "");
        return open_slcan_host(ByteLink::connect(place.host, place.port), options);
    }
    if (kind == "slcan-server") {
        const Host place = host_of(address, rest, "127.0.0.1");
        return open_slcan_adapter(ByteLink::listen(place.host, place.port), options);
    }
    throw Error(address + ": unknown kind of bus '" + kind + "'" + interfaces::text::suggestion(kind, kinds));
}

}  // namespace interfaces::can
