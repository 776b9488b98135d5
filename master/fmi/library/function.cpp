#include "master/fmi/library/function.hpp"

#include <algorithm>
#include <iterator>

namespace master::fmi {
namespace {

constexpr std::uint32_t unnamed = 0xff;
static_assert(std::size(function_names) < unnamed);
static_assert(std::ranges::is_sorted(function_names));

}  // namespace

std::uint32_t function_number(std::string_view name) {
    const auto* const found = std::ranges::lower_bound(function_names, name);
    if (found == std::end(function_names) || *found != name) return unnamed;
    return static_cast<std::uint32_t>(found - std::begin(function_names));
}

std::string function_name(std::uint32_t number) {
    const std::uint32_t index = number & ~fmi3_function;
    if (index == 0 || index >= std::size(function_names)) return "a call";
    std::string name(function_names[index]);
    if (name.starts_with("dl")) return name;
    return ((number & fmi3_function) != 0 ? "fmi3" : "fmi2") + name;
}

}  // namespace master::fmi
