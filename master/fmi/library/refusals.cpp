#include "master/fmi/library/refusals.hpp"

#include <algorithm>
#include <system_error>
#include <vector>

namespace master::fmi {
namespace {

std::vector<std::string> platforms_in(const std::filesystem::path& binaries) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(binaries, ignored)) {
        names.push_back(entry.path().filename().string());
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace

std::string_view platform_folder(Version version) {
#if defined(__aarch64__)
    static_cast<void>(version);
    return "aarch64-linux";
#else
    return version == Version::fmi2 ? "linux64" : "x86_64-linux";
#endif
}

std::string binary_of(const ModelDescription& description, const InterfaceDescription& interface) {
    return "binaries/" + std::string(platform_folder(description.version)) + "/" + interface.model_identifier + ".so";
}

std::string missing_binary(const std::filesystem::path& folder, const ModelDescription& description,
                           const InterfaceDescription& interface) {
    const std::string binary = binary_of(description, interface);
    if (std::filesystem::exists(folder / binary)) return {};
    std::string platforms;
    for (const std::string& name : platforms_in(folder / "binaries"))
        platforms += (platforms.empty() ? "" : ", ") + name;
    std::string text = "no binary for this platform: '" + binary + "' is not in the FMU; ";
    text += platforms.empty() ? "it has no binaries" : "platforms there: " + platforms;
    const bool sources = !description.source_files.empty() || std::filesystem::exists(folder / "sources");
    if (sources) text += "; it is a source-code FMU, which must be compiled first (sources/ is there)";
    return text;
}

std::string no_second_instance(const std::filesystem::path& file, const InterfaceDescription& interface) {
    if (!interface.can.once_per_process) return {};
    return "'" + file.string() + "' can be instantiated only once per process " +
           "(canBeInstantiatedOnlyOncePerProcess), and another unit uses it already";
}

}  // namespace master::fmi
