#pragma once

#include "models/work/control/ecu.hpp"
#include "models/work/planning/rim.hpp"
#include "models/work/planning/tool_mover.hpp"
#include "models/work/planning/trajectory.hpp"

#include <array>
#include <string>
#include <tuple>

namespace models::planning {

/// What the automation does; from `stopped_edge_invalid` on it has stopped, and says why.
enum class Phase : std::int64_t {
    idle = 0,
    wait_for_edge,
    choose,
    approach,
    lower,
    close,
    open,
    retract,
    verify,
    travel,
    done,
    stopped_edge_invalid,
    stopped_edge_frozen,
    stopped_edge_missing,
    stopped_out_of_reach,
    stopped_not_following,
    stopped_not_verified,
    stopped_controller_fault,
    stopped_sensor_fault,
    stopped_rim_not_low
};

/// Demolishes a segment of a ring wall down to a target line, from above and from near to far.
///
/// The segment is divided into columns a little narrower than the tool's box. In the nearest column that is not yet at
/// the target the tool bites its way down from the top, a box height at most each time; behind it everything is already
/// low, so nothing but the tool comes near the wall. The cut is checked with the estimated edge when the tool has left
/// the view. What is out of reach is reached by travelling over rim that is at the target, with the tool above whatever
/// stands on the way. The rim between the machine and the segment is given to be at the target already; if something
/// higher is seen there, or if it begins beyond what the LiDAR looks at from the start, the machine stays where it is.
/// Heights count from the rim that carries the machine.
class Automation {
public:
    static constexpr std::size_t bins = 300;

    Automation() = default;
    /// Throws std::invalid_argument for a machine that cannot do the task.
    explicit Automation(const kinematics::Machine& machine);

    /// Throws std::invalid_argument naming a parameter out of range, with what was expected.
    void initialize(double t);
    /// Throws std::runtime_error for inputs that are no numbers.
    void step(double t, double h);
    /// The task is done, or the automation has stopped, and the machine stands.
    [[nodiscard]] bool finished() const;
    [[nodiscard]] bool stopped() const { return outputs.phase >= Phase::stopped_edge_invalid; }
    /// Why it stopped, with what was found and what was expected.
    [[nodiscard]] std::string explanation();

    [[nodiscard]] const ToolMover& mover() const { return mover_; }
    [[nodiscard]] std::size_t columns() const { return columns_; }

    struct Parameters {
        double segment_start = 2.5, segment_length = 12;  // m along the rim
        double target = 0, height = 2;                    // of the rest; of what is to go, for the progress
        double ring_radius = 30;
        double edge_start = 0, edge_span = 0.3;  // rad from the machine on: azimuths of the edge
        double edge_window = 1.1;                // s of points in an estimate
        double edge_patience = 5;                // s, to wait for an edge at a column
        double aim = 0.02;                       // m above the target: what a bite aims at
        double tolerance = 0.05;                 // of the finished rim
        double depth = 0.5;                      // of a bite at most
        double overlap = 0.05;                   // of neighbouring bites
        double clearance = 0.15;                 // above the wall when moving along it
        double offset = 0.13;  // of the tool's middle towards the ring's axis: the fixed shell is outside
        double near = 3.5;     // m ahead of the machine: the first column after travelling
        double front = 1;      // m ahead of the machine's origin that rests on the rim
        double jaw_open = 0.09, jaw_clear = 0.15, jaw_closed = 0.259;  // strokes; clear: lowering may begin
        double place_tolerance = 0.02;                                 // m, of the tool before it bites
        double speed_share = 0.9;                                      // of the axes' full speeds
        bool end_when_done = true;
    } parameters;
    struct Inputs {
        std::array<double, bins> edge_height{};
        std::array<bool, bins> edge_valid{};
        std::int64_t edge_sequence = 0;
        kinematics::Sensors::Readings readings;
        control::Status status = control::Status::disabled;
        bool start = false;
    } inputs;
    struct Outputs {
        Axes target{};
        bool enable = false;
        Phase phase = Phase::idle;
        std::int64_t bite = 0;
        double progress = 0;
    } outputs;
    struct State {
        Axes positions{};       // as measured
        ToolPlace place;        // as measured
        ToolPlace goal;         // where the trajectory ends
        bool placed = false;    // the tool is where the last trajectory brought it
        Trajectory trajectory;  // the present or the last one
        double elapsed = 0;     // s on the trajectory
        double in_phase = 0;    // s
        double moved = -1e9;    // time of the last travelling
        std::int64_t sequence = 0;
        int frozen = 0, invalid = 0;  // cycles
        bool begun = false;           // an edge has come: from then on the machine may move
        std::size_t finished = 0;     // columns that were seen to be at the target
        std::size_t column = 0;       // the present one
        std::size_t attempts = 0;     // bites at the target in this column
        double bottom = 0;            // of the present bite
        double bound = 1e9;           // nothing in this column is higher, whatever is seen of it
        double jaw = 0;               // its target
        double jaw_time = 0;          // s, since it has this target
        Rim rim;                      // of the segment
        Rim ahead;                    // from the machine on, as far as the edge goes when the task begins
        auto members() {
            return std::tie(positions, place, goal, placed, trajectory, elapsed, in_phase, moved, sequence, frozen,
                            begun, invalid, finished, column, attempts, bottom, bound, jaw, jaw_time, rim, ahead);
        }
    } state;
    auto members() { return std::tie(parameters, inputs, outputs, state, columns_); }

private:
    static constexpr double loose = 0.06;  // m, of a tool that only waits at its place

    void check_parameters() const;
    void check_inputs() const;
    void watch_edge(double h);
    void begin();
    [[nodiscard]] bool measure();
    void look(double t);
    void act(double t);
    void emit(double h);
    void enter(Phase phase);
    void move_jaw(double place);
    [[nodiscard]] bool jaw_is_open() const;
    void stop(Phase reason);

    void wait_for_edge(double t);
    void choose();
    void lower_next();
    void bite(double t);
    void after_bite();
    void verify();
    void go_there(std::size_t column);
    void travel_to(std::size_t column);

    /// Starts a trajectory over these places from where the tool is; stops the automation if they are out of reach.
    void start_way(std::span<const ToolPlace> places, Phase phase);
    [[nodiscard]] bool arrived(double tolerance);
    [[nodiscard]] Site site() const;
    [[nodiscard]] Stretch stretch(std::size_t column) const;
    [[nodiscard]] double middle(std::size_t column) const;
    [[nodiscard]] double column_width() const;
    [[nodiscard]] bool at_target(std::size_t column) const;
    /// The rim before the segment that does not carry the machine yet.
    [[nodiscard]] Stretch lead() const;
    [[nodiscard]] bool lead_is_low() const;
    /// The highest that may still stand there: what was not seen is taken to be as high as the wall was.
    [[nodiscard]] double ceiling(const Stretch& stretch) const;
    /// For the tool to pass all that may be under it until the machine is at `travel`.
    [[nodiscard]] double clear_height(double travel) const;
    [[nodiscard]] bool within_reach(std::size_t column, double travel);

    ToolMover mover_;
    AxisLimits limits_;
    double jaw_retract_speed_ = 0.1, jaw_extend_speed_ = 0.1;
    std::size_t columns_ = 0;
};

}  // namespace models::planning
