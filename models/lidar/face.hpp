#pragma once

#include "models/wall/ring.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace models::lidar {

/// The inner face of the wall, for rays from inside the ring: a ray leaves the polygon of its foot through one column,
/// and nothing of the wall is nearer than the face there. This settles most rays; to find the column of one from that
/// of the ray before costs less than to search a tree.
class Face {
public:
    explicit Face(const wall::Ring& ring);
    /// Heights of the vertices of some columns, from `first` on, all rows of each.
    void set_heights(std::size_t first, std::span<const double> heights);

    struct Origin {
        double x = 0, y = 0, z = 0;
    };
    struct Direction {
        double x = 1, y = 0, z = 0;  // of length 1
    };
    enum class Answer : std::uint8_t { above, below, met, unknown };
    /// Where a ray goes through the column it leaves by: above the wall's top there, below its base, or it meets the
    /// face. Unknown is what is too close to a border of the face or too grazing for single precision to agree on.
    struct Crossing {
        Answer answer = Answer::unknown;
        double range = 0, height = 0, cosine = 0;  // height: world z; cosine: of the incidence
    };
    /// Whether the questions below have an answer from here.
    [[nodiscard]] bool surrounds(const Origin& origin) const;
    /// `column` is where the search begins and, afterwards, where it ended; the answer does not depend on it.
    [[nodiscard]] Crossing cross(const Origin& from, const Direction& to, std::size_t& column) const;
    [[nodiscard]] std::size_t columns() const { return vertices_.size() - 1; }

private:
    struct Vertex {
        double x = 0, y = 0, top = 0;  // world
    };
    double base_ = 0;
    double within_ = 0;      // radius of a circle inside the polygon, squared; 0: there is none
    double per_length_ = 1;  // one over the width of a column
    std::size_t rows_ = 1;
    std::vector<Vertex> vertices_;  // of the columns
};

inline Face::Crossing Face::cross(const Origin& from, const Direction& to, std::size_t& column) const {
    constexpr double grazing = 0.05, border = 1e-3;  // cosine; m
    // A vertex is to the left of the ray if this is above 0.
    const double offset = to.x * from.y - to.y * from.x;
    const auto side = [&](const Vertex& vertex) { return to.x * vertex.y - to.y * vertex.x - offset; };
    const Vertex* right = &vertices_[column];
    double right_side = side(*right), left_side = side(right[1]);
    while (right_side >= 0 && right != vertices_.data()) {
        --right;
        left_side = right_side;
        right_side = side(*right);
    }
    while (left_side < 0 && right + 2 != vertices_.data() + vertices_.size()) {
        ++right;
        right_side = left_side;
        left_side = side(right[1]);
    }
    column = static_cast<std::size_t>(right - vertices_.data());
    const Vertex& left = right[1];
    const double across = left_side - right_side, cosine = across * per_length_;
    if (right_side >= 0 || left_side < 0 || cosine < grazing) return {};
    const double inverse = 1 / across;
    const double range =
        ((right->x - from.x) * (left.y - right->y) - (right->y - from.y) * (left.x - right->x)) * inverse;
    const double height = from.z + range * to.z;
    const double top = right->top - right_side * inverse * (left.top - right->top);
    Answer answer = Answer::unknown;
    if (height > top + border)
        answer = Answer::above;
    else if (height < base_ - border)
        answer = Answer::below;
    else if (height < top - border && height > base_ + border)
        answer = Answer::met;
    return {.answer = answer, .range = range, .height = height, .cosine = cosine};
}

}  // namespace models::lidar
