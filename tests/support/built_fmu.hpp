#pragma once

#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace tests {

/// A unit that the build left unpacked: its description and its library, loaded without the importer.
class BuiltFmu {
public:
    struct Variable {
        std::string name, type, causality, variability;
        unsigned reference = 0;
        std::size_t count = 1;
        bool has_start = false;
        double minimum = -1e300, maximum = 1e300;
        [[nodiscard]] double within(double value) const { return std::clamp(value, minimum, maximum); }
    };

    BuiltFmu(const std::filesystem::path& folder, const std::string& name, int version) : folder_(folder) {
        pugi::xml_document document;
        if (!document.load_file((folder / "modelDescription.xml").c_str())) throw std::runtime_error("no description");
        const pugi::xml_node root = document.document_element();
        token_ = root.attribute(version == 2 ? "guid" : "instantiationToken").value();
        model_exchange_ = !root.child("ModelExchange").empty();
        interpolates_ = root.child("CoSimulation").attribute("canInterpolateInputs").as_bool();
        if (version == 2)
            read_fmi2(root.child("ModelVariables"));
        else
            read_fmi3(root.child("ModelVariables"));
        const auto file = folder / "binaries" / (version == 2 ? "linux64" : "x86_64-linux") / (name + ".so");
        library_ = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) throw std::runtime_error(dlerror());
    }
    ~BuiltFmu() { dlclose(library_); }
    BuiltFmu(const BuiltFmu&) = delete;
    BuiltFmu& operator=(const BuiltFmu&) = delete;

    [[nodiscard]] const std::string& token() const { return token_; }
    [[nodiscard]] bool model_exchange() const { return model_exchange_; }
    [[nodiscard]] bool interpolates() const { return interpolates_; }
    [[nodiscard]] std::string resources() const { return (folder_ / "resources").string() + "/"; }
    [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
    [[nodiscard]] const Variable& operator[](const std::string& name) const {
        for (const Variable& variable : variables_)
            if (variable.name == name) return variable;
        throw std::runtime_error("no variable " + name);
    }
    [[nodiscard]] bool exports(const char* name) const { return dlsym(library_, name) != nullptr; }
    template <class Function>
    [[nodiscard]] Function* function(const char* name) const {
        auto* found = reinterpret_cast<Function*>(dlsym(library_, name));
        if (found == nullptr) throw std::runtime_error(std::string("no function ") + name);
        return found;
    }

private:
    void read_fmi2(const pugi::xml_node& list) {
        for (const pugi::xml_node node : list.children()) {
            Variable variable = common(node);
            variable.type = node.first_child().name();
            variable.has_start = !node.first_child().attribute("start").empty();
            read_limits(node.first_child(), variable);
            variables_.push_back(variable);
        }
    }
    void read_fmi3(const pugi::xml_node& list) {
        std::map<unsigned, std::size_t> starts;
        for (const pugi::xml_node node : list.children())
            if (std::string(node.attribute("causality").value()) == "structuralParameter")
                starts[node.attribute("valueReference").as_uint()] = node.attribute("start").as_uint();
        for (const pugi::xml_node node : list.children()) {
            Variable variable = common(node);
            variable.type = node.name();
            variable.has_start = !node.attribute("start").empty();
            read_limits(node, variable);
            for (const pugi::xml_node dimension : node.children("Dimension"))
                variable.count *= dimension.attribute("start").empty()
                                      ? starts.at(dimension.attribute("valueReference").as_uint())
                                      : dimension.attribute("start").as_uint();
            variables_.push_back(variable);
        }
    }
    static void read_limits(const pugi::xml_node& node, Variable& variable) {
        variable.minimum = node.attribute("min").as_double(variable.minimum);
        variable.maximum = node.attribute("max").as_double(variable.maximum);
    }
    static Variable common(const pugi::xml_node& node) {
        Variable variable;
        variable.name = node.attribute("name").value();
        variable.causality = node.attribute("causality").value();
        variable.variability = node.attribute("variability").value();
        variable.reference = node.attribute("valueReference").as_uint();
        return variable;
    }

    std::filesystem::path folder_;
    std::string token_;
    bool model_exchange_ = false, interpolates_ = false;
    std::vector<Variable> variables_;
    void* library_ = nullptr;
};

/// Names of all units built for one FMI version.
inline std::vector<std::string> built_units(int version) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(TANDEM_BUILD_DIR "/fmus/units"))
        if (exists(entry.path() / ("fmi" + std::to_string(version)) / "staged" / "modelDescription.xml"))
            names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
}

inline std::filesystem::path built_folder(const std::string& name, int version) {
    return std::filesystem::path(TANDEM_BUILD_DIR) / "fmus/units" / name / ("fmi" + std::to_string(version)) / "staged";
}

}  // namespace tests
