#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace fmus {

using Bytes = std::vector<std::uint8_t>;
/// A part of a vector of bytes.
struct Part {
    std::size_t begin = 0, size = 0;
};

/// The type of a variable as FMI 3 names it; FMI 2 knows fewer and converts.
enum class Type : std::uint8_t {
    float32,
    float64,
    int8,
    uint8,
    int16,
    uint16,
    int32,
    uint32,
    int64,
    uint64,
    boolean,
    string,
    binary,
    enumeration,
    clock
};
enum class Causality : std::uint8_t {
    structural_parameter,
    parameter,
    calculated_parameter,
    input,
    output,
    local,
    independent
};
enum class Variability : std::uint8_t { constant, fixed, tunable, discrete, continuous };
enum class Initial : std::uint8_t { none, exact, approx, calculated };
enum class ClockKind : std::uint8_t { constant, fixed, tunable, changing, countdown, triggered };

/// Where the values of a variable lie inside its model. Asked anew at every access, because vectors may grow.
struct Cells {
    void* object = nullptr;
    void* (*data)(void*) = nullptr;
    std::size_t (*size)(const void*) = nullptr;

    template <class T>
    [[nodiscard]] T* as() const {
        return static_cast<T*>(data(object));
    }
    [[nodiscard]] std::size_t count() const { return size(object); }
};

/// An array extent: a number, or the name of the structural parameter (UInt64) that holds it.
struct Dimension {
    Dimension(int fixed) : size(static_cast<std::uint64_t>(fixed)) {}
    Dimension(const char* structural) : parameter(structural) {}
    std::uint64_t size = 0;
    std::string parameter;
};

struct Enumeration {
    std::string name;
    std::vector<std::pair<std::string, std::int64_t>> items;
};

/// When a clock ticks: for periodic clocks counter / resolution seconds.
struct ClockFacts {
    ClockKind kind = ClockKind::triggered;
    std::uint64_t interval = 0, shift = 0, resolution = 1;
    Cells countdown = {};  // a std::optional<double>: seconds to the next tick, when it is known and new
};

/// One variable of a unit, declared once; everything FMI says about it follows from here.
struct Variable {
    std::string name, unit, description;
    Type type = Type::float64;
    Causality causality = Causality::local;
    Variability variability = Variability::continuous;
    Initial initial = Initial::none;
    Cells cells;
    std::vector<Dimension> dimensions;
    std::optional<double> minimum, maximum, nominal;
    std::size_t enumeration = 0;                               // index of the type definition
    std::optional<std::vector<std::string>> depends;           // no list: on everything
    std::optional<std::vector<std::string>> depends_at_start;  // no list: follows from `depends`
    std::string derivative_of;
    std::optional<Cells> slope;  // where a model that steps by itself finds du/dt
    std::string mime_type;
    std::size_t max_bytes = 0;
    const Part* part = nullptr;  // what of its bytes is the value of a binary output; null: all
    ClockFacts clock;
    std::vector<std::string> clocks;  // the clocks this variable belongs to
    std::string previous;             // a clocked state: the variable that holds its previous value

    [[nodiscard]] bool is_continuous_input() const {
        return causality == Causality::input && variability == Variability::continuous && type == Type::float64;
    }
};

template <class T>
struct TypeOf;
template <>
struct TypeOf<float> {
    static constexpr Type value = Type::float32;
};
template <>
struct TypeOf<double> {
    static constexpr Type value = Type::float64;
};
template <>
struct TypeOf<std::int8_t> {
    static constexpr Type value = Type::int8;
};
template <>
struct TypeOf<std::uint8_t> {
    static constexpr Type value = Type::uint8;
};
template <>
struct TypeOf<std::int16_t> {
    static constexpr Type value = Type::int16;
};
template <>
struct TypeOf<std::uint16_t> {
    static constexpr Type value = Type::uint16;
};
template <>
struct TypeOf<std::int32_t> {
    static constexpr Type value = Type::int32;
};
template <>
struct TypeOf<std::uint32_t> {
    static constexpr Type value = Type::uint32;
};
template <>
struct TypeOf<std::int64_t> {
    static constexpr Type value = Type::int64;
};
template <>
struct TypeOf<std::uint64_t> {
    static constexpr Type value = Type::uint64;
};
template <>
struct TypeOf<bool> {
    static constexpr Type value = Type::boolean;
};
template <>
struct TypeOf<std::string> {
    static constexpr Type value = Type::string;
};
template <>
struct TypeOf<Bytes> {
    static constexpr Type value = Type::binary;
};
template <class T>
requires std::is_enum_v<T>
struct TypeOf<T> {
    static_assert(sizeof(T) == sizeof(std::int64_t), "an enumeration of a model is an enum class : std::int64_t");
    static constexpr Type value = Type::enumeration;
};

template <class T>
struct ArrayOf : std::false_type {
    using Element = T;
};
template <class T, std::size_t N>
struct ArrayOf<std::array<T, N>> : std::true_type {
    using Element = T;
};
template <class T>
struct ArrayOf<std::vector<T>> : std::true_type {
    using Element = T;
};

template <class T>
[[nodiscard]] Cells scalar_cell(T& value) {
    return {&value, [](void* object) { return object; }, [](const void*) -> std::size_t { return 1; }};
}

/// The cells of a scalar, a std::array or a std::vector.
template <class T>
[[nodiscard]] Cells cells_of(T& value) {
    if constexpr (ArrayOf<T>::value) {
        return {&value, [](void* object) -> void* { return static_cast<T*>(object)->data(); },
                [](const void* object) { return static_cast<const T*>(object)->size(); }};
    } else {
        return scalar_cell(value);
    }
}

/// Chains what is special about a variable onto its declaration. Defined in variable.cpp: every unit compiles dozens
/// of these calls.
class Declaration {
public:
    using Names = std::initializer_list<std::string_view>;

    explicit Declaration(Variable& variable) : variable_(variable) {}

    Declaration& describe(std::string_view text);
    Declaration& min(double value);
    Declaration& max(double value);
    Declaration& nominal(double value);
    Declaration& dimensions(std::initializer_list<Dimension> extents);
    Declaration& tunable();
    Declaration& discrete();
    Declaration& constant();
    /// The start value is the user's: `initialize` must not overwrite it.
    Declaration& exact();
    Declaration& approx();
    Declaration& depends_on(Names names);
    Declaration& depends_on(const std::vector<std::string>& names);
    Declaration& depends_at_start_on(Names names);
    Declaration& of_clocks(Names names);
    Declaration& of_clocks(const std::vector<std::string>& names);
    Declaration& previous(std::string_view name);

    /// Where a model that steps by itself finds the slope of this input.
    template <class T>
    Declaration& slope(T& rate) {
        return slope(cells_of(rate));
    }
    Declaration& slope(Cells rate);
    /// A vector of bytes is one binary value, not an array of UInt8.
    Declaration& binary(std::string_view mime_type, std::size_t max_bytes = 0);
    /// Only this part of the bytes is the value: a window can slide over them without moving them.
    Declaration& part(const Part& part);

private:
    Variable& variable_;
};

}  // namespace fmus
