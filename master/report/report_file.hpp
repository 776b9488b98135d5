#pragma once

#include "interfaces/machine_file/machine.hpp"
#include "master/base/diagnostics.hpp"
#include "master/build/parts.hpp"
#include "master/build/requests/signal_request.hpp"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
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

/// A quantity under control: the report tells how it answers steps in its target and in a load. Names of recorded
/// signals, component.variable.
struct WishedSteps {
    std::string label;
    std::string target, measured, load;  // load: empty for none
    std::vector<std::string> pressures;
    std::string unit;
    double factor = 1;  // of target and measured
};

/// What a signal must be at the end of a run for its task to be done.
struct Goal {
    std::string label;
    build::SignalRequest signal;
    double smallest = -std::numeric_limits<double>::infinity(), largest = std::numeric_limits<double>::infinity();
};

/// A number, or the variable of a unit that holds it: what is moved there is moved here.
struct Quantity {
    double number = 0;
    build::SignalRequest signal = {};  // without a name: the number
};

/// The machine of a picture: a URDF beside the report file, or the one in the FMU of a component, which is the machine
/// that the unit was made for and travels with it.
struct ShownMachine {
    std::string component;  // empty: from a file
    std::string where;      // file:line of the wish
    std::optional<interfaces::machine_file::Machine> machine = {};
    std::string urdf = {};  // its text, for readers of its own
};

/// How often systems record that are not told otherwise; some are run for their signals, some for their outcome.
struct WishedInterval {
    std::string systems;   // pattern of names of systems
    std::string interval;  // exact seconds
};

/// Where the heights[along, across] of a ring wall stand in the world.
struct RingWall {
    build::SignalRequest heights;  // without a name for none
    Quantity radius;               // m, of the face
    Quantity start, span;          // rad
    Quantity base;                 // m, of height 0
    Quantity thickness;            // m
};

/// The machine from the side at several moments: the bodies of its links, placed by an array of poses (x y z and a
/// quaternion per link), seen in the frame of one link; with the wall that it works on.
struct MachinePicture {
    std::string title;
    build::SignalRequest poses;
    std::string link;
    ShownMachine machine;
    std::uint32_t moments = 6;
    RingWall wall;
};

/// A wall of heights[along, across] at the start and at the end.
struct WallPicture {
    std::string title;
    build::SignalRequest heights;
    Quantity length, thickness, base;  // m
};

/// The points of a LiDAR beside a ring wall, unrolled: how far ahead of the machine, how high; with the edge that was
/// found among them. The sensor and the machine's frame are links of the machine.
struct CloudPicture {
    std::string title;
    build::SignalRequest points, poses;
    std::string sensor, frame;
    build::SignalRequest edge, valid;  // arrays over azimuths; without a name for none
    ShownMachine machine;
    Quantity radius;                 // m, of the wall's face
    Quantity edge_start, edge_span;  // rad ahead of the machine
    /// The true heights [along, across, from the face on] to compare the edge with; without a name for none.
    build::SignalRequest truth;
    Quantity truth_start, truth_span;  // rad, world
    Quantity truth_base;               // m, of height 0, world
};

/// What a system says about its report: extra/io.tandem.cosim/report.xml beside its description.
struct ReportFile {
    std::vector<WishedPlot> plots;
    std::vector<WishedFact> facts;
    std::vector<Goal> goals;
    std::vector<WishedSteps> steps;
    std::vector<MachinePicture> machines;
    std::vector<WallPicture> walls;
    std::vector<CloudPicture> clouds;
    std::vector<WishedInterval> intervals;

    [[nodiscard]] bool empty() const {
        return plots.empty() && facts.empty() && steps.empty() && goals.empty() && machines.empty() && walls.empty() &&
               clouds.empty();
    }
    /// Patterns of what has to be recorded: for plots and steps.
    [[nodiscard]] std::vector<std::string> recorded() const;
    /// Seconds between rows for a system of that name; empty = every communication point.
    [[nodiscard]] std::string record_interval(const std::string& system) const;
    /// The arrays that the pictures show.
    [[nodiscard]] std::vector<build::SignalRequest*> arrays();
    /// Single values of which the last one counts: of goals, and what pictures are drawn with.
    [[nodiscard]] std::vector<build::SignalRequest*> values();
    /// What the build has to fill in, for facts, arrays and values; they stay in the file.
    [[nodiscard]] std::vector<build::SignalRequest*> requests();
};

/// Reads the file that belongs to a system (a folder, an .ssd in one, or an .ssp); without one nothing is wished.
[[nodiscard]] ReportFile report_file_of(const std::filesystem::path& system, base::Diagnostics& diagnostics);
[[nodiscard]] ReportFile read_report_file(const std::filesystem::path& file, base::Diagnostics& diagnostics);

/// Reads the machines that components bring along. Without one a picture is left out, with a warning where the system
/// has the component.
void find_machines(ReportFile& wishes, const build::Parts& parts, base::Diagnostics& diagnostics);

}  // namespace master::report
