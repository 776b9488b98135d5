#pragma once

#include "master/ssp/common.hpp"
#include "master/ssp/place.hpp"

#include <filesystem>
#include <vector>

namespace master::ssp {

/// What parameter bindings of one element are read against.
struct BindingContext {
    const Place& place;
    const Definitions& definitions;   // of the system description
    std::filesystem::path component;  // the element's own source, for sourceBase="component"; may be empty
    std::vector<Located>& files;      // every file that values or mappings came from, beside components, is added
};

/// All values that the `ParameterBindings` of an element give, in document order (the later wins), with prefix and
/// mapping applied. Names are relative to the element.
[[nodiscard]] std::vector<Parameter> read_bindings(pugi::xml_node element, const BindingContext& context,
                                                   base::Page& page);

}  // namespace master::ssp
