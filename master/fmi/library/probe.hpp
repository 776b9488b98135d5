#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace master::fmi {

/// What came of a call of the helper executable that opens foreign libraries in a process of its own. Foreign code runs
/// in that process and can answer in its place: what it says is the unit's word about itself and decides nothing else.
struct ProbeAnswer {
    bool available = false;  // the helper is installed beside this program
    bool success = false;
    bool died = false;  // it crashed or hung, where a failure that the loader reports leaves it alive
    std::string text;   // why it failed: the loader's words, or how the helper died
    std::map<std::string, std::string> results;  // what it found, by name
};

/// Lines of "name value" as the helper writes them: known names only, values cut and printable.
[[nodiscard]] std::map<std::string, std::string> read_answers(std::string_view text);

/// Opens a library in the helper unless one with the same content was opened there before. Damaged libraries kill the
/// process that loads them (a truncated one ends in SIGBUS inside dlopen): the helper dies in our place.
/// `first` is opened before it for all to see, if not empty.
[[nodiscard]] ProbeAnswer open_in_helper(const std::filesystem::path& library, const std::string& first);

/// What foreign code gets: a folder to write in, and this long in all.
struct TrialLimits {
    std::filesystem::path folder;
    int seconds = 30;
};

/// Hands `request`, lines of "name value", to the helper, which tries the abilities of a unit out.
[[nodiscard]] ProbeAnswer try_in_helper(const std::string& request, const TrialLimits& limits);

/// Lets one of our units describe itself anew in the unpacked FMU at `folder`, whose resources were changed.
[[nodiscard]] ProbeAnswer describe_in_helper(const std::filesystem::path& library, const std::filesystem::path& folder);

}  // namespace master::fmi
