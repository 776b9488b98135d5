#include "master/fmi/library/search_path.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <glob.h>
#include <set>

namespace master::fmi {
namespace {

using std::filesystem::path;

constexpr int deepest_include = 8;  // of configuration files in one another

/// What stands between colons; an empty entry is the working directory, which no library is taken from here.
std::vector<std::string> entries_of(const std::string& list) {
    std::vector<std::string> entries;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        if (end > begin) entries.push_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return entries;
}

void replace_all(std::string& text, const std::string& what, const std::string& by) {
    for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
}

void add_configured(const std::string& pattern, std::vector<path>& folders, int depth) {
    glob_t found{};
    if (depth > deepest_include || glob(pattern.c_str(), 0, nullptr, &found) != 0) return;
    for (std::size_t i = 0; i < found.gl_pathc; ++i) {
        std::ifstream file(found.gl_pathv[i]);
        for (std::string line; std::getline(file, line);) {
            line.resize(std::min(line.find('#'), line.size()));
            line.resize(line.find_last_not_of(" \t\r") + 1);
            if (line.starts_with("include ")) {
                const path named = line.substr(line.find_first_not_of(" \t", 8));
                add_configured((path("/etc") / named).string(), folders, depth + 1);
            } else if (line.starts_with('/')) {
                folders.emplace_back(line);
            }
        }
    }
    globfree(&found);
}

std::vector<path> system_folders() {
    std::vector<path> folders;
    add_configured("/etc/ld.so.conf", folders, 0);
    for (const char* usual : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"}) folders.emplace_back(usual);
    return folders;
}

bool inside(const path& file, const path& root) {
    const path relative = file.lexically_normal().lexically_relative(root.lexically_normal());
    return !relative.empty() && *relative.begin() != "..";
}

}  // namespace

std::optional<path> find_shared_library(const std::string& name, const SharedObject& asking, const path& folder) {
    std::error_code none;
    const auto there = [&](const path& file) { return std::filesystem::is_regular_file(file, none); };
    if (name.find('/') != std::string::npos) return there(name) ? std::optional<path>(name) : std::nullopt;
    for (std::string entry : entries_of(asking.run_path)) {
        replace_all(entry, "${ORIGIN}", folder.string());
        replace_all(entry, "$ORIGIN", folder.string());
        if (there(path(entry) / name)) return path(entry) / name;
    }
    const char* stated = std::getenv("LD_LIBRARY_PATH");
    for (const std::string& entry : entries_of(stated == nullptr ? "" : stated))
        if (there(path(entry) / name)) return path(entry) / name;
    static const std::vector<path> usual = system_folders();
    for (const path& entry : usual)
        if (there(entry / name)) return entry / name;
    return std::nullopt;
}

std::vector<std::string> missing_libraries(const path& library, const path& root) {
    std::vector<std::string> missing;
    std::set<path> seen{library};
    std::vector<path> waiting{library};
    while (!waiting.empty()) {
        const path asking = waiting.back();
        waiting.pop_back();
        const SharedObject object = read_shared_object(asking).value_or(SharedObject{});
        for (const std::string& needed : object.needed) {
            const auto found = find_shared_library(needed, object, asking.parent_path());
            if (!found && std::ranges::find(missing, needed) == missing.end()) missing.push_back(needed);
            // What belongs to the system is complete by itself.
            if (found && inside(*found, root) && seen.insert(*found).second) waiting.push_back(*found);
        }
    }
    return missing;
}

}  // namespace master::fmi
