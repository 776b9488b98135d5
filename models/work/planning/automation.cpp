#include "models/work/planning/automation.hpp"

#include "models/work/control/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace models::planning {

namespace {

constexpr int bad_cycles = 2;   // of the edge before the machine stops
constexpr double patience = 4;  // s, for the tool to come to rest at its place
constexpr std::size_t most_attempts = 3;
constexpr double deeper = 0.03;  // m, than usual a bite may be without the tool's body meeting the wall
// The edge near a step of the wall is blurred by the bins it is estimated from.
constexpr double blur_near = 0.1, blur_far = 0.15;
constexpr double least_known = 0.5;  // share of a column's cells
constexpr double ridge = 0.2;        // m, above the target: more than the noise of a cell
constexpr double tool_reach = 6;     // m ahead of the machine: no part of the tool is further

}  // namespace

Automation::Automation(const kinematics::Machine& machine) : mover_(machine) {
    inputs.readings = mover_.sensors().middle();
    parameters.jaw_closed = mover_.sensors().axes()[mover_.jaw()].stroke().upper;
    for (std::size_t i = 0; i < mover_.axis_count(); ++i) {
        const control::Tuning tuning = control::tuning_of(mover_.sensors().axes()[i].name());
        limits_.forward[i] = tuning.speeds.extend;
        limits_.backward[i] = tuning.speeds.retract;
        limits_.acceleration[i] = 0.9 * tuning.acceleration;
        if (i != mover_.jaw()) continue;
        jaw_extend_speed_ = tuning.speeds.extend;
        jaw_retract_speed_ = tuning.speeds.retract;
    }
}

void Automation::initialize(double) {
    check_parameters();
    const double width = mover_.box().x() - parameters.overlap;
    columns_ = static_cast<std::size_t>(std::ceil(parameters.segment_length / width - 1e-9));
    state = {};
    state.rim = Rim(parameters.segment_start, parameters.segment_length);
    state.ahead = Rim(0, parameters.ring_radius * (parameters.edge_start + parameters.edge_span));
    outputs = {};
}

void Automation::step(double t, double h) {
    check_inputs();
    state.in_phase += h;
    state.elapsed += h;
    state.jaw_time += h;
    if (finished() || stopped()) return;
    const bool measured = measure();
    if (outputs.phase == Phase::idle && !inputs.start) {
        outputs.target = state.positions;
        return;
    }
    if (!measured) {
        stop(Phase::stopped_sensor_fault);
        return emit(h);
    }
    if (outputs.phase == Phase::idle) {
        state.sequence = inputs.edge_sequence;
        state.ahead.restart(state.place.travel);
        enter(Phase::wait_for_edge);
    }
    watch_edge(h);
    look(t);
    if (inputs.status == control::Status::fault) stop(Phase::stopped_controller_fault);
    if (!stopped()) act(t);
    emit(h);
}

void Automation::check_inputs() const {
    for (std::size_t i = 0; i < bins; ++i)
        if (inputs.edge_valid[i] && !std::isfinite(inputs.edge_height[i]))
            throw std::runtime_error("input 'edge.height[" + std::to_string(i + 1) +
                                     "]' from perception is marked valid but is not a number");
    for (std::size_t i = 0; i < mover_.axis_count(); ++i)
        if (i != mover_.jaw() && !std::isfinite(inputs.readings.values[i]))
            throw std::runtime_error("input '" + mover_.sensors().signal(i).name + "' is not a number");
    if (!std::isfinite(inputs.readings.pitch + inputs.readings.roll))
        throw std::runtime_error("input 'pitch' or 'roll' is not a number");
}

bool Automation::measure() {
    try {
        const ToolMover::Measured measured = mover_.measure(inputs.readings, site());
        state.positions = measured.positions;
        state.place = measured.place;
        return true;
    } catch (const kinematics::RangeError&) {
        return false;
    }
}

