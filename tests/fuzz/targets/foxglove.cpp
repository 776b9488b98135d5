#include "master/view/foxglove/foxglove.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    master::view::Foxglove foxglove;
    (void)foxglove.advertise(R"({"signals":[{"name":"a.x","type":"real"}],"view":null})");
    (void)foxglove.show(0, master::view::state_frame({}, {}, {}));
    (void)foxglove.hear({reinterpret_cast<const char*>(data), size});
    return 0;
}
