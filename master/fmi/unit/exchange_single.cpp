// One variable at a time, outside the step: nothing is prepared, everything is checked.
#include "master/base/error.hpp"
#include "master/fmi/unit/exchange.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace master::fmi {

template <class Calls>
int Exchange<Calls>::write_one(Instance instance, std::size_t slot, const core::ConstBlock& inputs) {
    if (layout_.slots[slot].type == core::Type::clock) return Status::ok;
    std::vector<Reference> references;
    Conversion conversion;
    Transfer<Calls> transfer = make({&layout_.slots[slot], 1}, references, conversion, false);
    transfer.enumeration = false;  // a guess on the way to the start; the first step checks
    return set_other(instance, transfer, conversion, inputs);
}

template <class Calls>
int Exchange<Calls>::read_one(Instance instance, std::size_t slot, const core::Block& outputs) {
    const core::Layout::Slot& place = layout_.slots[slot];
    const bool left_out = std::ranges::find(left_out_, place.variable) != left_out_.end();
    if (place.type == core::Type::clock || left_out) return Status::ok;
    std::vector<Reference> references;
    Conversion conversion;
    const Transfer<Calls> transfer = make({&place, 1}, references, conversion, false);
    return get_other(instance, transfer, conversion, outputs);
}

template <class Calls>
bool Exchange<Calls>::only_looked_at(std::uint32_t variable) const {
    const core::Causality causality = description_->info.variables[variable].causality;
    return causality != core::Causality::output && causality != core::Causality::calculated_parameter;
}

template <class Calls>
bool Exchange<Calls>::can_leave_out(std::size_t slot, int status) {
    const std::uint32_t variable = layout_.slots[slot].variable;
    const bool refused = status == Status::error || status == Status::discard;
    if (!refused || !only_looked_at(variable)) return false;
    left_out_.push_back(variable);
    make_transfers({});
    return true;
}

template <class Calls>
int Exchange<Calls>::set_value(Instance instance, std::uint32_t variable, const core::Value& value) {
    const core::Variable& target = description_->info.variables[variable];
    core::ConstBlock block;
    std::vector<core::Bytes> views;
    std::size_t size = 0;
    std::visit(
        [&]<class T>(const std::vector<T>& elements) {
            size = elements.size();
            if constexpr (std::is_same_v<T, double>) block.reals = elements.data();
            if constexpr (std::is_same_v<T, std::int64_t>) block.integers = elements.data();
            if constexpr (std::is_same_v<T, std::uint64_t>) block.naturals = elements.data();
            if constexpr (std::is_same_v<T, std::uint8_t>) block.booleans = elements.data();
            if constexpr (std::is_same_v<T, std::string>) block.strings = elements.data();
            if constexpr (std::is_same_v<T, core::ByteString>) {
                for (const core::ByteString& bytes : elements) views.push_back({bytes.data(), bytes.size()});
                block.bytes = views.data();
            }
        },
        value);
    const std::array<bool, core::type_count> given{block.reals != nullptr,
                                                   block.integers != nullptr,
                                                   block.naturals != nullptr,
                                                   block.booleans != nullptr,
                                                   block.bytes != nullptr,
                                                   block.strings != nullptr,
                                                   false};
    if (size != target.size || (size > 0 && !given[core::index_of(target.type)])) {
        throw base::Error("start-value", "unit '" + relay_.unit() + "'",
                          "the value for '" + target.name + "' (" + target.declared_type + ", " +
                              std::to_string(target.size) + " elements) has " + std::to_string(size) +
                              " elements or another type");
    }
    if (size == 0) return Status::ok;
    const core::Layout::Slot slot{variable, target.type, {}, 0, static_cast<std::uint32_t>(size)};
    std::vector<Reference> references;
    Conversion conversion;
    Transfer<Calls> transfer = make({&slot, 1}, references, conversion, false);
    transfer.enumeration = false;  // whoever read the value checked it
    return set_other(instance, transfer, conversion, block);
}

