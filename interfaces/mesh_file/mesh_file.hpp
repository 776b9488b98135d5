#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace interfaces::mesh_file {

/// A surface of triangles, looked at; indices count from 0.
struct Surface {
    std::span<const std::array<double, 3>> vertices;
    std::span<const std::array<std::uint32_t, 3>> triangles;
};

/// Writes a surface as PLY (binary, little endian) or Wavefront OBJ, by the ending of the name. Throws
/// std::runtime_error for another ending, for an index without a vertex, and if the file cannot be written.
void write(const std::string& file, const Surface& surface);

/// The contents of such a file.
[[nodiscard]] std::string ply(const Surface& surface);
[[nodiscard]] std::string obj(const Surface& surface);

}  // namespace interfaces::mesh_file
