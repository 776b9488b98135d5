#pragma once

#include <string>
#include <string_view>

namespace interfaces::text {

/// Text from a file as a message can carry it: what stands behind a NUL would be cut off.
[[nodiscard]] inline std::string spelt(std::string_view text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\0')
            result += "\\x00";
        else
            result += letter;
    }
    return result;
}

}  // namespace interfaces::text
