#pragma once

#include "master/base/error.hpp"
#include "master/results/hdf5_handle.hpp"
#include "master/results/unwritten_rows.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
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

/// Found before the library found it, which cannot close a file in which it failed to write.
class NoRoom final : public base::Error {
    using base::Error::Error;
};

/// How much a file can grow, and which error stops it then.
struct Room {
    std::uint64_t bytes = std::numeric_limits<std::uint64_t>::max();
    int cause = 0;
};
[[nodiscard]] Room room_in(const std::filesystem::path& file);
inline constexpr std::size_t most_chunk_rows = 1024;
inline constexpr std::size_t largest_chunk = 8 << 20;  // bytes
inline constexpr std::size_t stream_block = 64 << 10;  // bytes of values of any length
/// Of a dataset whose rows take so many bytes.
[[nodiscard]] constexpr std::size_t chunk_rows(std::size_t row_bytes) {
    return std::clamp<std::size_t>(largest_chunk / row_bytes, 1, most_chunk_rows);
}

/// Rows are those that stand with the block of this name; all other blocks are those of streams, three by three: the
/// times of values, where their bytes end, the bytes.
inline constexpr const char* rows_block = "signals/values";

/// What a file grows by, at most, when that many rows of the block are added.
[[nodiscard]] std::uint64_t growth(const UnwrittenRows::Block& block, std::uint64_t rows);
/// What it must be able to grow by so that all that waits can be written, and the file closed.
[[nodiscard]] std::uint64_t room_needed(std::span<const UnwrittenRows::Block> blocks);
/// Cuts what waits to what fits into a file that may grow by `room`, where space is given to whole chunks: the first
/// rows, and of the streams the values before the first row that does not fit. False where something was cut off.
[[nodiscard]] bool keep_what_fits(std::span<const UnwrittenRows::Block> blocks, std::uint64_t room);

/// The type of the elements of a dataset.
[[nodiscard]] Hdf5Id hdf5_type(UnwrittenRows::Element element);
/// Opens a file that a recorder left; `clear`: with the marks of a writer that is gone.
[[nodiscard]] Hdf5Handle open_again(const Hdf5File& file, bool clear);
/// Brings the dataset of a block to the rows that are counted: those that wait come behind those that are written.
void append_rows(const Hdf5File& file, const UnwrittenRows::Block& block);

/// One text per element of a dataset, padded with zeros.
void write_texts(const Hdf5File& file, Hdf5Id parent, const char* name, const std::vector<std::string>& texts);
void write_attribute(const Hdf5File& file, Hdf5Id object, const char* name, const std::string& text);
[[nodiscard]] Hdf5Handle make_group(const Hdf5File& file, Hdf5Id parent, const std::string& name);

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

/// Rows of one type that wait for their dataset. Whoever fills them counts them, and makes room in time.
template <class Element>
class BlockDataset {
public:
    BlockDataset(const Hdf5File& file, Hdf5Id parent, const std::string& name, Hdf5Id type, GrowingDataset::Shape shape,
                 UnwrittenRows::Block& waiting)
        : dataset_(file, parent, name, type, shape), waiting_(&waiting) {}

    /// Where the next row goes; there is room for one.
    [[nodiscard]] Element* next_row() const {
        return reinterpret_cast<Element*>(waiting_->rows) + waiting_->count->waiting() * waiting_->width;
    }
    [[nodiscard]] std::size_t room() const { return waiting_->capacity - waiting_->count->waiting(); }
    [[nodiscard]] std::size_t capacity() const { return waiting_->capacity; }
    [[nodiscard]] const UnwrittenRows::Block& block() const { return *waiting_; }

    /// Writes what waits, so that it stays when this process dies. It is for the caller to count it as written.
    void flush() {
        if (waiting_->count->waiting() == 0) return;
        dataset_.write_rows(waiting_->rows, waiting_->count->waiting());
        dataset_.flush();
    }
    /// The same with rows that do not wait.
    void flush(std::span<const Element> elements) {
        dataset_.write_rows(elements.data(), elements.size() / waiting_->width);
        dataset_.flush();
    }

private:
    GrowingDataset dataset_;
    UnwrittenRows::Block* waiting_;
};

/// Opens a finished file as a reader would; throws where the dataset has not so many rows: a unit may have written to a
/// descriptor that was not its own.
void check_rows_of(const std::filesystem::path& file, const char* dataset, std::uint64_t rows);

}  // namespace master::results
