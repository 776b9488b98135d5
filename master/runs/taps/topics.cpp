#include "master/runs/taps/topics.hpp"

#include "interfaces/topics/topics.hpp"
#include "master/base/error.hpp"
#include "master/runs/taps/topic_value.hpp"

#include <array>
#include <fmt/format.h>
#include <stdexcept>
#include <utility>
#include <variant>

namespace master::runs {
namespace {

namespace topics = interfaces::topics;
namespace point_cloud = interfaces::point_cloud;
using interfaces::shared_memory::PointWriter;

class Publications final : public core::Tap {
public:
    Publications(const std::vector<build::LocatedSignal>& signals, const build::Timing& timing, base::Log& log)
        : start_(timing.start), timebase_(timing.timebase), log_(log) {
        for (const build::LocatedSignal& signal : signals) {
            try {
                topics_.push_back({signal, timing.periods[signal.unit], publisher_of(signal)});
            } catch (const std::runtime_error& error) {
                throw base::Error("topic", signal.name, error.what());
            }
        }
    }
    void after_step(base::Time t, const core::Signals& signals) override {
        const base::Duration elapsed = t - start_;
        const std::int64_t now = nanoseconds(timebase_.seconds(t));
        for (Topic& topic : topics_)
            if (elapsed.ticks % topic.period.ticks == 0) topic.refused += publish(topic, now, signals) ? 0 : 1;
    }
    void finish() override {
        for (const Topic& topic : topics_)
            if (topic.refused > 0)
                log_.warning(topic.signal.name,
                             fmt::format("{} values did not fit into the topic and were left out", topic.refused));
    }

private:
    using Publisher = std::variant<std::unique_ptr<topics::Publisher>, std::unique_ptr<PointWriter>>;
    struct Topic {
        build::LocatedSignal signal;
        base::Duration period;
        Publisher publisher;
        std::uint64_t refused = 0;
    };

    static Publisher publisher_of(const build::LocatedSignal& signal) {
        const std::size_t capacity = topic_capacity(signal);
        if (is_point_cloud(signal))
            return std::make_unique<PointWriter>(topics::segment_of(signal.name), capacity / point_cloud::point_size);
        return std::make_unique<topics::Publisher>(
            topics::TopicSettings{.name = signal.name, .type = topic_type(signal), .capacity = capacity});
    }
    static bool publish(const Topic& topic, std::int64_t now, const core::Signals& signals) {
        const auto value = topic_value(topic.signal, signals);
        if (const auto* publisher = std::get_if<std::unique_ptr<topics::Publisher>>(&topic.publisher))
            return (*publisher)->publish(now, value);
        const auto cloud = point_cloud::View::parse(value);
        return cloud && std::get<std::unique_ptr<PointWriter>>(topic.publisher)->publish(*cloud);
    }

