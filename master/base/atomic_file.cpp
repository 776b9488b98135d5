#include "master/base/atomic_file.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <vector>

namespace master::base {
namespace {

constexpr std::size_t block = 1 << 20;
constexpr int most_links = 40;  // as many as Linux follows

/// Where a file is written that is opened by this name: links are followed, also one that leads to nothing yet.
std::filesystem::path destination(std::filesystem::path file) {
    std::error_code unknown;
    for (int i = 0; i < most_links && std::filesystem::is_symlink(file, unknown); ++i)
        file = file.parent_path() / std::filesystem::read_symlink(file, unknown);
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, unknown), unknown);
}

}  // namespace

std::filesystem::path draft_name(const std::filesystem::path& file) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number)
        throw Error("write-failed", file.string(), "the system gives no random numbers", Exit::failed);
    std::filesystem::path name = file;
    name.replace_filename(fmt::format(".{}.{:016x}", file.filename().string(), number));
    return name;
}

bool is_special(const std::filesystem::path& file) {
    std::error_code unknown;
    const std::filesystem::file_status status = std::filesystem::status(file, unknown);
    return std::filesystem::exists(status) && !std::filesystem::is_regular_file(status);
}

bool is_same_file(const std::filesystem::path& one, const std::filesystem::path& other) {
    struct stat first = {}, second = {};
    if (::stat(one.c_str(), &first) == 0 && ::stat(other.c_str(), &second) == 0)
        return first.st_dev == second.st_dev && first.st_ino == second.st_ino;
    return destination(one) == destination(other);
}

void write_atomically(const std::filesystem::path& file, std::string_view text) {
    if (is_special(file)) {
        BlockFile out = BlockFile::create(file);
        out.write(text);
        out.close();
        return;
    }
    const std::filesystem::path temporary = draft_name(file);
    try {
        BlockFile out = BlockFile::create_new(temporary);
        out.write(text);
        out.close();
        std::filesystem::rename(temporary, file);
    } catch (const std::exception& problem) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        throw Error("write-failed", file.string(), problem.what(), Exit::failed);
    }
}

Draft::Draft(std::filesystem::path file) : file_(std::move(file)) {
    if (is_special(file_)) apart_.emplace("tandem-draft-");
    path_ = draft_name(apart_ ? apart_->path() / file_.filename() : file_);
}

Draft::~Draft() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
}

void Draft::finish() const {
    if (!apart_) {
        std::error_code problem;
        std::filesystem::rename(path_, file_, problem);
        if (problem) throw Error("write-failed", file_.string(), problem.message(), Exit::failed);
        return;
    }
    const BlockFile whole = BlockFile::append_to(path_);
    BlockFile out = BlockFile::create(file_);
    std::vector<char> bytes(block);
    for (std::uint64_t at = 0; at < whole.size();) {
        const std::size_t count = whole.read_at(at, bytes);
        out.write(std::span(bytes).first(count));
        at += count;
    }
    out.close();
}

void refuse_to_replace(const std::filesystem::path& file, std::initializer_list<std::string_view> own) {
    constexpr std::array inputs{".ssd", ".ssp", ".ssv", ".ssm", ".ssb", ".fmu",  ".dbc", ".eds",
                                ".dcf", ".xml", ".csv", ".h5",  ".mat", ".urdf", ".json"};
    const std::string ending = file.extension().string();
    if (std::ranges::count(own, std::string_view(ending)) > 0 || std::ranges::count(inputs, ending) == 0) return;
    std::error_code unknown;
    if (std::filesystem::exists(file, unknown))
        throw Error("overwrite", file.string(),
                    fmt::format("this file would be replaced by something else than '{}'; name another", ending));
}

void refuse_to_replace_input(const std::filesystem::path& file, std::span<const std::filesystem::path> inputs) {
    std::error_code missing;
    for (const std::filesystem::path& input : inputs)
        if (std::filesystem::equivalent(file, input, missing))
            throw Error("overwrite", file.string(),
                        "this file is read and would be replaced; name another one with -o");
}

}  // namespace master::base