template <class Calls>
std::optional<core::Value> Exchange<Calls>::value_of(Instance instance, std::uint32_t variable) {
    const core::Variable& source = description_->info.variables[variable];
    if (source.type == core::Type::clock || source.size == 0) return std::nullopt;
    const std::string get = "Get" + std::string(Calls::type_name(description_->natives[variable]));
    if (library_.find(get) == nullptr) return std::nullopt;
    const core::Layout::Slot slot{variable, source.type, {}, 0, static_cast<std::uint32_t>(source.size)};
    std::vector<Reference> references;
    Conversion conversion;
    const Transfer<Calls> transfer = make({&slot, 1}, references, conversion, false);
    if (transfer.native == Native::binary) return bytes_of(instance, transfer);
    const auto read = [&](auto values, auto core::Block::*lane) -> std::optional<core::Value> {
        core::Block block;
        block.*lane = values.data();
        const int status = get_other(instance, transfer, conversion, block);
        return status > Status::warning ? std::nullopt : std::optional<core::Value>(std::move(values));
    };
    switch (source.type) {
        case core::Type::real:
            return read(std::vector<double>(source.size), &core::Block::reals);
        case core::Type::integer:
            return read(std::vector<std::int64_t>(source.size), &core::Block::integers);
        case core::Type::natural:
            return read(std::vector<std::uint64_t>(source.size), &core::Block::naturals);
        case core::Type::string:
            return read(std::vector<std::string>(source.size), &core::Block::strings);
        default:
            return read(std::vector<std::uint8_t>(source.size), &core::Block::booleans);
    }
}

template <class Calls>
std::optional<core::Value> Exchange<Calls>::bytes_of(Instance instance, const Transfer<Calls>& transfer) const {
    std::vector<core::ByteString> values(transfer.element_count);
    if constexpr (Calls::version == Version::fmi3) {
        std::vector<std::size_t> sizes(values.size());
        std::vector<const std::uint8_t*> data(values.size());
        const int status = base::call_watched(
            transfer.function.number, reinterpret_cast<fmi3GetBinaryTYPE*>(transfer.function.call), instance,
            transfer.references, transfer.reference_count, sizes.data(), data.data(), values.size());
        if (status > Status::warning) return std::nullopt;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (sizes[i] > core::largest_value || (sizes[i] > 0 && data[i] == nullptr)) return std::nullopt;
            values[i].assign(data[i], data[i] + sizes[i]);
        }
    }
    return values;
}

template int Exchange<Calls2>::write_one(Instance, std::size_t, const core::ConstBlock&);
template int Exchange<Calls2>::read_one(Instance, std::size_t, const core::Block&);
template bool Exchange<Calls2>::only_looked_at(std::uint32_t) const;
template bool Exchange<Calls3>::only_looked_at(std::uint32_t) const;
template bool Exchange<Calls2>::can_leave_out(std::size_t, int);
template bool Exchange<Calls3>::can_leave_out(std::size_t, int);
template int Exchange<Calls2>::set_value(Instance, std::uint32_t, const core::Value&);
template std::optional<core::Value> Exchange<Calls2>::value_of(Instance, std::uint32_t);
template std::optional<core::Value> Exchange<Calls2>::bytes_of(Instance, const Transfer<Calls2>&) const;
template int Exchange<Calls3>::write_one(Instance, std::size_t, const core::ConstBlock&);
template int Exchange<Calls3>::read_one(Instance, std::size_t, const core::Block&);
template int Exchange<Calls3>::set_value(Instance, std::uint32_t, const core::Value&);
template std::optional<core::Value> Exchange<Calls3>::value_of(Instance, std::uint32_t);
template std::optional<core::Value> Exchange<Calls3>::bytes_of(Instance, const Transfer<Calls3>&) const;

}  // namespace master::fmi
