#include "master/build/resolve/mime_type.hpp"

namespace master::build {
namespace {

/// The version of a media type's parameter without what follows a hyphen: 1.0.0 of version="1.0.0-beta.1".
std::string release_of(const std::string& mime_type) {
    const std::size_t key = mime_type.find("version=");
    if (key == std::string::npos) return {};
    const std::size_t begin = mime_type.find_first_not_of("\"'", key + 8);
    return begin == std::string::npos
               ? std::string{}
               : mime_type.substr(begin, mime_type.find_first_not_of("0123456789.", begin) - begin);
}

}  // namespace

bool same_release(const std::string& a, const std::string& b) {
    const auto type = [](const std::string& text) { return text.substr(0, text.find_first_of("; ")); };
    return type(a) == type(b) && release_of(a) == release_of(b);
}

}  // namespace master::build
