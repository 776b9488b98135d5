#pragma once

#include "interfaces/point_cloud/point_cloud.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Topics between machines, as ROS 2 names and types them, over Cyclone DDS. A topic "/lidar/points" is
/// "rt/lidar/points" there. Times are ns.
namespace interfaces::dds {

struct ParticipantSettings {
    std::uint32_t domain = 0;              // ROS_DOMAIN_ID
    std::string address = "127.0.0.1";     // of the interface that is used
    std::int64_t discovery = 500'000'000;  // ns in which another publisher of a topic makes itself known
};

/// This process among those that talk to each other. Outlives what is made with it.
class Participant {
public:
    /// Throws std::runtime_error where the address cannot be used. All participants of a process in one domain use the
    /// address of the first.
    explicit Participant(const ParticipantSettings& settings = {});
    ~Participant();
    Participant(const Participant&) = delete;
    Participant& operator=(const Participant&) = delete;

    [[nodiscard]] std::int32_t handle() const { return participant_; }
    /// Waits for the time of discovery, unless somebody who publishes the topic is found before.
    [[nodiscard]] bool has_publisher(const std::string& topic) const;

private:
    ParticipantSettings settings_;
    std::int32_t domain_ = 0, participant_ = 0, publications_ = 0;
};

/// What all publishers have in common: the topic has no other publisher, or it is refused by name (std::runtime_error).
class Publisher {
public:
    ~Publisher();
    Publisher(const Publisher&) = delete;
    Publisher& operator=(const Publisher&) = delete;
    /// Messages that found no room because a reader is slow; they are not sent, nothing waits for it.
    [[nodiscard]] std::uint64_t dropped() const { return dropped_; }

protected:
    enum class Delivery { best_effort, reliable };
    Publisher(const Participant& participant, const std::string& topic, const void* type, Delivery delivery);
    bool write(const void* message);

private:
    std::int32_t topic_ = 0, writer_ = 0;
    std::uint64_t dropped_ = 0;
};

/// sensor_msgs/PointCloud2 with x, y, z, intensity; points without a return are left out.
class PointCloudPublisher : public Publisher {
public:
    PointCloudPublisher(const Participant& participant, const std::string& topic, std::string frame);
    bool publish(const point_cloud::View& cloud);
    bool publish(std::int64_t time, std::span<const point_cloud::Point> points);

private:
    template <class Points>
    bool publish_all(std::int64_t time, const Points& points, std::size_t count);
    std::string frame_;
    std::vector<std::uint8_t> data_;
};

/// sensor_msgs/JointState: rad and rad/s, or m and m/s.
class JointStatePublisher : public Publisher {
public:
    JointStatePublisher(const Participant& participant, const std::string& topic, std::vector<std::string> joints);
    /// One number per joint each; velocities may be left out.
    bool publish(std::int64_t time, std::span<const double> positions, std::span<const double> velocities);

private:
    std::vector<std::string> joints_;
    std::vector<char*> names_;
};

/// tf2_msgs/TFMessage: where frames are in one other frame.
class TransformPublisher : public Publisher {
public:
    TransformPublisher(const Participant& participant, const std::string& topic, std::string parent,
                       std::vector<std::string> children);
    /// x y z qx qy qz qw per child.
    bool publish(std::int64_t time, std::span<const std::array<double, 7>> poses);

private:
    std::string parent_;
    std::vector<std::string> children_;
};

/// std_msgs/Float64MultiArray: any connector of numbers, without a layout.
class NumbersPublisher : public Publisher {
public:
    NumbersPublisher(const Participant& participant, const std::string& topic);
    bool publish(std::span<const double> numbers);
};

/// What all subscribers have in common.
class Subscriber {
public:
    ~Subscriber();
    Subscriber(const Subscriber&) = delete;
    Subscriber& operator=(const Subscriber&) = delete;
    /// True while a publisher of the topic is known; one that dies without a word is known for 10 s more.
    [[nodiscard]] bool has_publisher() const;

protected:
    Subscriber(const Participant& participant, const std::string& topic, const void* type);
    /// The newest message that was not taken yet, waiting up to so long for one; whoever takes it gives it back.
    [[nodiscard]] void* take(int milliseconds);
    void give_back(void* message);

private:
    std::int32_t topic_ = 0, reader_ = 0, condition_ = 0, waitset_ = 0;
};

class NumbersSubscriber : public Subscriber {
public:
    NumbersSubscriber(const Participant& participant, const std::string& topic);
    /// Numbers that came since the last call; 0 ms: without waiting.
    [[nodiscard]] std::optional<std::vector<double>> next(int milliseconds);
};

class PointCloudSubscriber : public Subscriber {
public:
    PointCloudSubscriber(const Participant& participant, const std::string& topic);
    struct Cloud {
        std::int64_t time = 0;
        std::string frame;
        std::vector<std::array<float, 3>> points;
    };
    /// None also where the message has no x, y, z as little-endian float32, or less data than it says.
    [[nodiscard]] std::optional<Cloud> next(int milliseconds);
};

}  // namespace interfaces::dds
