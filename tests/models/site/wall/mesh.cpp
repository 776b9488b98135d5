#include "models/site/wall/mesh.hpp"

#include "models/site/wall/wall.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <utility>

using models::wall::make_mesh;
using models::wall::Mesh;
using models::wall::Wall;

namespace {

/// By the divergence theorem: positive if the triangles look outwards.
double enclosed_volume(const Mesh& mesh) {
    double sum = 0;
    for (const auto& [a, b, c] : mesh.triangles) {
        const auto &p = mesh.vertices[a], &q = mesh.vertices[b], &r = mesh.vertices[c];
        sum += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
               p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    return sum / 6;
}

}  // namespace

TEST_CASE("the mesh of a notched wall is closed and encloses its volume") {
    Wall wall;
    wall.notches.seed = 3;
    wall.initialize(0);
    const Mesh mesh = make_mesh(wall.ring, wall.state.heights);

    std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
    for (const auto& triangle : mesh.triangles)
        for (std::size_t i = 0; i < 3; ++i) ++edges[{triangle[i], triangle[(i + 1) % 3]}];
    for (const auto& [edge, count] : edges) {
        REQUIRE(count == 1);
        REQUIRE(edges.count({edge.second, edge.first}) == 1);
    }
    // Chords instead of arcs take away the share step^2 / 6 = 7e-8; a step's slope lies in other triangles than the
    // trapezoid rule's, one of the order of a radial cell's share of the radius.
    CHECK(enclosed_volume(mesh) == Approx(wall.state.volume).epsilon(1e-4));
}

TEST_CASE("a plain wall's mesh has its volume up to the chords") {
    Wall wall;
    wall.initialize(0);
    CHECK(enclosed_volume(make_mesh(wall.ring, wall.state.heights)) == Approx(wall.state.volume).epsilon(1e-7));
}

TEST_CASE("heights of another grid make no mesh") {
    const Wall wall;
    CHECK_THROWS_WITH(make_mesh(wall.ring, std::vector<double>(7)), Catch::Contains("7 heights"));
}
