#pragma once

#include "master/base/error.hpp"
#include "master/ssp/read.hpp"
#include "tests/fuzz/input_file.hpp"

namespace tests {

/// Reads the system of tests/master/ssp/data/nested with one of its files replaced by the input.
inline int read_nested_with(const std::string& name, const std::uint8_t* data, std::size_t size) {
    static const InputFolder folder;
    static const bool filled = [] {
        const std::filesystem::path nested = TANDEM_TEST_DATA "/master/ssp/data/nested";
        std::filesystem::copy(nested, folder.path(), std::filesystem::copy_options::recursive);
        for (const char* unit : {"source.fmu", "plant.fmu", "unit.fmu"})
            folder.write(std::string("resources/") + unit, "");
        folder.write("resources/table.csv", "time,y\n0,1\n");
        return true;
    }();
    if (!filled) abort();
    folder.write(name, {data, size});
    try {
        master::base::Diagnostics diagnostics;
        (void)master::ssp::read(folder.path(), {.confined = true}, diagnostics);
    } catch (const master::base::Error&) {  // NOLINT(bugprone-empty-catch): refused
    }
    return 0;
}

}  // namespace tests
