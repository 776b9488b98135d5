#pragma once

#include "fmus/common/declaring/variable.hpp"

#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmus {

/// What a unit says about itself as a whole.
struct About {
    std::string name = {};  // modelName; the build's name of the unit if empty
    std::string description = {};
    double stop = 1, step = 0.01;  // of the default experiment
    bool linear = false;           // outputs and derivatives are linear: differences are exact for any increment
    bool needs_completed_step = false;
};

/// One terminal of terminalsAndIcons.xml.
struct Terminal {
    struct Member {
        std::string variable = {}, name = {}, kind = "signal";
    };
    std::string name = {}, kind = {};
    std::string rule = "plug";
    std::vector<Member> members = {};
    std::vector<Terminal> terminals = {};  // inside of this one
};

/// A layered standard this unit follows: extra/<folder>/fmi-ls-manifest.xml.
struct LayeredStandard {
    std::string folder = {}, name = {}, version = {}, description = {};
    // Of the manifest: the element, and the attributes beyond those of all layered standards.
    std::string element = "fmi-ls:fmiLayeredStandardManifest";
    std::vector<std::pair<std::string, std::string>> attributes = {};
};

/// Every variable of a unit, in the order of declaration; the index is the FMI 3 value reference. Index 0 is time.
class Table {
public:
    Table(const Table&) = delete;
    Table& operator=(const Table&) = delete;

    /// A derivative and the state it belongs to, as indices of variables.
    struct State {
        std::size_t state = 0, derivative = 0;
    };

    [[nodiscard]] const std::deque<Variable>& variables() const { return variables_; }
    [[nodiscard]] const About& about() const { return about_; }
    [[nodiscard]] const std::vector<Enumeration>& enumerations() const { return enumerations_; }
    [[nodiscard]] const std::vector<State>& states() const { return states_; }
    [[nodiscard]] const std::vector<std::size_t>& event_indicators() const { return event_indicators_; }
    [[nodiscard]] const std::vector<Terminal>& terminals() const { return terminals_; }
    [[nodiscard]] const std::vector<LayeredStandard>& layered_standards() const { return layered_standards_; }
    /// Index of a variable by name; throws std::logic_error for an unknown one.
    [[nodiscard]] std::size_t index_of(std::string_view name) const;
    [[nodiscard]] bool is_state(std::size_t variable) const;
    [[nodiscard]] std::vector<std::uint64_t> extents(const Variable& variable) const;
    [[nodiscard]] std::size_t product_of_extents(const Variable& variable) const;

    /// Resolves names and checks the declarations against FMI's rules; throws std::logic_error, which fails the build.
    void finish();

protected:
    Table();
    ~Table() = default;

    void about(const About& facts);
    void terminal(const Terminal& terminal);
    void follows(const LayeredStandard& standard);

    /// `name` may be followed by a unit (floating-point variables); the value found in the model is the start value.
    template <class... Rest>
    Declaration parameter(std::string_view name, Rest&&... rest) {
        return declare(Causality::parameter, name, std::forward<Rest>(rest)...);
    }
    template <class... Rest>
    Declaration calculated_parameter(std::string_view name, Rest&&... rest) {
        return declare(Causality::calculated_parameter, name, std::forward<Rest>(rest)...);
    }
    template <class... Rest>
    Declaration input(std::string_view name, Rest&&... rest) {
        return declare(Causality::input, name, std::forward<Rest>(rest)...);
    }
    template <class... Rest>
    Declaration output(std::string_view name, Rest&&... rest) {
        return declare(Causality::output, name, std::forward<Rest>(rest)...);
    }
    template <class... Rest>
    Declaration local(std::string_view name, Rest&&... rest) {
        return declare(Causality::local, name, std::forward<Rest>(rest)...);
    }
    Declaration structural_parameter(std::string_view name, std::uint64_t& value) {
        return declare(Causality::structural_parameter, name, value);
    }
    /// Makes the variable `state` a continuous state.
    template <class T>
    Declaration derivative(std::string_view name, std::string_view unit, T& value, std::string_view state) {
        return declare_derivative(declare(Causality::local, name, unit, value), state);
    }
    Declaration event_indicator(std::string_view name, std::string_view unit, double& value);
    Declaration input_clock(std::string_view name, bool& active, const ClockFacts& facts) {
        return declare_clock(Causality::input, name, active, facts);
    }
    Declaration output_clock(std::string_view name, bool& active, const ClockFacts& facts) {
        return declare_clock(Causality::output, name, active, facts);
    }
    /// Names of the values of an enumeration; must stand before the first variable of that type.
    template <class T>
    void enumeration(const Enumeration& definition) {
        add_enumeration(&TypeOf<T>::value, definition);
    }

private:
    template <class T>
    Declaration declare(Causality causality, std::string_view name, std::string_view unit, T& value) {
        using Element = typename ArrayOf<T>::Element;
        Variable& variable = add(causality, name, TypeOf<Element>::value, cells_of(value), unit);
        if constexpr (ArrayOf<T>::value) set_length(variable, value.size());
        if constexpr (std::is_enum_v<Element>) variable.enumeration = enumeration_index(&TypeOf<Element>::value);
        return Declaration(variable);
    }
    template <class T>
    Declaration declare(Causality causality, std::string_view name, T& value) {
        return declare(causality, name, std::string_view(), value);
    }
    Declaration declare_derivative(Declaration derivative, std::string_view state);
    Declaration declare_clock(Causality causality, std::string_view name, bool& active, const ClockFacts& facts);
    Variable& add(Causality causality, std::string_view name, Type type, Cells cells, std::string_view unit);
    static void set_length(Variable& array, std::size_t length);
    void add_enumeration(const void* type, const Enumeration& definition);
    [[nodiscard]] std::size_t enumeration_index(const void* type) const;
    void check(const Variable& variable) const;
    void check(const Terminal& terminal) const;

    std::deque<Variable> variables_;
    std::vector<Enumeration> enumerations_;
    std::vector<const void*> enumeration_types_;  // address of TypeOf<T>::value, one per C++ type
    std::vector<State> states_;
    std::vector<std::size_t> event_indicators_;
    std::vector<Terminal> terminals_;
    std::vector<LayeredStandard> layered_standards_;
    About about_;

protected:
    double time_ = 0;
};

}  // namespace fmus
