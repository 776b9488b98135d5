#include "master/runs/taps/ros_topics.hpp"

#include "interfaces/dds/ros.hpp"
#include "interfaces/machine_file/error.hpp"
#include "interfaces/machine_file/machine_file.hpp"
#include "master/base/error.hpp"
#include "master/runs/taps/topic_value.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <list>
#include <mutex>
#include <stdexcept>
#include <thread>

namespace master::runs {
namespace {

namespace dds = interfaces::dds;
using interfaces::point_cloud::View;

/// Holds the newest value between the step and the thread; whoever finds it in use goes on without.
class Mailbox {
public:
    bool put(std::int64_t time, std::span<const std::uint8_t> bytes) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock) return false;
        bytes_.assign(bytes.begin(), bytes.end());
        time_ = time;
        full_ = true;
        return true;
    }
    bool take(std::int64_t& time, std::vector<std::uint8_t>& bytes) {
        const std::unique_lock lock(mutex_, std::try_to_lock);
        if (!lock || !full_) return false;
        full_ = false;
        time = time_;
        bytes_.swap(bytes);
        return true;
    }

private:
    std::mutex mutex_;
    std::vector<std::uint8_t> bytes_;
    std::int64_t time_ = 0;
    bool full_ = false;
};

std::vector<double> numbers_of(std::span<const std::uint8_t> bytes) {
    std::vector<double> numbers(bytes.size() / sizeof(double));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
    return numbers;
}

std::string component_of(const build::LocatedSignal& signal) {
    return signal.name.substr(0, signal.name.size() - signal.variable->name.size() - 1);
}

/// What ROS allows in a name: letters, digits, '_' and, between parts, '/'.
std::string ros_name(std::string name) {
    std::ranges::replace(name, '.', '/');
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0 && c != '/'; }, '_');
    return "/" + name;
}

/// Of Float64MultiArray, with whatever dimensions.
constexpr const char* numbers_type = "float64";

bool is_poses(const build::LocatedSignal& signal) {
    return signal.first.type == core::Type::real && signal.dimensions.size() == 2 && signal.dimensions[1] == 7;
}

/// Of the machine that the unit was made for; none where that is none that we know.
std::vector<std::string> links_of(const build::Parts::Component& component) {
    if (component.fmu == nullptr) return {};
    const auto file = component.fmu->folder() / "resources" / "machine.urdf";
    if (!std::filesystem::exists(file)) return {};
    std::vector<std::string> links;
    try {
        for (const auto& link : interfaces::machine_file::read(file.string()).links) links.push_back(link.name);
    } catch (const interfaces::machine_file::Error&) {
        links.clear();
    }
    return links;
}

/// The rows of poses by the names that other programs know from the URDF.
std::vector<std::string> frames_of(const build::LocatedSignal& signal, const build::Parts& parts) {
    std::vector<std::string> frames = links_of(parts.components[signal.unit]);
    if (frames.size() == signal.dimensions[0]) return frames;
    frames.clear();
    for (std::uint64_t i = 0; i < signal.dimensions[0]; ++i)
        frames.push_back(fmt::format("{}_{}", component_of(signal), i));
    return frames;
}

bool ends_with(const build::LocatedSignal& signal, std::string_view end) {
    return signal.first.type == core::Type::real && signal.dimensions.empty() && signal.variable->name.ends_with(end) &&
           signal.variable->name.size() > end.size();
}

