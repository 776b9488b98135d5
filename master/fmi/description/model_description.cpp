#include "master/fmi/description/model_description.hpp"

#include "master/base/error.hpp"

namespace master::fmi {

void choose(ModelDescription& description, Interface kind) {
    const bool co_simulation = kind == Interface::co_simulation;
    const std::string wanted = co_simulation ? "co-simulation" : "model exchange";
    const auto& offered = co_simulation ? description.co_simulation : description.model_exchange;
    if (!offered) {
        std::string others;
        if (description.co_simulation) others = "co-simulation";
        if (description.model_exchange) others = "model exchange";
        if (description.scheduled_execution) others += others.empty() ? "scheduled execution" : ", scheduled execution";
        throw base::Error("no-interface", description.file.string(),
                          "model '" + description.info.model_name + "' does not offer " + wanted + "; it offers " +
                              (others.empty() ? "no interface" : others));
    }
    description.info.interface = wanted;
    description.info.can = offered->can;
    description.info.fixed_internal_step = offered->fixed_internal_step;
}

}  // namespace master::fmi
