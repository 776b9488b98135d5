#pragma once

#include <stdexcept>
#include <string>

namespace interfaces::canopen {

/// What stands behind a NUL of the file in a message would be cut off.
inline std::string spelt(const std::string& text) {
    std::string result;
    for (const char letter : text) {
        if (letter == '\0')
            result += "\\x00";
        else
            result += letter;
    }
    return result;
}

/// A file that cannot be used; the text begins with file:line.
class FileError : public std::runtime_error {
public:
    FileError(const std::string& file, std::size_t line, const std::string& text)
        : std::runtime_error(file + ":" + std::to_string(line) + ": " + spelt(text)) {}
};

}  // namespace interfaces::canopen
