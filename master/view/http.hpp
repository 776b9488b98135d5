#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What the view's server decides about a request, without a network.
namespace master::view {

struct Target {
    std::string path;   // decoded, begins with '/'
    std::string query;  // as it is
};
/// Nothing for what no page asks for: not '/' first, bad escapes, control characters, a step upwards.
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);
/// The value of a member of a query; empty: none.
[[nodiscard]] std::string query_value(std::string_view query, std::string_view name);
/// The value of a cookie; empty: none.
[[nodiscard]] std::string cookie_value(std::string_view cookies, std::string_view name);

struct Admission {
    bool loopback = true;
    std::string token;                 // empty: none is needed
    std::string cookie;                // the name under which it comes back
    std::vector<std::string> origins;  // allowed beside the own one
};
struct Visitor {
    std::string_view host, origin, query, cookies;
};
enum class Verdict : std::uint8_t { welcome, no_host, foreign_host, foreign_origin, no_token };
/// On loopback a foreign name of this machine means a page of somebody else's that was made to point here.
[[nodiscard]] Verdict judge(const Visitor& visitor, const Admission& admission);
/// Why a visitor is not welcome.
[[nodiscard]] const char* reason_of(Verdict verdict);

/// A file of the page; nothing where there is none, or the path leaves the folder.
struct PageFile {
    std::string content;
    const char* type = "";
};
[[nodiscard]] std::optional<PageFile> page_file(const std::filesystem::path& folder, std::string_view path);
[[nodiscard]] const char* content_type(const std::filesystem::path& file);
/// What is shown where no page was built.
[[nodiscard]] std::string page_missing();

/// 128 random bits as text.
[[nodiscard]] std::string make_token();

}  // namespace master::view
