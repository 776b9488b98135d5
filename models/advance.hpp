#pragma once

namespace models {

/// How far a model that advances by itself came; `event` says that its discrete state must be updated there.
struct Advance {
    double reached = 0;
    bool event = false;
};

}  // namespace models
