#include "master/results/stream/mapped_file.hpp"

#include "master/base/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace master::results {

MappedFile::MappedFile(const std::filesystem::path& file)
    : size_(std::filesystem::file_size(file)), memory_(MAP_FAILED) {
    const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor >= 0 && size_ > 0) memory_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (descriptor >= 0) ::close(descriptor);
    if (memory_ == MAP_FAILED) throw base::Error("missing-file", file.string(), "the file cannot be read");
    ::madvise(memory_, size_, MADV_SEQUENTIAL);
}

MappedFile::~MappedFile() { ::munmap(memory_, size_); }

void MappedFile::forget_before(const void* at) {
    constexpr std::size_t piece = 1 << 22;
    const auto end =
        static_cast<std::size_t>(static_cast<const char*>(at) - static_cast<const char*>(memory_)) / piece * piece;
    if (end <= forgotten_) return;
    ::madvise(static_cast<char*>(memory_) + forgotten_, end - forgotten_, MADV_DONTNEED);
    forgotten_ = end;
}

}  // namespace master::results
