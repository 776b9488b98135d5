#pragma once

#include "interfaces/can_log/log.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

/// Any bytes as the lines of a log. What is read can be written and read again.
namespace tests {

/// `read` keeps what the lines before said, `read_again` knows nothing of them.
template <typename Read, typename Write, typename ReadAgain>
void fuzz_lines(std::span<const std::uint8_t> bytes, Read&& read, const Write& write, const ReadAgain& read_again) {
    using namespace interfaces::can_log;
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        Entry entry, again;
        if (read(text.substr(0, end), entry) == Line::frame) {
            std::string out;
            write(entry, out);
            if (read_again(out, again) != Line::frame || again.frame != entry.frame) std::abort();
        }
        text.remove_prefix(end);
    }
}

inline void fuzz_candump(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::can_log;
    fuzz_lines(bytes, read_candump, write_candump, read_candump);
}

inline void fuzz_asc(std::span<const std::uint8_t> bytes) {
    using namespace interfaces::can_log;
    AscReader reader;
    const auto read = [&](std::string_view line, Entry& entry) { return reader.read(line, entry); };
    // What is written is in hexadecimal numbers, whatever the head of the bytes says.
    const auto read_again = [](std::string_view line, Entry& entry) { return AscReader().read(line, entry); };
    fuzz_lines(bytes, read, write_asc, read_again);
}

}  // namespace tests
