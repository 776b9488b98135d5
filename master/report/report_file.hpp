#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/signal_request.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace master::report {

/// A diagram with a title of its own: the recorded signals that a pattern matches.
struct WishedPlot {
    std::string title;
    std::vector<std::string> patterns;
};

/// A number for the summary, taken from one signal over the run.
struct WishedFact {
    enum class Take : std::uint8_t { last, largest, smallest, mean, integral, change };
    std::string label;
    build::SignalRequest signal;
    std::string unit;
    Take take = Take::last;
    double factor = 1;
};

/// How often systems record that are not told otherwise; some are run for their signals, some for their outcome.
struct WishedInterval {
    std::string systems;   // pattern of names of systems
    std::string interval;  // exact seconds
};

/// Where the heights[along, across] of a ring wall stand in the world.
struct RingWall {
    build::SignalRequest heights;  // without a name for none
    double radius = 1;             // m, of the face
    double start = 0, span = 0;    // rad
    double base = 0;               // m, of height 0
};

/// The machine from the side at several moments: the bodies of its links, placed by an array of poses (x y z and a
/// quaternion per link), seen in the frame of one link; with the wall that it works on.
struct MachinePicture {
    std::string title;
    build::SignalRequest poses;
    std::string link;
    std::filesystem::path file;  // URDF
    std::uint32_t moments = 6;
    RingWall wall;
};

/// A wall of heights[along, across] at the start and at the end.
struct WallPicture {
    std::string title;
    build::SignalRequest heights;
    double length = 1, thickness = 1, base = 0;  // m
};

/// The points of a LiDAR beside a ring wall, unrolled: how far ahead of the machine, how high; with the edge that was
/// found among them. The sensor and the machine's frame are links of the machine.
struct CloudPicture {
    std::string title;
    build::SignalRequest points, poses;
    std::string sensor, frame;
    build::SignalRequest edge, valid;      // arrays over azimuths; without a name for none
    std::filesystem::path file;            // URDF
    double radius = 1;                     // m, of the wall's face
    double edge_start = 0, edge_span = 0;  // rad ahead of the machine
    /// The true heights [along, across, from the face on] to compare the edge with; without a name for none.
    build::SignalRequest truth;
    double truth_start = 0, truth_span = 0;  // rad, world
    double truth_base = 0;                   // m, of height 0, world
};

/// What a system says about its report: extra/io.tandem.cosim/report.xml beside its description.
struct ReportFile {
    std::vector<WishedPlot> plots;
    std::vector<WishedFact> facts;
    std::vector<MachinePicture> machines;
    std::vector<WallPicture> walls;
    std::vector<CloudPicture> clouds;
    std::vector<WishedInterval> intervals;

    [[nodiscard]] bool empty() const {
        return plots.empty() && facts.empty() && machines.empty() && walls.empty() && clouds.empty();
    }
    /// Seconds between rows for a system of that name; empty = every communication point.
    [[nodiscard]] std::string record_interval(const std::string& system) const;
    /// The arrays that the pictures show.
    [[nodiscard]] std::vector<build::SignalRequest*> arrays();
    /// What the build has to fill in, for facts and arrays; they stay in the file.
    [[nodiscard]] std::vector<build::SignalRequest*> requests();
};

/// Reads the file that belongs to a system (a folder, or an .ssd in one); without one nothing is wished.
[[nodiscard]] ReportFile report_file_of(const std::filesystem::path& system, base::Diagnostics& diagnostics);
[[nodiscard]] ReportFile read_report_file(const std::filesystem::path& file, base::Diagnostics& diagnostics);

}  // namespace master::report
