// What is looked at in values and statuses beside the transfer itself: items of enumerations, strings that are none.
#include "master/base/error.hpp"
#include "master/fmi/unit/exchange.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace master::fmi {

template <class Calls>
bool Exchange<Calls>::is_failure(const Transfer<Calls>& transfer, int status) {
    status_ = status;
    if (status > Status::warning) return true;
    relay_.warned_by(describe(transfer));
    return false;
}

template <class Calls>
std::vector<Conversion::Items> Exchange<Calls>::items_among(std::span<const core::Layout::Slot> slots) const {
    std::vector<Conversion::Items> found;
    for (const core::Layout::Slot& slot : slots) {
        const std::string& name = description_->info.variables[slot.variable].enumeration;
        if (name.empty()) continue;
        const auto enumeration = std::ranges::find(description_->info.enumerations, name, &core::Enumeration::name);
        if (enumeration == description_->info.enumerations.end() || enumeration->items.empty()) continue;
        std::vector<std::int64_t> values;
        for (const auto& [item, value] : enumeration->items) values.push_back(value);
        found.push_back({slot.offset, slot.count, slot.variable, std::move(values)});
    }
    return found;
}

template <class Calls>
void Exchange<Calls>::check_items(const Conversion& conversion, const core::ConstBlock& inputs) const {
    for (const Conversion::Items& items : conversion.items) {
        for (std::uint32_t i = 0; i < items.count; ++i) {
            const std::int64_t value = inputs.integers[items.lane + i];
            if (std::ranges::find(items.values, value) != items.values.end()) [[likely]]
                continue;
            const core::Variable& variable = description_->info.variables[items.variable];
            throw base::Error("range", relay_.where(),
                              fmt::format("input '{}' was given {}, which is no item of enumeration '{}' ({})",
                                          variable.name, value, variable.enumeration, fmt::join(items.values, ", ")),
                              base::Exit::failed);
        }
    }
}

template <class Calls>
void Exchange<Calls>::look_at_items(Conversion& conversion, const core::Block& outputs) {
    const auto is_told = [&](const Conversion::Items& items) {
        for (std::uint32_t i = 0; i < items.count; ++i) {
            const std::int64_t value = outputs.integers[items.lane + i];
            if (std::ranges::find(items.values, value) != items.values.end()) [[likely]]
                continue;
            const core::Variable& variable = description_->info.variables[items.variable];
            relay_.warn("out-of-range", variable.name,
                        fmt::format("'{}' is {}, which is no item of enumeration '{}' ({})", variable.name, value,
                                    variable.enumeration, fmt::join(items.values, ", ")));
            return true;
        }
        return false;
    };
    std::erase_if(conversion.items, is_told);
}

template <class Calls>
void Exchange<Calls>::tell_null(const Transfer<Calls>& transfer, Conversion& conversion, std::size_t element) {
    conversion.told_null[element] = true;
    std::size_t first = 0;
    for (std::size_t r = 0; r < transfer.reference_count; ++r) {
        for (std::uint32_t v = 0; v < description_->references.size(); ++v) {
            if (description_->references[v] != transfer.references[r] || description_->natives[v] != transfer.native)
                continue;
            const core::Variable& variable = description_->info.variables[v];
            first += variable.size;
            if (first > element)
                return relay_.warn("bad-value", variable.name,
                                   fmt::format("{} gave a null pointer; taken as an empty text", describe(v)));
            break;
        }
    }
}

template bool Exchange<Calls2>::is_failure(const Transfer<Calls2>&, int);
template bool Exchange<Calls3>::is_failure(const Transfer<Calls3>&, int);
template std::vector<Conversion::Items> Exchange<Calls2>::items_among(std::span<const core::Layout::Slot>) const;
template std::vector<Conversion::Items> Exchange<Calls3>::items_among(std::span<const core::Layout::Slot>) const;
template void Exchange<Calls2>::check_items(const Conversion&, const core::ConstBlock&) const;
template void Exchange<Calls3>::check_items(const Conversion&, const core::ConstBlock&) const;
template void Exchange<Calls2>::look_at_items(Conversion&, const core::Block&);
template void Exchange<Calls3>::look_at_items(Conversion&, const core::Block&);
template void Exchange<Calls2>::tell_null(const Transfer<Calls2>&, Conversion&, std::size_t);
template void Exchange<Calls3>::tell_null(const Transfer<Calls3>&, Conversion&, std::size_t);

}  // namespace master::fmi
