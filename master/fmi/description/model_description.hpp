#pragma once

#include "master/base/diagnostics.hpp"
#include "master/core/unit.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace master::fmi {

enum class Version : std::uint8_t { fmi2, fmi3 };
enum class Interface : std::uint8_t { co_simulation, model_exchange };

/// The C type a variable has in the FMU's own functions. FMI 2: Real is float64, Integer and Enumeration are int32.
enum class Native : std::uint8_t {
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
    clock
};

/// An array extent: a number, or the structural parameter that holds it.
struct Dimension {
    std::uint64_t size = 0;
    std::optional<std::uint32_t> parameter;  // index of a variable
};

/// The flags of <CoSimulation> or <ModelExchange> beyond `Capabilities`.
struct InterfaceDescription {
    std::string model_identifier;
    core::Capabilities can;
    bool has_event_mode = false;
    bool may_return_early = false;
    bool provides_intermediate_update = false;
    bool needs_completed_step = true;
    unsigned max_output_derivative_order = 0;
    std::string fixed_internal_step;
};

/// Everything of modelDescription.xml that the master uses. `variables` and what stands beside it share indices.
struct ModelDescription {
    Version version = Version::fmi2;
    std::string version_text;
    std::string description;
    std::filesystem::path file;
    core::UnitInfo
        info;  // of the chosen interface once `choose` was called; variables, structure, units, experiment before
    std::vector<std::uint32_t> references;
    std::vector<Native> natives;
    std::vector<std::vector<Dimension>> dimensions;
    std::vector<std::uint32_t> states;                     // those that their derivatives name, in that order
    std::vector<std::uint32_t> derivatives;                // of the ModelStructure
    std::vector<std::uint32_t> event_indicator_variables;  // FMI 3
    std::size_t event_indicators = 0;                      // how many values; arrays count with their size
    std::map<std::uint32_t, core::Value> uniform_starts;   // arrays whose one start value holds for every element
    std::optional<InterfaceDescription> co_simulation, model_exchange;
    bool scheduled_execution = false;
    std::vector<std::string> log_categories;
    std::vector<std::string> source_files;

    [[nodiscard]] const InterfaceDescription& interface(Interface kind) const {
        return kind == Interface::co_simulation ? *co_simulation : *model_exchange;
    }
};

/// Sets info.interface and info.can for one interface; throws when the FMU does not offer it.
void choose(ModelDescription& description, Interface kind);

}  // namespace master::fmi
