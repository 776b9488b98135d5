#pragma once

#include "models/machine/kinematics/sensors.hpp"
#include "models/machine/kinematics/tree.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace models::steering {

/// A person at the levers who takes one bite: lowers the tool to the edge that he sees, closes the jaw until it stands,
/// opens it and goes back up. He sees the machine as its sensors say and steers by what he sees, so a late picture
/// makes him go too far. One axis at a time: the boom, then the jaw.
class Steering {
public:
    enum class Stage : std::int64_t { watch, lower, close, open, raise, done };
    /// Levers, -1 to 1.
    struct Levers {
        double boom = 0, jaw = 0;
    };
    /// What he sees of the machine. `edge`: heights above the rim from `edge_start` over `edge_span`, NaN: not seen.
    struct View {
        kinematics::Sensors::Readings readings;
        double jaw = 0;  // stroke, m
        std::span<const double> edge;
    };
    struct Parameters {
        double depth = 0;                        // m, the middle of the chamber below the edge
        double gain = 4;                         // lever per m of distance
        double slowest = 0.25;                   // of the lever: below, a valve may not open
        double pull = 0.3;                       // s, when he is careful
        double patience = 1;                     // s between pulls
        double close_enough = 0.02;              // m
        double settled = 0.6;                    // s that something stands until he believes it
        double edge_start = 0, edge_span = 0.3;  // rad
        [[nodiscard]] bool operator==(const Parameters&) const = default;
    } parameters;
    struct Outputs {
        Stage stage = Stage::watch;
        double height = 0, target = 0;  // m, of the tool point as he sees it, and where he wants it
        double finished = 0;            // s, when he was done; 0: not yet
    } outputs;

    Steering() = default;
    explicit Steering(const kinematics::Machine& machine);

    void initialize();
    /// Nothing before he sees something; he keeps his levers neutral until he has seen machine and edge.
    [[nodiscard]] Levers steer(const std::optional<View>& view, double t);

    [[nodiscard]] const kinematics::Sensors& sensors() const { return sensors_; }
    auto members() { return std::tie(parameters, outputs, joints_, positions_, state_); }

private:
    struct State {
        double begin_height = 0, begin_jaw = 0;  // to go back to
        double since = 0;                        // s, when it was first true that he is there
        double last_jaw = 0;
        double pull_begin = 0;  // s, of the last one
        int direction = 0;      // of the boom, towards the target
        bool there = false, careful = false;
    };
    [[nodiscard]] bool see(const View& view);
    [[nodiscard]] double edge_height(const View& view) const;
    [[nodiscard]] bool at_target() const;
    [[nodiscard]] double boom_lever(double t);
    /// True once `now_true` held for as long as it takes to believe it.
    [[nodiscard]] bool stays(bool now_true, double t);
    void go_to(Stage stage, double t);

    kinematics::Sensors sensors_;
    kinematics::Tree tree_;
    std::vector<double> joints_, positions_;
    std::vector<Eigen::Isometry3d> poses_;
    double azimuth_ = 0;  // of the tool point
    State state_;
};

}  // namespace models::steering
