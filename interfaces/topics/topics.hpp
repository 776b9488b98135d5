#pragma once

#include "interfaces/shared_memory/channel.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Named topics between processes of one machine: one publisher and any number of subscribers each, the newest value at
/// once or the next one when it comes. A topic may be named as any connector or ROS topic is ("/lidar/points",
/// "kinematics.links.poses"); its values are bytes of a stated type.
namespace interfaces::topics {

struct TopicSettings {
    std::string name;
    std::string type;          // at most 63 characters
    std::size_t capacity = 0;  // bytes of the largest value
};

/// The publisher of a topic. A second one is refused by name (std::runtime_error).
class Publisher {
public:
    explicit Publisher(const TopicSettings& settings);
    /// Never waits. False if the value is larger than the capacity.
    bool publish(std::int64_t time, std::span<const std::uint8_t> value) { return writer_.publish(time, value); }

private:
    shared_memory::Writer writer_;
};

/// A subscriber; its publisher may come later, go, and come back.
class Subscriber {
public:
    using Value = shared_memory::Reader::Value;

    explicit Subscriber(std::string_view name);
    [[nodiscard]] std::optional<Value> latest() { return reader_.latest(); }
    /// The next value that was not read yet.
    [[nodiscard]] std::optional<Value> wait(int milliseconds) { return reader_.wait(milliseconds); }
    [[nodiscard]] std::string type() const { return reader_.type(); }
    /// True from when a publisher is found until it says that it goes; one that dies says nothing (`has_publisher`).
    [[nodiscard]] bool connected() const { return reader_.connected(); }
    /// Grows with every publisher that is found: until then the type stays what it is.
    [[nodiscard]] std::uint64_t connections() const { return reader_.connections(); }

private:
    shared_memory::Reader reader_;
};

/// One line of the table of topics.
struct TopicInfo {
    std::string name, type;
    std::uint32_t publisher = 0;  // process
    bool alive = false;           // false: its publisher died without a word
    std::uint64_t published = 0;
    std::size_t size = 0;        // bytes of the newest value
    std::int64_t time = 0;       // ns of the simulation, of the newest value
    std::optional<double> age;   // s since the newest value
    std::optional<double> rate;  // values per second, over the newest few
};

/// All topics of this machine that may be read, by name.
[[nodiscard]] std::vector<TopicInfo> list();

/// True while a process lives that publishes the topic.
[[nodiscard]] bool has_publisher(std::string_view topic);

/// The name of a topic as that of a segment, and back: what a file's name may not hold is written as %XX.
[[nodiscard]] std::string segment_of(std::string_view topic);
[[nodiscard]] std::string topic_of(std::string_view segment);

}  // namespace interfaces::topics
