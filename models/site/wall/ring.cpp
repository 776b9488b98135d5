#include "models/site/wall/ring.hpp"

#include "models/parameter_check.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace models::wall {

namespace {

constexpr ParameterCheck ring_check("wall");

}  // namespace

void check_grid(const Ring& ring) {
    if (ring.columns < 2)
        ring_check.refuse("n_phi", static_cast<double>(ring.columns), "at least 2 vertices along the rim");
    if (ring.rows < 2) ring_check.refuse("n_r", static_cast<double>(ring.rows), "at least 2 vertices across the wall");
    if (ring.columns <= most_vertices && ring.rows <= most_vertices / ring.columns) return;
    throw std::invalid_argument("wall: 'n_phi' x 'n_r' = " + std::to_string(ring.columns) + " x " +
                                std::to_string(ring.rows) + " vertices, the memory is meant for at most " +
                                std::to_string(most_vertices) + "; use a coarser 'ring.spacing'");
}

void check(const Ring& ring) {
    check_grid(ring);
    ring_check.positive("ring.radius", ring.radius);
    ring_check.positive("ring.thickness", ring.thickness);
    ring_check.positive("ring.height", ring.height);
    ring_check.positive("ring.spacing", ring.spacing);
    if (!std::isfinite(ring.base)) ring_check.refuse("ring.base", ring.base, "a finite number");
    if (!std::isfinite(ring.start)) ring_check.refuse("ring.start", ring.start, "a finite number");
    if (ring.thickness >= 2 * ring.radius)
        ring_check.refuse("ring.thickness", ring.thickness, "less than twice 'ring.radius'");
    if (ring.span() > 2 * std::numbers::pi)
        ring_check.refuse("ring.spacing", ring.spacing, "at most the circumference over n_phi - 1 columns");
}

}  // namespace models::wall
