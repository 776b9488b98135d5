#include "interfaces/mesh_file/mesh_file.hpp"

#include "models/site/wall/mesh.hpp"
#include "models/site/wall/wall.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <fstream>
#include <iterator>
#include <sstream>

namespace mesh_file = interfaces::mesh_file;

namespace {

models::wall::Mesh small_mesh() {
    models::wall::Wall wall;
    wall.ring.columns = 11;
    wall.configure();
    wall.initialize(0);
    return make_mesh(wall.ring, wall.state.heights);
}

}  // namespace

TEST_CASE("an OBJ file gives back every vertex and triangle exactly") {
    const models::wall::Mesh mesh = small_mesh();
    std::istringstream text(mesh_file::obj({mesh.vertices, mesh.triangles}));
    std::vector<std::array<double, 3>> vertices;
    std::vector<std::array<std::uint32_t, 3>> triangles;
    std::string kind;
    while (text >> kind) {
        if (kind == "v") {
            auto& v = vertices.emplace_back();
            text >> v[0] >> v[1] >> v[2];
        } else {
            REQUIRE(kind == "f");
            auto& f = triangles.emplace_back();
            text >> f[0] >> f[1] >> f[2];
            for (auto& index : f) --index;
        }
    }
    CHECK(vertices == mesh.vertices);
    CHECK(triangles == mesh.triangles);
}

TEST_CASE("a PLY file states its counts and holds exactly the bytes for them") {
    const models::wall::Mesh mesh = small_mesh();
    const std::string text = mesh_file::ply({mesh.vertices, mesh.triangles});
    CHECK_THAT(text, Catch::StartsWith("ply\nformat binary_little_endian 1.0\nelement vertex 110\n"));
    const std::size_t body = text.find("end_header\n") + 11;
    REQUIRE(text.size() - body == mesh.vertices.size() * 24 + mesh.triangles.size() * 13);
    double x = 0;  // this host is little endian
    std::memcpy(&x, text.data() + body + 24, sizeof x);
    CHECK(x == mesh.vertices[1][0]);
    std::uint32_t index = 0;
    std::memcpy(&index, text.data() + text.size() - 4, sizeof index);
    CHECK(index == mesh.triangles.back()[2]);
}

TEST_CASE("a mesh is written by the ending of its file's name") {
    const models::wall::Mesh mesh = small_mesh();
    const mesh_file::Surface surface{mesh.vertices, mesh.triangles};
    const std::string file = std::string(TANDEM_BUILD_DIR) + "/mesh_file_test.obj";
    mesh_file::write(file, surface);
    std::ifstream stream(file, std::ios::binary);
    const std::string text(std::istreambuf_iterator<char>(stream), {});
    CHECK(text == mesh_file::obj(surface));
    CHECK_THROWS_WITH(mesh_file::write("wall.stl", surface), Catch::Contains("known endings are .ply and .obj"));
    CHECK_THROWS_WITH(mesh_file::write("/nowhere/wall.ply", surface), Catch::Contains("/nowhere/wall.ply"));
}

TEST_CASE("a triangle without its vertex is refused") {
    const std::vector<std::array<double, 3>> vertices(3);
    const std::vector<std::array<std::uint32_t, 3>> triangles{{0, 1, 3}};
    CHECK_THROWS_WITH(mesh_file::ply({vertices, triangles}), Catch::Contains("vertex 3"));
    CHECK_THROWS_WITH(mesh_file::obj({vertices, triangles}), Catch::Contains("vertex 3"));
}
