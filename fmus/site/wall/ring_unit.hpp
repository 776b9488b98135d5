#pragma once

#include "fmus/common/declaring/instance_of.hpp"

namespace fmus {

/// A unit that knows the ring wall. All of them have the same names for it: one parameter set serves the wall, the
/// LiDAR and the kinematics.
template <std::copyable Model>
class RingUnit : public InstanceOf<Model> {
protected:
    /// A ring without `height` is one whose heights are all an input.
    template <class Ring>
    void declare_ring(Ring& ring) {
        this->structural_parameter("n_phi", ring.columns)
            .min(2)
            .describe("Number of vertices of the wall along the rim");
        this->structural_parameter("n_r", ring.rows).min(2).describe("Number of vertices across the wall");
        this->parameter("ring.radius", "m", ring.radius).describe("Radius of the middle of the wall");
        this->parameter("ring.thickness", "m", ring.thickness).describe("Thickness of the wall");
        if constexpr (requires { ring.height; })
            this->parameter("ring.height", "m", ring.height).describe("Height of the undamaged wall above its base");
        this->parameter("ring.base", "m", ring.base).describe("World z of the base; 0 is the target line");
        this->parameter("ring.start", "rad", ring.start).describe("Azimuth of the first vertices, from +x");
        this->parameter("ring.spacing", "m", ring.spacing).describe("Distance of vertices along the rim");
    }
};

}  // namespace fmus
