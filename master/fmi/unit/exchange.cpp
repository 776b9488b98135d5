#include "master/fmi/unit/exchange.hpp"

#include "master/base/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <tuple>
#include <type_traits>
#include <utility>

namespace master::fmi {
namespace {

/// Calls `action` with a null pointer of the native type, so that it can be used as a type.
template <class Calls, class Action>
auto with_type(Native native, Action&& action) {
    switch (native) {
        case Native::float32:
            return action(static_cast<float*>(nullptr));
        case Native::float64:
            return action(static_cast<double*>(nullptr));
        case Native::int8:
            return action(static_cast<std::int8_t*>(nullptr));
        case Native::uint8:
            return action(static_cast<std::uint8_t*>(nullptr));
        case Native::int16:
            return action(static_cast<std::int16_t*>(nullptr));
        case Native::uint16:
            return action(static_cast<std::uint16_t*>(nullptr));
        case Native::int32:
            return action(static_cast<std::int32_t*>(nullptr));
        case Native::uint32:
            return action(static_cast<std::uint32_t*>(nullptr));
        case Native::int64:
            return action(static_cast<std::int64_t*>(nullptr));
        case Native::uint64:
            return action(static_cast<std::uint64_t*>(nullptr));
        default:
            return action(static_cast<typename Calls::Boolean*>(nullptr));
    }
}

core::Type lane_of(Native native) {
    switch (native) {
        case Native::float32:
        case Native::float64:
            return core::Type::real;
        case Native::int8:
        case Native::int16:
        case Native::int32:
        case Native::int64:
            return core::Type::integer;
        case Native::uint8:
        case Native::uint16:
        case Native::uint32:
        case Native::uint64:
            return core::Type::natural;
        case Native::boolean:
            return core::Type::boolean;
        case Native::string:
            return core::Type::string;
        case Native::binary:
            return core::Type::bytes;
        default:
            return core::Type::clock;
    }
}

/// Applies `action` to the lane of a numeric type.
template <class AnyBlock, class Action>
auto with_lane(Native native, const AnyBlock& block, Action&& action) {
    switch (lane_of(native)) {
        case core::Type::real:
            return action(block.reals);
        case core::Type::integer:
            return action(block.integers);
        case core::Type::natural:
            return action(block.naturals);
        default:
            return action(block.booleans);
    }
}

/// To compare numbers bit by bit.
template <class T>
std::array<std::byte, sizeof(T)> bits(const T& value) {
    return std::bit_cast<std::array<std::byte, sizeof(T)>>(value);
}

template <class Target, class From>
bool fits(From value) {
    // What is infinite or no number stays so; a finite number must not become it.
    if constexpr (std::is_same_v<Target, float> && std::is_same_v<From, double>)
        return !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
    if constexpr (std::is_floating_point_v<From> || std::is_same_v<Target, bool>) return true;
    if constexpr (std::is_integral_v<Target> && !std::is_same_v<Target, bool> && std::is_integral_v<From>) {
        return std::in_range<Target>(value);
    }
    return true;
}

bool is_side_by_side(Native native) {
    return native == Native::float64 || native == Native::int64 || native == Native::uint64;
}

}  // namespace

template <class Calls>
Transfer<Calls> Exchange<Calls>::make(std::span<const core::Layout::Slot> slots, std::vector<Reference>& references,
                                      Conversion& conversion, bool event_only) const {
    Transfer<Calls> transfer;
    transfer.native = description_->natives[slots.front().variable];
    transfer.offset = slots.front().offset;
    for (const core::Layout::Slot& slot : slots) {
        references.push_back(description_->references[slot.variable]);
        transfer.element_count += slot.count;
        auto& runs = conversion.runs;
        const bool follows = !runs.empty() && runs.back().lane + runs.back().count == slot.offset;
        if (!follows) runs.push_back({slot.offset, 0});
        runs.back().count += slot.count;
        conversion.max_bytes.insert(conversion.max_bytes.end(), slot.count,
                                    description_->info.variables[slot.variable].max_bytes);
    }
    conversion.items = items_among(slots);
    transfer.enumeration = !conversion.items.empty();
    transfer.references = references.data();
    transfer.reference_count = references.size();
    transfer.direct = is_side_by_side(transfer.native) && conversion.runs.size() == 1 && !event_only;
    const std::string name =
        (direction_ == Direction::to_fmu ? "Set" : "Get") + std::string(Calls::type_name(transfer.native));
    transfer.function = {library_.require(name), library_.number_of(name)};
    conversion.keep = event_only;
    if (transfer.direct) return transfer;
    if (transfer.native == Native::string) {
        conversion.strings.resize(transfer.element_count);
        conversion.pointers.resize(transfer.element_count);
        conversion.told_null.resize(transfer.element_count);
    } else if (transfer.native == Native::binary) {
        conversion.sizes.resize(transfer.element_count);
        conversion.data.resize(transfer.element_count);
        if (event_only) conversion.staged.resize(transfer.element_count);
    } else {
        conversion.values.resize(transfer.element_count);
    }
    return transfer;
}

template <class Calls>
void Exchange<Calls>::bind(core::Layout layout, const std::vector<bool>& event_only) {
    layout_ = std::move(layout);
    left_out_.clear();
    bytes_.assign(layout_.counts[core::index_of(core::Type::bytes)], {});
    for (const core::Layout::Slot& slot : layout_.slots) {
        if (slot.type != core::Type::bytes || direction_ == Direction::to_fmu) continue;
        for (std::uint32_t i = 0; i < slot.count; ++i) {
            const std::size_t size = description_->info.variables[slot.variable].max_bytes;
            if (size <= core::largest_value) bytes_[slot.offset + i].reserve(size);
        }
    }
    for (const core::Layout::Slot& slot : layout_.slots) {
        if (slot.type == core::Type::clock || direction_ == Direction::to_fmu || !only_looked_at(slot.variable))
            continue;
        const std::string get = "Get" + std::string(Calls::type_name(description_->natives[slot.variable]));
        if (library_.find(get) == nullptr) left_out_.push_back(slot.variable);
    }
    make_transfers(event_only);
}

template <class Calls>
void Exchange<Calls>::make_transfers(const std::vector<bool>& event_only) {
    using Key = std::tuple<std::uint32_t, bool, Native>;
    std::map<Key, std::vector<core::Layout::Slot>> calls;
    for (const core::Layout::Slot& slot : layout_.slots) {
        if (slot.type == core::Type::clock) continue;  // clocks are set and read in Event Mode by the unit
        if (std::ranges::find(left_out_, slot.variable) != left_out_.end()) continue;
        const bool late = slot.variable < event_only.size() && event_only[slot.variable];
        calls[{slot.group.index, late, description_->natives[slot.variable]}].push_back(slot);
    }
    transfers_.clear();
    ranges_.clear();
    references_.assign(calls.size(), {});
    conversions_.assign(calls.size(), {});
    for (auto& [key, slots] : calls) {
        const auto [group, late, native] = key;
        const auto i = static_cast<std::uint32_t>(transfers_.size());
        transfers_.push_back(make(slots, references_[i], conversions_[i], late));
        transfers_.back().conversion = i;
        while (ranges_.size() <= group) ranges_.push_back({i, i, i});
        if (!late) ranges_[group].event_only = i + 1;
        ranges_[group].end = i + 1;
    }
}

template <class Calls>
typename Exchange<Calls>::OnlyReals Exchange<Calls>::only_reals() const {
    const Range range = range_of({});
    if (range.end - range.begin != 1 || range.event_only != range.end) return {};
    const Transfer<Calls>& transfer = transfers_[range.begin];
    if (!transfer.direct || transfer.native != Native::float64 || transfer.offset != 0) return {};
    return {transfer.function.call, transfer.references, transfer.reference_count, transfer.element_count};
}

/// Fills the buffers from the lanes; true when something differs from what they held.
template <class Calls>
bool Exchange<Calls>::take(const Transfer<Calls>& transfer, Conversion& conversion,
                           const core::ConstBlock& inputs) const {
    bool changed = false;
    std::size_t at = 0;
    if (transfer.native == Native::string) {
        assert(inputs.strings != nullptr);
        for (const auto& run : conversion.runs) {
            for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
                const std::string& text = inputs.strings[run.lane + i];
                changed |= conversion.strings[at] != text;
                conversion.strings[at] = text;
            }
        }
        return changed;
    }
    if (transfer.native == Native::binary) {
        for (const auto& run : conversion.runs) {
            for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
                const core::Bytes value = inputs.bytes[run.lane + i];
                conversion.sizes[at] = value.size;
                conversion.data[at] = value.data;
                if (!conversion.keep) continue;
                core::ByteString& kept = conversion.staged[at];
                changed |= !std::equal(kept.begin(), kept.end(), value.data, value.data + value.size);
                kept.assign(value.data, value.data + value.size);
                conversion.data[at] = kept.data();
            }
        }
        return changed;
    }
    return with_type<Calls>(transfer.native, [&]<class T>(T*) {
        T* buffer = reinterpret_cast<T*>(conversion.values.data());
        return with_lane(transfer.native, inputs, [&](const auto* lane) {
            for (const auto& run : conversion.runs) {
                for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
                    const auto value = lane[run.lane + i];
                    if (!fits<T>(value)) [[unlikely]] {
                        throw base::Error("range", relay_.where(),
                                          fmt::format("value {} does not fit the type {}, in {}", value,
                                                      Calls::type_name(transfer.native), describe(transfer)),
                                          base::Exit::failed);
                    }
                    const T narrow = static_cast<T>(value);
                    changed |= bits(buffer[at]) != bits(narrow);
                    buffer[at] = narrow;
                }
            }
            return changed;
        });
    });
}

