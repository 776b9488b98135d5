#include "models/machine/hydraulics/bordered_matrix.hpp"

namespace models::hydraulics {

BorderedMatrix::BorderedMatrix(const Parameters& parameters, const Slopes& slopes, double d)
    : count_(parameters.count),
      lead_(slopes.lead),
      lead_in_a_(slopes.lead_in_a),
      stiffness_(slopes.stiffness),
      flow_by_load_(slopes.flow_by_load) {
    double draw_by_supply = 0, draw_by_load = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const AxisSlopes& axis = slopes.axes[i];
        Block& block = blocks_[i];
        const double scale = 1 / ((d - axis.aa) * (d - axis.bb) - axis.ab * axis.ba);
        block.aa = (d - axis.bb) * scale;
        block.ab = axis.ab * scale;
        block.ba = axis.ba * scale;
        block.bb = (d - axis.aa) * scale;
        block.a_by_supply = block.aa * axis.ap + block.ab * axis.bp;
        block.b_by_supply = block.ba * axis.ap + block.bb * axis.bp;
        block.a_by_load = block.aa * axis.al + block.ab * axis.bl;
        block.b_by_load = block.ba * axis.al + block.bb * axis.bl;
        block.draw_a = axis.draw_a;
        block.draw_b = axis.draw_b;
        draw_by_supply += axis.draw_p + axis.draw_a * block.a_by_supply + axis.draw_b * block.b_by_supply;
        draw_by_load += axis.draw_l + axis.draw_a * block.a_by_load + axis.draw_b * block.b_by_load;
    }
    // load = weight (own + by_supply * supply + by_load * load), solved for the load.
    const Block& lead = blocks_[lead_];
    const double lead_by_supply = lead_in_a_ ? lead.a_by_supply : lead.b_by_supply;
    const double lead_by_load = lead_in_a_ ? lead.a_by_load : lead.b_by_load;
    load_by_lead_ = slopes.load_by_lead / (1 - slopes.load_by_lead * lead_by_load);
    load_by_supply_ = load_by_lead_ * lead_by_supply;
    supply_by_load_ = -stiffness_ * draw_by_load;

    const double pp = d - slopes.supply_by_supply + stiffness_ * draw_by_supply - supply_by_load_ * load_by_supply_;
    const double pq = -slopes.supply_by_flow;
    const double qp = -slopes.flow_by_supply - flow_by_load_ * load_by_supply_;
    const double qq = d - slopes.flow_by_flow;
    const double scale = 1 / (pp * qq - pq * qp);
    pp_ = qq * scale;
    pq_ = -pq * scale;
    qp_ = -qp * scale;
    qq_ = pp * scale;
}

Fluid BorderedMatrix::solve(const Fluid& right) const {
    Fluid result;
    double draw = 0;
    for (std::size_t i = 0; i < count_; ++i) {
        const Block& block = blocks_[i];
        result.a[i] = block.aa * right.a[i] + block.ab * right.b[i];
        result.b[i] = block.ba * right.a[i] + block.bb * right.b[i];
        draw += block.draw_a * result.a[i] + block.draw_b * result.b[i];
    }
    const double own = load_by_lead_ * (lead_in_a_ ? result.a[lead_] : result.b[lead_]);
    const double supply = right.supply - stiffness_ * draw + supply_by_load_ * own;
    const double flow = right.flow_rate + flow_by_load_ * own;
    result.supply = pp_ * supply + pq_ * flow;
    result.flow_rate = qp_ * supply + qq_ * flow;
    const double load = own + load_by_supply_ * result.supply;
    for (std::size_t i = 0; i < count_; ++i) {
        const Block& block = blocks_[i];
        result.a[i] += block.a_by_supply * result.supply + block.a_by_load * load;
        result.b[i] += block.b_by_supply * result.supply + block.b_by_load * load;
    }
    return result;
}

}  // namespace models::hydraulics
