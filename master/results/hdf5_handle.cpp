#include "master/results/hdf5_handle.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <hdf5.h>
#include <type_traits>

namespace master::results {

static_assert(std::is_same_v<Hdf5Id, hid_t> && std::is_same_v<Hdf5Size, hsize_t>);

int Hdf5Handle::reset() { return id_ < 0 ? 0 : H5Idec_ref(std::exchange(id_, -1)); }

std::string hdf5_reason() {
    std::string reason;
    const auto first = [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
        if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
        return 0;
    };
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first, &reason);
    // Among much else the driver says what the system said.
    constexpr std::string_view before = "error message = '";
    if (const std::size_t begin = reason.find(before); begin != std::string::npos) {
        const std::size_t text = begin + before.size();
        return reason.substr(text, reason.find('\'', text) - text);
    }
    return reason.empty() ? "HDF5 gives no reason" : reason;
}

void silence_hdf5() {
    // At exit the library would try once more to write what it could not write before, and crash.
    H5dont_atexit();
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Handle hdf5_text_type(std::size_t length) {
    Hdf5Handle type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type.get(), std::max<std::size_t>(length, 1));
    H5Tset_strpad(type.get(), H5T_STR_NULLPAD);
    H5Tset_cset(type.get(), H5T_CSET_UTF8);
    return type;
}

bool is_closed_to_readers(const std::filesystem::path& file) {
    // The superblock of version 3 (HDF5 file format, III.A): signature, version, two sizes, flags of who has it open.
    constexpr std::size_t flags = 11, length = 48;
    constexpr unsigned writing = 1, for_readers = 4;
    std::array<char, length> superblock{};
    std::ifstream(file, std::ios::binary).read(superblock.data(), length);
    return std::memcmp(superblock.data(), "\x89HDF\r\n\x1a\n", 8) == 0 &&
           (static_cast<unsigned char>(superblock[flags]) & (writing | for_readers)) == writing;
}

}  // namespace master::results
