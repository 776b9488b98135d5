#include "master/fmi/machine_pack.hpp"

#include "interfaces/can_mapping/mapping.hpp"
#include "interfaces/canopen/files/node_file.hpp"
#include "interfaces/dbc/layout.hpp"
#include "master/base/archive.hpp"
#include "master/base/archive_writer.hpp"
#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/fmi/description/read_description.hpp"
#include "master/fmi/library/probe.hpp"
#include "master/fmi/library/refusals.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <limits>
#include <vector>

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

/// A file of the user and its name among the resources of a unit.
struct Resource {
    fs::path file;
    std::string inside;
};

/// "file:line: text" as the place and the rest, where it begins with one of the files.
base::Error bad(const std::string& code, const std::vector<Resource>& resources, const std::string& text) {
    const std::size_t colon = text.find(": ");
    for (const Resource& resource : resources)
        if (text.starts_with(resource.file.string()) && colon != std::string::npos)
            return {code, text.substr(0, colon), text.substr(colon + 2)};
    return {code, resources.front().file.string(), text};
}

/// What a unit is made from: the first resource is the one that the unit must have already.
struct Making {
    std::string what, code;  // for messages
    std::vector<Resource> resources;
};

void pack_resources(const fs::path& unit, const Making& making, const fs::path& target) {
    const auto& [what, code, resources] = making;
    std::vector<fs::path> inputs{unit};
    for (const Resource& resource : resources) inputs.push_back(resource.file);
    base::refuse_to_replace_input(target, inputs);
    std::error_code ignored;
    for (const Resource& resource : resources)
        if (!fs::is_regular_file(resource.file, ignored))
            throw base::Error("missing-file", resource.file.string(), "no such file");
    const base::Archive archive(unit);
    const fs::path folder = archive.folder() / "resources";
    base::Diagnostics about_the_unit;
    const ModelDescription description =
        read_model_description(archive.folder() / "modelDescription.xml", about_the_unit, unit.string());
    const fs::path library = library_in(archive.folder(), description);
    if (!fs::is_regular_file(folder / resources.front().inside, ignored) || !fs::is_regular_file(library, ignored)) {
        throw base::Error(code, unit.string(),
                          fmt::format("takes no {}; expected a unit with resources/{} and a library for this platform",
                                      what, resources.front().inside));
    }
    for (const Resource& resource : resources)
        fs::copy_file(resource.file, folder / resource.inside, fs::copy_options::overwrite_existing);
    const ProbeAnswer answer = describe_in_helper(library, archive.folder());
    if (!answer.available)
        throw base::Error("missing-program", "tandem-probe", "is not beside this program", base::Exit::failed);
    if (answer.died)
        throw base::Error(code, resources.front().file.string(), unit.string() + " cannot take it: " + answer.text);
    if (!answer.success) {
        std::string text = answer.text;
        for (const Resource& resource : resources)
            text = with_name(text, (folder / resource.inside).string(), resource.file.string());
        throw bad(code, resources, text);
    }
    base::write_archive(archive.folder(), target);
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// The database of a mapping of signals, or the data sheets of CANopen nodes.
std::vector<std::string> files_named(const fs::path& mapping) {
    const std::string text = text_of(mapping);
    if (auto sheets = interfaces::canopen::sheets_named(text)) return std::move(*sheets);
    try {
        return {interfaces::can_mapping::database_named(text, mapping.string())};
    } catch (const interfaces::can_mapping::Error& error) {
        throw bad("bad-mapping", {{mapping, "mapping.xml"}}, error.what());
    }
}

/// "file:line: text" of a file beside the mapping.
void tell(const fs::path& mapping, const std::string& text, base::Diagnostics& diagnostics) {
    const std::size_t colon = std::min(text.find(": "), text.size() - 1);
    diagnostics.note("bad-mapping", (mapping.parent_path() / text.substr(0, colon)).string(),
                     text.substr(std::min(colon + 2, text.size())));
}

/// What is odd in the files of a unit that was made, or gets lost in it.
void tell_remarks(const fs::path& mapping, base::Diagnostics& diagnostics) {
    using namespace interfaces;
    if (canopen::sheets_named(text_of(mapping))) {
        for (const std::string& note : canopen::read_node_file(mapping).notes) tell(mapping, note, diagnostics);
        return;
    }
    const can_mapping::Mapping read = can_mapping::read_file(mapping.string());
    const auto at = [&](std::size_t line) {
        return fmt::format("{}:{}", (mapping.parent_path() / read.database_file).string(), line);
    };
    for (const dbc::Remark& remark : read.database.remarks) diagnostics.warn("bad-dbc", at(remark.line), remark.text);
    for (const dbc::Message& message : read.database.messages) {
        if (!dbc::is_one_frame(message)) {
            diagnostics.warn(
                "bad-mapping", at(message.line),
                fmt::format("message '{}' has {} bytes, which no single frame carries: it has no connectors",
                            message.name, message.size));
            continue;
        }
        constexpr int exact = std::numeric_limits<double>::digits;
        for (const dbc::Signal& signal : message.signals)
            if (signal.length > exact && signal.kind != dbc::ValueKind::float64)
                diagnostics.note("bad-mapping", at(signal.line),
                                 fmt::format("signal '{}' of message '{}' has {} bits: its connector is a real number, "
                                             "which is exact to {} bits",
                                             signal.name, message.name, signal.length, exact));
    }
}

}  // namespace

void pack_machine(const fs::path& unit, const fs::path& machine, const fs::path& target) {
    pack_resources(unit, {"machine", "bad-machine", {{machine, "machine.urdf"}}}, target);
}

void pack_mapping(const fs::path& unit, const fs::path& mapping, const fs::path& target,
                  base::Diagnostics& diagnostics) {
    Making making{"mapping", "bad-mapping", {{mapping, "mapping.xml"}}};
    std::error_code ignored;
    if (fs::is_regular_file(mapping, ignored)) {
        for (const fs::path name : files_named(mapping)) {
            if (name != name.filename())
                throw base::Error("bad-mapping", mapping.string(),
                                  "names the file '" + name.string() + "', expected one beside the mapping");
            making.resources.push_back({mapping.parent_path() / name, name.string()});
        }
    }
    pack_resources(unit, making, target);
    tell_remarks(mapping, diagnostics);
}

}  // namespace master::fmi
