#include "interfaces/dbc/read.hpp"
#include "tests/interfaces/can_mapping/fuzz_mapping.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const interfaces::dbc::Database database =
        interfaces::dbc::read_file(TANDEM_TEST_DATA "/../config/can/control.dbc");
    tests::fuzz_mapping(database, {data, size});
    return 0;
}