template <class Calls>
int Exchange<Calls>::send(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion) const {
    const std::size_t count = transfer.reference_count;
    const std::size_t elements = transfer.element_count;
    if (transfer.native == Native::string) {
        for (std::size_t i = 0; i < elements; ++i) conversion.pointers[i] = conversion.strings[i].c_str();
        return Calls::template set<const char*>(transfer.function, instance, transfer.references, count,
                                                conversion.pointers.data(), elements);
    }
    if constexpr (Calls::version == Version::fmi3) {
        if (transfer.native == Native::binary) {
            return base::call_watched(
                transfer.function.number, reinterpret_cast<fmi3SetBinaryTYPE*>(transfer.function.call), instance,
                transfer.references, count, conversion.sizes.data(), conversion.data.data(), elements);
        }
    }
    return with_type<Calls>(transfer.native, [&]<class T>(T*) {
        return Calls::template set<T>(transfer.function, instance, transfer.references, count,
                                      reinterpret_cast<const T*>(conversion.values.data()), elements);
    });
}

template <class Calls>
int Exchange<Calls>::set_other(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion,
                               const core::ConstBlock& inputs) {
    if (transfer.enumeration) check_items(conversion, inputs);
    if (!transfer.direct) {
        static_cast<void>(take(transfer, conversion, inputs));
        return send(instance, transfer, conversion);
    }
    if (transfer.native == Native::int64) {
        return Calls::template set<std::int64_t>(transfer.function, instance, transfer.references,
                                                 transfer.reference_count, inputs.integers + transfer.offset,
                                                 transfer.element_count);
    }
    if (transfer.native == Native::uint64) {
        return Calls::template set<std::uint64_t>(transfer.function, instance, transfer.references,
                                                  transfer.reference_count, inputs.naturals + transfer.offset,
                                                  transfer.element_count);
    }
    return Calls::template set<double>(transfer.function, instance, transfer.references, transfer.reference_count,
                                       inputs.reals + transfer.offset, transfer.element_count);
}

