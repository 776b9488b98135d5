#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/sum/sum.hpp"

#include <string>
#include <vector>

namespace {

/// The sum of several signals, for what no map can say. Inputs are scalars, so that any tool connects them one by one.
class SumFmu final : public fmus::InstanceOf<models::Sum> {
public:
    SumFmu() {
        about({.description = "y = offset + sum of k_i u_i", .linear = true});
        std::vector<std::string> inputs;
        for (std::size_t i = 0; i < models::Sum::most; ++i) {
            const std::string number = std::to_string(i + 1);
            inputs.push_back("u" + number);
            input(inputs.back(), "", model_.inputs.u[i])
                .describe("Signal " + number + ", 0 where nothing is connected");
            parameter("k" + number, "", model_.parameters.k[i]).describe("Its gain");
        }
        parameter("offset", "", model_.parameters.offset).describe("Added to the sum");
        output("y", "", model_.outputs.y).depends_on(inputs).describe("The sum");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<SumFmu>(); }
