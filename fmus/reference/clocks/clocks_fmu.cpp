#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/clocks/clocks.hpp"

namespace {

class ClocksFmu final : public fmus::InstanceOf<models::Clocks> {
public:
    ClocksFmu() {
        about({.name = "Clocks",
               .description = "Counts the ticks of constant, triggered and countdown clocks",
               .stop = 10});
        const std::vector<std::string> inputs{"inClock1", "inClock2", "inClock3"};
        input_clock("inClock1", model_.active.in1, {.kind = fmus::ClockKind::constant, .interval = 1, .resolution = 1})
            .describe("Ticks every second");
        input_clock("inClock2", model_.active.in2, {.kind = fmus::ClockKind::triggered}).describe("Ticks when told");
        input_clock("inClock3", model_.active.in3,
                    {.kind = fmus::ClockKind::countdown, .countdown = fmus::scalar_cell(model_.countdown)})
            .describe("Ticks half a second after every third tick of inClock1");
        output_clock("outClock", model_.active.out, {.kind = fmus::ClockKind::triggered})
            .of_clocks(inputs)
            .depends_on(inputs)
            .describe("Ticks with every fifth tick of all input clocks");
        output("inClock1Ticks", model_.outputs.in1).of_clocks({"inClock1"}).depends_on({"inClock1"});
        output("inClock2Ticks", model_.outputs.in2).of_clocks({"inClock2"}).depends_on({"inClock2"});
        output("inClock3Ticks", model_.outputs.in3).of_clocks({"inClock3"}).depends_on({"inClock3"});
        output("totalInClockTicks", model_.outputs.total).of_clocks(inputs).depends_on(inputs);
        input("input2", model_.inputs.input2).of_clocks({"inClock2"}).describe("Added to result2 at a tick");
        output("result2", model_.outputs.result2).of_clocks({"inClock2"}).depends_on({"inClock2", "input2"});
        output("output3", model_.outputs.output3).of_clocks({"inClock3"}).depends_on({"inClock3"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<ClocksFmu>(); }
