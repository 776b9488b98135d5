#include "interfaces/mesh_file/mesh_file.hpp"

#include <bit>
#include <charconv>
#include <fstream>
#include <stdexcept>

namespace interfaces::mesh_file {

namespace {

template <class Bits>
void put_little_endian(std::string& text, Bits bits) {
    for (std::size_t i = 0; i < sizeof(Bits); ++i) text.push_back(static_cast<char>((bits >> (8 * i)) & 0xffU));
}

void put_number(std::string& text, double value) {
    std::array<char, 32> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

void check(const Surface& surface) {
    for (const auto& triangle : surface.triangles)
        for (const std::uint32_t index : triangle)
            if (index >= surface.vertices.size())
                throw std::runtime_error("a triangle names vertex " + std::to_string(index) + ", there are " +
                                         std::to_string(surface.vertices.size()));
}

}  // namespace

std::string ply(const Surface& surface) {
    check(surface);
    std::string text =
        "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(surface.vertices.size()) +
        "\nproperty double x\nproperty double y\nproperty double z\nelement face " +
        std::to_string(surface.triangles.size()) + "\nproperty list uchar uint vertex_indices\nend_header\n";
    text.reserve(text.size() + 24 * surface.vertices.size() + 13 * surface.triangles.size());
    for (const auto& vertex : surface.vertices)
        for (const double coordinate : vertex) put_little_endian(text, std::bit_cast<std::uint64_t>(coordinate));
    for (const auto& triangle : surface.triangles) {
        text.push_back(3);
        for (const std::uint32_t index : triangle) put_little_endian(text, index);
    }
    return text;
}

std::string obj(const Surface& surface) {
    check(surface);
    std::string text;
    for (const auto& vertex : surface.vertices) {
        text += 'v';
        for (const double coordinate : vertex) {
            text += ' ';
            put_number(text, coordinate);
        }
        text += '\n';
    }
    for (const auto& triangle : surface.triangles) {
        text += 'f';
        for (const std::uint32_t index : triangle) text += ' ' + std::to_string(index + 1ULL);
        text += '\n';
    }
    return text;
}

void write(const std::string& file, const Surface& surface) {
    const bool as_ply = file.ends_with(".ply");
    if (!as_ply && !file.ends_with(".obj"))
        throw std::runtime_error("cannot write a mesh as '" + file + "', known endings are .ply and .obj");
    const std::string text = as_ply ? ply(surface) : obj(surface);
    std::ofstream stream(file, std::ios::binary);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!stream.flush()) throw std::runtime_error("cannot write '" + file + "'");
}

}  // namespace interfaces::mesh_file
