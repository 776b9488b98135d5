#include "models/machine/motion/speed_curve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

namespace models::motion {

namespace {

struct Point {
    double command, speed;
};

// Quasi-steady speeds of the boom at 20 degrees in m/s.
constexpr std::array extend{Point{0.15, 0},
                            Point{0.2, 0.007546908406990928},
                            Point{0.3, 0.021599276802125214},
                            Point{0.4, 0.034238063121086265},
                            Point{0.5, 0.0455825789022453},
                            Point{0.6, 0.05574758980964136},
                            Point{0.8, 0.07297244873672605},
                            Point{1, 0.0867162064979194}};
constexpr std::array retract{Point{0.15, 0},
                             Point{0.2, 0.008409877228707743},
                             Point{0.3, 0.024535254566744383},
                             Point{0.4, 0.03968150259179765},
                             Point{0.5, 0.05389707598591052},
                             Point{0.7, 0.07972298786015745},
                             Point{1, 0.11262686804157711}};

template <std::size_t N>
double share(const std::array<Point, N>& points, double command) {
    if (command <= points.front().command) return 0;
    if (command >= 1) return 1;
    const auto* const above =
        std::find_if(points.begin(), points.end(), [&](const Point& point) { return point.command >= command; });
    const auto* const below = std::prev(above);
    const double part = (command - below->command) / (above->command - below->command);
    return (below->speed + part * (above->speed - below->speed)) / points.back().speed;
}

}  // namespace

double steady_speed(double command, const Speeds& full) {
    if (command >= 0) return full.extend * share(extend, command);
    return -full.retract * share(retract, -command);
}

Lagged follow(double speed, double target, double lag, double h) {
    const double rest = (speed - target) * std::exp(-h / lag);
    return {.speed = target + rest, .distance = target * h + lag * (speed - target - rest)};
}

}  // namespace models::motion
