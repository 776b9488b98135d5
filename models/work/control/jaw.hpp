#pragma once

#include "models/machine/motion/speed_curve.hpp"

namespace models::control {

struct JawParameters {
    motion::Speeds speeds{.extend = 0.091, .retract = 0.11};  // at full command
    double lower = 0, upper = 0.259;                          // ends of the stroke
    double relief_pressure = 28e6;
    double share = 0.8;      // of the relief pressure: the jaw stands against something
    double settling = 0.05;  // s, how long the pressure must stand there; starting peaks are shorter
    double allowance = 1.5;  // of the time to an end: a slow jaw gets that much longer
};

/// What the two pressure sensors of the jaw say.
struct JawPressures {
    double a = 0, b = 0;
};

/// A jaw without a position sensor: full command until the pressure shows that it stands, or until the time of the way
/// has passed. The way is counted from the last end it was seen to reach, so a target between the ends is met as well
/// as the speeds are known.
struct Jaw {
    double command = 0;
    double estimate = 0;  // of the position
    bool known = false;   // it has been at an end
    double target = 0;
    double left = 0;      // s, until the time of the way has passed
    double standing = 0;  // s, since the pressure stands

    void begin(double place);
    void aim(double place, const JawParameters& parameters);
    void step(double h, const JawPressures& pressures, const JawParameters& parameters);
    [[nodiscard]] bool rests() const { return command == 0; }
};

}  // namespace models::control
