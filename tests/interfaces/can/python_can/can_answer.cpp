// Opens a transport, says its name, and answers every frame from others with the same frame under the next identifier,
// until one with identifier 0 comes: then it says what it counted, and ends with its input. The counterpart of scripts
// that test transports.
// usage: can_answer ADDRESS [echo]
#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/transport.hpp"

#include <chrono>
#include <cstdio>
#include <poll.h>
#include <string_view>

using namespace interfaces::can;

namespace {

void answer(Transport& transport, const Frame& frame) {
    Frame changed = frame;
    ++changed.id;
    while (!transport.send(changed) && transport.problem().empty()) ::poll(nullptr, 0, 1);
}

int serve(Transport& transport) {
    constexpr auto patience = std::chrono::seconds(20);
    auto last = std::chrono::steady_clock::now();
    std::uint64_t own = 0;
    while (std::chrono::steady_clock::now() - last < patience) {
        pollfd wait{.fd = transport.descriptor(), .events = POLLIN, .revents = 0};
        ::poll(&wait, 1, 50);
        while (const auto received = transport.receive()) {
            last = std::chrono::steady_clock::now();
            if (received->frame.error) {
                std::printf("error frame: %s\n", description_of_error(received->frame).c_str());
            } else if (received->own) {
                ++own;
            } else if (received->frame.id == 0) {
                const Counters counters = transport.counters();
                std::printf("sent %llu own %llu lost %llu malformed %llu\n",
                            static_cast<unsigned long long>(counters.sent), static_cast<unsigned long long>(own),
                            static_cast<unsigned long long>(counters.lost),
                            static_cast<unsigned long long>(counters.malformed));
                std::getchar();  // the other side closes first
                return 0;
            } else {
                answer(transport, received->frame);
            }
        }
        if (!transport.problem().empty()) {
            std::printf("%s: %s\n", name_of(transport.state()), transport.problem().c_str());
            return 1;
        }
    }
    std::printf("nothing came\n");
    return 1;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return 2;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    try {
        const auto transport =
            open_transport(arguments[1], {.echo = count > 2 && std::string_view(arguments[2]) == "echo"});
        std::printf("%s\n", transport->name().c_str());
        return serve(*transport);
    } catch (const Error& error) {
        std::printf("%s\n", error.what());
        return 2;
    }
}
