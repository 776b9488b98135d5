#include "master/verbs/run/exchange_options.hpp"

#include "master/base/error.hpp"

#include <CLI/CLI.hpp>

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

void require_paced(const runs::ExchangeOptions& options, bool paced, bool repeat) {
    if (paced || repeat || !options.takes_in()) return;
    throw base::Error("outside", "--subscribe", "what comes from outside needs a run in real time (--realtime)");
}

}  // namespace master::verbs