void Automation::watch_edge(double h) {
    state.frozen = inputs.edge_sequence == state.sequence ? state.frozen + 1 : 0;
    state.sequence = inputs.edge_sequence;
    const bool some = std::any_of(inputs.edge_valid.begin(), inputs.edge_valid.end(), [](bool valid) { return valid; });
    state.invalid = some ? 0 : state.invalid + 1;
    if (outputs.phase == Phase::done) return;
    if (!state.begun && state.frozen == 0 && state.invalid == 0) return begin();
    // A first edge takes as long as the LiDAR gathers points for it.
    if (!state.begun && state.in_phase < parameters.edge_window + bad_cycles * h - 1e-9) return;
    if (!state.begun) return stop(state.invalid > 0 ? Phase::stopped_edge_invalid : Phase::stopped_edge_frozen);
    if (state.frozen >= bad_cycles) return stop(Phase::stopped_edge_frozen);
    if (state.invalid >= bad_cycles) stop(Phase::stopped_edge_invalid);
}

void Automation::begin() {
    state.begun = true;
    // All the way, because nobody knows where the jaw is.
    move_jaw(mover_.sensors().axes()[mover_.jaw()].stroke().lower);
    state.trajectory.path.clear();
    state.trajectory.path.add(state.positions);
}

void Automation::look(double t) {
    // Points of the last window were taken from elsewhere.
    if (state.frozen > 0 || t - state.moved < parameters.edge_window) return;
    const double width = parameters.edge_span / static_cast<double>(bins);
    for (std::size_t i = 0; i < bins; ++i) {
        if (!inputs.edge_valid[i]) continue;
        const double azimuth = parameters.edge_start + (static_cast<double>(i) + 0.5) * width;
        const double place = state.place.travel + parameters.ring_radius * azimuth;
        state.rim.see(place, inputs.edge_height[i], t, parameters.edge_window);
        state.ahead.see(place, inputs.edge_height[i], t, parameters.edge_window);
    }
    outputs.progress = state.rim.progress(parameters.target, parameters.height);
}

void Automation::act(double t) {
    switch (outputs.phase) {
        case Phase::wait_for_edge:
            return wait_for_edge(t);
        case Phase::choose:
            return choose();
        case Phase::approach:
            if (arrived(loose) && jaw_is_open()) lower_next();
            return;
        case Phase::lower:
            if (arrived(parameters.place_tolerance)) {
                move_jaw(parameters.jaw_closed);
                enter(Phase::close);
            }
            return;
        case Phase::close:
            return bite(t);
        case Phase::open:
            if (state.in_phase * jaw_retract_speed_ >= parameters.jaw_closed - parameters.jaw_clear) lower_next();
            return;
        case Phase::retract:
            if (arrived(loose)) enter(Phase::verify);
            return;
        case Phase::verify:
            return verify();
        case Phase::travel:
            state.moved = t;
            if (arrived(loose)) enter(Phase::choose);
            return;
        default:
            return;
    }
}

void Automation::emit(double h) {
    if (stopped() || outputs.phase == Phase::done) {
        outputs.enable = false;
        return;
    }
    outputs.enable = state.begun;
    if (!state.begun) {
        outputs.target = state.positions;
        return;
    }
    // What is said now is heard at the end of the step.
    outputs.target = state.trajectory.at(state.elapsed + h);
    outputs.target[mover_.jaw()] = state.jaw;
}

void Automation::enter(Phase phase) {
    outputs.phase = phase;
    state.in_phase = 0;
}

void Automation::move_jaw(double place) {
    state.jaw = place;
    state.jaw_time = 0;
}

/// Nothing measures it: a closed jaw has had the time to open, with a fifth to spare and the way of the message.
bool Automation::jaw_is_open() const {
    return state.jaw_time >= 1.2 * (parameters.jaw_closed - state.jaw) / jaw_retract_speed_ + 0.2;
}

void Automation::stop(Phase reason) { enter(reason); }

void Automation::wait_for_edge(double t) {
    const bool fresh = t - state.moved >= parameters.edge_window && state.frozen == 0 && state.invalid == 0;
    if (fresh && state.in_phase >= parameters.edge_window) enter(Phase::choose);
}