class Ros final : public RosTopics {
public:
    Ros(const RosSettings& settings, const std::vector<build::LocatedSignal>& published,
        const build::Simulation& simulation, base::Diagnostics& diagnostics)
        : paced_(settings.paced),
          diagnostics_(diagnostics),
          start_(simulation.timing.start),
          timebase_(simulation.timing.timebase),
          participant_({.domain = settings.domain, .address = settings.address}) {
        std::vector<build::LocatedSignal> rest = published;
        add_clouds(rest);
        add_poses(rest, simulation.parts);
        add_joints(rest);
        for (const build::LocatedSignal& signal : rest) add_numbers(signal);
        for (Topic& topic : topics_)
            for (const build::LocatedSignal& signal : topic.signals)
                topic.period = std::max(topic.period, simulation.timing.periods[signal.unit]);
        thread_ = std::thread([this] { work(); });
    }
    ~Ros() override { stop(); }
    void finish() override {
        stop();
        for (const Topic& topic : topics_)
            diagnostics_.note(
                "topic", "--publish",
                fmt::format("dds topic '{}': {} published, {} dropped by DDS, {} replaced by a newer value "
                            "before they were sent",
                            topic.name, topic.sent, topic.dropped, topic.left - topic.sent - topic.dropped));
        if (!paced_ && !topics_.empty())
            diagnostics_.note(
                "topic", "--publish",
                "the run is not in real time: dds topics have the latest value, and their readers may not "
                "keep up");
    }
    std::unique_ptr<TopicSource> subscribe(const std::string& topic, const std::string& type) override {
        if (!type.starts_with(numbers_type))
            throw base::Error("topic", "--subscribe",
                              fmt::format("dds topic '{}' drives an input of type '{}', expected {}: that is what "
                                          "Float64MultiArray has",
                                          topic, type, numbers_type));
        const std::unique_lock lock(sources_mutex_);
        Source& source = sources_.emplace_back(participant_, topic);
        return std::make_unique<NumbersSource>(source);
    }
    void after_step(base::Time t, const core::Signals& signals) override {
        bool any = false;
        for (Topic& topic : topics_) {
            if ((t - start_).ticks % topic.period.ticks != 0) continue;
            ++topic.left;
            any = leave(topic, t, signals) || any;
        }
        if (any) wake_.notify_one();
    }

private:
    struct Topic {
        std::vector<build::LocatedSignal> signals;
        std::string name;
        std::function<bool(std::int64_t, std::span<const std::uint8_t>)> send;
        base::Duration period{1};
        std::unique_ptr<Mailbox> mailbox = std::make_unique<Mailbox>();
        std::vector<std::uint8_t> gathered = {};
        std::uint64_t left = 0;               // by steps
        std::uint64_t sent = 0, dropped = 0;  // by the thread
    };
    struct Source {
        Source(const dds::Participant& participant, const std::string& topic)
            : subscriber(participant, topic.starts_with('/') ? topic : ros_name(topic)) {}
        dds::NumbersSubscriber subscriber;
        Mailbox mailbox;
        std::atomic<bool> published{false};
    };
    class NumbersSource final : public TopicSource {
    public:
        explicit NumbersSource(Source& source) : source_(source) {}
        std::optional<std::span<const std::uint8_t>> fresh() override {
            std::int64_t time = 0;
            if (!source_.mailbox.take(time, value_)) return std::nullopt;
            return value_;
        }
        bool is_of_type() override { return true; }
        std::string type() const override { return numbers_type; }
        bool has_publisher() const override { return source_.published; }

    private:
        Source& source_;
        std::vector<std::uint8_t> value_;
    };

    /// Takes the signals that the test is true of out of the rest.
    template <class Test>
    static std::vector<build::LocatedSignal> take(std::vector<build::LocatedSignal>& rest, Test test) {
        std::vector<build::LocatedSignal> taken;
        std::ranges::copy_if(rest, std::back_inserter(taken), test);
        std::erase_if(rest, test);
        return taken;
    }
    void add_clouds(std::vector<build::LocatedSignal>& rest) {
        for (build::LocatedSignal& signal : take(rest, is_point_cloud)) {
            auto publisher =
                std::make_shared<dds::PointCloudPublisher>(participant_, ros_name(signal.name), component_of(signal));
            std::string name = ros_name(signal.name);
            topics_.push_back(
                {{std::move(signal)}, std::move(name), [publisher](std::int64_t, std::span<const std::uint8_t> bytes) {
                     const auto cloud = View::parse(bytes);
                     return cloud && publisher->publish(*cloud);
                 }});
        }
    }
    void add_poses(std::vector<build::LocatedSignal>& rest, const build::Parts& parts) {
        std::vector<build::LocatedSignal> signals = take(rest, is_poses);
        if (signals.empty()) return;
        std::vector<std::string> children;
        for (const build::LocatedSignal& signal : signals)
            for (std::string& frame : frames_of(signal, parts))
                // A frame has one parent: of two machines of one kind the later says whose link it is.
                children.push_back(std::ranges::find(children, frame) == children.end()
                                       ? std::move(frame)
                                       : component_of(signal) + "/" + frame);
        auto publisher = std::make_shared<dds::TransformPublisher>(participant_, "/tf", "world", children);
        topics_.push_back(
            {std::move(signals), "/tf", [publisher](std::int64_t time, std::span<const std::uint8_t> bytes) {
                 std::vector<std::array<double, 7>> poses(bytes.size() / sizeof(std::array<double, 7>));
                 std::memcpy(poses.data(), bytes.data(), poses.size() * sizeof(poses[0]));
                 return publisher->publish(time, poses);
             }});
    }
    void add_joints(std::vector<build::LocatedSignal>& rest) {
        constexpr std::string_view position = ".position", velocity = ".velocity";
        const auto is_position = [&](const build::LocatedSignal& signal) { return ends_with(signal, position); };
        while (true) {
            const auto first = std::ranges::find_if(rest, is_position);
            if (first == rest.end()) return;
            const std::string component = component_of(*first);
            const auto mine = [&](std::string_view end) {
                return take(rest, [&, end](const build::LocatedSignal& signal) {
                    return ends_with(signal, end) && component_of(signal) == component;
                });
            };
            std::vector<build::LocatedSignal> signals = mine(position);
            std::vector<std::string> joints;
            joints.reserve(signals.size());
            for (const build::LocatedSignal& signal : signals)
                joints.push_back(signal.variable->name.substr(0, signal.variable->name.size() - position.size()));
            const auto velocities = mine(velocity);
            std::size_t moving = 0;
            for (const std::string& joint : joints) {
                const auto found = std::ranges::find_if(velocities, [&](const build::LocatedSignal& signal) {
                    return signal.variable->name == joint + std::string(velocity);
                });
                if (found == velocities.end()) continue;
                signals.push_back(*found);
                ++moving;
            }
            const std::size_t count = joints.size();
            // Velocities belong to positions by their place: some are as good as none.
            if (moving != count) signals.resize(count);
            auto publisher = std::make_shared<dds::JointStatePublisher>(
                participant_, ros_name(component) + "/joint_states", std::move(joints));
            topics_.push_back({std::move(signals), ros_name(component) + "/joint_states",
                               [publisher, count](std::int64_t time, std::span<const std::uint8_t> bytes) {
                                   const std::vector<double> numbers = numbers_of(bytes);
                                   return publisher->publish(time, std::span(numbers).first(count),
                                                             std::span(numbers).subspan(count));
                               }});
        }
    }
    void add_numbers(const build::LocatedSignal& signal) {
        if (!core::is_number(signal.first.type))
            throw base::Error("topic", signal.name, "is neither numbers nor points: ROS 2 has no type for it here");
        auto publisher = std::make_shared<dds::NumbersPublisher>(participant_, ros_name(signal.name));
        topics_.push_back(
            {{signal}, ros_name(signal.name), [publisher](std::int64_t, std::span<const std::uint8_t> bytes) {
                 return publisher->publish(numbers_of(bytes));
             }});
    }

