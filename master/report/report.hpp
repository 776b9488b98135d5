#pragma once

#include "master/base/diagnostics.hpp"
#include "master/contracts/verdict.hpp"
#include "master/report/plot.hpp"
#include "master/report/step_response.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace master::report {

using Facts = std::vector<std::pair<std::string, std::string>>;  // label and text

/// Everything a report shows; what is empty is left out.
struct ReportData {
    struct UnitCost {
        std::string name, model, kind;  // kind: "FMI 3.0 co-simulation", "table", ...
        std::string step;               // with its unit
        std::uint64_t steps = 0;
        double seconds = 0;  // wall time inside the unit; 0 = not measured
    };
    struct Parameter {
        std::string name, value, unit, origin;
        std::string standard;  // what the unit itself would take; empty = the same
    };

    /// Drawings under one heading, each with a caption.
    struct Pictures {
        std::string title;
        bool wide = false;                                       // one below the other
        std::vector<std::pair<std::string, std::string>> views;  // caption and SVG element
    };

    /// A machine with its wall that can be turned, at several moments.
    struct Scene {
        std::string title;
        std::string data;  // JSON that scene_script() reads
    };

    std::string title;
    std::string subtitle;
    Facts summary;
    std::vector<base::Finding> findings;
    std::vector<contracts::Verdict> requirements;
    std::vector<UnitCost> units;
    std::vector<Scene> scenes;  // shown where the page of the view has been built
    std::vector<Pictures> pictures;
    std::vector<StepResponse> steps;
    std::vector<PlotGroup> wished_plots;  // those the system asks for; then all the others
    std::vector<PlotGroup> plots;
    std::size_t signals_left_out = 0;  // recorded but not drawn
    std::vector<ConstantSignal> constants;
    std::vector<Parameter> parameters;
    std::string scenario;  // the file's text
    Facts reproducibility;
};

/// One self-contained HTML page: inline styles and SVG, nothing from the network, light and dark, fit for printing.
[[nodiscard]] std::string html(const ReportData& data);

/// Writes the page atomically.
void write_report(const std::filesystem::path& file, const ReportData& data);

}  // namespace master::report
