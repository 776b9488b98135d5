#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/requests/signal_request.hpp"
#include "master/report/report_file.hpp"

#include <array>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace master::view {

using report::Quantity;

/// A machine in the scene: the URDF of a component's FMU, or a file beside view.xml; placed by an array of poses, one
/// row per link, or by its joints.
struct ViewMachine {
    struct Joint {
        std::string name;
        build::SignalRequest signal;
        double factor = 1, offset = 0;  // joint coordinate = factor * signal + offset
    };
    std::string name;
    std::string component;       // empty: from `file`
    std::filesystem::path file;  // of the URDF
    std::string where;
    build::SignalRequest poses;  // without a name for none
    std::vector<Joint> joints;
};

/// A ring wall: heights[along, across] of its top above its base.
struct ViewWall {
    build::SignalRequest heights;
    Quantity radius, thickness, start, span, base, height, floor;
};

/// A point cloud in the frame of a link.
struct ViewCloud {
    build::SignalRequest points;
    std::string machine, sensor;
};

/// The edge that was found: heights over azimuths ahead of a link.
struct ViewEdge {
    build::SignalRequest heights, valid;
    std::string machine, frame;
    Quantity radius, start, span;
};

struct ViewLidar {
    std::string machine, link, curve;
    Quantity fov, range, first, second, ratio;
};

struct ViewTool {
    std::string machine;
    build::SignalRequest pose, box, collision, inside;
    Quantity offset;  // of where it should stand, from the middle of the wall inwards; NaN: nobody says
};

struct ViewCamera {
    std::string name, machine, link;
    std::array<double, 3> from{}, to{};
    double fov = 60;  // degrees, or metres from below to above where it is orthographic
    bool orthographic = false;
};

/// How an operator drives: levers to axes, axes to free inputs.
struct ViewOperator {
    struct Axis {
        std::string name, input;
        double least = -1, most = 1;
    };
    struct Lever {
        std::string lever, axis;
        double sign = 1;
    };
    struct Pattern {
        std::string name;
        std::vector<Lever> levers;
    };
    double dead_zone = 0.08, curve = 1.6;
    std::vector<Axis> axes;
    std::vector<Pattern> patterns;
};

/// What a system says about its view: extra/io.tandem.cosim/view.xml beside its description. What a system does not
/// have is left out.
struct ViewFile {
    bool there = false;
    std::string where;  // the file
    std::string title;
    std::vector<ViewMachine> machines;
    std::vector<ViewWall> walls;  // of this and all others but cameras and plots at most one
    std::vector<ViewCloud> clouds;
    std::vector<ViewEdge> edges;
    std::vector<ViewLidar> lidars;
    std::vector<ViewTool> tools;
    std::vector<ViewCamera> cameras;
    std::vector<ViewOperator> operators;
    std::vector<report::WishedPlot> plots;
    std::vector<std::string> tuned;  // patterns of tunable parameters that the page may set

    /// What the build has to fill in; they stay in the file.
    [[nodiscard]] std::vector<build::SignalRequest*> requests();
    [[nodiscard]] std::vector<const build::SignalRequest*> requests() const;
};

/// Reads the file that belongs to a system (a folder, an .ssd in one, or an .ssp); without one there is no scene.
[[nodiscard]] ViewFile view_file_of(const std::filesystem::path& system, base::Diagnostics& diagnostics);
[[nodiscard]] ViewFile read_view_file(const std::filesystem::path& file, base::Diagnostics& diagnostics);

}  // namespace master::view