    bool leave(Topic& topic, base::Time t, const core::Signals& signals) {
        const std::int64_t now = nanoseconds(timebase_.seconds(t));
        if (is_point_cloud(topic.signals.front()))
            return topic.mailbox->put(now, topic_value(topic.signals.front(), signals));
        topic.gathered.clear();
        for (const build::LocatedSignal& signal : topic.signals) {
            for (std::uint32_t i = 0; i < signal.size(); ++i) {
                const double value = build::number(signal, signals, i);
                const auto* bytes = reinterpret_cast<const std::uint8_t*>(&value);
                topic.gathered.insert(topic.gathered.end(), bytes, bytes + sizeof value);
            }
        }
        return topic.mailbox->put(now, topic.gathered);
    }

    void stop() {
        if (!thread_.joinable()) return;
        stop_ = true;
        wake_.notify_one();
        thread_.join();
    }
    void send_all(std::vector<std::uint8_t>& bytes) {
        std::int64_t time = 0;
        for (Topic& topic : topics_)
            if (topic.mailbox->take(time, bytes)) ++(topic.send(time, bytes) ? topic.sent : topic.dropped);
    }
    void work() {
        std::mutex unused;
        std::vector<std::uint8_t> bytes;
        while (!stop_) {
            send_all(bytes);
            {
                const std::unique_lock lock(sources_mutex_);
                for (Source& source : sources_) {
                    const auto numbers = source.subscriber.next(0);
                    // Before the value is handed over: whoever takes it knows its publisher.
                    source.published = source.subscriber.has_publisher();
                    if (!numbers) continue;
                    source.mailbox.put(
                        0, {reinterpret_cast<const std::uint8_t*>(numbers->data()), numbers->size() * sizeof(double)});
                }
            }
            std::unique_lock lock(unused);
            // A wake-up that comes between is made up for a moment later.
            wake_.wait_for(lock, std::chrono::milliseconds(1));
        }
        send_all(bytes);  // what the last step left
    }

    bool paced_;
    base::Diagnostics& diagnostics_;
    base::Time start_;
    base::Timebase timebase_;
    dds::Participant participant_;
    std::vector<Topic> topics_;
    std::mutex sources_mutex_;
    std::list<Source> sources_;
    std::condition_variable wake_;
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace

std::unique_ptr<RosTopics> RosTopics::make(const RosSettings& settings,
                                           const std::vector<build::LocatedSignal>& published,
                                           const build::Simulation& simulation, base::Diagnostics& diagnostics) {
    try {
        return std::make_unique<Ros>(settings, published, simulation, diagnostics);
    } catch (const base::Error&) {
        throw;
    } catch (const std::runtime_error& error) {
        throw base::Error("topic", "--publish", error.what());
    }
}

}  // namespace master::runs
