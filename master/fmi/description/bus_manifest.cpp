#include "master/fmi/description/bus_manifest.hpp"

#include "master/base/xml/document.hpp"

namespace master::fmi {

bool is_bus_simulation(const std::filesystem::path& folder, const std::string& shown) {
    const std::filesystem::path inside =
        std::filesystem::path("extra") / "org.fmi-standard.fmi-ls-bus" / "fmi-ls-manifest.xml";
    if (!std::filesystem::exists(folder / inside)) return false;
    const base::Document document(folder / inside, (std::filesystem::path(shown) / inside).string());
    return document.root().attribute("isBusSimulationFMU").as_bool();
}

}  // namespace master::fmi