/// A pointer from GetBinary is good only until the next call on the FMU: the bytes are copied at once.
template <class Calls>
void Exchange<Calls>::keep_binary(const Conversion& conversion, const core::Block& outputs) {
    std::size_t at = 0;
    for (const auto& run : conversion.runs) {
        for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
            const std::size_t size = conversion.sizes[at];
            const std::size_t stated = conversion.max_bytes[at];
            const std::size_t limit = stated > 0 ? std::min(stated, core::largest_value) : core::largest_value;
            if (size > limit) {
                throw base::Error("binary-size", relay_.where(),
                                  "a binary value has " + std::to_string(size) + " bytes, at most " +
                                      std::to_string(limit) + (stated > 0 ? " (maxSize)" : "") + " are accepted",
                                  base::Exit::failed);
            }
            if (size > 0 && conversion.data[at] == nullptr) {
                throw base::Error("binary-size", relay_.where(),
                                  "a binary value of " + std::to_string(size) + " bytes is a null pointer",
                                  base::Exit::failed);
            }
            core::ByteString& own = bytes_[run.lane + i];
            if (size > own.capacity()) ++growths_;
            own.assign(conversion.data[at], conversion.data[at] + size);
            outputs.bytes[run.lane + i] = {own.data(), size};
        }
    }
}

