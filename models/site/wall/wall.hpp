#pragma once

#include "models/site/wall/ring.hpp"

#include <array>
#include <cstdint>
#include <tuple>
#include <vector>

namespace models::wall {

/// The chamber of the tool: an oriented box around the tool point.
struct ToolBox {
    std::array<double, 7> pose{0, 0, 0, 0, 0, 0, 1};  // x y z qx qy qz qw, world
    std::array<double, 3> size{};                     // full edge lengths
};

/// What one bite did.
struct Bite {
    std::size_t moved = 0;           // vertices
    double volume = 0;               // taken away
    double area = 0;                 // of the top surface that was pushed down
    std::array<double, 3> centre{};  // of that area, world; meaningless if nothing moved
};

/// A ring wall that a tool demolishes from above.
///
/// Rule: while the jaw closes on the wall, a top vertex under or in the footprint of the tool box and above
/// the bottom of the box goes to max(base, bottom of the box); for a tilted box the bottom is that above the vertex. So
/// heights never grow, and the same bite again changes nothing. Volume is the trapezoid rule of r h over (r, azimuth).
///
/// Contact: a closing jaw crushes the top surface it pushes down with `strength` times its area, at most
/// `largest_force`, in the step in which it goes. The two shells press against each other, so only the share `reaction`
/// of that force acts on the tool from outside: upwards, at the centre of the crushed area.
struct Wall {
    Ring ring;
    /// Sizes that follow from the ring, for those who look at the wall.
    struct Sizes {
        double face_radius = 0;  // of the inner face
        double span = 0;         // rad, from the first column to the last
        double length = 0;       // along the rim at the mean radius
    } sizes;
    /// Steps cut into the start wall at random places; none with seed 0.
    struct Notches {
        std::uint64_t seed = 0, count = 12;
        double depth = 0.6, width = 1.0;  // the largest ones; a notch has at least a fifth of each
    } notches;
    struct Jaw {
        double closing_sign = 1;        // of the velocity that closes: 1 if the cylinder extends
        double contact_position = 0.1;  // m, the shells touch the wall from here on in closing direction
        double smallest_speed = 1e-3;   // m/s, slower is standing still
    } jaw;
    struct Contact {
        double strength = 30e6;  // Pa, concrete C25/30
        double largest_force = 400e3;
        double reaction = 0.05;
    } contact;
    struct Inputs {
        ToolBox tool;
        double jaw_position = 0, jaw_velocity = 0;
    } inputs;
    struct State {
        std::vector<double> heights;
        double initial_volume = 0, volume = 0, removed = 0;
        bool contact_active = false;
        double contact_force = 0;
        std::array<double, 6> tool_external{};  // force, then torque, at the tool point, world axes
        auto members() {
            return std::tie(heights, initial_volume, volume, removed, contact_active, contact_force, tool_external);
        }
    } state;

    Wall() { configure(); }
    /// Sizes follow ring.columns and ring.rows.
    void configure();
    void initialize(double t);
    void step(double t, double h);
    /// The rule alone, whatever the jaw does.
    Bite push_down(const ToolBox& box);
    auto members() { return std::tie(ring, sizes, notches, jaw, contact, inputs, state); }

private:
    void cut_notches();
    [[nodiscard]] bool closes_on_wall() const;
};

/// Trapezoid rule of r h over the grid.
[[nodiscard]] double volume_of(const Ring& ring, const std::vector<double>& heights);

}  // namespace models::wall
