#include "master/fmi/library/message_format.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <sys/syscall.h>
#include <sys/uio.h>
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

/// Reads memory that may not be there: the kernel copies it, or says that it cannot.
class Peek {
public:
    Peek() = default;
    ~Peek() {
        for (const int end : ends_)
            if (end >= 0) close(end);
    }
    Peek(const Peek&) = delete;
    Peek& operator=(const Peek&) = delete;

    [[nodiscard]] std::string text(const char* from) {
        if (from == nullptr) return "(null)";
        std::string found;
        std::array<char, 512> buffer{};
        while (found.size() < longest_message) {
            // Never across the border of a page: the text may end just before one that cannot be read.
            const auto address = reinterpret_cast<std::uintptr_t>(from + found.size());
            const std::size_t size = std::min(buffer.size(), page - address % page);
            if (!copy(from + found.size(), buffer.data(), size)) break;
            const std::size_t length = strnlen(buffer.data(), size);
            found.append(buffer.data(), length);
            if (length < size) return found;
        }
        return found.size() >= longest_message ? found : "(unreadable)";
    }

private:
    [[nodiscard]] bool copy(const char* from, char* to, std::size_t size) {
        const iovec here{to, size};
        const iovec there{const_cast<char*>(from), size};
        const ssize_t length = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
        if (length == static_cast<ssize_t>(size)) return true;
        // Some containers forbid that call.
        return length < 0 && (errno == EPERM || errno == ENOSYS) && copy_through_pipe(from, to, size);
    }

    [[nodiscard]] bool copy_through_pipe(const char* from, char* to, std::size_t size) {
        if (ends_[0] < 0 && pipe(ends_.data()) != 0) return false;
        // A checked `write` would refuse what lies behind a text.
        if (syscall(SYS_write, ends_[1], from, size) != static_cast<long>(size)) return false;
        return read(ends_[0], to, size) == static_cast<ssize_t>(size);
    }

    static constexpr std::size_t page = 4096;

    std::array<int, 2> ends_{-1, -1};
};

template <class Argument>
std::string print(const std::string& conversion, Argument argument) {
    std::string text(128, '\0');  // which most fit into
    const int written = std::snprintf(text.data(), text.size(), conversion.c_str(), argument);
    if (written < 0) return conversion;
    const auto length = static_cast<std::size_t>(written);
    if (length >= text.size()) {
        text.resize(std::min(length + 1, longest_message));
        std::snprintf(text.data(), text.size(), conversion.c_str(), argument);
    }
    const bool cut = length >= text.size();
    text.resize(std::strlen(text.c_str()));
    return cut ? text + "..." : text;
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
