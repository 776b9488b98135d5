#include "interfaces/point_cloud/point_cloud.hpp"

#include <cstdint>
#include <cstdlib>
#include <span>

/// A point cloud between units.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto cloud = interfaces::point_cloud::View::parse(std::span(data, size));
    for (std::size_t i = 0; cloud && i < cloud->size(); ++i)
        if ((*cloud)[i].time > cloud->header().time) std::abort();
    return 0;
}
