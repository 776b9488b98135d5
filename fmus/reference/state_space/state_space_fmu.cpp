#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/state_space/state_space.hpp"

namespace {

class StateSpaceFmu final : public fmus::InstanceOf<models::StateSpace> {
public:
    StateSpaceFmu() {
        about({.name = "StateSpace",
               .description = "A linear system of any size",
               .stop = 10,
               .step = 0.1,
               .linear = true});
        structural_parameter("m", model_.sizes.m).max(largest).describe("Number of inputs");
        structural_parameter("n", model_.sizes.n).max(largest).describe("Number of states");
        structural_parameter("r", model_.sizes.r).max(largest).describe("Number of outputs");
        parameter("A", model_.parameters.A).tunable().dimensions({"n", "n"}).describe("System matrix");
        parameter("B", model_.parameters.B).tunable().dimensions({"n", "m"}).describe("Input matrix");
        parameter("C", model_.parameters.C).tunable().dimensions({"r", "n"}).describe("Output matrix");
        parameter("D", model_.parameters.D).tunable().dimensions({"r", "m"}).describe("Feedthrough matrix");
        parameter("x0", model_.parameters.x0).dimensions({"n"}).describe("State at the start");
        input("u", model_.u).dimensions({"m"}).describe("Inputs");
        output("y", model_.y).dimensions({"r"}).depends_on({"u", "x"}).describe("Outputs");
        local("x", model_.x).dimensions({"n"}).describe("State");
        derivative("der(x)", "", model_.rate, "x").dimensions({"n"}).depends_on({"u", "x"});
    }

private:
    static constexpr double largest = 1000;  // a matrix then takes 8 MB
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<StateSpaceFmu>(); }
