#include "master/build/value_conversion.hpp"

#include "master/base/xml/values.hpp"
#include "master/build/native_types.hpp"

#include <algorithm>

namespace master::build {
namespace {

using Form = ssp::Transformation::Form;
using Family = NativeType::Family;

NativeType type_of(const core::Variable& variable) {
    if (const std::optional<NativeType> native = native_type(variable.declared_type)) return *native;
    switch (variable.type) {
        case core::Type::real:
            return {Family::real, 64};
        case core::Type::integer:
            return {Family::integer, 64};
        case core::Type::natural:
            return {Family::natural, 64};
        case core::Type::boolean:
            return {Family::boolean, 1};
        case core::Type::bytes:
            return {Family::binary, 0};
        case core::Type::string:
            return {Family::string, 0};
        case core::Type::clock:
            return {Family::clock, 1};
    }
    return {};
}

core::Type kept_as(Family family) {
    switch (family) {
        case Family::real:
            return core::Type::real;
        case Family::integer:
        case Family::enumeration:
            return core::Type::integer;
        case Family::natural:
            return core::Type::natural;
        case Family::boolean:
            return core::Type::boolean;
        case Family::string:
            return core::Type::string;
        case Family::binary:
            return core::Type::bytes;
        case Family::clock:
            return core::Type::clock;
    }
    return core::Type::clock;
}

std::string refusal(const ssp::Parameter& parameter, const core::Variable& variable) {
    return "the value is " + parameter.type + ", the variable is " + variable.declared_type;
}

/// Whole numbers of any width as one of the two kinds a variable keeps; nothing where one does not fit.
template <typename Target, typename From>
std::optional<std::vector<Target>> whole_numbers(const std::vector<From>& values, const NativeType& type) {
    std::vector<Target> result;
    for (const From value : values) {
        if (!holds(type, value)) return std::nullopt;
        result.push_back(static_cast<Target>(value));
    }
    return result;
}

template <typename Target>
Converted to_whole(const ssp::Parameter& parameter, const core::Variable& variable) {
    const NativeType type = type_of(variable);
    std::optional<std::vector<Target>> numbers;
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&parameter.value))
        numbers = whole_numbers<Target>(*integers, type);
    else if (const auto* naturals = std::get_if<std::vector<std::uint64_t>>(&parameter.value))
        numbers = whole_numbers<Target>(*naturals, type);
    else
        return refusal(parameter, variable);
    if (!numbers) return "the value does not fit " + variable.declared_type;
    return core::Value(std::move(*numbers));
}

Converted to_real(const ssp::Parameter& parameter, const Chain& chain, const core::Variable& variable) {
    std::vector<double> reals;
    if (const auto* given = std::get_if<std::vector<double>>(&parameter.value)) {
        reals = *given;
    } else {
        const auto* integers = std::get_if<std::vector<std::int64_t>>(&parameter.value);
        const auto* naturals = std::get_if<std::vector<std::uint64_t>>(&parameter.value);
        if (integers == nullptr && naturals == nullptr) return refusal(parameter, variable);
        const auto numbers = integers != nullptr ? whole_numbers<double>(*integers, {Family::real, 64})
                                                 : whole_numbers<double>(*naturals, {Family::real, 64});
        if (!numbers) return "the value is too large to be exact as " + variable.declared_type;
        reals = *numbers;
    }
    for (double& real : reals) {
        real = chain.scale(real);
        if (!holds(type_of(variable), real)) return "the value does not fit " + variable.declared_type;
    }
    return core::Value(std::move(reals));
}

Converted to_enumeration(const std::vector<std::string>& names, const core::Enumeration* enumeration) {
    if (enumeration == nullptr) return "the items of the variable's enumeration are not known";
    std::vector<std::int64_t> numbers;
    for (const std::string& name : names) {
        const std::optional<std::int64_t> number = item_value(*enumeration, name);
        if (!number)
            return "'" + name + "' is no item of enumeration '" + enumeration->name + "'" +
                   base::did_you_mean(name, item_names(*enumeration));
        numbers.push_back(*number);
    }
    return core::Value(std::move(numbers));
}

