#include "master/ssp/scaffold.hpp"
#include "master/verbs/console.hpp"
#include "master/verbs/contracts/new_spec.hpp"
#include "master/verbs/verb.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace master::verbs {
namespace {

void print(const std::vector<std::filesystem::path>& files) {
    for (const auto& file : files) print_out(fmt::format("{}\n", file.string()));
}

}  // namespace

void add_new(CLI::App& app, Action& chosen) {
    auto name = std::make_shared<std::string>();
    CLI::App* verb = app.add_subcommand("new", "A system, an FMU or a specification to start from");
    verb->require_subcommand(1);
    CLI::App* system = verb->add_subcommand("system", "A folder with a small system description");
    system->add_option("name", *name, "Name of the folder")->required();
    system->footer("Example: tandem new system crane && tandem run crane");
    system->callback([name, &chosen] {
        chosen = [name](const auto&) {
            print(ssp::scaffold_system(".", *name));
            return 0;
        };
    });
    CLI::App* fmu = verb->add_subcommand("fmu", "A model, its FMU, and the line that builds it, in a checkout");
    fmu->add_option("name", *name, "Name of the unit")->required();
    fmu->footer("Example: tandem new fmu winch");
    fmu->callback([name, &chosen] {
        chosen = [name](const auto&) {
            print(ssp::scaffold_fmu(".", *name));
            return 0;
        };
    });
    add_new_spec(*verb, chosen);
    verb->footer("Example: tandem new system crane");
}

}  // namespace master::verbs
