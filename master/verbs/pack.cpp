#include "master/ssp/write.hpp"
#include "master/verbs/guarded.hpp"
#include "master/verbs/system_options.hpp"
#include "master/verbs/verb.hpp"

#include <fmt/format.h>

namespace master::verbs {

void add_pack(CLI::App& app, Action& chosen) {
    struct Options {
        std::filesystem::path folder, out;
    };
    auto options = std::make_shared<Options>();
    CLI::App* verb = app.add_subcommand("pack", "Write a folder with a system as one .ssp");
    verb->add_option("folder", options->folder, "Folder with SystemStructure.ssd")->required()->type_name("FOLDER");
    verb->add_option("-o,--out", options->out, "FILE.ssp (default NAME.ssp)");
    verb->footer("Example: tandem pack examples/two_mass -o two_mass.ssp");
    verb->callback([options, &chosen] {
        chosen = [options](const auto&) {
            Console console;
            Diagnostics diagnostics;
            return guarded(console, diagnostics, [&] {
                const auto out =
                    options->out.empty() ? std::filesystem::path(short_name(options->folder) + ".ssp") : options->out;
                ssp::pack(options->folder, out, diagnostics);
                fmt::print("{}\n", out.string());
                return Exit::ok;
            });
        };
    });
}

}  // namespace master::verbs