/// The value after a boolean, integer or enumeration mapping; an entry must exist.
std::optional<std::string> apply_table(const Chain& chain, ssp::Parameter& parameter) {
    const auto look_up = [&](const auto& same, auto& value, auto parse) -> std::optional<std::string> {
        for (const auto& [source, target] : chain.table) {
            if (!same(source)) continue;
            const auto number = parse(target);
            if (!number) return "the mapping has the target '" + target + "', which is no value of its kind";
            value = *number;
            return std::nullopt;
        }
        return "the mapping has no entry for the value";
    };
    const auto each = [&](auto& values, auto parse) -> std::optional<std::string> {
        for (auto& value : values) {
            const auto before = value;
            const auto same = [&](const std::string& source) { return parse(source) == before; };
            if (std::optional<std::string> problem = look_up(same, value, parse)) return problem;
        }
        return std::nullopt;
    };
    const auto text = [](const std::string& name) { return std::optional<std::string>(name); };
    const auto flag = [](const std::string& word) -> std::optional<std::uint8_t> {
        const std::optional<bool> parsed = base::parse_boolean(word);
        if (!parsed) return std::nullopt;
        return *parsed ? 1 : 0;
    };
    auto* names = std::get_if<std::vector<std::string>>(&parameter.value);
    auto* integers = std::get_if<std::vector<std::int64_t>>(&parameter.value);
    auto* naturals = std::get_if<std::vector<std::uint64_t>>(&parameter.value);
    auto* flags = std::get_if<std::vector<std::uint8_t>>(&parameter.value);
    if (chain.form == Form::enumeration && names != nullptr && parameter.type == "Enumeration")
        return each(*names, text);
    if (chain.form == Form::integer && integers != nullptr) return each(*integers, base::parse_integer);
    if (chain.form == Form::integer && naturals != nullptr) return each(*naturals, base::parse_natural);
    if (chain.form == Form::boolean && flags != nullptr) return each(*flags, flag);
    return "the mapping is for another type than " + parameter.type;
}

std::vector<std::string_view> separated(std::string_view text) {
    std::vector<std::string_view> parts;
    while (true) {
        const auto comma = text.find_first_of(",;");
        for (const std::string_view word : base::words(text.substr(0, comma))) parts.push_back(word);
        if (comma == std::string_view::npos) return parts;
        text = text.substr(comma + 1);
    }
}

template <typename T, typename Parse>
Converted parse_list(std::string_view text, const core::Variable& variable, Parse parse) {
    std::vector<T> values;
    for (const std::string_view word : separated(text)) {
        const auto value = parse(word);
        if (!value) return "'" + std::string(word) + "' is no " + variable.declared_type;
        values.push_back(static_cast<T>(*value));
    }
    return core::Value(std::move(values));
}

Converted parse_unsized(std::string_view text, const core::Variable& variable, const core::Enumeration* enumeration) {
    const NativeType type = type_of(variable);
    switch (variable.type) {
        case core::Type::real:
            return parse_list<double>(text, variable, [&](std::string_view word) -> std::optional<double> {
                const std::optional<double> number = base::parse_double(word);
                return number && holds(type, *number) ? number : std::nullopt;
            });
        case core::Type::integer:
            return parse_list<std::int64_t>(text, variable, [&](std::string_view word) -> std::optional<std::int64_t> {
                if (enumeration != nullptr)
                    if (const auto item = item_value(*enumeration, std::string(word))) return item;
                const std::optional<std::int64_t> number = base::parse_integer(word);
                return number && holds(type, *number) ? number : std::nullopt;
            });
        case core::Type::natural:
            return parse_list<std::uint64_t>(text, variable,
                                             [&](std::string_view word) -> std::optional<std::uint64_t> {
                                                 const std::optional<std::uint64_t> number = base::parse_natural(word);
                                                 return number && holds(type, *number) ? number : std::nullopt;
                                             });
        case core::Type::boolean:
            return parse_list<std::uint8_t>(text, variable, base::parse_boolean);
        case core::Type::string:
            return core::Value(std::vector<std::string>{std::string(text)});
        case core::Type::bytes:
        case core::Type::clock:
            break;
    }
    return "a " + variable.declared_type + " cannot be set from a text";
}

