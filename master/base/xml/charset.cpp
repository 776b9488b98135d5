#include "master/base/xml/charset.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/printable.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <iconv.h>
#include <optional>

namespace master::base {
namespace {

struct Mark {
    std::string_view bytes;
    const char* charset;
};

using namespace std::string_view_literals;
// The mark of UTF-32 begins like the one of UTF-16.
constexpr std::array<Mark, 5> marks{{{"\xFF\xFE\0\0"sv, "UTF-32LE"},
                                     {"\0\0\xFE\xFF"sv, "UTF-32BE"},
                                     {"\xFF\xFE"sv, "UTF-16LE"},
                                     {"\xFE\xFF"sv, "UTF-16BE"},
                                     {"\xEF\xBB\xBF"sv, "UTF-8"}}};

/// One conversion to UTF-8, unless nobody knows the charset.
class Converter {
public:
    explicit Converter(const std::string& charset) : handle_(iconv_open("UTF-8", charset.c_str())) {}
    ~Converter() {
        if (known()) iconv_close(handle_);
    }
    Converter(const Converter&) = delete;
    Converter& operator=(const Converter&) = delete;

    // POSIX has no name for the handle that is none.
    [[nodiscard]] bool known() const { return reinterpret_cast<std::intptr_t>(handle_) != -1; }

    [[nodiscard]] std::string operator()(std::string text, std::size_t unit) const {
        constexpr std::string_view replacement = "\xEF\xBF\xBD";
        std::string converted;
        std::array<char, 4096> buffer{};
        char* in = text.data();
        std::size_t left = text.size();
        while (left > 0) {
            char* out = buffer.data();
            std::size_t room = buffer.size();
            const bool done = iconv(handle_, &in, &left, &out, &room) != static_cast<std::size_t>(-1);
            const int problem = errno;
            converted.append(buffer.data(), buffer.size() - room);
            if (done || problem == E2BIG) continue;
            converted += replacement;
            const std::size_t skipped = std::min(unit, left);
            in += skipped;
            left -= skipped;
        }
        return converted;
    }

private:
    iconv_t handle_;
};

/// The value of `encoding` in the XML declaration; empty without one.
std::string declared_charset(std::string_view text) {
    if (!text.starts_with("<?xml")) return {};
    const std::string_view declaration = text.substr(0, text.find("?>"));
    const std::size_t name = declaration.find("encoding");
    if (name == std::string_view::npos) return {};
    const std::size_t first = declaration.find_first_of("\"'", name);
    if (first == std::string_view::npos) return {};
    const std::size_t last = declaration.find(declaration[first], first + 1);
    if (last == std::string_view::npos) return {};
    return std::string(declaration.substr(first + 1, last - first - 1));
}

bool names_utf8(std::string charset) {
    charset = interfaces::text::lower(std::move(charset));
    return charset.empty() || charset == "utf-8" || charset == "utf8" || charset == "us-ascii";
}

}  // namespace

std::string utf8_from_xml(std::string text) {
    for (const Mark& mark : marks) {
        if (!text.starts_with(mark.bytes)) continue;
        text.erase(0, mark.bytes.size());
        if (names_utf8(mark.charset)) return is_utf8(text) ? text : valid_utf8(text);
        return Converter(mark.charset)(std::move(text), mark.bytes.size());
    }
    const std::string charset = declared_charset(text);
    // Some exporters write other bytes than they declare: what they mean is not known, and not passed on.
    if (names_utf8(charset)) return is_utf8(text) ? text : valid_utf8(text);
    const Converter converter(charset);
    return converter.known() ? converter(std::move(text), 1) : valid_utf8(text);
}

}  // namespace master::base