void Automation::choose() {
    std::size_t column = state.finished;
    while (column < columns_ && at_target(column)) ++column;
    state.finished = column;
    if (column == columns_) return enter(Phase::done);
    if (column != state.column) {
        state.attempts = 0;
        state.bound = State{}.bound;
    }
    if (state.attempts > most_attempts) return stop(Phase::stopped_not_verified);
    state.column = column;
    if (!lead_is_low()) return stop(Phase::stopped_rim_not_low);
    if (!within_reach(column, state.place.travel)) return travel_to(column);
    if (state.rim.about(stretch(column)).known >= least_known) return go_there(column);
    if (state.in_phase >= parameters.edge_patience) stop(Phase::stopped_edge_missing);
}

void Automation::go_there(std::size_t column) {
    state.bound = std::min(state.bound, ceiling(stretch(column)));
    const ToolPlace above{
        .along = middle(column), .bottom = clear_height(state.place.travel), .travel = state.place.travel};
    const ToolPlace here = state.placed ? state.goal : state.place;
    const ToolPlace up{.along = here.along, .bottom = std::max(here.bottom, above.bottom), .travel = here.travel};
    start_way(std::array{here, up, above}, Phase::approach);
}

void Automation::travel_to(std::size_t column) {
    const double goal = middle(column) - parameters.near;
    const double front = std::max(goal, state.place.travel) + parameters.front;
    // Everything before the column is at the target, and was seen to be.
    const bool carries = front <= stretch(column).first;
    if (!carries || !within_reach(column, goal) || std::abs(goal - state.place.travel) < 1e-3)
        return stop(Phase::stopped_out_of_reach);
    const bool overlooked = std::min(front, parameters.segment_start) <= state.ahead.end();
    if (!overlooked) return stop(Phase::stopped_rim_not_low);
    const double clear = clear_height(std::max(goal, state.place.travel));
    const ToolPlace here = state.placed ? state.goal : state.place;
    ToolPlace back = here;
    ToolPlace up{.along = here.along, .bottom = std::max(here.bottom, clear), .travel = here.travel};
    // Far out the tool cannot be lifted as high as nearer to the machine, where everything is at the target.
    if (state.placed && !mover_.reach(up, site()))
        back.along = up.along = std::min(here.along, here.travel + parameters.near);
    const ToolPlace there{.along = middle(column), .bottom = up.bottom, .travel = goal};
    if (back.along == here.along) return start_way(std::array{here, up, there}, Phase::travel);
    start_way(std::array{here, back, up, there}, Phase::travel);
}

/// The next bite of the column: equal steps down to the target, each at most the allowed depth and a little noise.
void Automation::lower_next() {
    const double goal = parameters.target + parameters.aim;
    const double above = std::max(state.rim.about(stretch(state.column)).top - goal, 0.0);
    const double steps = std::max(1.0, std::ceil((above - parameters.tolerance) / parameters.depth));
    // A ridge may be narrower than what counts as the top: the body of the tool must stay clear of it as well.
    state.bottom = std::max(goal + above * (1 - 1 / steps), state.bound - parameters.depth - deeper);
    if (state.bottom == goal) ++state.attempts;
    ToolPlace down = state.goal;
    down.bottom = state.bottom;
    start_way(std::array{state.goal, down}, Phase::lower);
}

void Automation::bite(double t) {
    const double stroke = (parameters.jaw_closed - parameters.jaw_open) / jaw_extend_speed_;
    // The controller needs two cycles to hear of the jaw and to answer.
    const bool closed = state.in_phase > 0.35 && inputs.status == control::Status::ready;
    if (!closed && state.in_phase < 2 * stroke + 1) return;
    const double half = mover_.box().x() / 2;
    state.rim.cut({state.place.along - half, state.place.along + half}, state.place.bottom, t);
    state.bound = state.place.bottom;
    ++outputs.bite;
    move_jaw(parameters.jaw_open);
    after_bite();
}