Converted sized(Converted converted, const core::Variable& variable, bool whole) {
    const core::Value* value = std::get_if<core::Value>(&converted);
    if (value == nullptr || !whole || size_of(*value) == variable.size) return converted;
    return std::to_string(size_of(*value)) + " values for a variable of " + std::to_string(variable.size);
}

/// Numbers may stand for items, but only for those that there are.
Converted listed(Converted converted, const core::Variable& variable, const core::Enumeration* enumeration) {
    const core::Value* value = std::get_if<core::Value>(&converted);
    if (value == nullptr || enumeration == nullptr || type_of(variable).family != Family::enumeration) return converted;
    for (const std::int64_t number : std::get<std::vector<std::int64_t>>(*value)) {
        const auto& all = enumeration->items;
        if (std::ranges::find(all, number, &std::pair<std::string, std::int64_t>::second) != all.end()) continue;
        std::string items;
        for (const auto& [name, known] : all)
            items += (items.empty() ? "" : ", ") + name + " (" + std::to_string(known) + ")";
        return std::to_string(number) + " is no item of enumeration '" + enumeration->name + "', which has " + items;
    }
    return converted;
}

}  // namespace

std::size_t size_of(const core::Value& value) {
    return std::visit([](const auto& list) { return list.size(); }, value);
}

Converted convert_value(const ssp::Parameter& given, const Chain& chain, const core::Variable& variable,
                        const core::Enumeration* enumeration) {
    ssp::Parameter parameter = given;
    if (chain.form != Form::none)
        if (std::optional<std::string> problem = apply_table(chain, parameter)) return std::move(*problem);
    if (chain.transforms && variable.type != core::Type::real)
        return "a LinearTransformation gives a Real, the variable is " + variable.declared_type;

    const auto convert_unsized = [&]() -> Converted {
        if (parameter.type == "Enumeration") {
            if (variable.type != core::Type::integer) return refusal(parameter, variable);
            return to_enumeration(std::get<std::vector<std::string>>(parameter.value), enumeration);
        }
        switch (variable.type) {
            case core::Type::real:
                return to_real(parameter, chain, variable);
            case core::Type::integer:
                return to_whole<std::int64_t>(parameter, variable);
            case core::Type::natural:
                return to_whole<std::uint64_t>(parameter, variable);
            case core::Type::boolean:
                if (parameter.type != "Boolean") return refusal(parameter, variable);
                return parameter.value;
            case core::Type::string:
                if (parameter.type != "String") return refusal(parameter, variable);
                return parameter.value;
            case core::Type::bytes:
                if (parameter.type != "Binary") return refusal(parameter, variable);
                return parameter.value;
            case core::Type::clock:
                break;
        }
        return refusal(parameter, variable);
    };
    return listed(sized(convert_unsized(), variable, parameter.indices.empty()), variable, enumeration);
}

Converted parse_value(std::string_view text, const core::Variable& variable, const core::Enumeration* enumeration) {
    return listed(sized(parse_unsized(text, variable, enumeration), variable, true), variable, enumeration);
}

Converted parse_value(std::string_view text, const std::string& declared_type) {
    const std::optional<NativeType> type = native_type(declared_type);
    if (!type) return "'" + declared_type + "' is no type";
    if (type->family == Family::enumeration) {
        std::vector<std::string> names;
        for (const std::string_view word : separated(text)) names.emplace_back(word);
        return core::Value(std::move(names));
    }
    core::Variable variable;
    variable.type = kept_as(type->family);
    variable.declared_type = declared_type;
    return parse_unsized(text, variable, nullptr);
}

}  // namespace master::build
