#include "master/view/http.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/ip/address_v4.hpp>
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <sys/random.h>
#include <utility>

namespace master::view {
namespace {

constexpr std::uintmax_t most_page_bytes = std::uintmax_t{1} << 27U;

std::optional<int> digit_of(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            result += text[i];
            continue;
        }
        if (i + 2 >= text.size()) return std::nullopt;
        const auto high = digit_of(text[i + 1]), low = digit_of(text[i + 2]);
        if (!high || !low) return std::nullopt;
        result += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return result;
}

bool climbs(std::string_view path) {
    for (std::size_t begin = 0; begin <= path.size();) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        if (path.substr(begin, end - begin) == "..") return true;
        begin = end + 1;
    }
    return false;
}

/// "localhost:8080" without the port.
std::string_view name_of_host(std::string_view host) {
    if (host.starts_with('[')) return host.substr(0, host.find(']') + 1);
    return host.substr(0, host.find(':'));
}

/// An address as numbers, which nobody else's name can be made to mean: all of 127.0.0.0/8 is this machine.
bool is_loopback_number(const std::string& name) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address_v4(name, error);
    return !error && address.is_loopback();
}

bool is_this_machine(std::string_view host) {
    const std::string_view name = name_of_host(host);
    return name == "localhost" || name == "[::1]" || is_loopback_number(std::string(name));
}

/// Takes as long whatever they have in common.
bool same(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        difference |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
    return difference == 0;
}

std::string value_in(std::string_view list, char separator, std::string_view name) {
    while (!list.empty()) {
        const std::size_t end = std::min(list.find(separator), list.size());
        std::string_view member = list.substr(0, end);
        list.remove_prefix(std::min(list.size(), end + 1));
        while (member.starts_with(' ')) member.remove_prefix(1);
        if (member.size() > name.size() && member.starts_with(name) && member[name.size()] == '=')
            return std::string(member.substr(name.size() + 1));
    }
    return {};
}

}  // namespace

std::optional<Target> parse_target(std::string_view target) {
    const std::size_t question = std::min(target.find('?'), target.size());
    std::optional<std::string> path = decoded(target.substr(0, question));
    const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f' || c == '\\'; };
    if (!path || !path->starts_with('/') || std::ranges::any_of(*path, is_control) || climbs(*path))
        return std::nullopt;
    return Target{std::move(*path), std::string(target.substr(std::min(target.size(), question + 1)))};
}

std::string query_value(std::string_view query, std::string_view name) { return value_in(query, '&', name); }
std::string cookie_value(std::string_view cookies, std::string_view name) { return value_in(cookies, ';', name); }

Verdict judge(const Visitor& visitor, const Admission& admission) {
    if (visitor.host.empty()) return Verdict::no_host;
    if (admission.loopback && !is_this_machine(visitor.host)) return Verdict::foreign_host;
    const bool own = visitor.origin == fmt::format("http://{}", visitor.host) ||
                     visitor.origin == fmt::format("https://{}", visitor.host);
    if (!visitor.origin.empty() && !own && std::ranges::count(admission.origins, visitor.origin) == 0)
        return Verdict::foreign_origin;
    if (admission.token.empty() || same(query_value(visitor.query, "token"), admission.token) ||
        same(cookie_value(visitor.cookies, admission.cookie), admission.token))
        return Verdict::welcome;
    return Verdict::no_token;
}

const char* reason_of(Verdict verdict) {
    switch (verdict) {
        case Verdict::no_host:
            return "the request names no host";
        case Verdict::foreign_host:
            return "this server is for this machine: use localhost or the address that the run printed";
        case Verdict::foreign_origin:
            return "a page from elsewhere may not connect (--view-origin allows one)";
        case Verdict::no_token:
            return "the token is missing or wrong: open the address that the run printed";
        case Verdict::welcome:
            break;
    }
    return "";
}

const char* content_type(const std::filesystem::path& file) {
    constexpr std::array<std::pair<std::string_view, const char*>, 14> types{
        {{".html", "text/html; charset=utf-8"},
         {".js", "text/javascript; charset=utf-8"},
         {".mjs", "text/javascript; charset=utf-8"},
         {".css", "text/css; charset=utf-8"},
         {".json", "application/json"},
         {".map", "application/json"},
         {".svg", "image/svg+xml"},
         {".png", "image/png"},
         {".jpg", "image/jpeg"},
         {".ico", "image/x-icon"},
         {".woff2", "font/woff2"},
         {".wasm", "application/wasm"},
         {".urdf", "application/xml"},
         {".txt", "text/plain; charset=utf-8"}}};
    const std::string extension = file.extension().string();
    const auto found = std::ranges::find(types, extension, &std::pair<std::string_view, const char*>::first);
    return found == types.end() ? "application/octet-stream" : found->second;
}

std::optional<PageFile> page_file(const std::filesystem::path& folder, std::string_view path) {
    std::string relative(path.substr(std::min<std::size_t>(path.size(), 1)));
    if (relative.empty() || relative.ends_with('/')) relative += "index.html";
    if (relative == "tele") relative += ".html";
    std::error_code failure;
    const auto root = std::filesystem::canonical(folder, failure);
    if (failure) return std::nullopt;
    const auto file = std::filesystem::canonical(root / relative, failure);
    if (failure || !std::filesystem::is_regular_file(file, failure)) return std::nullopt;
    // A link may lead elsewhere.
    const auto inside = file.lexically_relative(root);
    if (inside.empty() || *inside.begin() == "..") return std::nullopt;
    if (std::filesystem::file_size(file, failure) > most_page_bytes || failure) return std::nullopt;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return std::nullopt;
    return PageFile{std::string(std::istreambuf_iterator<char>(stream), {}), content_type(file)};
}

std::string page_missing() {
    return "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Tandem</title>"
           "<body style=\"font:16px/1.5 sans-serif;max-width:40em;margin:3em auto\"><h1>The page is not built yet</h1>"
           "<p>The run is served, but the page that shows it has to be built once: end this with Ctrl-C and start "
           "<code>./run --view</code>, or build it alone with <code>npm ci &amp;&amp; npm run build</code> in "
           "<code>master/view/page</code>.</p>"
           "<p>What would be shown: <a href=\"system.json\">system.json</a>; live values come over the WebSocket "
           "<code>/live</code>.</p>";
}

std::string make_token() {
    std::array<unsigned char, 16> bits{};
    if (::getrandom(bits.data(), bits.size(), 0) != static_cast<ssize_t>(bits.size()))
        throw base::Error("view", "--view-host", "the system gives no random numbers for a token", base::Exit::failed);
    std::string token;
    for (const unsigned char byte : bits) token += fmt::format("{:02x}", byte);
    return token;
}

}  // namespace master::view