void Automation::after_bite() {
    if (!at_target(state.column)) return enter(Phase::open);
    ToolPlace up = state.goal;
    up.bottom = clear_height(state.place.travel);
    // Behind the last column nothing stands any more; the tool still leaves the LiDAR's sight of it.
    if (state.column + 1 == columns_) up.bottom = std::max(up.bottom, parameters.target + parameters.height);
    ToolPlace next = up;
    next.along = middle(std::min(state.column + 1, columns_ - 1));
    if (within_reach(std::min(state.column + 1, columns_ - 1), up.travel))
        start_way(std::array{state.goal, up, next}, Phase::retract);
    else
        start_way(std::array{state.goal, up}, Phase::retract);
}

void Automation::verify() {
    Stretch inside = stretch(state.column);
    inside.first += blur_near;
    inside.last -= blur_far;
    // A tool that leaves slowly, or not far, is itself seen in place of the edge: within a window these points are
    // gone, and the estimates need as long to follow.
    const bool settled = state.in_phase >= 2 * parameters.edge_window;
    if (state.rim.about(inside).seen >= least_known && (settled || at_target(state.column)))
        return enter(Phase::choose);
    if (state.in_phase >= parameters.edge_patience) stop(Phase::stopped_not_verified);
}

void Automation::start_way(std::span<const ToolPlace> places, Phase phase) {
    Trajectory& trajectory = state.trajectory;
    const Axes here = trajectory.path.count > 0 ? trajectory.end() : state.positions;
    trajectory.path.clear();
    trajectory.path.add(here);
    bool reached = true;
    if (state.placed) {
        reached = mover_.add(trajectory.path, places, site());
    } else {
        // The machine may stand in any pose when it begins: first it lifts the tool where it is.
        const auto lifted = mover_.reach(places[1], site());
        if (lifted) add_line(trajectory.path, *lifted, 32);
        reached = lifted && mover_.add(trajectory.path, places.subspan(1), site());
    }
    if (!reached) {
        trajectory.path.clear();
        trajectory.path.add(here);
        return stop(Phase::stopped_out_of_reach);
    }
    AxisLimits limits = limits_;
    for (double& speed : limits.forward) speed *= parameters.speed_share;
    for (double& speed : limits.backward) speed *= parameters.speed_share;
    for (std::size_t i = 0; i < trajectory.path.count; ++i) trajectory.path.knots[i][mover_.jaw()] = 0;
    plan(trajectory, mover_.axis_count(), limits);
    state.goal = places.back();
    state.placed = true;
    state.elapsed = 0;
    enter(phase);
}

bool Automation::arrived(double tolerance) {
    if (state.elapsed < state.trajectory.duration()) return false;
    const double aside =
        std::max(std::abs(state.place.along - state.goal.along), std::abs(state.place.travel - state.goal.travel));
    const double high = std::abs(state.place.bottom - state.goal.bottom);
    if (high <= tolerance && aside <= 1.5 * tolerance) return true;
    if (state.elapsed > state.trajectory.duration() + patience) stop(Phase::stopped_not_following);
    return false;
}

bool Automation::finished() const {
    return parameters.end_when_done && (outputs.phase == Phase::done || stopped()) && state.in_phase >= 1;
}

