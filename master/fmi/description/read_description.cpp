#include "master/fmi/description/read_description.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/document.hpp"
#include "master/base/xml/values.hpp"
#include "master/fmi/description/reader.hpp"

#include <algorithm>
#include <array>

namespace master::fmi {
namespace {

Version version_of(const base::Document& text, pugi::xml_node root) {
    const std::string written = root.attribute("fmiVersion").value();
    if (written.starts_with("2.")) return Version::fmi2;
    if (written.starts_with("3.")) return Version::fmi3;
    const std::string expected = "; expected 2.0 or 3.0";
    if (written.empty()) throw base::Error("fmi-version", text.where(root), "has no fmiVersion" + expected);
    if (written.starts_with("1.")) {
        throw base::Error("fmi-version", text.where(root),
                          "is an FMI " + written + " unit, which is not supported" + expected +
                              ": export the model again as one of these");
    }
    throw base::Error("fmi-version", text.where(root), "has fmiVersion '" + written + "'" + expected);
}

void read_token(DescriptionReader& reader, pugi::xml_node root) {
    const char* name = reader.is_fmi3() ? "instantiationToken" : "guid";
    const pugi::xml_attribute token = root.attribute(name);
    if (!token) {
        reader.remarks.error("missing-attribute", root,
                             std::string("has no ") + name + ", without which the unit cannot be instantiated");
    }
    reader.result.info.token = token.value();
}

/// FMI 3 lists sources in a file of its own beside the model description.
void read_build_description(const std::filesystem::path& folder, ModelDescription& description,
                            base::Diagnostics& diagnostics) {
    const std::filesystem::path file = folder / "sources" / "buildDescription.xml";
    std::error_code failure;
    if (!std::filesystem::exists(file, failure)) return;
    try {
        const base::Document text(file, (description.file.parent_path() / "sources" / file.filename()).string());
        for (const pugi::xml_node configuration : text.root().children("BuildConfiguration")) {
            for (const pugi::xml_node set : configuration.children("SourceFileSet")) {
                for (const pugi::xml_node source : set.children("SourceFile")) {
                    description.source_files.emplace_back(source.attribute("name").value());
                }
            }
        }
    } catch (const base::Error& error) {
        diagnostics.ignored("build-description", error.where(), error.what());  // sources are needed only to compile
    }
    auto& files = description.source_files;
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
}

}  // namespace

ModelDescription read_model_description(const std::filesystem::path& file, base::Diagnostics& diagnostics,
                                        const std::string& name) {
    const std::string shown = name.empty() ? file.string() : name;
    if (!std::filesystem::exists(file))
        throw base::Error("missing-file", shown, "there is no such file; expected an FMU with a model description");
    ModelDescription description = parse_model_description(base::file_content(file, shown), shown, diagnostics);
    if (description.version == Version::fmi3) read_build_description(file.parent_path(), description, diagnostics);
    return description;
}

ModelDescription parse_model_description(std::string_view xml, const std::string& name,
                                         base::Diagnostics& diagnostics) {
    const base::Document text = base::Document::from_text(std::string(xml), name);
    const pugi::xml_node root = text.root();
    if (std::string_view(root.name()) != "fmiModelDescription") {
        throw base::Error("wrong-root", text.where(root),
                          std::string("the root element is '") + root.name() + "'; expected 'fmiModelDescription'");
    }
    ModelDescription description;
    description.version = version_of(text, root);
    description.version_text = root.attribute("fmiVersion").value();
    const std::string read_as = description.version == Version::fmi3 ? "3.0" : "2.0";
    if (!description.version_text.starts_with(read_as) || description.version_text.find('-') != std::string::npos)
        diagnostics.note("fmi-version", text.where(root),
                         "has fmiVersion '" + description.version_text + "', which is read as " + read_as);
    description.file = name;
    description.info.fmi_version = read_as;
    description.info.model_name = root.attribute("modelName").value();
    description.info.generation_tool = root.attribute("generationTool").value();
    description.description = root.attribute("description").value();

    DescriptionReader reader{.text = text,
                             .remarks = Remarks(text, diagnostics),
                             .result = description,
                             .types = {},
                             .nodes = {},
                             .derivative_of = {},
                             .by_reference = {}};
    read_token(reader, root);
    read_interfaces(reader, root);
    read_units(reader, root);
    read_types(reader, root);
    read_experiment(reader, root);
    for (const pugi::xml_node category : root.child("LogCategories").children("Category")) {
        description.log_categories.emplace_back(category.attribute("name").value());
    }
    read_variables(reader, root);
    check_units_and_limits(reader);
    read_structure(reader, root);
    reader.remarks.summarize();
    return description;
}

}  // namespace master::fmi