    base::Time start_;
    base::Timebase timebase_;
    base::Log& log_;
    std::vector<Topic> topics_;
};

class SharedTopic final : public TopicSource {
public:
    SharedTopic(const std::string& topic, const std::string& type) : topic_(topic), subscriber_(topic), wanted_(type) {}
    std::optional<std::span<const std::uint8_t>> fresh() override {
        const auto value = subscriber_.wait(0);
        if (!value) return std::nullopt;
        return value->payload;
    }
    bool is_of_type() override {
        if (std::exchange(judged_, subscriber_.connections()) != subscriber_.connections())
            is_of_type_ = subscriber_.type() == wanted_;
        return is_of_type_;
    }
    std::string type() const override { return subscriber_.type(); }
    bool has_publisher() const override { return subscriber_.connected(); }
    bool finds_publisher() const override { return topics::has_publisher(topic_); }

private:
    std::string topic_;
    topics::Subscriber subscriber_;
    std::string wanted_;
    std::uint64_t judged_ = 0;  // the connection whose type was looked at
    bool is_of_type_ = false;
};

class Subscriptions final : public core::Tap {
public:
    Subscriptions(std::vector<Subscription> wishes, base::Timebase timebase, InputJournal journal, base::Log& log,
                  base::Diagnostics& diagnostics)
        : timebase_(timebase), journal_(std::move(journal)), log_(log), diagnostics_(diagnostics) {
        for (Subscription& wish : wishes) {
            const std::size_t inputs = wish.inputs.size();
            topics_.push_back({std::move(wish), std::vector<core::ByteString>(inputs)});
        }
    }
    void before_step(base::Time t, core::Lanes& free_inputs) override {
        const std::int64_t now = nanoseconds(timebase_.seconds(t));
        if (journal_.plays()) return play(now, free_inputs);
        for (std::size_t i = 0; i < topics_.size(); ++i) {
            Topic& topic = topics_[i];
            const auto value = topic.wish.source->fresh();
            look_for_publisher(topic, value.has_value(), t);
            if (!value) continue;
            const TopicFit fit =
                topic.wish.source->is_of_type() ? give(topic, *value, free_inputs) : TopicFit::other_type;
            if (fit != TopicFit::fits) {
                leave_out(topic, fit);
                continue;
            }
            topic.newest.assign(value->begin(), value->end());
            entry_.assign({static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8U)});
            entry_.insert(entry_.end(), value->begin(), value->end());
            journal_.keep(now, entry_);
        }
        journal_.finish_point();
    }
    void finish() override {
        if (journal_.plays()) return;
        for (const Topic& topic : topics_) judge_publisher(topic);
        for (const Topic& topic : topics_)
            for (std::size_t fit = 0; fit < topic.left_out.size(); ++fit)
                if (const LeftOut& values = topic.left_out[fit]; values.count > 0)
                    diagnostics_.warn_told("topic", "--subscribe",
                                           fmt::format("{}: {} left out", values.why, values.count));
    }

private:
    /// Values that did not fit, for one reason.
    struct LeftOut {
        std::uint64_t count = 0;
        std::string why;
    };
    /// When the publisher was there, as far as the steps noticed.
    struct Presence {
        std::optional<base::Time> newest;  // when a value came
        std::optional<base::Time> left;    // for the first time
        base::Time since{}, back{};        // for the last time
        std::uint64_t times = 0;           // that it left
        bool away = false;
    };
    struct Topic {
        Subscription wish;
        std::vector<core::ByteString> kept;                                                     // one per input
        std::array<LeftOut, static_cast<std::size_t>(TopicFit::not_a_text) + 1> left_out = {};  // by reason
        Presence presence = {};
        std::vector<std::uint8_t> newest = {};  // that the inputs took
    };

