#include "master/ssp/graph.hpp"

#include "master/build/parts.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

struct GraphOptions {
    build::BuildOptions build;
    std::filesystem::path out;
};

int graph(const GraphOptions& options) {
    Console console(Console::Verbosity::quiet);
    base::Diagnostics diagnostics;
    return guarded(console, diagnostics, [&] {
        const build::Parts parts = build::read_parts(options.build, diagnostics, false);
        const std::string dot = ssp::dot_graph(parts.plan);
        if (options.out.empty()) {
            print_out(dot);
        } else {
            ssp::write_graph(dot, options.out);
        }
        return base::Exit::ok;
    });
}

}  // namespace

void add_graph(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<GraphOptions>();
    CLI::App* verb = app.add_subcommand("graph", "Components and connections as Graphviz dot, or SVG");
    verb->add_option("system", options->build.system, ".ssp, folder, .ssd or .fmu")->required()->type_name("SYSTEM");
    verb->add_option("--variant", options->build.variant, "Another .ssd at the root of the .ssp or folder");
    verb->add_option("-o,--out", options->out, "FILE.dot, or FILE.svg where Graphviz is installed");
    verb->footer("Example: tandem graph examples/two_mass -o two_mass.svg");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return graph(*options); }; });
}

}  // namespace master::verbs
