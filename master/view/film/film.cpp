#include "master/view/film/film.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <openssl/evp.h>
#include <poll.h>
#include <unistd.h>

namespace master::view {
namespace {

constexpr std::array<std::string_view, 1> ffmpeg_names{"ffmpeg"};
constexpr std::chrono::seconds encoder_patience{600};  // for ffmpeg to take a picture, and to end
/// Rows that are not later than this after a picture's time belong to it: times in results are rounded.
constexpr double rounding = 1e-9;  // s

/// JPEG pictures in, an H.264 video out.
class Encoder {
public:
    Encoder(const std::filesystem::path& program, const std::filesystem::path& file, std::uint32_t rate)
        : file_(file), log_(folder_.path() / "ffmpeg.log") {
        Pipe pictures;
        const Descriptor said(::open(log_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
        const std::string frequency = std::to_string(rate);
        program_.emplace(
            Program::Line{.program = program,
                          .arguments = {"-hide_banner",
                                        "-loglevel",
                                        "error",
                                        "-f",
                                        "image2pipe",
                                        "-c:v",
                                        "mjpeg",
                                        "-framerate",
                                        frequency,
                                        "-i",
                                        "pipe:0",
                                        "-an",
                                        "-vf",
                                        "scale=in_range=pc:out_range=tv:out_color_matrix=bt709,format=yuv420p",
                                        "-c:v",
                                        "libx264",
                                        "-preset",
                                        "medium",
                                        "-crf",
                                        "17",
                                        "-colorspace",
                                        "bt709",
                                        "-color_primaries",
                                        "bt709",
                                        "-color_trc",
                                        "iec61966-2-1",
                                        "-movflags",
                                        "+faststart",
                                        "-f",
                                        "mp4",
                                        "-n",
                                        file.string()},
                          .descriptors = {pictures.read.number(), -1, said.number()}});
        pictures_ = std::move(pictures.write);
        ::fcntl(pictures_.number(), F_SETFL, O_NONBLOCK);
    }

    void add(std::string_view picture) {
        while (!picture.empty()) {
            const ssize_t count = ::write(pictures_.number(), picture.data(), picture.size());
            if (count > 0) picture.remove_prefix(static_cast<std::size_t>(count));
            if (count >= 0 || errno == EINTR) continue;
            if (errno != EAGAIN) fail();
            if (!wait_for(pictures_.number(), POLLOUT, encoder_patience)) fail();
        }
    }

    void finish() {
        pictures_.close();
        if (program_->wait(encoder_patience) != 0) fail();
    }

private:
    [[noreturn]] void fail() {
        const std::string said = last_line(log_);
        throw base::Error("write-failed", file_.string(),
                          "ffmpeg failed: " + (said.empty() ? std::string("without a word") : said),
                          base::Exit::failed);
    }

    std::filesystem::path file_;
    base::TemporaryFolder folder_{"tandem-video-"};
    std::filesystem::path log_;
    Descriptor pictures_;
    std::optional<Program> program_;
};

std::string from_base64(const std::string& text) {
    std::string bytes(3 * (text.size() / 4), '\0');
    const bool whole = !text.empty() && text.size() % 4 == 0;
    const int count =
        !whole ? -1
               : ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    if (count < 0) throw base::Error("view", "chromium", "gave something that is no picture", base::Exit::failed);
    const std::size_t padding = text.size() - text.find_last_not_of('=') - 1;
    bytes.resize(static_cast<std::size_t>(count) - std::min<std::size_t>(padding, 2));
    return bytes;
}

/// For a query.
std::string escaped(std::string_view text) {
    std::string result;
    for (const char c : text) {
        const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == ',' || c == '_' || c == '-';
        result += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
    return result;
}

/// The page has to be loaded before it can be asked.
void wait_for_page(Browser& browser) {
    const base::Json ready = browser.evaluate(
        "new Promise((done) => { const look = () => window.tandem?.film ? done(true) : setTimeout(look, 20); look(); "
        "})");
    if (ready != true) throw base::Error("view", "--video", "the page does not begin", base::Exit::failed);
}

void take_free_name(const base::Draft& draft, const FilmOptions& options) {
    if (::renameat2(AT_FDCWD, draft.path().c_str(), AT_FDCWD, options.out.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno == EEXIST) check_film_output(options);
    throw base::Error("write-failed", options.out.string(), std::strerror(errno), base::Exit::failed);
}

}  // namespace

void check_film_output(const FilmOptions& options) {
    if (options.out.extension() != ".mp4")
        throw base::Error("usage", options.out.string(), "a video is written as .mp4");
    std::error_code unknown;
    if (!options.overwrite && std::filesystem::exists(options.out, unknown))
        throw base::Error("overwrite", options.out.string(),
                          "is there already; --video names another file, or --overwrite");
    if (std::filesystem::is_directory(options.out, unknown))
        throw base::Error("overwrite", options.out.string(), "is a folder");
    const auto folder = std::filesystem::absolute(options.out).parent_path();
    if (!std::filesystem::is_directory(folder, unknown))
        throw base::Error("missing-file", folder.string(), "is no folder, so no video can be written there");
}

std::size_t film_length(double start, double stop, std::uint32_t rate) {
    const double pictures = (stop - start) * rate;
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::floor(pictures + 1e-6)));
}

void make_film(const ReplayFeed& feed, const std::string& address, const FilmOptions& options,
               const std::function<void(std::size_t)>& progress) {
    const auto ffmpeg = find_program(ffmpeg_names, "ffmpeg", "put the pictures of a video together");
    Browser browser(options.size);
    browser.open(fmt::format("{}film.html?camera={}", address, escaped(options.cameras)));
    wait_for_page(browser);
    const base::Draft draft(options.out);
    Encoder encoder(ffmpeg, draft.path(), options.rate);
    const std::size_t length = film_length(feed.start(), feed.stop(), options.rate);
    for (std::size_t i = 0; i < length; ++i) {
        const double time = feed.start() + static_cast<double>(i) / options.rate + rounding;
        const base::Json picture = browser.evaluate(fmt::format("window.tandem.film({})", time));
        if (!picture.is_object() || picture.value("time", -1.0) != feed.time_shown(time))
            throw base::Error("view", "--video", fmt::format("the page drew another time than {} s", time),
                              base::Exit::failed);
        encoder.add(from_base64(picture.at("data").get<std::string>()));
        progress(i + 1);
    }
    encoder.finish();
    if (options.overwrite)
        draft.finish();
    else
        take_free_name(draft, options);
}

}  // namespace master::view
