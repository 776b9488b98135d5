#pragma once

#include "master/ssp/annotations.hpp"
#include "master/ssp/common.hpp"
#include "master/ssp/place.hpp"
#include "master/ssp/tree.hpp"

#include <string>
#include <vector>

namespace master::ssp {

/// A system description file: where it is, how it is called in messages, and which system in it is meant.
struct SystemFile {
    std::filesystem::path file;
    std::string shown;
    Place place;           // where its sources are looked for
    std::string fragment;  // id of a nested system, or empty for the root system
};

/// What only the outermost file decides.
struct RootFacts {
    std::string name, version, start, stop, experiment_where;
    Definitions definitions;
    MasterSettings settings;
};

/// Reads system description files into a tree; follows components that are systems in other files.
class SystemReader {
public:
    explicit SystemReader(base::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

    /// `facts` is filled for the outermost file; null for a file that another one refers to.
    [[nodiscard]] Element read_file(const SystemFile& file, RootFacts* facts);
    /// Finds the description in an .ssp, a folder or beside an .ssd.
    [[nodiscard]] SystemFile open(const std::filesystem::path& system, const std::string& shown,
                                  const std::string& variant);

    std::vector<base::Archive> archives;
    std::vector<Located> parameter_files;

private:
    struct File {
        const SystemFile& file;
        const base::Document& document;
        base::Page& page;
        Definitions definitions;
    };

    void read_root(pugi::xml_node root, File& file, RootFacts* facts);
    [[nodiscard]] Element read_system(pugi::xml_node node, File& file, bool root);
    void read_elements(pugi::xml_node node, File& file, Element& system);
    [[nodiscard]] Element read_component(pugi::xml_node node, File& file);
    [[nodiscard]] Element read_subsystem(pugi::xml_node node, const std::string& source, File& file);
    [[nodiscard]] Element read_reference(pugi::xml_node node, File& file);
    void read_connectors(pugi::xml_node node, File& file, Element& element);
    void read_connections(pugi::xml_node node, File& file, Element& system);
    void read_dictionaries(pugi::xml_node node, File& file, Element& system);

    base::Diagnostics& diagnostics_;
    std::size_t depth_ = 0;
    std::size_t elements_ = 0;
};

}  // namespace master::ssp
