#pragma once

#include "models/advance.hpp"

namespace models {

/// A ball that falls on a floor at h = 0 and rebounds with e times its speed; it rests once that is below v_min.
/// Flight is a parabola, so impacts are found in closed form.
struct BouncingBall {
    struct Parameters {
        double g = -9.81, e = 0.7;
    } parameters;
    double v_min = 0.1;
    struct State {
        double h = 1, v = 0;
        bool resting = false;
    } state;
    struct Rates {
        double h = 0, v = 0;
    } rates;
    double indicator = 0;  // changes sign at an impact

    void evaluate(double t);
    Advance step(double t, double h);
    bool update(double t);

private:
    void fly(double duration);
    [[nodiscard]] double time_to_impact() const;
};

}  // namespace models
