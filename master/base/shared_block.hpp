#pragma once

#include <cstddef>
#include <new>
#include <sys/mman.h>

namespace master::base {

/// Memory, zero at first, that this process shares with those it forks afterwards. What is never touched costs nothing.
class SharedBlock {
public:
    explicit SharedBlock(std::size_t bytes)
        : bytes_(bytes),
          memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {
        if (memory_ == MAP_FAILED) throw std::bad_alloc();
    }
    ~SharedBlock() { ::munmap(memory_, bytes_); }
    SharedBlock(const SharedBlock&) = delete;
    SharedBlock& operator=(const SharedBlock&) = delete;

    [[nodiscard]] std::size_t size() const { return bytes_; }
    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(memory_); }

private:
    std::size_t bytes_;
    void* memory_;
};

}  // namespace master::base
