#include "master/results/hdf5_dataset.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <hdf5.h>
#include <ranges>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace master::results {
namespace {

constexpr std::uint64_t spare_bytes = 1 << 14;  // for what the library writes when it closes a file
constexpr std::uint64_t least_index = 1 << 12, largest_index = 1 << 18;
constexpr std::uint64_t index_bytes = 16;  // of a chunk

/// How many values of a stream wait that came before that row; all where it is none of those that wait.
std::uint64_t values_before(const UnwrittenRows::Block& times, const UnwrittenRows::Block& rows, std::uint64_t row) {
    if (row >= rows.count->waiting()) return times.count->waiting();
    const double limit = reinterpret_cast<const double*>(rows.rows)[row * rows.width];
    const std::span waiting(reinterpret_cast<const double*>(times.rows), times.count->waiting());
    return static_cast<std::uint64_t>(std::ranges::lower_bound(waiting, limit) - waiting.begin());
}

/// How many bytes of so many values wait: some may be in the file already.
std::uint64_t bytes_of(const UnwrittenRows::Block& ends, const UnwrittenRows::Block& data, std::uint64_t values) {
    if (values == 0) return 0;
    const std::uint64_t end = reinterpret_cast<const std::uint64_t*>(ends.rows)[values - 1];
    return end - std::min(end, data.count->written);
}

std::uint64_t room_needed_by(std::span<const UnwrittenRows::Block> blocks, const UnwrittenRows::Block& rows,
                             std::uint64_t count) {
    std::uint64_t bytes = spare_bytes;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].count == rows.count) {
            bytes += growth(blocks[i], count);
            continue;
        }
        const std::uint64_t values = values_before(blocks[i], rows, count);
        bytes += growth(blocks[i], values) + growth(blocks[i + 1], values) +
                 growth(blocks[i + 2], bytes_of(blocks[i + 1], blocks[i + 2], values));
        i += 2;
    }
    return bytes;
}

}  // namespace

hid_t hdf5_type(UnwrittenRows::Element element) {
    switch (element) {
        case UnwrittenRows::Element::real:
            return H5T_NATIVE_DOUBLE;
        case UnwrittenRows::Element::integer:
            return H5T_NATIVE_INT64;
        case UnwrittenRows::Element::natural:
            return H5T_NATIVE_UINT64;
        case UnwrittenRows::Element::byte:
            break;
    }
    return H5T_NATIVE_UINT8;
}

void Hdf5File::fail(const char* doing) const {
    throw base::Error("write-failed", path.string(), std::string("cannot ") + doing + ": " + hdf5_reason(),
                      base::Exit::failed);
}

GrowingDataset::GrowingDataset(const Hdf5File& file, hid_t parent, const std::string& name, hid_t type, Shape shape)
    : file_(&file), type_(H5Tcopy(type)), shape_(shape), extent_{0, shape.width} {
    const int rank = shape.flat ? 1 : 2;
    const std::array<hsize_t, 2> most{H5S_UNLIMITED, shape.width};
    const std::array<hsize_t, 2> chunk{shape.chunk_rows, shape.width};
    const Hdf5Handle space(H5Screate_simple(rank, extent_.data(), most.data()));
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    file.check(H5Pset_chunk(creation.get(), rank, chunk.data()), "choose the block size");
    H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER);
    // Without time stamps two equal runs have equal objects.
    H5Pset_obj_track_times(creation.get(), 0);
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS));
    H5Pset_chunk_cache(access.get(), 0, 0, 1);
    dataset_ = Hdf5Handle(file.check(
        H5Dcreate2(parent, name.c_str(), type_.get(), space.get(), H5P_DEFAULT, creation.get(), access.get()),
        "make a dataset"));
}

void GrowingDataset::write_rows(const void* rows, std::size_t count) {
    const int rank = shape_.flat ? 1 : 2;
    const std::array<hsize_t, 2> start{extent_[0], 0};
    const std::array<hsize_t, 2> size{count, shape_.width};
    extent_[0] += count;
    file_->check(H5Dset_extent(dataset_.get(), extent_.data()), "enlarge the dataset");
    const Hdf5Handle target(file_->check(H5Dget_space(dataset_.get()), "examine the dataset"));
    file_->check(H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
                 "select rows");
    const Hdf5Handle source(H5Screate_simple(rank, size.data(), nullptr));
    file_->check(H5Dwrite(dataset_.get(), type_.get(), source.get(), target.get(), H5P_DEFAULT, rows), "write rows");
}

void GrowingDataset::flush() { file_->check(H5Dflush(dataset_.get()), "flush the dataset"); }

void write_texts(const Hdf5File& file, hid_t parent, const char* name, const std::vector<std::string>& texts) {
    std::size_t longest = 1;
    for (const std::string& text : texts) longest = std::max(longest, text.size());
    std::vector<char> padded(texts.size() * longest, '\0');
    for (std::size_t i = 0; i < texts.size(); ++i)
        std::ranges::copy(texts[i], padded.begin() + static_cast<std::ptrdiff_t>(i * longest));
    const hsize_t count = texts.size();
    const Hdf5Handle type = hdf5_text_type(longest);
    const Hdf5Handle space(H5Screate_simple(1, &count, nullptr));
    const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);
    const Hdf5Handle dataset(file.check(
        H5Dcreate2(parent, name, type.get(), space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), "make a dataset"));
    file.check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, padded.data()), "write names");
}

void write_attribute(const Hdf5File& file, hid_t object, const char* name, const std::string& text) {
    const Hdf5Handle type = hdf5_text_type(text.size());
    const Hdf5Handle space(H5Screate(H5S_SCALAR));
    const Hdf5Handle attribute(
        file.check(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), "make an attribute"));
    const std::string padded = text.empty() ? std::string(1, '\0') : text;
    file.check(H5Awrite(attribute.get(), type.get(), padded.data()), "write an attribute");
}

