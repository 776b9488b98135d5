#pragma once

#include "interfaces/text/spelt.hpp"

#include <stdexcept>
#include <string>

namespace interfaces::canopen {

/// A file that cannot be used; the text begins with file:line.
class FileError : public std::runtime_error {
public:
    FileError(const std::string& file, std::size_t line, const std::string& text)
        : std::runtime_error(file + ":" + std::to_string(line) + ": " + text::spelt(text)) {}
};

}  // namespace interfaces::canopen
