#include "master/base/error.hpp"
#include "master/verbs/run/run_view.hpp"
#include "master/verbs/verb.hpp"
#include "master/view/tele/station_feed.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>

namespace master::verbs {
namespace {

namespace teleop = interfaces::teleop;
namespace udp = interfaces::udp;

struct StationOptions {
    std::filesystem::path station;
    std::string from = "127.0.0.1";
    std::string key_file;
    ViewOptions view;
};

view::StationLink link_of(const StationOptions& options) {
    const auto machine = udp::parse_address(options.from, teleop::default_port);
    if (!machine || machine->ip == 0 || machine->port == 0)
        throw base::Error("usage", "--from",
                          fmt::format("'{}' is no address, expected one like 127.0.0.1 or 192.168.1.5:{}", options.from,
                                      teleop::default_port));
    view::StationLink link{.machine = *machine, .key = {}};
    try {
        if (!options.key_file.empty()) link.key = teleop::read_key(options.key_file);
    } catch (const std::exception& error) {
        throw base::Error("outside", "--key-file", error.what());
    }
    if (!link.key && !udp::is_loopback(machine->ip))
        throw base::Error("outside", "--from",
                          fmt::format("{} is another computer: expected --key-file, the secret of both ends",
                                      udp::to_string(*machine)));
    return link;
}

int station(const StationOptions& options) {
    Console console;
    base::Diagnostics diagnostics;
    view::StationScene scene = view::read_station(options.station, diagnostics);
    console.show(diagnostics);
    diagnostics.throw_if_errors();
    const view::StationLink link = link_of(options);
    view::StationFeed feed(std::move(scene), link);
    view::Server server(server_options(options.view), feed);
    console.note(fmt::format("station: {}, fed by {}", server.address("tele"), udp::to_string(link.machine)));
    serve(server);
    return 0;
}

}  // namespace

void add_tele(CLI::App& app, Action& chosen) {
    auto options = std::make_shared<StationOptions>();
    options->view.port = "8081";
    CLI::App* verb = app.add_subcommand("tele", "The teleoperation station: a page fed by the stream alone");
    verb->add_option("station", options->station, "What is known besides: machine, ring, cameras, levers (a view file)")
        ->required()
        ->type_name("STATION.xml");
    verb->add_option("--from", options->from, "Where the machine listens (default 127.0.0.1:47000)")
        ->type_name("ADDR[:PORT]");
    verb->add_option("--key-file", options->key_file, "File with the secret of both ends; needed between computers")
        ->type_name("FILE");
    add_view_options(*verb, options->view);
    verb->remove_option(verb->get_option("--view-exit"));
    verb->footer("Example: tandem tele config/excavator/station.xml");
    verb->callback([options, &chosen] { chosen = [options](const auto&) { return station(*options); }; });
}

}  // namespace master::verbs
