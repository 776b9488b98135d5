#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/temporary_folder.hpp"
#include "master/ssp/read.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <vector>

namespace tests::ssp {

/// A folder with files written for one test; an FMU is any file of that name, since nobody opens it here.
class Folder {
public:
    Folder() : folder_("tandem-test-ssp-") {}

    const Folder& write(const std::string& name, const std::string& text) const {
        const std::filesystem::path file = folder_.path() / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return *this;
    }
    const Folder& fmus(std::initializer_list<const char*> names) const {
        for (const char* name : names) write(std::string("resources/") + name + ".fmu", "fmu");
        return *this;
    }
    [[nodiscard]] std::filesystem::path path(const std::string& name = {}) const { return folder_.path() / name; }

private:
    master::base::TemporaryFolder folder_;
};

/// The frame of a system description around the inside of its root system and what follows it.
inline std::string ssd(const std::string& system, const std::string& rest = {}, const std::string& version = "2.0") {
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues"
    xmlns:ssm="http://ssp-standard.org/SSP1/SystemStructureParameterMapping"
    xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary"
    xmlns:t="urn:tandem:cosim:1" version=")" +
           version + R"(" name="demo"><ssd:System name="root">)" + system + "</ssd:System>" + rest +
           "</ssd:SystemStructureDescription>\n";
}

inline std::string component(const std::string& name, const std::string& inside = {}) {
    return "<ssd:Component name=\"" + name + "\" source=\"resources/" + name + ".fmu\">" + inside +
           "</ssd:Component>\n";
}

inline std::string connector(const std::string& name, const std::string& kind, const std::string& type = {}) {
    return "<ssd:Connector name=\"" + name + "\" kind=\"" + kind + "\">" + type + "</ssd:Connector>\n";
}

/// "a.x" or "x" for a connector of the enclosing system.
inline std::string connection(const std::string& start, const std::string& end, const std::string& more = {},
                              const std::string& inside = {}) {
    const auto side = [](const std::string& text, const std::string& which) {
        const auto dot = text.find('.');
        if (dot == std::string::npos) return which + "Connector=\"" + text + "\"";
        return which + "Element=\"" + text.substr(0, dot) + "\" " + which + "Connector=\"" + text.substr(dot + 1) +
               "\"";
    };
    return "<ssd:Connection " + side(start, "start") + " " + side(end, "end") + " " + more + ">" + inside +
           "</ssd:Connection>\n";
}

inline master::ssp::Description read(const Folder& folder, master::base::Diagnostics& diagnostics) {
    return master::ssp::read(folder.path(), {}, diagnostics);
}

/// Of a unit of temperature: kg, m, s, A, K, mol, cd, rad.
inline constexpr std::array<int, 8> kelvin_exponents{0, 0, 0, 0, 1, 0, 0, 0};

inline master::core::Variable variable(const std::string& name, master::core::Causality causality,
                                       const std::string& type = "Real", const std::string& unit = {}) {
    using master::core::Type;
    master::core::Variable result;
    result.name = name;
    result.declared_type = type;
    result.unit = unit;
    result.causality = causality;
    const bool real = type == "Real" || type.starts_with("Float");
    result.variability = real ? master::core::Variability::continuous : master::core::Variability::discrete;
    if (causality == master::core::Causality::parameter || causality == master::core::Causality::structural_parameter) {
        result.variability = master::core::Variability::fixed;
        result.initial = master::core::Initial::exact;
    }
    result.type = real                       ? Type::real
                  : type.starts_with("UInt") ? Type::natural
                  : type == "Boolean"        ? Type::boolean
                  : type == "String"         ? Type::string
                  : type == "Binary"         ? Type::bytes
                  : type == "Clock"          ? Type::clock
                                             : Type::integer;
    return result;
}

inline master::core::Variable array(master::core::Variable scalar, std::vector<std::uint64_t> dimensions) {
    scalar.dimensions = std::move(dimensions);
    for (const std::uint64_t extent : scalar.dimensions) scalar.size *= extent;
    return scalar;
}

inline master::core::UnitInfo unit(std::vector<master::core::Variable> variables) {
    master::core::UnitInfo info;
    info.variables = std::move(variables);
    return info;
}

inline const master::base::Finding* find(const master::base::Diagnostics& diagnostics, const std::string& code) {
    const auto found = std::ranges::find(diagnostics.findings(), code, &master::base::Finding::code);
    return found == diagnostics.findings().end() ? nullptr : &*found;
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Number of remarks at or above a severity.
inline std::size_t count(const master::base::Diagnostics& diagnostics, master::base::Severity severity) {
    return static_cast<std::size_t>(
        std::ranges::count(diagnostics.findings(), severity, &master::base::Finding::severity));
}

/// Everything that was remarked, for a failing test's output.
inline std::string all(const master::base::Diagnostics& diagnostics) {
    std::string text;
    for (const master::base::Finding& finding : diagnostics.findings())
        text += finding.code + ": " + finding.where + ": " + finding.text + "\n";
    return text;
}

}  // namespace tests::ssp
