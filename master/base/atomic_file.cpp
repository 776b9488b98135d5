#include "master/base/atomic_file.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"

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

}  // namespace master::base
