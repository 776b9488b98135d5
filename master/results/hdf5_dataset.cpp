#include "master/results/hdf5_dataset.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <vector>

namespace master::results {
namespace {

constexpr std::uint64_t spare_bytes = 1 << 14;  // for what the library writes when it closes a file
constexpr std::uint64_t least_index = 1 << 12, largest_index = 1 << 18;
constexpr std::uint64_t index_bytes = 16;  // of a chunk

/// What a file grows by when that many rows of the block are added.
std::uint64_t growth(const UnwrittenRows::Block& block, std::uint64_t rows) {
    if (rows == 0) return 0;
    const bool stream = block.element == UnwrittenRows::Element::byte;
    const std::uint64_t chunk = stream ? stream_block : chunk_rows(block.row_bytes());
    const auto chunks = [&](std::uint64_t total) { return (total + chunk - 1) / chunk; };
    const std::uint64_t before = chunks(block.count->written), after = chunks(block.count->written + rows);
    return (after - before) * chunk * block.row_bytes() + std::min(largest_index, least_index + index_bytes * after);
}

}  // namespace

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

std::optional<std::uint64_t> rows_that_fit(std::span<const UnwrittenRows::Block> blocks,
                                           const UnwrittenRows::Count* count, std::uint64_t room) {
    const auto needed = [&](std::uint64_t rows) {
        std::uint64_t bytes = spare_bytes;
        for (const UnwrittenRows::Block& block : blocks)
            bytes += growth(block, block.count == count ? rows : block.count->waiting());
        return bytes;
    };
    if (needed(0) > room) return std::nullopt;
    std::uint64_t fits = 0, too_many = count->waiting() + 1;
    while (too_many - fits > 1) {
        const std::uint64_t middle = fits + (too_many - fits) / 2;
        (needed(middle) <= room ? fits : too_many) = middle;
    }
    return fits;
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
