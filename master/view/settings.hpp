#pragma once

#include "master/base/time.hpp"
#include "master/build/requests/open_inputs.hpp"
#include "master/core/tap.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace master::view {

/// In the folder of the results: what was set from the page, with the communication points at which it counted.
inline constexpr const char* settings_name = "settings.journal";

struct Setting {
    base::Time t;
    std::string name;
    double value = 0;
};

/// Writes the journal line by line, so that it is whole also where the run ends badly. There is no file before the
/// first setting.
class SettingsJournal {
public:
    /// What was set in a run before, in the same folder, is forgotten.
    SettingsJournal(std::filesystem::path file, base::Timebase timebase);

    /// Throws `Error` where it cannot be written.
    void add(base::Time t, std::string_view name, double value);
    [[nodiscard]] bool empty() const { return !file_.is_open(); }

private:
    std::filesystem::path path_;
    base::Timebase timebase_;
    std::ofstream file_;
};

/// Throws `Error` for what is no journal of a run with this timebase.
[[nodiscard]] std::vector<Setting> read_settings(const std::filesystem::path& file, base::Timebase timebase);

/// Sets again what was set, at the same points. Throws `Error` for a name that is none of `inputs`.
[[nodiscard]] std::unique_ptr<core::Tap> play_settings(const std::vector<Setting>& settings,
                                                       const std::vector<build::OpenInput>& inputs,
                                                       const std::string& where);

}  // namespace master::view
