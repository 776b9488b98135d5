#include "master/fmi/library/message_format.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace master::fmi {
namespace {

constexpr std::size_t most_conversions = 32;

/// Text between conversions, or one conversion ("%-5.2lf") with its letter and length ("l", "ll", "z", ...).
struct Piece {
    std::string text;
    char letter = '\0';  // '\0': plain text
    std::string length;
};

bool is_one_of(char c, std::string_view set) { return c != '\0' && set.find(c) != std::string_view::npos; }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Digits of a width or precision; more than three would make a message absurdly long.
bool skip_number(const char*& at) {
    const char* begin = at;
    while (is_digit(*at)) ++at;
    return at - begin <= 3;
}

/// Reads one conversion that starts at its '%'; false when it is none that may be trusted.
bool read_conversion(const char*& at, Piece& piece) {
    const char* begin = at++;
    while (is_one_of(*at, "-+ #0")) ++at;
    if (!skip_number(at)) return false;
    if (*at == '.' && !skip_number(++at)) return false;
    const char* length = at;
    while (is_one_of(*at, "hlzjt")) ++at;
    piece.length.assign(length, at);
    if (piece.length.size() > 2 || !is_one_of(*at, "diouxXcspfFeEgGaA%")) return false;
    piece.letter = *at++;
    piece.text.assign(begin, at);
    return !(is_one_of(piece.letter, "cs") && !piece.length.empty());
}

/// The pieces of a format; nothing when one of its conversions may not be trusted.
bool take_apart(const std::string& format, std::vector<Piece>& pieces) {
    std::size_t conversions = 0;
    for (const char* at = format.c_str(); *at != '\0';) {
        Piece piece;
        if (*at == '%') {
            if (++conversions > most_conversions || !read_conversion(at, piece)) return false;
        } else {
            const char* begin = at;
            while (*at != '\0' && *at != '%') ++at;
            piece.text.assign(begin, at);
        }
        pieces.push_back(std::move(piece));
    }
    return true;
}

/// Reads memory that may not be there: the kernel copies it into a pipe, or says that it cannot.
class Peek {
public:
    Peek() { open_ = pipe(ends_.data()) == 0; }
    ~Peek() {
        if (!open_) return;
        close(ends_[0]);
        close(ends_[1]);
    }
    Peek(const Peek&) = delete;
    Peek& operator=(const Peek&) = delete;

    [[nodiscard]] std::string text(const char* from) const {
        if (from == nullptr) return "(null)";
        std::string found;
        std::array<char, 512> buffer{};
        while (open_ && found.size() < longest_message) {
            // Never across the border of a page: the text may end just before one that cannot be read.
            const auto address = reinterpret_cast<std::uintptr_t>(from + found.size());
            const std::size_t size = std::min(buffer.size(), page - address % page);
            // The kernel judges whether the memory can be read; a checked `write` would refuse what lies behind a text.
            if (syscall(SYS_write, ends_[1], from + found.size(), size) != static_cast<long>(size)) break;
            if (read(ends_[0], buffer.data(), size) != static_cast<ssize_t>(size)) break;
            const std::size_t length = strnlen(buffer.data(), size);
            found.append(buffer.data(), length);
            if (length < size) return found;
        }
        return found.size() >= longest_message ? found : "(unreadable)";
    }

private:
    static constexpr std::size_t page = 4096;
    std::array<int, 2> ends_{};
    bool open_ = false;
};

template <class Argument>
std::string print(const std::string& conversion, Argument argument) {
    std::array<char, longest_message> buffer{};
    const int written = std::snprintf(buffer.data(), buffer.size(), conversion.c_str(), argument);
    if (written < 0) return conversion;
    std::string text(buffer.data());
    if (static_cast<std::size_t>(written) >= buffer.size()) text += "...";
    return text;
}

std::string print_whole_number(const Piece& piece, std::va_list& arguments) {
    if (piece.length == "l") return print(piece.text, va_arg(arguments, long));
    if (piece.length == "ll") return print(piece.text, va_arg(arguments, long long));
    if (piece.length == "z") return print(piece.text, va_arg(arguments, std::size_t));
    if (piece.length == "j") return print(piece.text, va_arg(arguments, std::intmax_t));
    if (piece.length == "t") return print(piece.text, va_arg(arguments, std::ptrdiff_t));
    return print(piece.text, va_arg(arguments, int));
}

std::string print_piece(const Piece& piece, std::va_list& arguments) {
    if (piece.letter == '\0') return piece.text;
    if (piece.letter == '%') return "%";
    if (piece.letter == 's') return print(piece.text, Peek().text(va_arg(arguments, const char*)).c_str());
    if (piece.letter == 'p') return print(piece.text, va_arg(arguments, void*));
    if (is_one_of(piece.letter, "fFeEgGaA")) {
        if (piece.length == "l" || piece.length.empty()) return print(piece.text, va_arg(arguments, double));
        return piece.text;
    }
    return print_whole_number(piece, arguments);
}

}  // namespace

std::string format_message(const char* format, std::va_list arguments) {
    if (format == nullptr) return {};
    std::string bounded(format, strnlen(format, longest_message));
    std::vector<Piece> pieces;
    if (bounded.find('%') == std::string::npos || !take_apart(bounded, pieces)) return bounded;
    std::va_list remaining;
    va_copy(remaining, arguments);
    std::string text;
    for (const Piece& piece : pieces) {
        if (text.size() < longest_message) text += print_piece(piece, remaining);
    }
    va_end(remaining);
    if (text.size() > longest_message) text.replace(longest_message, std::string::npos, "...");
    return text;
}

}  // namespace master::fmi
