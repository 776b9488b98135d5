#include "master/ssp/graph.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/base/temporary_folder.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <set>
#include <sys/wait.h>
#include <unistd.h>

namespace master::ssp {
namespace {

std::string dot_string(const std::string& text) {
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + "\"";
}

std::string ends_of(const std::string& label) {
    // "a.x -> b.u": the units are boxes already, the names of the two signals remain.
    const std::size_t arrow = label.find(" -> ");
    if (arrow == std::string::npos) return label;
    const auto signal = [](const std::string& path) { return path.substr(path.find('.') + 1); };
    const std::string from = signal(label.substr(0, arrow));
    const std::string to = signal(label.substr(arrow + 4));
    return from == to ? from : from + " > " + to;
}

constexpr int no_program = 127;

/// Runs `dot -Tsvg` without a shell, so that no file name is ever interpreted; returns its exit code.
int render_svg(const std::filesystem::path& source, const std::filesystem::path& target) {
    const pid_t child = fork();
    if (child < 0) return no_program;
    if (child == 0) {
        execlp("dot", "dot", "-Tsvg", source.c_str(), "-o", target.c_str(), static_cast<char*>(nullptr));
        _exit(no_program);
    }
    int status = 0;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string dot_graph(const core::Plan& plan) {
    std::string text = fmt::format(
        "digraph {} {{\n  rankdir=LR;\n  node [shape=box, style=rounded, fontname=\"sans\"];\n"
        "  edge [fontname=\"sans\", fontsize=10];\n",
        dot_string(plan.name));
    for (std::size_t i = 0; i < plan.units.size(); ++i) {
        text += fmt::format("  u{} [label={}];\n", i, dot_string(plan.units[i].name));
    }
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::string>> arrows;
    for (const core::PlannedWire& wire : plan.wires) {
        arrows[{wire.from.unit, wire.to.unit}].insert(ends_of(wire.label));
    }
    constexpr std::size_t most_names = 8;
    for (const auto& [ends, names] : arrows) {
        std::string label;
        std::size_t shown = 0;
        for (const std::string& name : names) {
            if (shown++ == most_names) break;
            label += (label.empty() ? "" : "\n") + name;
        }
        if (names.size() > most_names) label += fmt::format("\n+ {} more", names.size() - most_names);
        text += fmt::format("  u{} -> u{} [label={}];\n", ends.first, ends.second, dot_string(label));
    }
    std::set<std::string> inputs;
    for (const core::BoundaryPort& port : plan.boundary) {
        if (port.inner.unit == core::Endpoint::boundary) continue;
        if (inputs.insert(port.name).second) {
            text += fmt::format("  {} [shape=plaintext];\n", dot_string(port.name));
        }
        text += port.input ? fmt::format("  {} -> u{} [style=dashed];\n", dot_string(port.name), port.inner.unit)
                           : fmt::format("  u{} -> {} [style=dashed];\n", port.inner.unit, dot_string(port.name));
    }
    return text + "}\n";
}

void write_graph(const std::string& dot, const std::filesystem::path& file) {
    const auto ending = file.extension();
    if (ending != ".svg" && ending != ".dot" && ending != ".gv") {
        throw base::Error("usage", file.string(), "a graph is written as .dot, .gv or .svg");
    }
    if (ending != ".svg") {
        base::write_atomically(file, dot);
        return;
    }
    const base::TemporaryFolder folder("tandem-graph-");
    const std::filesystem::path source = folder.path() / "graph.dot";
    base::write_atomically(source, dot);
    const base::Draft drawing(file);
    const int code = render_svg(source, drawing.path());
    if (code == no_program)
        throw base::Error("missing-program", file.string(),
                          "the program 'dot' (Debian package graphviz) is needed for SVG; -o FILE.dot does without");
    if (code != 0)
        throw base::Error("write-failed", file.string(), "the program 'dot' cannot draw or write it",
                          base::Exit::failed);
    drawing.finish();
}

}  // namespace master::ssp
