#pragma once

#include "master/results/hdf5_handle.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace master::results {

/// The file that datasets belong to, for messages.
struct Hdf5File {
    std::filesystem::path path;
    Hdf5Handle id;

    /// Throws `Error` (exit code 1) when an HDF5 call failed.
    template <class Status>
    Status check(Status status, const char* doing) const {
        if (status < 0) fail(doing);
        return status;
    }
    [[noreturn]] void fail(const char* doing) const;
};

/// Untyped part of a dataset that grows along its first dimension. Rows go to the file at once and only once: there is
/// no chunk cache, and a chunk is allocated without filling it.
class GrowingDataset {
public:
    struct Shape {
        std::size_t width = 1;  // elements per row
        std::size_t chunk_rows = 1024;
        bool flat = false;  // one-dimensional
    };
    GrowingDataset(const Hdf5File& file, Hdf5Id parent, const std::string& name, Hdf5Id type, Shape shape);

    void write_rows(const void* rows, std::size_t count);
    /// Makes what was written visible to readers, also after this process is killed.
    void flush();
    [[nodiscard]] Hdf5Id id() const { return dataset_.get(); }

private:
    const Hdf5File* file_;
    Hdf5Handle type_;
    Hdf5Handle dataset_;
    Shape shape_;
    std::array<Hdf5Size, 2> extent_{};
};

/// Collects elements of one type and writes them in blocks of whole rows.
template <class Element>
class BlockDataset {
public:
    BlockDataset(const Hdf5File& file, Hdf5Id parent, const std::string& name, Hdf5Id type, GrowingDataset::Shape shape)
        : dataset_(file, parent, name, type, shape), width_(shape.width), buffer_(shape.chunk_rows * shape.width) {}

    /// Room for one row; valid until the next call.
    [[nodiscard]] Element* next_row() {
        if (used_ == buffer_.size()) write();
        return buffer_.data() + std::exchange(used_, used_ + width_);
    }

    void append(std::span<const Element> elements) {
        if (used_ + elements.size() > buffer_.size()) write();
        if (elements.size() > buffer_.size()) {
            dataset_.write_rows(elements.data(), elements.size() / width_);
            return;
        }
        std::copy(elements.begin(), elements.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(used_));
        used_ += elements.size();
    }

    void flush() {
        write();
        dataset_.flush();
    }

private:
    void write() {
        if (used_ == 0) return;
        dataset_.write_rows(buffer_.data(), std::exchange(used_, 0) / width_);
    }

    GrowingDataset dataset_;
    std::size_t width_;
    std::vector<Element> buffer_;
    std::size_t used_ = 0;
};

}  // namespace master::results
