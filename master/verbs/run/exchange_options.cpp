#include "master/verbs/run/exchange_options.hpp"

#include "interfaces/teleop/link.hpp"
#include "interfaces/udp/socket.hpp"
#include "master/base/error.hpp"

#include <CLI/CLI.hpp>
#include <stdexcept>

namespace master::verbs {

void add_exchange_options(CLI::App& verb, runs::ExchangeOptions& options) {
    verb.add_option("--publish", options.publish,
                    "Signals as topics, with * and ?: in shared memory, or with dds: before it as ROS 2 topics")
        ->type_name("[dds:]PATTERN");
    verb.add_option("--subscribe", options.subscribe,
                    "An input that no connection drives is driven by a topic (default: of its name)")
        ->type_name("[dds:]INPUT[=TOPIC]");
    verb.add_option("--dds-address", options.dds_address, "Interface of dds: topics (default 127.0.0.1)")
        ->type_name("ADDR");
    verb.add_option("--dds-domain", options.dds_domain, "Their domain, ROS_DOMAIN_ID (default 0)")
        ->type_name("N")
        ->envname("ROS_DOMAIN_ID");
    verb.add_option("--record-points", options.record_points,
                    "A point cloud as a file for other programs: all of it as .lvx, its last state as .pcd")
        ->type_name("SIGNAL=FILE");
}

void add_teleoperation_options(CLI::App& verb, build::BuildOptions& options) {
    verb.add_flag("--tele{on}", options.tele,
                  "An operator at a station (tandem tele) drives the machine; --tele=ADDR[:PORT] is where he finds it")
        ->check([](const std::string& text) {
            const bool good = text == "on" || interfaces::udp::parse_address(text);
            return good ? std::string{}
                        : "'" + text + "' is no address, expected one like 127.0.0.1 or 127.0.0.1:47000";
        });
    verb.add_option("--link", options.link,
                    "The link of teleoperation, both ways: delay=80ms,jitter=20ms,loss=2%,rate=100kbit/s,seed=7")
        ->type_name("HOW")
        ->check([](const std::string& text) {
            try {
                (void)interfaces::teleop::parse_link(text);
                return std::string{};
            } catch (const std::invalid_argument& error) {
                return std::string(error.what());
            }
        });
}

void require_paced(const runs::ExchangeOptions& options, bool paced, bool repeat) {
    if (paced || repeat || !options.takes_in()) return;
    throw base::Error("outside", "--subscribe", "what comes from outside needs a run in real time (--realtime)");
}

}  // namespace master::verbs
