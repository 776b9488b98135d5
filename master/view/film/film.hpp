#pragma once

#include "master/view/film/browser.hpp"
#include "master/view/replay_feed.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>

namespace master::view {

struct FilmOptions {
    std::filesystem::path out;
    std::uint32_t rate = 30;  // pictures per second, simulated and shown
    PictureSize size;
    std::string cameras;  // one to four names, with commas; empty: the page's choice
    bool overwrite = false;
};

/// Throws `Error` for a file that may not be written.
void check_film_output(const FilmOptions& options);

/// How many pictures: one for each whole interval of the recording, at least one.
[[nodiscard]] std::size_t film_length(double start, double stop, std::uint32_t rate);

/// Makes a video of a recording: a browser draws the page at `address`, which shows `feed`, once for each picture, and
/// ffmpeg puts them together. Picture i shows the recording's last row at start + i / rate or before, and that row's
/// time stands in it. The file takes its name when it is whole. `progress` hears how many pictures are drawn. Throws
/// `Error`, and `Interrupted` after Ctrl-C; both leave no file.
void make_film(const ReplayFeed& feed, const std::string& address, const FilmOptions& options,
               const std::function<void(std::size_t)>& progress);

}  // namespace master::view
