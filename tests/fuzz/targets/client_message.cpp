#include "master/view/client_message.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto message =
        master::view::parse_client_message(std::string_view(reinterpret_cast<const char*>(data), size));
    if (message && message->levers.size() > master::view::ClientMessage::most_levers) __builtin_trap();
    return 0;
}
