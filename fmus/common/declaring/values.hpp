#pragma once

#include "fmus/common/state/instance.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace fmus {

[[nodiscard]] const char* name_of(Type type);

/// Throws unless values of C++ type T are what the variable holds.
template <class T>
void require_type(const Variable& variable) {
    if (variable.type == TypeOf<T>::value) return;
    if (std::is_same_v<T, std::int64_t> && variable.type == Type::enumeration) return;
    throw std::runtime_error("'" + variable.name + "' is " + name_of(variable.type) + ", not " +
                             name_of(TypeOf<T>::value));
}

/// Throws for a value that the variable must never take.
template <class T>
void require_value(const Table& table, const Variable& variable, const T& value) {
    if constexpr (std::is_floating_point_v<T>) {
        if (std::isnan(value)) throw std::runtime_error("the value for '" + variable.name + "' is not a number");
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
        if (variable.type != Type::enumeration) return;
        const auto& items = table.enumerations()[variable.enumeration].items;
        if (std::none_of(items.begin(), items.end(), [&](const auto& item) { return item.second == value; }))
            throw std::runtime_error(std::to_string(value) + " is no item of the enumeration of '" + variable.name +
                                     "'");
    } else if constexpr (std::is_same_v<T, std::uint64_t>) {
        if (variable.causality != Causality::structural_parameter) return;
        const auto real = static_cast<double>(value);
        if (real < variable.minimum.value_or(real) || real > variable.maximum.value_or(real))
            throw std::runtime_error("the value " + std::to_string(value) + " for '" + variable.name +
                                     "' is out of its range");
    } else if constexpr (std::is_same_v<T, Bytes>) {
        if (variable.max_bytes != 0 && value.size() > variable.max_bytes)
            throw std::runtime_error("'" + variable.name + "' takes at most " + std::to_string(variable.max_bytes) +
                                     " bytes, got " + std::to_string(value.size()));
    }
}

/// Number of values that these references stand for; throws when one of them is unknown or of another type.
template <class T>
[[nodiscard]] std::size_t count_values(const Instance& instance, std::span<const std::uint32_t> references) {
    std::size_t count = 0;
    for (const std::uint32_t reference : references) {
        const Variable& variable = instance.find(reference);
        require_type<T>(variable);
        count += variable.cells.count();
    }
    return count;
}

template <class T>
void require_count(const Instance& instance, std::span<const std::uint32_t> references, std::size_t found) {
    const std::size_t expected = count_values<T>(instance, references);
    if (found == expected) return;
    throw std::runtime_error(std::to_string(found) + " values for variables with " + std::to_string(expected) +
                             " elements in total");
}

/// Reads whole variables one after the other; `give` receives each stored value and its variable.
template <class T, class Give>
void get_values(Instance& instance, std::span<const std::uint32_t> references, std::size_t count, Give give) {
    require_count<T>(instance, references, count);
    instance.refresh();
    for (const std::uint32_t reference : references) {
        const Variable& variable = instance.find(reference);
        const T* values = variable.cells.as<T>();
        for (std::size_t i = 0, end = variable.cells.count(); i < end; ++i) give(values[i], variable);
    }
}

/// Writes whole variables; nothing is written unless everything is allowed. `make(k)` gives the k-th value.
template <class T, class Make>
void set_values(Instance& instance, std::span<const std::uint32_t> references, std::size_t count, Make make) {
    require_count<T>(instance, references, count);
    std::size_t at = 0;
    for (const std::uint32_t reference : references) {
        const Variable& variable = instance.find(reference);
        instance.require_settable(variable);
        for (const std::size_t end = at + variable.cells.count(); at < end; ++at)
            require_value<T>(instance, variable, make(at));
    }
    at = 0;
    for (const std::uint32_t reference : references) {
        const Cells& cells = instance.find(reference).cells;
        T* values = cells.as<T>();
        for (std::size_t i = 0, end = cells.count(); i < end; ++i) values[i] = make(at++);
    }
    instance.mark_changed();
}

/// Both for numbers, which lie one after the other on both sides. Most variables are scalars, and those with thousands
/// of elements hardly ever change.
template <class T>
void get_numbers(Instance& instance, std::span<const std::uint32_t> references, std::span<T> numbers) {
    require_count<T>(instance, references, numbers.size());
    instance.refresh();
    T* to = numbers.data();
    for (const std::uint32_t reference : references) {
        const Cells& cells = instance.find(reference).cells;
        const std::size_t count = cells.count();
        const T* values = cells.as<T>();
        if (count == 1)
            *to = *values;
        else
            std::copy_n(values, count, to);
        to += count;
    }
}

template <class T>
[[nodiscard]] bool same_bytes(std::span<const T> a, std::span<const T> b) {
    return std::memcmp(std::as_bytes(a).data(), std::as_bytes(b).data(), a.size_bytes()) == 0;
}

template <class T>
void set_numbers(Instance& instance, std::span<const std::uint32_t> references, std::span<const T> numbers) {
    require_count<T>(instance, references, numbers.size());
    const T* from = numbers.data();
    for (const std::uint32_t reference : references) {
        const Variable& variable = instance.find(reference);
        instance.require_settable(variable);
        const std::size_t count = variable.cells.count();
        // What an array holds already is allowed.
        const bool same = count > 1 && same_bytes(std::span<const T>(variable.cells.as<T>(), count), {from, count});
        for (std::size_t i = 0; i < count && !same; ++i) require_value<T>(instance, variable, from[i]);
        from += count;
    }
    from = numbers.data();
    for (const std::uint32_t reference : references) {
        const Cells& cells = instance.find(reference).cells;
        const std::size_t count = cells.count();
        T* values = cells.as<T>();
        if (count == 1)
            *values = *from;
        else
            std::copy_n(from, count, values);
        from += count;
    }
    instance.mark_changed();
}

/// Calls `use` with a pointer to an object of the C++ type that holds one element of this type.
template <class Use>
void with_element(const Variable& variable, std::size_t index, Use use) {
    switch (variable.type) {
        case Type::float32:
            return use(variable.cells.as<float>()[index]);
        case Type::float64:
            return use(variable.cells.as<double>()[index]);
        case Type::int8:
            return use(variable.cells.as<std::int8_t>()[index]);
        case Type::uint8:
            return use(variable.cells.as<std::uint8_t>()[index]);
        case Type::int16:
            return use(variable.cells.as<std::int16_t>()[index]);
        case Type::uint16:
            return use(variable.cells.as<std::uint16_t>()[index]);
        case Type::int32:
            return use(variable.cells.as<std::int32_t>()[index]);
        case Type::uint32:
            return use(variable.cells.as<std::uint32_t>()[index]);
        case Type::int64:
        case Type::enumeration:
            return use(variable.cells.as<std::int64_t>()[index]);
        case Type::uint64:
            return use(variable.cells.as<std::uint64_t>()[index]);
        case Type::boolean:
        case Type::clock:
            return use(variable.cells.as<bool>()[index]);
        case Type::string:
            return use(variable.cells.as<std::string>()[index]);
        case Type::binary:
            return use(variable.cells.as<Bytes>()[index]);
    }
}

}  // namespace fmus
