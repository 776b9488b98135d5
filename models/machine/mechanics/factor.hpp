#pragma once

#include "models/machine/mechanics/tree.hpp"

namespace models::mechanics {

/// L D L' of a symmetric positive definite matrix, of which the lower triangle is read.
class Factor {
public:
    Factor(const JointMatrix& matrix, std::size_t size);
    /// The solution takes the place of the right-hand side.
    void solve(JointVector& right_hand_side) const;

private:
    JointMatrix lower_;     // below the diagonal: L
    JointVector inverses_;  // of D
    std::size_t size_;
};

/// matrix * vector, of which the lower triangle is read.
[[nodiscard]] JointVector product(const JointMatrix& matrix, const JointVector& vector, std::size_t size);

}  // namespace models::mechanics