std::string Automation::explanation() {
    const auto number = [](double value) { return std::to_string(value); };
    const std::string column = "column " + std::to_string(state.column + 1) + " of " + std::to_string(columns_);
    const std::string since_start =
        state.begun ? "" : " " + number(parameters.edge_window) + " s and two cycles after the start";
    switch (outputs.phase) {
        case Phase::stopped_edge_invalid:
            return std::string("no azimuth of the edge is valid") + since_start + ", expected at least one";
        case Phase::stopped_edge_frozen:
            return "edge.sequence stays at " + std::to_string(state.sequence) + since_start +
                   ", expected a new edge every cycle";
        case Phase::stopped_edge_missing:
            return "the edge shows less than half of " + column + " after " + number(parameters.edge_patience) + " s";
        case Phase::stopped_out_of_reach:
            return column + " (" + number(middle(state.column)) + " m along the rim, down to " +
                   number(parameters.target) + " m) is out of reach from " + number(state.place.travel) +
                   " m, or the rim up to there is not at the target";
        case Phase::stopped_not_following:
            return "the tool stays at " + number(state.place.along) + " m along the rim, bottom at " +
                   number(state.place.bottom) + " m, expected " + number(state.goal.along) + " m and " +
                   number(state.goal.bottom) + " m";
        case Phase::stopped_not_verified:
            return column + " was not seen to be at the target: its edge is at " +
                   number(state.rim.about(stretch(state.column)).top) + " m after " + std::to_string(state.attempts) +
                   " bites, expected at most " + number(parameters.target + parameters.tolerance) + " m";
        case Phase::stopped_controller_fault:
            return "the controller reports a fault";
        case Phase::stopped_sensor_fault:
            try {
                static_cast<void>(mover_.measure(inputs.readings, site()));
            } catch (const kinematics::RangeError& error) {
                return std::string("no pose of the machine gives these readings: ") + error.what();
            }
            return "no pose of the machine gave the readings";
        case Phase::stopped_rim_not_low:
            if (!lead_is_low())
                return "the rim before the segment, from " + number(lead().first) + " m to " + number(lead().last) +
                       " m, is seen to stand up to " + number(state.ahead.about(lead()).top) +
                       " m high, expected at most " + number(parameters.target + parameters.tolerance) +
                       " m: the machine does not pass it";
            return "the rim is seen up to " + number(state.ahead.end()) + " m, expected up to the segment at " +
                   number(parameters.segment_start) + " m: the machine does not travel over rim that it cannot see";
        default:
            return "";
    }
}

Site Automation::site() const {
    return {.radius = parameters.ring_radius,
            .offset = parameters.offset,
            .pitch = inputs.readings.pitch,
            .roll = inputs.readings.roll};
}

double Automation::column_width() const { return parameters.segment_length / static_cast<double>(columns_); }

double Automation::middle(std::size_t column) const {
    return parameters.segment_start + (static_cast<double>(column) + 0.5) * column_width();
}

Stretch Automation::stretch(std::size_t column) const {
    return {middle(column) - column_width() / 2, middle(column) + column_width() / 2};
}

/// Seen where the edge of a taller neighbour does not blur it; a cut of our own counts until it can be seen. A narrow
/// ridge that still stands counts, the noise of single cells does not.
bool Automation::at_target(std::size_t column) const {
    Stretch inside = stretch(column);
    inside.first += blur_near;
    inside.last -= blur_far;
    const Rim::Knowledge found = state.rim.about(inside);
    return found.known >= least_known && found.top <= parameters.target + parameters.tolerance &&
           ceiling(inside) <= parameters.target + ridge;
}

Stretch Automation::lead() const {
    // The first cells before the segment are blurred by it.
    return {state.ahead.start() + parameters.front, parameters.segment_start - blur_far};
}

bool Automation::lead_is_low() const {
    const Rim::Knowledge found = state.ahead.about(lead());
    return found.known == 0 || found.top <= parameters.target + parameters.tolerance;
}

double Automation::ceiling(const Stretch& stretch) const {
    const double whole = parameters.target + parameters.height;
    // A single cell that seems higher than the wall was is noise, several are not.
    const double highest = std::min(state.rim.ceiling(stretch, whole).value_or(parameters.target), whole);
    const Rim::Knowledge found = state.rim.about(stretch);
    return std::max({found.known > 0 ? found.top : highest, highest, parameters.target});
}

double Automation::clear_height(double travel) const {
    return ceiling({state.place.travel, travel + tool_reach}) + parameters.clearance;
}

bool Automation::within_reach(std::size_t column, double travel) {
    ToolPlace place{.along = middle(column), .bottom = parameters.target + parameters.aim, .travel = travel};
    if (!mover_.reach(place, site())) return false;
    place.bottom = clear_height(std::max(travel, state.place.travel));
    return mover_.reach(place, site()).has_value();
}

}  // namespace models::planning
