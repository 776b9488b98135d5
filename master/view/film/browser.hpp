#pragma once

#include "master/base/json.hpp"
#include "master/base/temporary_folder.hpp"
#include "master/view/film/program.hpp"

#include <cstdint>
#include <string>

namespace master::view {

struct PictureSize {
    std::uint32_t width = 1280, height = 720;
};

/// Chromium without a window and without a graphics card, with one page; it is told what to do through a pipe (the
/// Chrome DevTools Protocol, one JSON text after the other, each ended by a NUL) and ends when that is closed. Throws
/// `Error` where it is not there or does not do what it is told, and `Interrupted`.
class Browser {
public:
    explicit Browser(PictureSize size);

    void open(const std::string& address);
    /// The value of a JavaScript expression, or what the promise that it is comes to. Throws `Error` with the text of
    /// an exception.
    [[nodiscard]] base::Json evaluate(const std::string& expression);

private:
    [[nodiscard]] base::Json ask(const std::string& method, base::Json parameters);
    void send(const std::string& text);
    [[nodiscard]] std::string next_text();
    [[noreturn]] void fail(const std::string& text) const;

    base::TemporaryFolder folder_{"tandem-browser-"};
    Descriptor commands_, answers_;
    std::optional<Program> program_;
    std::string received_, session_;
    std::size_t looked_ = 0;  // bytes of `received_` without an end
    std::uint64_t asked_ = 0;
};

/// The last line of a text file that is not empty.
[[nodiscard]] std::string last_line(const std::filesystem::path& file);

}  // namespace master::view
