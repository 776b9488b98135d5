#include "master/base/atomic_file.hpp"

#include "master/base/block_file.hpp"
#include "master/base/error.hpp"

#include <unistd.h>

namespace master::base {

void write_atomically(const std::filesystem::path& file, std::string_view text) {
    std::filesystem::path temporary = file;
    temporary += ".tmp" + std::to_string(::getpid());
    try {
        BlockFile out = BlockFile::create(temporary);
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
