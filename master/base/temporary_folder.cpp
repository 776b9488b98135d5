#include "master/base/temporary_folder.hpp"

#include "master/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <stdlib.h>
#include <system_error>
#include <utility>

namespace master::base {

TemporaryFolder::TemporaryFolder(const std::string& prefix) {
    std::error_code failure;
    const std::filesystem::path parent = std::filesystem::temp_directory_path(failure);
    if (failure) throw Error("write-failed", "", "TMPDIR names no folder: " + failure.message(), Exit::failed);
    std::string name = (parent / (prefix + "XXXXXX")).string();
    if (mkdtemp(name.data()) == nullptr) {
        throw Error("write-failed", parent.string(),
                    std::string("no temporary folder can be made there: ") + std::strerror(errno), Exit::failed);
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() { remove(); }

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder& TemporaryFolder::operator=(TemporaryFolder&& other) noexcept {
    if (this == &other) return *this;
    remove();
    path_ = std::exchange(other.path_, {});
    return *this;
}

void TemporaryFolder::remove() noexcept {
    if (path_.empty()) return;
    std::error_code ignored;  // a destructor has nobody to tell; what is left is in the system's temporary folder
    std::filesystem::remove_all(path_, ignored);
    path_.clear();
}

}  // namespace master::base
