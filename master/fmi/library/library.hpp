#pragma once

#include "master/base/call_slot.hpp"
#include "master/fmi/description/model_description.hpp"
#include "master/fmi/library/elf.hpp"
#include "master/fmi/library/function.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace master::fmi {

/// Solvers linked into an FMU often have the names of those linked into this program, and another version (SUNDIALS in
/// units of Dymola and SystemModeler).
[[nodiscard]] bool brings_own_solver(const SharedObject& object);

/// A loaded FMU binary. Functions are looked up when a capability or a call needs them, so that an FMU is never
/// refused for one that is not used.
class Library {
public:
    /// Finds and loads `binaries/<platform>/<model identifier>.so` below `folder`; `file` is the FMU for messages.
    Library(const std::filesystem::path& file, const std::filesystem::path& folder, const ModelDescription& description,
            const InterfaceDescription& interface, base::WatchedUnit* loader);
    ~Library();
    Library(const Library&) = delete;
    Library& operator=(const Library&) = delete;

    [[nodiscard]] base::CodeRange code() const { return code_; }

    /// A function by its name without the prefix ("DoStep"), or null.
    [[nodiscard]] AnyFunction find(std::string_view name) const;
    /// The same; throws `Error` naming the function that is missing.
    [[nodiscard]] AnyFunction require(std::string_view name) const;

    /// How the function of that name is known to whoever watches its calls.
    [[nodiscard]] std::uint32_t number_of(std::string_view name) const;

    template <class Type>
    [[nodiscard]] Function<Type> find(std::string_view name) const {
        return {find(name), number_of(name)};
    }
    template <class Type>
    [[nodiscard]] Function<Type> require(std::string_view name) const {
        return {require(name), number_of(name)};
    }

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }

private:
    std::filesystem::path file_;
    std::string binary_;  // relative to the FMU
    std::string prefix_;
    void* handle_ = nullptr;
    base::CodeRange code_;
};

}  // namespace master::fmi
