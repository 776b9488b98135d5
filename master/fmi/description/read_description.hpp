#pragma once

#include "master/base/diagnostics.hpp"
#include "master/fmi/description/model_description.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace master::fmi {

/// Reads and checks a model description. What cannot be run rightly is an error in `diagnostics`; what breaks a rule
/// without harm is a note. Throws `Error` for XML that is not a model description at all.
/// `name` stands in messages in place of the file, if given.
[[nodiscard]] ModelDescription read_model_description(const std::filesystem::path& file, base::Diagnostics& diagnostics,
                                                      const std::string& name = {});

/// The same from text; `name` stands in messages in place of the file.
[[nodiscard]] ModelDescription parse_model_description(std::string_view xml, const std::string& name,
                                                       base::Diagnostics& diagnostics);

}  // namespace master::fmi