template <class Calls>
int Exchange<Calls>::fetch(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion,
                           const core::Block& outputs) {
    const std::size_t count = transfer.reference_count;
    const std::size_t elements = transfer.element_count;
    std::size_t at = 0;
    if (transfer.native == Native::string) {
        std::ranges::fill(conversion.pointers, nullptr);
        const int status = Calls::template get<const char*>(transfer.function, instance, transfer.references, count,
                                                            conversion.pointers.data(), elements);
        if (status > Status::warning) return status;
        const base::ReadingAnswer reading(transfer.function.number, instance);
        for (const auto& run : conversion.runs) {
            for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
                const char* text = conversion.pointers[at];
                if (text == nullptr) [[unlikely]] {
                    if (!conversion.told_null[at]) tell_null(transfer, conversion, at);
                    text = "";
                }
                const std::size_t length = strnlen(text, core::largest_value + 1);
                if (length > core::largest_value)
                    throw base::Error("binary-size", relay_.where(),
                                      "a string has more than the " + std::to_string(core::largest_value) +
                                          " bytes that are accepted",
                                      base::Exit::failed);
                outputs.strings[run.lane + i].assign(text, length);
            }
        }
        return status;
    }
    if constexpr (Calls::version == Version::fmi3) {
        if (transfer.native == Native::binary) {
            std::ranges::fill(conversion.data, nullptr);
            std::ranges::fill(conversion.sizes, 0);
            const int status = base::call_watched(
                transfer.function.number, reinterpret_cast<fmi3GetBinaryTYPE*>(transfer.function.call), instance,
                transfer.references, count, conversion.sizes.data(), conversion.data.data(), elements);
            const base::ReadingAnswer reading(transfer.function.number, instance);
            if (status <= Status::warning) keep_binary(conversion, outputs);
            return status;
        }
    }
    return with_type<Calls>(transfer.native, [&]<class T>(T*) {
        const int status = Calls::template get<T>(transfer.function, instance, transfer.references, count,
                                                  reinterpret_cast<T*>(conversion.values.data()), elements);
        if (status > Status::warning) return status;
        // A C boolean other than 0 and 1 must not be read as `bool`.
        using Stored = std::conditional_t<std::is_same_v<T, bool>, std::uint8_t, T>;
        const Stored* buffer = reinterpret_cast<const Stored*>(conversion.values.data());
        with_lane(transfer.native, outputs, [&]<class Lane>(Lane* lane) {
            for (const auto& run : conversion.runs) {
                for (std::uint32_t i = 0; i < run.count; ++i, ++at) {
                    const bool is_boolean = transfer.native == Native::boolean;
                    lane[run.lane + i] = is_boolean ? Lane(buffer[at] != 0) : static_cast<Lane>(buffer[at]);
                }
            }
        });
        return status;
    });
}

template <class Calls>
int Exchange<Calls>::get_other(Instance instance, const Transfer<Calls>& transfer, Conversion& conversion,
                               const core::Block& outputs) {
    if (!transfer.direct) return fetch(instance, transfer, conversion, outputs);
    if (transfer.native == Native::int64) {
        return Calls::template get<std::int64_t>(transfer.function, instance, transfer.references,
                                                 transfer.reference_count, outputs.integers + transfer.offset,
                                                 transfer.element_count);
    }
    if (transfer.native == Native::uint64) {
        return Calls::template get<std::uint64_t>(transfer.function, instance, transfer.references,
                                                  transfer.reference_count, outputs.naturals + transfer.offset,
                                                  transfer.element_count);
    }
    return Calls::template get<double>(transfer.function, instance, transfer.references, transfer.reference_count,
                                       outputs.reals + transfer.offset, transfer.element_count);
}

template <class Calls>
bool Exchange<Calls>::stage(core::Group group, const core::ConstBlock& inputs) {
    const Range range = range_of(group);
    bool changed = false;
    for (std::uint32_t i = range.event_only; i < range.end; ++i) {
        const Transfer<Calls>& transfer = transfers_[i];
        if (transfer.enumeration) check_items(conversions_[transfer.conversion], inputs);
        changed |= take(transfer, conversions_[transfer.conversion], inputs);
    }
    return changed;
}

template <class Calls>
const Transfer<Calls>* Exchange<Calls>::send_staged(Instance instance, core::Group group) {
    const Range range = range_of(group);
    for (std::uint32_t i = range.event_only; i < range.end; ++i) {
        const int status = send(instance, transfers_[i], conversions_[transfers_[i].conversion]);
        if (status != Status::ok && is_failure(transfers_[i], status)) return &transfers_[i];
    }
    return nullptr;
}

template <class Calls>
std::string Exchange<Calls>::describe(const Transfer<Calls>& transfer) const {
    const std::string verb = direction_ == Direction::to_fmu ? "Set" : "Get";
    std::string text = std::string(Calls::prefix) + verb + std::string(Calls::type_name(transfer.native)) + " of ";
    constexpr std::size_t shown = 3;
    std::size_t found = 0;
    for (const core::Layout::Slot& slot : layout_.slots) {
        const bool is_native = description_->natives[slot.variable] == transfer.native;
        const auto* end = transfer.references + transfer.reference_count;
        const bool is_here = std::find(transfer.references, end, description_->references[slot.variable]) != end;
        if (!is_native || !is_here) continue;
        if (found++ < shown) text += (found > 1 ? ", '" : "'") + description_->info.variables[slot.variable].name + "'";
    }
    if (found > shown) text += " and " + std::to_string(found - shown) + " more";
    return text;
}

template <class Calls>
std::string Exchange<Calls>::describe(std::uint32_t variable) const {
    const std::string verb = direction_ == Direction::to_fmu ? "Set" : "Get";
    return std::string(Calls::prefix) + verb + std::string(Calls::type_name(description_->natives[variable])) +
           " of '" + description_->info.variables[variable].name + "'";
}

template class Exchange<Calls2>;
template class Exchange<Calls3>;

}  // namespace master::fmi
