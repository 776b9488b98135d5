#include "master/view/foxglove/foxglove.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const master::view::Foxglove showing = [] {  // a copy costs less than its description
        master::view::Foxglove fresh;
        (void)fresh.advertise(R"({"signals":[{"name":"a.x","type":"real"}],"view":null})");
        (void)fresh.show(0, master::view::state_frame({}, {}, {}));
        return fresh;
    }();
    master::view::Foxglove foxglove = showing;
    (void)foxglove.hear({reinterpret_cast<const char*>(data), size});
    return 0;
}
