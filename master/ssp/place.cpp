#include "master/ssp/place.hpp"

#include "master/base/diagnostics.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace master::ssp {
namespace {

namespace fs = std::filesystem;

int hexadecimal(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

/// "file" of "file:///x", empty for a relative reference. A scheme has two letters or more, so that C:\ is none.
std::string_view scheme_of(std::string_view source) {
    const auto colon = source.find(':');
    if (colon == std::string_view::npos || colon < 2) return {};
    const std::string_view scheme = source.substr(0, colon);
    const bool valid =
        std::ranges::all_of(scheme, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; });
    return valid ? scheme : std::string_view{};
}

/// By name alone: archives hold no links, and a folder's own links are its author's.
bool inside(const fs::path& folder, const fs::path& file) {
    const fs::path relative = file.lexically_normal().lexically_relative(folder.lexically_normal());
    return !relative.empty() && *relative.begin() != "..";
}

bool is_there(const fs::path& file) {
    std::error_code code;
    return fs::exists(file, code);
}

std::string neighbours_hint(const fs::path& file) {
    std::vector<std::string> names;
    std::error_code code;
    for (fs::directory_iterator entry(file.parent_path(), code), end; !code && entry != end; entry.increment(code))
        names.push_back(entry->path().filename().string());
    std::ranges::sort(names);
    return base::did_you_mean(file.filename().string(), names);
}

}  // namespace

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool escape =
            text[i] == '%' && i + 2 < text.size() && hexadecimal(text[i + 1]) >= 0 && hexadecimal(text[i + 2]) >= 0;
        if (!escape) {
            decoded += text[i];
            continue;
        }
        decoded += static_cast<char>(hexadecimal(text[i + 1]) * 16 + hexadecimal(text[i + 2]));
        i += 2;
    }
    return decoded;
}

Located locate(std::string_view source, const Place& place, const std::string& where) {
    const std::string written(source);
    Located located;
    if (const auto hash = source.find('#'); hash != std::string_view::npos) {
        located.fragment = percent_decoded(source.substr(hash + 1));
        source = source.substr(0, hash);
    }
    const std::string_view scheme = scheme_of(source);
    if (!scheme.empty() && scheme != "file")
        throw base::Error("bad-source", where,
                          "source '" + written + "' has scheme '" + std::string(scheme) +
                              "', expected a file relative to the system description");
    if (!scheme.empty()) {
        source.remove_prefix(scheme.size() + 1);
        if (source.starts_with("//")) source.remove_prefix(2);
        if (source.starts_with("localhost/")) source.remove_prefix(9);
    }
    std::string name = percent_decoded(source);
    if (name.find('\0') != std::string::npos)
        throw base::Error("bad-source", where, "source '" + written + "' contains a zero byte");
    const auto candidate = [&] { return (place.folder / fs::path(name)).lexically_normal(); };
    // Some tools write the path as it is, so that a per cent sign or a backslash means itself.
    if (!is_there(candidate()) && is_there(place.folder / fs::path(source))) name = source;
    if (!is_there(candidate()) && name.find('\\') != std::string::npos) std::ranges::replace(name, '\\', '/');

    located.file = candidate();
    const bool leaves =
        fs::path(name).is_absolute() || (place.confined_to && !inside(*place.confined_to, located.file));
    if (place.confined_to && leaves)
        throw base::Error("outside-archive", where, "source '" + written + "' leaves the archive, which is refused");
    if (!is_there(located.file))
        throw base::Error("missing-file", where,
                          "source '" + written + "' does not exist" + neighbours_hint(located.file));
    if (fs::is_directory(located.file))
        throw base::Error("bad-source", where, "source '" + written + "' is a folder, expected a file");
    located.shown = fs::path(name).is_absolute() || place.shown.empty()
                        ? fs::path(name).lexically_normal().string()
                        : (fs::path(place.shown) / name).lexically_normal().string();
    return located;
}

}  // namespace master::ssp
