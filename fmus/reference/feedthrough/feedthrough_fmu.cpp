#include "fmus/common/declaring/instance_of.hpp"
#include "models/reference/feedthrough/feedthrough.hpp"

namespace {

class FeedthroughFmu final : public fmus::InstanceOf<models::Feedthrough> {
public:
    FeedthroughFmu() {
        about({.name = "Feedthrough", .description = "Hands every input on to an output", .stop = 2, .step = 0.1});
        enumeration<models::Feedthrough::Option>({"Option", {{"Option 1", 1}, {"Option 2", 2}}});
        input("Float32_continuous_input", model_.inputs.float32_continuous);
        output("Float32_continuous_output", model_.outputs.float32_continuous).depends_on({"Float32_continuous_input"});
        input("Float32_discrete_input", model_.inputs.float32_discrete).discrete();
        output("Float32_discrete_output", model_.outputs.float32_discrete)
            .discrete()
            .depends_on({"Float32_discrete_input"});
        parameter("Float64_fixed_parameter", model_.parameters.fixed);
        parameter("Float64_tunable_parameter", model_.parameters.tunable).tunable();
        input("Float64_continuous_input", model_.inputs.float64_continuous);
        output("Float64_continuous_output", model_.outputs.float64_continuous).depends_on({"Float64_continuous_input"});
        input("Float64_discrete_input", model_.inputs.float64_discrete).discrete();
        output("Float64_discrete_output", model_.outputs.float64_discrete)
            .discrete()
            .depends_on({"Float64_discrete_input"});
        input("Int8_input", model_.inputs.int8);
        output("Int8_output", model_.outputs.int8).depends_on({"Int8_input"});
        input("UInt8_input", model_.inputs.uint8);
        output("UInt8_output", model_.outputs.uint8).depends_on({"UInt8_input"});
        input("Int16_input", model_.inputs.int16);
        output("Int16_output", model_.outputs.int16).depends_on({"Int16_input"});
        input("UInt16_input", model_.inputs.uint16);
        output("UInt16_output", model_.outputs.uint16).depends_on({"UInt16_input"});
        input("Int32_input", model_.inputs.int32);
        output("Int32_output", model_.outputs.int32).depends_on({"Int32_input"});
        input("UInt32_input", model_.inputs.uint32);
        output("UInt32_output", model_.outputs.uint32).depends_on({"UInt32_input"});
        input("Int64_input", model_.inputs.int64);
        output("Int64_output", model_.outputs.int64).depends_on({"Int64_input"});
        input("UInt64_input", model_.inputs.uint64);
        output("UInt64_output", model_.outputs.uint64).depends_on({"UInt64_input"});
        input("Boolean_input", model_.inputs.boolean);
        output("Boolean_output", model_.outputs.boolean).depends_on({"Boolean_input"});
        input("String_input", model_.inputs.string);
        output("String_output", model_.outputs.string).depends_on({"String_input"});
        input("Binary_input", model_.inputs.binary).binary("application/octet-stream");
        output("Binary_output", model_.outputs.binary).binary("application/octet-stream").depends_on({"Binary_input"});
        input("Enumeration_input", model_.inputs.enumeration);
        output("Enumeration_output", model_.outputs.enumeration).depends_on({"Enumeration_input"});
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<FeedthroughFmu>(); }