    static void look_for_publisher(Topic& topic, bool came, base::Time t) {
        Presence& presence = topic.presence;
        if (came) presence.newest = t;
        if (!presence.newest) return;
        const bool away = !topic.wish.source->has_publisher();
        if (away == std::exchange(presence.away, away)) return;
        if (!away) {
            presence.back = t;
            return;
        }
        ++presence.times;
        presence.since = t;
        if (!presence.left) presence.left = t;
    }
    void judge_publisher(const Topic& topic) {
        const Presence& presence = topic.presence;
        const std::string& name = topic.wish.topic;
        std::string inputs;
        for (const build::LocatedSignal& input : topic.wish.inputs)
            inputs += (inputs.empty() ? "'" : ", '") + input.name + "'";
        if (!presence.newest)
            return diagnostics_.warn("topic", "--subscribe",
                                     fmt::format("nothing came from topic '{}': {} kept its value", name, inputs));
        const auto seconds = [&](base::Time t) { return timebase_.seconds(t); };
        if (presence.times > (presence.away ? 1U : 0U))
            diagnostics_.warn("topic", "--subscribe",
                              fmt::format("the publisher of '{}' was away for a while between about t = {} and t = {}: "
                                          "{} kept its value meanwhile",
                                          name, seconds(*presence.left), seconds(presence.back), inputs));
        if (!presence.away && topic.wish.source->finds_publisher()) return;
        // Of one that died without a word only its last value is known.
        const base::Time since = presence.away ? presence.since : *presence.newest;
        diagnostics_.warn(
            "topic", "--subscribe",
            fmt::format("the publisher of '{}' went away at about t = {}: {} keeps {}", name, seconds(since), inputs,
                        topic.newest.empty() ? "its value" : topic_text(topic.wish.inputs.front(), topic.newest)));
    }
    /// To all inputs, or to none.
    static TopicFit give(Topic& topic, std::span<const std::uint8_t> value, core::Lanes& lanes) {
        const auto& inputs = topic.wish.inputs;
        for (const build::LocatedSignal& input : inputs)
            if (const TopicFit fit = topic_fit(input, value); fit != TopicFit::fits) return fit;
        for (std::size_t i = 0; i < inputs.size(); ++i) give_topic_value(inputs[i], value, topic.kept[i], lanes);
        return TopicFit::fits;
    }
    void play(std::int64_t now, core::Lanes& inputs) {
        while (const auto entry = journal_.next(now)) {
            const std::size_t index = entry->size() < 2 ? topics_.size() : (*entry)[0] | std::size_t{(*entry)[1]} << 8U;
            if (index >= topics_.size() || give(topics_[index], entry->subspan(2), inputs) != TopicFit::fits)
                throw base::Error("bad-record", "--subscribe", "the journal of the topics belongs to another run");
        }
    }
    /// Said when it happens first: whoever drives the machine should know it then.
    void leave_out(Topic& topic, TopicFit fit) {
        LeftOut& values = topic.left_out[static_cast<std::size_t>(fit)];
        if (++values.count > 1) return;
        values.why = reason(topic, fit);
        log_.warning("--subscribe", values.why + ": they are left out");
    }
    static std::string reason(const Topic& topic, TopicFit fit) {
        const build::LocatedSignal& input = topic.wish.inputs.front();
        if (fit == TopicFit::other_type)
            return fmt::format("topic '{}' has values of type '{}' that do not fit '{}' ({})", topic.wish.topic,
                               topic.wish.source->type(), input.name, topic_type(input));
        const char* what = fit == TopicFit::not_a_number    ? "are no number (NaN)"
                           : fit == TopicFit::infinite      ? "are infinite"
                           : fit == TopicFit::not_a_boolean ? "are neither 0 nor 1"
                                                            : "are too long or no text";
        return fmt::format("topic '{}' has values for '{}' that {}", topic.wish.topic, input.name, what);
    }

    base::Timebase timebase_;
    InputJournal journal_;
    base::Log& log_;
    base::Diagnostics& diagnostics_;
    std::vector<Topic> topics_;
    std::vector<std::uint8_t> entry_;
};

}  // namespace

std::unique_ptr<core::Tap> publish_topics(const std::vector<build::LocatedSignal>& signals, const build::Timing& timing,
                                          base::Log& log) {
    return std::make_unique<Publications>(signals, timing, log);
}

std::unique_ptr<TopicSource> shared_topic(const std::string& topic, const std::string& type) {
    return std::make_unique<SharedTopic>(topic, type);
}

std::string subscribed_type(const std::string& topic, const std::vector<build::LocatedSignal>& inputs) {
    std::string type = topic_type(inputs.front());
    for (const build::LocatedSignal& input : inputs)
        if (topic_type(input) != type)
            throw base::Error("topic", "--subscribe",
                              fmt::format("topic '{}' drives '{}' ({}) and '{}' ({}), expected inputs of one type",
                                          topic, inputs.front().name, type, input.name, topic_type(input)));
    return type;
}

std::unique_ptr<core::Tap> subscribe_topics(std::vector<Subscription> subscriptions, base::Timebase timebase,
                                            InputJournal journal, base::Log& log, base::Diagnostics& diagnostics) {
    return std::make_unique<Subscriptions>(std::move(subscriptions), timebase, std::move(journal), log, diagnostics);
}

}  // namespace master::runs
