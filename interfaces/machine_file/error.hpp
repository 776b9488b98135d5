#pragma once

#include <stdexcept>
#include <string>

namespace interfaces::machine_file {

/// A machine description that cannot be used; the text begins with file:line.
class Error : public std::runtime_error {
public:
    Error(const std::string& where, const std::string& text) : std::runtime_error(where + ": " + text) {}
};

}  // namespace interfaces::machine_file
