// Prints what the equations of motion need, for comparison with another library.
// usage: mechanics_terms MACHINE.urdf < states     one state per line: q of every moving joint, then v
// The first line of the output names the joints; then per state: mass matrix row by row, bias, gravity.
#include "fmus/common/machine/machine.hpp"
#include "models/machine/mechanics/tree.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>

int main(int count, char** arguments) {
    using namespace models::mechanics;
    if (count != 2) return 2;
    try {
        const auto machine = fmus::read_machine(arguments[1]);
        const Tree tree(machine);
        for (std::size_t i = 0; i < machine.joints.size(); ++i)
            if (tree.coordinate(i)) std::printf("%s ", machine.joints[i].name.c_str());
        std::printf("\n");
        JointVector q{}, v{};
        const auto read = [&](JointVector& values) {
            for (std::size_t i = 0; i < tree.size(); ++i) std::cin >> values[i];
            return static_cast<bool>(std::cin);
        };
        while (read(q) && read(v)) {
            Terms terms;
            tree.evaluate(q, v, {}, terms);
            for (std::size_t i = 0; i < tree.size(); ++i)
                for (std::size_t j = 0; j < tree.size(); ++j)
                    std::printf("%.17g ", terms.mass[std::max(i, j)][std::min(i, j)]);
            for (std::size_t i = 0; i < tree.size(); ++i) std::printf("%.17g ", terms.bias[i]);
            for (std::size_t i = 0; i < tree.size(); ++i) std::printf("%.17g ", terms.gravity[i]);
            std::printf("\n");
        }
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "%s\n", problem.what());
        return 1;
    }
}
