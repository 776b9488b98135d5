#include "fmus/common/declaring/values.hpp"

#include <array>

namespace fmus {

const char* name_of(Type type) {
    static constexpr std::array names{"Float32", "Float64", "Int8",   "UInt8",       "Int16",
                                      "UInt16",  "Int32",   "UInt32", "Int64",       "UInt64",
                                      "Boolean", "String",  "Binary", "Enumeration", "Clock"};
    return names[static_cast<std::size_t>(type)];
}

}  // namespace fmus
