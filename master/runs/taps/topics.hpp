#pragma once

#include "master/base/diagnostics.hpp"
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
    /// Whether that is of the type that is wanted.
    [[nodiscard]] virtual bool is_of_type() = 0;
    /// The type that it is of, for a message.
    [[nodiscard]] virtual std::string type() const = 0;
    /// Whether somebody publishes it, as far as that is known without asking.
    [[nodiscard]] virtual bool has_publisher() const = 0;
    /// The same, asked for: not in a step.
    [[nodiscard]] virtual bool finds_publisher() const { return has_publisher(); }
};
/// Of shared memory; `type` is what is wanted, as `topic_type` says it.
[[nodiscard]] std::unique_ptr<TopicSource> shared_topic(const std::string& topic, const std::string& type);

/// A topic that drives inputs, all of one type; without a source where a journal is played.
struct Subscription {
    std::string topic;
    std::vector<build::LocatedSignal> inputs;
    std::unique_ptr<TopicSource> source;
};

/// The one type of the inputs that a topic drives. Throws `Error` where they differ.
[[nodiscard]] std::string subscribed_type(const std::string& topic, const std::vector<build::LocatedSignal>& inputs);

/// Writes the newest value of each topic into its inputs at every communication point, into all of them or none; what
/// entered is kept in the journal, or comes from there. What was left out is said when it happens first, and stands in
/// the diagnostics at the end, as does a topic that gave nothing and one whose publisher went away.
[[nodiscard]] std::unique_ptr<core::Tap> subscribe_topics(std::vector<Subscription> subscriptions,
                                                          base::Timebase timebase, InputJournal journal, base::Log& log,
                                                          base::Diagnostics& diagnostics);

}  // namespace master::runs
