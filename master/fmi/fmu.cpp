#include "master/fmi/fmu.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/error.hpp"
#include "master/fmi/description/read_description.hpp"
#include "master/fmi/library/library.hpp"
#include "master/fmi/library/refusals.hpp"
#include "master/fmi/unit/fmi2_unit.hpp"
#include "master/fmi/unit/fmi3_unit.hpp"
#include "master/fmi/unit/me_unit.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace master::fmi {
namespace {

std::string offered(const ModelDescription& description) {
    std::string text;
    const auto add = [&text](const char* name) { text += (text.empty() ? "" : ", ") + std::string(name); };
    if (description.co_simulation) add("CoSimulation");
    if (description.model_exchange) add("ModelExchange");
    if (description.scheduled_execution) add("ScheduledExecution");
    return text.empty() ? "nothing" : text;
}

}  // namespace

Fmu::Fmu(const std::filesystem::path& file, const base::Archive& archive, base::Diagnostics& diagnostics)
    : file_(file),
      archive_(archive),
      description_(read_model_description(archive_.folder() / "modelDescription.xml", diagnostics,
                                          (file / "modelDescription.xml").string())) {
    for (const std::string& name : archive_.repeated())
        diagnostics.note("repeated-file", file.string(),
                         "'" + name + "' is in the archive twice, with the same content");
}

Fmu::~Fmu() = default;

Interface Fmu::interface(const std::string& wanted) const {
    const std::string name = interfaces::text::lower(wanted);
    const bool any = name.empty() || name == "any";
    if (description_.co_simulation && (any || name == "cs" || name == "cosimulation")) return Interface::co_simulation;
    if (description_.model_exchange && (any || name == "me" || name == "modelexchange")) {
        return Interface::model_exchange;
    }
    if (any && description_.scheduled_execution) {
        throw base::Error("no-interface", file_.string(),
                          "the FMU offers Scheduled Execution only, which is not supported; expected CoSimulation or "
                          "ModelExchange");
    }
    constexpr std::array<std::string_view, 4> known{"cs", "cosimulation", "me", "modelexchange"};
    if (!any && std::ranges::find(known, name) == known.end()) {
        throw base::Error("no-interface", file_.string(),
                          "unknown or unsupported implementation '" + wanted +
                              "', expected CoSimulation, ModelExchange, cs, me or any; the FMU offers " +
                              offered(description_));
    }
    throw base::Error("no-interface", file_.string(),
                      "the FMU does not offer " + (any ? std::string("CoSimulation or ModelExchange") : wanted) +
                          "; it offers " + offered(description_));
}

const ModelDescription& Fmu::chosen(Interface kind) {
    std::optional<ModelDescription>& slot = chosen_[static_cast<std::size_t>(kind)];
    if (!slot) {
        slot = description_;
        choose(*slot, kind);
    }
    return *slot;
}

const Library& Fmu::library(const ModelDescription& description, Interface kind, base::WatchedUnit* loader) {
    const InterfaceDescription& interface = description.interface(kind);
    std::unique_ptr<Library>& library = libraries_[interface.model_identifier];
    if (!library) library = std::make_unique<Library>(file_, folder(), description, interface, loader);
    return *library;
}

std::unique_ptr<core::Unit> Fmu::instantiate(const std::string& name, Interface kind, base::Timebase timebase,
                                             base::Log& log) {
    const ModelDescription& description = chosen(kind);
    const std::string second = no_second_instance(file_, description.interface(kind));
    if (instances_ > 0 && !second.empty()) throw base::Error("once-per-process", "unit '" + name + "'", second);
    const UnitContext context{description, library(description, kind, log.watched(name)), folder(), name, timebase,
                              log};
    ++instances_;
    if (kind == Interface::model_exchange) {
        if (description.version == Version::fmi2) return std::make_unique<ModelExchangeUnit<Calls2>>(context);
        return std::make_unique<ModelExchangeUnit<Calls3>>(context);
    }
    if (description.version == Version::fmi2) return std::make_unique<Fmi2Unit>(context);
    return std::make_unique<Fmi3Unit>(context);
}

}  // namespace master::fmi
