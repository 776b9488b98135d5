#include "master/base/atomic_file.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <sys/random.h>

namespace master::base {

std::filesystem::path draft_name(const std::filesystem::path& file) {
    std::uint64_t number = 0;
    if (::getrandom(&number, sizeof number, 0) != sizeof number)
        throw Error("write-failed", file.string(), "the system gives no random numbers", Exit::failed);
    std::filesystem::path name = file;
    name.replace_filename(fmt::format(".{}.{:016x}", file.filename().string(), number));
    return name;
}

void write_atomically(const std::filesystem::path& file, std::string_view text) {
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
