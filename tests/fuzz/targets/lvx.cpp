#include "interfaces/livox/recording.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

/// An .lvx file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    auto reader = interfaces::livox::LvxReader::parse(std::span(data, size));
    std::size_t taken = 0;
    while (reader) {
        const auto packet = reader->next();
        if (!packet) break;
        taken += packet->bytes.size();
        if (taken > size || packet->device >= reader->devices().size()) std::abort();
    }
    return 0;
}
