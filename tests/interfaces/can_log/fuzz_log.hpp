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

template <typename Read, typename Write>
void fuzz_lines(std::span<const std::uint8_t> bytes, const Read& read, const Write& write) {
    using namespace interfaces::can_log;
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        Entry entry, again;
        if (read(text.substr(0, end), entry) == Line::frame) {
            std::string out;
            write(entry, out);
            if (read(out, again) != Line::frame || again.frame != entry.frame) std::abort();
        }
        text.remove_prefix(end);
    }
}

inline void fuzz_candump(std::span<const std::uint8_t> bytes) {
    fuzz_lines(bytes, interfaces::can_log::read_candump, interfaces::can_log::write_candump);
}

inline void fuzz_asc(std::span<const std::uint8_t> bytes) {
    interfaces::can_log::AscReader reader;
    const auto read = [&](std::string_view line, interfaces::can_log::Entry& entry) {
        // What is written is in hexadecimal numbers, whatever the head of the bytes says.
        return line.starts_with("base") ? interfaces::can_log::Line::other : reader.read(line, entry);
    };
    fuzz_lines(bytes, read, interfaces::can_log::write_asc);
    interfaces::can_log::AscReader any;
    std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    interfaces::can_log::Entry entry;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
        static_cast<void>(any.read(text.substr(at, end - at), entry));
        at = end;
    }
}

}  // namespace tests