Hdf5Handle make_group(const Hdf5File& file, hid_t parent, const std::string& name) {
    const Hdf5Handle creation(H5Pcreate(H5P_GROUP_CREATE));
    H5Pset_obj_track_times(creation.get(), 0);
    return Hdf5Handle(file.check(H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                                 ("make the group '" + name + "'").c_str()));
}

std::uint64_t growth(const UnwrittenRows::Block& block, std::uint64_t rows) {
    if (rows == 0) return 0;
    const bool stream = block.element == UnwrittenRows::Element::byte;
    const std::uint64_t chunk = stream ? stream_block : chunk_rows(block.row_bytes());
    const auto chunks = [&](std::uint64_t total) { return (total + chunk - 1) / chunk; };
    const std::uint64_t before = chunks(block.count->written), after = chunks(block.count->written + rows);
    return (after - before) * chunk * block.row_bytes() + std::min(largest_index, least_index + index_bytes * after);
}

std::uint64_t room_needed(std::span<const UnwrittenRows::Block> blocks) {
    std::uint64_t bytes = spare_bytes;
    for (const UnwrittenRows::Block& block : blocks) bytes += growth(block, block.count->waiting());
    return bytes;
}

bool keep_what_fits(std::span<const UnwrittenRows::Block> blocks, std::uint64_t room) {
    const auto found = std::ranges::find(blocks, std::string_view(rows_block),
                                         [](const UnwrittenRows::Block& block) { return block.name.data(); });
    if (found == blocks.end()) return false;
    const UnwrittenRows::Block& rows = *found;
    const auto fits = [&](std::uint64_t count) { return room_needed_by(blocks, rows, count) <= room; };
    if (fits(rows.count->waiting())) return true;
    const std::uint64_t too_many =
        *std::ranges::partition_point(std::views::iota(std::uint64_t{0}, rows.count->waiting()), fits);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i].count == rows.count) continue;
        const std::uint64_t values = too_many == 0 ? 0 : values_before(blocks[i], rows, too_many - 1);
        const std::uint64_t bytes = bytes_of(blocks[i + 1], blocks[i + 2], values);
        blocks[i].count->total = blocks[i].count->written + values;
        blocks[i + 2].count->total = blocks[i + 2].count->written + bytes;
        i += 2;
    }
    rows.count->total = rows.count->written + (too_many == 0 ? 0 : too_many - 1);
    return false;
}

Hdf5Handle open_again(const Hdf5File& file, bool clear) {
    const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS));
    H5Pset_libver_bounds(access.get(), H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const hbool_t yes = 1;
    if (clear) {
        // As the tool h5clear does: the marks of a writer that is gone, and a length that it had no time to note.
        file.check(H5Pset(access.get(), "clear_status_flags", &yes), "clear the mark of its writer");
        file.check(H5Pset(access.get(), "skip_eof_check", &yes), "overlook its length");
    }
    Hdf5Handle id(H5Fopen(file.path.c_str(), H5F_ACC_RDWR, access.get()));
    file.check(id.get(), "open the file");
    return id;
}

void append_rows(const Hdf5File& file, const UnwrittenRows::Block& block) {
    const std::string name(block.name.data());
    const Hdf5Handle dataset(file.check(H5Dopen2(file.id.get(), name.c_str(), H5P_DEFAULT), "find a dataset"));
    const Hdf5Handle space(file.check(H5Dget_space(dataset.get()), "examine a dataset"));
    const int rank = H5Sget_simple_extent_ndims(space.get());
    const std::array<hsize_t, 2> extent{block.count->total, block.width};
    const std::array<hsize_t, 2> start{block.count->written, 0};
    const std::array<hsize_t, 2> size{block.count->waiting(), block.width};
    file.check(H5Dset_extent(dataset.get(), extent.data()), "enlarge a dataset");
    if (size[0] == 0) return;
    const Hdf5Handle target(H5Dget_space(dataset.get()));
    file.check(H5Sselect_hyperslab(target.get(), H5S_SELECT_SET, start.data(), nullptr, size.data(), nullptr),
               "select rows");
    const Hdf5Handle source(H5Screate_simple(rank, size.data(), nullptr));
    file.check(H5Dwrite(dataset.get(), hdf5_type(block.element), source.get(), target.get(), H5P_DEFAULT, block.rows),
               "write rows");
}

Room room_in(const std::filesystem::path& file) {
    std::error_code problem;
    Room room;
    if (const auto disk = std::filesystem::space(file, problem); !problem)
        room = {.bytes = disk.available, .cause = ENOSPC};
    rlimit limit{};
    if (::getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return room;
    const std::uint64_t size = std::filesystem::file_size(file, problem);
    const std::uint64_t left = limit.rlim_cur > size ? limit.rlim_cur - size : 0;
    return left < room.bytes ? Room{.bytes = left, .cause = EFBIG} : room;
}

void check_rows_of(const std::filesystem::path& file, const char* dataset, std::uint64_t rows) {
    const Hdf5Handle id(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT));
    const Hdf5Handle values(id.valid() ? H5Dopen2(id.get(), dataset, H5P_DEFAULT) : -1);
    const Hdf5Handle space(values.valid() ? H5Dget_space(values.get()) : -1);
    std::array<hsize_t, 2> size{};
    if (!space.valid() || H5Sget_simple_extent_dims(space.get(), size.data(), nullptr) != 2 || size.front() != rows)
        throw base::Error("write-failed", file.string(),
                          fmt::format("the {} rows that were written cannot be read back: a unit of this process or "
                                      "another program changed the file",
                                      rows),
                          base::Exit::failed);
}

}  // namespace master::results
