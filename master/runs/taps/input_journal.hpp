#pragma once

#include "interfaces/journal/journal.hpp"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

namespace master::runs {

/// Where what a tap takes in from outside is kept, or played from in a repeat; neither where nobody wants it.
class InputJournal {
public:
    struct Folders {
        std::filesystem::path write_to, read_from;  // empty: none
    };
    /// Throws `Error`, as all of them do where a file cannot be used.
    InputJournal(const Folders& folders, const std::string& name);

    [[nodiscard]] bool plays() const { return reader_.has_value(); }
    /// While it plays: what entered up to this point, one after the other.
    [[nodiscard]] std::optional<std::span<const std::uint8_t>> next(std::int64_t point);
    void keep(std::int64_t point, std::span<const std::uint8_t> entry);
    void finish_point();

private:
    std::string name_;
    std::optional<interfaces::journal::Writer> writer_;
    std::optional<interfaces::journal::Reader> reader_;
};

/// A communication point in journals and on networks.
[[nodiscard]] inline std::int64_t nanoseconds(double seconds) { return std::llround(seconds * 1e9); }

}  // namespace master::runs
