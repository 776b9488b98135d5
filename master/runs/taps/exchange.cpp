#include "master/runs/taps/exchange.hpp"

#include "master/base/error.hpp"
#include "master/runs/taps/point_recorder.hpp"
#include "master/runs/taps/ros_topics.hpp"
#include "master/runs/taps/topics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace master::runs {
namespace {

constexpr const char* topics_journal = "subscribed.journal";

/// "dds:NAME" is NAME between machines.
std::pair<std::string, bool> split_dds(const std::string& text) {
    constexpr std::string_view prefix = "dds:";
    return text.starts_with(prefix) ? std::pair{text.substr(prefix.size()), true} : std::pair{text, false};
}

std::pair<std::string, std::string> split_at_equal(const std::string& text) {
    const std::size_t equal = text.find('=');
    if (equal == std::string::npos) return {text, ""};
    return {text.substr(0, equal), text.substr(equal + 1)};
}

/// An element of an array and the array overlap, too.
bool overlap(const build::LocatedSignal& a, const build::LocatedSignal& b) {
    return a.first.type == b.first.type && a.first.index < b.first.index + b.size() &&
           b.first.index < a.first.index + a.size();
}

}  // namespace

Exchange::Exchange(const ExchangeOptions& options) : options_(options) {
    using Use = build::SignalRequest::Use;
    for (const std::string& text : options.publish) {
        const auto [pattern, dds] = split_dds(text);
        publish_.push_back({{.use = Use::match, .name = pattern, .where = "--publish"}, "", dds});
    }
    for (const std::string& text : options.subscribe) {
        const auto [rest, dds] = split_dds(text);
        const auto [input, topic] = split_at_equal(rest);
        subscribe_.push_back(
            {{.use = Use::drive, .name = input, .where = "--subscribe"}, topic.empty() ? input : topic, dds});
    }
    for (const std::string& text : options.record_points) {
        const auto [signal, file] = split_at_equal(text);
        if (file.empty())
            throw base::Error("usage", "--record-points",
                              fmt::format("'{}' names no file, expected SIGNAL=FILE.lvx or SIGNAL=FILE.pcd", text));
        record_.push_back({{.use = Use::match, .name = signal, .where = "--record-points"}, file, false});
    }
}

std::vector<build::SignalRequest*> Exchange::requests() {
    std::vector<build::SignalRequest*> all;
    for (auto* wishes : {&publish_, &subscribe_, &record_})
        for (Wish& wish : *wishes) all.push_back(&wish.request);
    return all;
}

void Exchange::refuse_two_sources() const {
    const auto place = [](const Wish& wish) { return (wish.dds ? "dds topic '" : "topic '") + wish.topic + "'"; };
    for (auto second = subscribe_.begin(); second != subscribe_.end(); ++second)
        for (auto first = subscribe_.begin(); first != second; ++first)
            for (const build::LocatedSignal& input : second->request.found)
                if (std::ranges::any_of(first->request.found, [&](const auto& other) { return overlap(input, other); }))
                    throw base::Error("two-sources", "--subscribe",
                                      fmt::format("input '{}' is driven by {} and by {}, expected one", input.name,
                                                  place(*first), place(*second)));
}

std::vector<std::string> Exchange::journals() const {
    if (subscribe_.empty()) return {};
    return {topics_journal};
}

std::vector<build::LocatedSignal> Exchange::published(bool dds) const {
    std::vector<build::LocatedSignal> signals;
    for (const Wish& wish : publish_) {
        if (wish.dds != dds) continue;
        for (const build::LocatedSignal& signal : wish.request.found)
            if (std::ranges::find(signals, signal.name, &build::LocatedSignal::name) == signals.end())
                signals.push_back(signal);
    }
    return signals;
}

std::vector<std::unique_ptr<core::Tap>> Exchange::taps(const build::Simulation& simulation,
                                                       const InputJournal::Folders& folders, base::Log& log,
                                                       base::Diagnostics& diagnostics) const {
    std::vector<std::unique_ptr<core::Tap>> taps;
    const bool repeat = !folders.read_from.empty();
    const build::Timing& timing = simulation.timing;
    const auto is_dds = [](const Wish& wish) { return wish.dds; };
    std::unique_ptr<RosTopics> ros;
    if (!repeat && (std::ranges::any_of(publish_, is_dds) || std::ranges::any_of(subscribe_, is_dds)))
        ros = RosTopics::make(
            {.address = options_.dds_address, .domain = options_.dds_domain, .paced = !folders.write_to.empty()},
            published(true), simulation, diagnostics);
    if (!subscribe_.empty()) {
        std::vector<Subscription> subscriptions;
        for (const Wish& wish : subscribe_) {
            std::unique_ptr<TopicSource> source;
            const std::string type = subscribed_type(wish.topic, wish.request.found);
            if (!repeat) source = wish.dds ? ros->subscribe(wish.topic, type) : shared_topic(wish.topic, type);
            subscriptions.push_back({wish.topic, wish.request.found, std::move(source)});
        }
        taps.push_back(subscribe_topics(std::move(subscriptions), timing.timebase,
                                        InputJournal(folders, topics_journal), log, diagnostics));
    }
    if (ros) taps.push_back(std::move(ros));
    const auto topics = published(false);
    if (!repeat && !topics.empty()) taps.push_back(publish_topics(topics, timing, log));
    for (const Wish& wish : record_) {
        if (wish.request.found.size() != 1)
            throw base::Error("usage", "--record-points",
                              fmt::format("'{}' is more than one signal", wish.request.name));
        taps.push_back(record_points(wish.request.found.front(), wish.topic));
    }
    return taps;
}

}  // namespace master::runs
