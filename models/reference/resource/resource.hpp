#pragma once

namespace models {

/// A constant that comes from outside: the code of the first character of a file.
struct Resource {
    struct Outputs {
        double y = 0;
    } outputs;

    void evaluate(double) {}
};

}  // namespace models
