#include "fmus/can/can_bridge/journal.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// Line by line, as a replay does it. What is read can be written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view text(reinterpret_cast<const char*>(data), size);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const auto entry = fmus::can::read_journal(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!entry) continue;
        std::string line;
        fmus::can::append_journal(entry->point, entry->arrival, line);
        line.pop_back();
        const auto again = fmus::can::read_journal(line);
        if (!again || again->point != entry->point || again->arrival.index() != entry->arrival.index()) std::abort();
    }
    return 0;
}
