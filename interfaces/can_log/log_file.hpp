#pragma once

#include "interfaces/can_log/log.hpp"

#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

namespace interfaces::can_log {

/// A log on disk, read frame by frame; which of the formats it has is told by its first lines.
class LogFile {
public:
    /// Throws `can::Error` for a file that cannot be opened or is no log.
    explicit LogFile(std::string path);

    [[nodiscard]] std::optional<Entry> next();
    [[nodiscard]] bool is_asc() const { return asc_; }
    [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
    [[nodiscard]] std::uint64_t first_malformed_line() const { return first_malformed_line_; }

private:
    [[nodiscard]] bool next_line();
    [[nodiscard]] Line read(Entry& entry);
    void find_format();

    std::string path_, line_;
    std::ifstream file_;
    bool asc_ = false;
    AscReader asc_reader_;
    std::uint64_t number_ = 0, malformed_ = 0, first_malformed_line_ = 0;
};

}  // namespace interfaces::can_log
