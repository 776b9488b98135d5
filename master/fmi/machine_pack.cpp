#include "master/fmi/machine_pack.hpp"

#include "master/base/archive.hpp"
#include "master/base/archive_writer.hpp"
#include "master/base/error.hpp"
#include "master/fmi/description/read_description.hpp"
#include "master/fmi/library/probe.hpp"
#include "master/fmi/library/refusals.hpp"

#include <fmt/format.h>

namespace master::fmi {
namespace {

namespace fs = std::filesystem;

/// The library that describes the unit; all interfaces of one of our units share it.
fs::path library_in(const fs::path& folder, const ModelDescription& description) {
    const auto& interface = description.co_simulation ? description.co_simulation : description.model_exchange;
    if (!interface) return {};
    return folder / "binaries" / platform_folder(description.version) / (interface->model_identifier + ".so");
}

/// The unit speaks of the file in its resources; the user knows it by another name.
std::string with_name(std::string text, const std::string& inside, const std::string& name) {
    for (std::size_t at = text.find(inside); at != std::string::npos; at = text.find(inside, at + name.size())) {
        text.replace(at, inside.size(), name);
    }
    return text;
}

/// "file:line: text" as the place and the rest, where it begins with the file.
base::Error bad_machine(const fs::path& machine, const std::string& text) {
    const std::string name = machine.string();
    const std::size_t colon = text.find(": ");
    if (text.starts_with(name) && colon != std::string::npos) {
        return {"bad-machine", text.substr(0, colon), text.substr(colon + 2)};
    }
    return {"bad-machine", name, text};
}

}  // namespace

void pack_machine(const fs::path& unit, const fs::path& machine, const fs::path& target) {
    std::error_code code;
    if (!fs::is_regular_file(machine, code)) throw base::Error("missing-file", machine.string(), "no such file");
    const base::Archive archive(unit);
    const fs::path inside = archive.folder() / "resources" / "machine.urdf";
    base::Diagnostics about_the_unit;
    const ModelDescription description =
        read_model_description(archive.folder() / "modelDescription.xml", about_the_unit, unit.string());
    const fs::path library = library_in(archive.folder(), description);
    if (!fs::is_regular_file(inside, code) || !fs::is_regular_file(library, code)) {
        throw base::Error(
            "bad-machine", unit.string(),
            "takes no machine; expected a unit with resources/machine.urdf and a library for this platform");
    }
    fs::copy_file(machine, inside, fs::copy_options::overwrite_existing);
    const ProbeAnswer answer = describe_in_helper(library, archive.folder());
    if (!answer.available)
        throw base::Error("missing-program", "tandem-probe", "is not beside this program", base::Exit::failed);
    if (answer.died)
        throw base::Error("bad-machine", machine.string(), unit.string() + " cannot take it: " + answer.text);
    if (!answer.success) throw bad_machine(machine, with_name(answer.text, inside.string(), machine.string()));
    base::write_archive(archive.folder(), target);
}

}  // namespace master::fmi
