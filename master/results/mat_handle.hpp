#pragma once

#include <matio.h>

namespace master::results {

/// Deleters of what matio hands out.
struct CloseMat {
    void operator()(mat_t* mat) const { Mat_Close(mat); }
};
struct FreeVariable {
    void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};

}  // namespace master::results
