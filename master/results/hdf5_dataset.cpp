#include "master/results/hdf5_dataset.hpp"

#include "master/base/error.hpp"

#include <hdf5.h>

namespace master::results {

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

}  // namespace master::results
