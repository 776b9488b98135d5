#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace master::results {

/// What HDF5 calls hid_t and hsize_t; its header is large.
using Hdf5Id = std::int64_t;
using Hdf5Size = unsigned long long;

/// Owns one HDF5 identifier of any kind.
class Hdf5Handle {
public:
    Hdf5Handle() = default;
    explicit Hdf5Handle(Hdf5Id id) : id_(id) {}
    ~Hdf5Handle() { reset(); }
    Hdf5Handle(Hdf5Handle&& other) noexcept : id_(std::exchange(other.id_, -1)) {}
    Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
        std::swap(id_, other.id_);
        return *this;
    }
    Hdf5Handle(const Hdf5Handle&) = delete;
    Hdf5Handle& operator=(const Hdf5Handle&) = delete;

    [[nodiscard]] Hdf5Id get() const { return id_; }
    [[nodiscard]] bool valid() const { return id_ >= 0; }
    /// Leaves the object open for ever: closing one whose file failed crashes.
    void abandon() { id_ = -1; }
    /// Negative when closing failed, which for a file can mean a full disk.
    int reset();

private:
    Hdf5Id id_ = -1;
};

/// The innermost reason of the last failure in this thread, as HDF5 words it.
[[nodiscard]] std::string hdf5_reason();

/// Keeps HDF5 from printing its error stack, and from working at exit; failures are reported by `Error` instead. Comes
/// before its first call.
void silence_hdf5();

/// A fixed-length UTF-8 string type (SWMR files may not hold variable-length data).
[[nodiscard]] Hdf5Handle hdf5_text_type(std::size_t length);

/// Somebody has, or had when he died, the file open for writing alone: one that is being made, whose superblock may
/// lead to what is not there yet, or one that is being completed.
[[nodiscard]] bool is_closed_to_readers(const std::filesystem::path& file);

}  // namespace master::results
