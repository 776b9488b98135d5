#include "master/ssp/dictionary.hpp"

#include "master/ssp/annotations.hpp"

#include <algorithm>
#include <iterator>

namespace master::ssp {

Connectors read_entries(pugi::xml_node dictionary, const Definitions& outer, base::Page& page) {
    Definitions definitions = read_definitions(dictionary, base::Space::dictionary, page);
    std::ranges::copy(outer.units, std::back_inserter(definitions.units));
    std::ranges::copy(outer.enumerations, std::back_inserter(definitions.enumerations));
    Connectors entries;
    for (const pugi::xml_node entry : base::children(dictionary, base::Space::dictionary, "DictionaryEntry")) {
        Connector connector;
        connector.name = page.required(entry, "name");
        connector.kind = Kind::inout;
        connector.where = page.where(entry);
        read_type(entry, definitions, page, connector);
        read_connector_annotations(entry, page, connector);
        const std::string name = connector.name;
        if (!entries.add(std::move(connector)))
            page.error("duplicate-name", entry, "a second entry '" + name + "' of the dictionary");
    }
    return entries;
}

Connectors read_dictionary(const Located& file, const Definitions& outer, base::Diagnostics& diagnostics) {
    const base::Document document(file.file, file.shown);
    document.expect_root(base::Space::dictionary, "SignalDictionary");
    base::Page page(document, diagnostics);
    return read_entries(document.root(), outer, page);
}

}  // namespace master::ssp
