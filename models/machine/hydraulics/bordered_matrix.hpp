#pragma once

#include "models/machine/hydraulics/equations.hpp"

namespace models::hydraulics {

/// d I - J, factorised. Each axis is a 2 x 2 block that sees the others through the supply pressure and the sensed load
/// only; eliminating the blocks leaves two equations for supply pressure and pump flow.
class BorderedMatrix {
public:
    BorderedMatrix(const Parameters& parameters, const Slopes& slopes, double d);
    [[nodiscard]] Fluid solve(const Fluid& right) const;

private:
    struct Block {
        double aa = 0, ab = 0, ba = 0, bb = 0;  // inverse of d I - its own Jacobian
        double a_by_supply = 0, b_by_supply = 0, a_by_load = 0, b_by_load = 0;
        double draw_a = 0, draw_b = 0;
    };

    std::size_t count_;
    PerAxis<Block> blocks_;
    std::size_t lead_;
    bool lead_in_a_;
    double load_by_lead_;    // sensed load = this times the lead's own solution ...
    double load_by_supply_;  // ... plus this times the supply pressure
    double stiffness_;       // supply pressure rate per flow
    double supply_by_load_, flow_by_load_;
    double pp_, pq_, qp_, qq_;  // inverse of the border
};

}  // namespace models::hydraulics
