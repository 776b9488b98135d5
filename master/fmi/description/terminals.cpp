#include "master/fmi/description/terminals.hpp"

#include "master/base/error.hpp"
#include "master/base/xml/document.hpp"

#include <string_view>

namespace master::fmi {
namespace {

void add_terminal(pugi::xml_node node, const std::string& outer, std::vector<Terminal>& terminals) {
    Terminal terminal{.name = outer + node.attribute("name").value(),
                      .kind = node.attribute("terminalKind").value(),
                      .matching_rule = node.attribute("matchingRule").value(),
                      .description = node.attribute("description").value(),
                      .members = {}};
    for (const pugi::xml_node member : node.children()) {
        const std::string_view element = member.name();
        if (element == "TerminalMemberVariable")
            terminal.members.emplace_back(member.attribute("memberName").value(),
                                          member.attribute("variableName").value());
        if (element != "TerminalStreamMemberVariable") continue;
        for (const char* name : {"in", "out"})
            terminal.members.emplace_back(member.attribute((std::string(name) + "StreamMemberName").c_str()).value(),
                                          member.attribute((std::string(name) + "StreamVariableName").c_str()).value());
    }
    const std::string prefix = terminal.name + ".";
    terminals.push_back(std::move(terminal));
    for (const pugi::xml_node inner : node.children("Terminal")) add_terminal(inner, prefix, terminals);
}

}  // namespace

std::vector<Terminal> read_terminals(const std::filesystem::path& folder, const std::string& shown) {
    const std::filesystem::path inside = std::filesystem::path("terminalsAndIcons") / "terminalsAndIcons.xml";
    if (!std::filesystem::exists(folder / inside)) return {};
    const std::string name = (std::filesystem::path(shown) / inside).string();
    const base::Document document(folder / inside, name);
    if (std::string_view(document.root().name()) != "fmiTerminalsAndIcons")
        throw base::Error(
            "wrong-root", name,
            "found the root element '" + std::string(document.root().name()) + "', expected 'fmiTerminalsAndIcons'");
    std::vector<Terminal> terminals;
    for (const pugi::xml_node node : document.root().child("Terminals").children("Terminal"))
        add_terminal(node, "", terminals);
    return terminals;
}

}  // namespace master::fmi
