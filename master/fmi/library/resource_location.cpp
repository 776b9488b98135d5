#include "master/fmi/library/resource_location.hpp"

#include <cctype>
#include <string_view>

namespace master::fmi {
namespace {

/// RFC 3986: everything but unreserved characters and '/' is written as %XX.
std::string file_uri(const std::filesystem::path& path) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    constexpr std::string_view kept = "-._~/";
    std::string uri = "file://";
    for (const char c : path.string()) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (byte < 0x80U && std::isalnum(byte) != 0) || kept.find(c) != std::string_view::npos;
        if (plain) {
            uri += c;
            continue;
        }
        uri += '%';
        uri += digits[byte >> 4U];
        uri += digits[byte & 15U];
    }
    return uri;
}

}  // namespace

std::string resource_location(const std::filesystem::path& folder, Version version) {
    const std::filesystem::path path = std::filesystem::absolute(folder / "resources");
    if (version == Version::fmi2) return file_uri(path);
    return std::filesystem::is_directory(path) ? path.string() + "/" : std::string{};
}

}  // namespace master::fmi
