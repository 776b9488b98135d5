#pragma once

#include "master/base/log.hpp"
#include "master/build/simulation.hpp"
#include "master/core/tap.hpp"
#include "master/runs/taps/input_journal.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::runs {

/// Publishes signals as topics in shared memory, each at the rate of its unit: points of a sensor as x, y, z, all else
/// as its type says. Whoever reads them, however slowly, is not noticed. Throws `Error` for a name that another process
/// publishes.
[[nodiscard]] std::unique_ptr<core::Tap> publish_topics(const std::vector<build::LocatedSignal>& signals,
                                                        const build::Timing& timing, base::Log& log);

/// Values that come from another process, wherever it is.
class TopicSource {
public:
    virtual ~TopicSource() = default;
    /// The newest value if it was not taken yet, as `topic_value` has it, until the next call; never waits.
    [[nodiscard]] virtual std::optional<std::span<const std::uint8_t>> fresh() = 0;
    /// As `topic_type` says it; empty: it can be whatever fits.
    [[nodiscard]] virtual std::string type() const = 0;
};
/// Of shared memory.
[[nodiscard]] std::unique_ptr<TopicSource> shared_topic(const std::string& topic);

/// A topic that drives inputs; without a source where a journal is played.
struct Subscription {
    std::string topic;
    std::vector<build::LocatedSignal> inputs;
    std::unique_ptr<TopicSource> source;
};

/// Writes the newest value of each topic into its inputs at every communication point; what entered is kept in the
/// journal, or comes from there.
[[nodiscard]] std::unique_ptr<core::Tap> subscribe_topics(std::vector<Subscription> subscriptions,
                                                          base::Timebase timebase, InputJournal journal,
                                                          base::Log& log);

}  // namespace master::runs
