#include "interfaces/ls_bus/operations.hpp"
#include "interfaces/ls_bus/outbox.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

/// As a terminal does it: what is understood goes on, what is not gets an answer, and both can be read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    namespace ls_bus = interfaces::ls_bus;
    ls_bus::Outbox out;
    ls_bus::Reader reader({data, size});
    while (const auto piece = reader.next()) {
        if (const auto operation = ls_bus::decode(*piece))
            out.put(*operation);
        else if (ls_bus::deserves_format_error(*piece))
            out.put(ls_bus::FormatError{*piece});
    }
    for (; !out.empty(); out.handed_over()) {
        ls_bus::Reader again(out.data);
        while (const auto piece = again.next())
            if (!ls_bus::decode(*piece)) std::abort();
    }
    return 0;
}
