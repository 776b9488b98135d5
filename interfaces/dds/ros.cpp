#include "interfaces/dds/ros.hpp"

#include "interfaces/dds/ros_messages.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <dds/dds.h>
#include <stdexcept>
#include <string_view>
#include <thread>

namespace interfaces::dds {

namespace {

using Cloud2 = sensor_msgs_msg_dds__PointCloud2_;
using Field = sensor_msgs_msg_dds__PointField_;
using Numbers = std_msgs_msg_dds__Float64MultiArray_;

constexpr std::uint8_t float32 = 7;  // PointField.FLOAT32
constexpr std::size_t point_step = 16;

std::string ros_name(const std::string& topic) { return "rt" + (topic.starts_with('/') ? topic : "/" + topic); }

dds_entity_t checked(dds_entity_t entity, const std::string& what) {
    if (entity < 0) throw std::runtime_error("DDS: " + what + ": " + dds_strretcode(entity));
    return entity;
}

builtin_interfaces_msg_dds__Time_ stamp(std::int64_t time) {
    constexpr std::int64_t second = 1'000'000'000;
    const std::int64_t rest = (time % second + second) % second;
    return {.sec = static_cast<std::int32_t>((time - rest) / second), .nanosec = static_cast<std::uint32_t>(rest)};
}

/// The generated types are of C: their texts are not const, though nobody writes to them.
char* text(const std::string& from) { return const_cast<char*>(from.c_str()); }

template <class Sequence, class Element>
Sequence sequence(Element* elements, std::size_t count) {
    return {._maximum = static_cast<std::uint32_t>(count),
            ._length = static_cast<std::uint32_t>(count),
            ._buffer = elements,
            ._release = false};
}
dds_sequence_double doubles(std::span<const double> numbers) {
    return sequence<dds_sequence_double>(const_cast<double*>(numbers.data()), numbers.size());
}

/// One interface, no multicast, so that nothing leaves the machine unless the address does.
std::string configuration(const std::string& address) {
    return "<CycloneDDS><Domain><General><Interfaces><NetworkInterface address=\"" + address +
           "\"/></Interfaces><AllowMulticast>" + (address.starts_with("127.") ? "false" : "true") +
           "</AllowMulticast></General><Discovery><ParticipantIndex>auto</ParticipantIndex><MaxAutoParticipantIndex>32"
           "</MaxAutoParticipantIndex><Peers><Peer address=\"" +
           address + "\"/></Peers></Discovery></Domain></CycloneDDS>";
}

bool is_address(const std::string& text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
}

/// Where x, y and z stand in a point, if they do as float32.
std::optional<std::array<std::uint32_t, 3>> offsets_of(const Cloud2& cloud) {
    std::array<std::uint32_t, 3> offsets{};
    constexpr std::array<std::string_view, 3> names{"x", "y", "z"};
    for (std::size_t i = 0; i < 3; ++i) {
        const Field* begin = cloud.fields._buffer;
        const Field* end = begin + cloud.fields._length;
        const auto* field = std::find_if(begin, end, [&](const Field& f) { return names[i] == f.name; });
        if (field == end || field->datatype != float32 || field->offset > cloud.point_step ||
            cloud.point_step - field->offset < sizeof(float))
            return std::nullopt;
        offsets[i] = field->offset;
    }
    return offsets;
}

}  // namespace

Participant::Participant(const ParticipantSettings& settings) : settings_(settings) {
    if (!is_address(settings.address))
        throw std::runtime_error("DDS: address '" + settings.address + "', expected an IPv4 address of this machine");
    // Where the domain is there already, it is used as it is.
    domain_ = dds_create_domain(settings.domain, configuration(settings.address).c_str());
    const std::string what = "domain " + std::to_string(settings.domain) + " at " + settings.address;
    if (domain_ < 0 && domain_ != DDS_RETCODE_PRECONDITION_NOT_MET) (void)checked(domain_, what);
    participant_ = dds_create_participant(settings.domain, nullptr, nullptr);
    if (participant_ < 0 && domain_ > 0) dds_delete(domain_);
    (void)checked(participant_, what);
    publications_ = dds_create_reader(participant_, DDS_BUILTIN_TOPIC_DCPSPUBLICATION, nullptr, nullptr);
}

Participant::~Participant() {
    dds_delete(participant_);
    if (domain_ > 0) dds_delete(domain_);
}

bool Participant::has_publisher(const std::string& topic) const {
    const std::string name = ros_name(topic);
    const auto end = std::chrono::steady_clock::now() + std::chrono::nanoseconds(settings_.discovery);
    do {
        constexpr std::uint32_t most = 256;
        std::array<void*, most> samples{};
        std::array<dds_sample_info_t, most> infos{};
        const auto count =
            dds_read_mask(publications_, samples.data(), infos.data(), most, most, DDS_ALIVE_INSTANCE_STATE);
        bool found = false;
        for (std::int32_t i = 0; i < count; ++i) {
            const auto index = static_cast<std::size_t>(i);
            const auto* endpoint = static_cast<const dds_builtintopic_endpoint_t*>(samples[index]);
            found = found || (infos[index].valid_data && name == endpoint->topic_name);
        }
        if (count > 0) dds_return_loan(publications_, samples.data(), count);
        if (found) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    } while (std::chrono::steady_clock::now() < end);
    return false;
}

Publisher::Publisher(const Participant& participant, const std::string& topic, const void* type, Delivery delivery) {
    if (participant.has_publisher(topic))
        throw std::runtime_error("DDS: topic '" + topic + "' has a publisher already");
    const std::string name = ros_name(topic);
    topic_ = checked(dds_create_topic(participant.handle(), static_cast<const dds_topic_descriptor_t*>(type),
                                      name.c_str(), nullptr, nullptr),
                     "topic '" + topic + "'");
    dds_qos_t* qos = dds_create_qos();
    // What a reader is too slow for is dropped: the simulation waits for nobody.
    dds_qset_reliability(qos, delivery == Delivery::reliable ? DDS_RELIABILITY_RELIABLE : DDS_RELIABILITY_BEST_EFFORT,
                         0);
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
    writer_ = dds_create_writer(participant.handle(), topic_, qos, nullptr);
    dds_delete_qos(qos);
    (void)checked(writer_, "publisher of '" + topic + "'");
}

Publisher::~Publisher() {
    dds_delete(writer_);
    dds_delete(topic_);
}

bool Publisher::write(const void* message) {
    if (dds_write(writer_, message) == DDS_RETCODE_OK) return true;
    ++dropped_;
    return false;
}

PointCloudPublisher::PointCloudPublisher(const Participant& participant, const std::string& topic, std::string frame)
    : Publisher(participant, topic, &sensor_msgs_msg_dds__PointCloud2__desc, Delivery::best_effort),
      frame_(std::move(frame)) {}

template <class Points>
bool PointCloudPublisher::publish_all(std::int64_t time, const Points& points, std::size_t count) {
    data_.resize(point_step * count);
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const point_cloud::Point point = points[i];
        if (point.x == 0 && point.y == 0 && point.z == 0) continue;
        for (const float value : {point.x, point.y, point.z, static_cast<float>(point.intensity)}) {
            point_cloud::put(&data_[size], std::bit_cast<std::uint32_t>(value));
            size += sizeof value;
        }
    }
    std::array<Field, 4> fields{};
    constexpr std::array<const char*, 4> names{"x", "y", "z", "intensity"};
    for (std::size_t i = 0; i < fields.size(); ++i)
        fields[i] = {.name = const_cast<char*>(names[i]),
                     .offset = static_cast<std::uint32_t>(4 * i),
                     .datatype = float32,
                     .count = 1};
    Cloud2 cloud{};
    cloud.header = {.stamp = stamp(time), .frame_id = text(frame_)};
    cloud.height = 1;
    cloud.width = static_cast<std::uint32_t>(size / point_step);
    cloud.fields = sequence<dds_sequence_sensor_msgs_msg_dds__PointField_>(fields.data(), fields.size());
    cloud.point_step = point_step;
    cloud.row_step = static_cast<std::uint32_t>(size);
    cloud.data = sequence<dds_sequence_uint8>(data_.data(), size);
    cloud.is_dense = true;
    return write(&cloud);
}

bool PointCloudPublisher::publish(const point_cloud::View& cloud) {
    return publish_all(cloud.header().time, cloud, cloud.size());
}
bool PointCloudPublisher::publish(std::int64_t time, std::span<const point_cloud::Point> points) {
    return publish_all(time, points, points.size());
}

JointStatePublisher::JointStatePublisher(const Participant& participant, const std::string& topic,
                                         std::vector<std::string> joints)
    : Publisher(participant, topic, &sensor_msgs_msg_dds__JointState__desc, Delivery::reliable),
      joints_(std::move(joints)) {
    for (const std::string& joint : joints_) names_.push_back(text(joint));
}

bool JointStatePublisher::publish(std::int64_t time, std::span<const double> positions,
                                  std::span<const double> velocities) {
    static const std::string no_frame;
    sensor_msgs_msg_dds__JointState_ state{};
    state.header = {.stamp = stamp(time), .frame_id = text(no_frame)};
    state.name = sequence<dds_sequence_string>(names_.data(), names_.size());
    state.position = doubles(positions);
    state.velocity = doubles(velocities);
    return write(&state);
}

TransformPublisher::TransformPublisher(const Participant& participant, const std::string& topic, std::string parent,
                                       std::vector<std::string> children)
    : Publisher(participant, topic, &tf2_msgs_msg_dds__TFMessage__desc, Delivery::reliable),
      parent_(std::move(parent)),
      children_(std::move(children)) {}

bool TransformPublisher::publish(std::int64_t time, std::span<const std::array<double, 7>> poses) {
    std::vector<geometry_msgs_msg_dds__TransformStamped_> transforms(std::min(poses.size(), children_.size()));
    for (std::size_t i = 0; i < transforms.size(); ++i) {
        const auto& [x, y, z, qx, qy, qz, qw] = poses[i];
        transforms[i].header = {.stamp = stamp(time), .frame_id = text(parent_)};
        transforms[i].child_frame_id = text(children_[i]);
        transforms[i].transform = {.translation = {x, y, z}, .rotation = {qx, qy, qz, qw}};
    }
    tf2_msgs_msg_dds__TFMessage_ message{};
    message.transforms =
        sequence<dds_sequence_geometry_msgs_msg_dds__TransformStamped_>(transforms.data(), transforms.size());
    return write(&message);
}

NumbersPublisher::NumbersPublisher(const Participant& participant, const std::string& topic)
    : Publisher(participant, topic, &std_msgs_msg_dds__Float64MultiArray__desc, Delivery::reliable) {}

bool NumbersPublisher::publish(std::span<const double> numbers) {
    Numbers message{};
    message.data = doubles(numbers);
    return write(&message);
}

Subscriber::Subscriber(const Participant& participant, const std::string& topic, const void* type) {
    topic_ = checked(dds_create_topic(participant.handle(), static_cast<const dds_topic_descriptor_t*>(type),
                                      ros_name(topic).c_str(), nullptr, nullptr),
                     "topic '" + topic + "'");
    dds_qos_t* qos = dds_create_qos();
    dds_qset_reliability(qos, DDS_RELIABILITY_BEST_EFFORT, 0);  // takes what reliable publishers send as well
    dds_qset_history(qos, DDS_HISTORY_KEEP_LAST, 1);
    reader_ = dds_create_reader(participant.handle(), topic_, qos, nullptr);
    dds_delete_qos(qos);
    (void)checked(reader_, "subscriber of '" + topic + "'");
    condition_ = dds_create_readcondition(reader_, DDS_ANY_STATE);
    waitset_ = dds_create_waitset(participant.handle());
    dds_waitset_attach(waitset_, condition_, 0);
}

Subscriber::~Subscriber() {
    dds_delete(waitset_);
    dds_delete(reader_);
    dds_delete(topic_);
}

bool Subscriber::has_publisher() const {
    dds_subscription_matched_status_t status{};
    return dds_get_subscription_matched_status(reader_, &status) == DDS_RETCODE_OK && status.current_count > 0;
}

void* Subscriber::take(int milliseconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (true) {
        void* sample = nullptr;
        dds_sample_info_t info{};
        const auto count = dds_take(reader_, &sample, &info, 1, 1);
        if (count == 1 && info.valid_data) return sample;
        if (count == 1) give_back(sample);  // only says that a publisher went
        const auto left = end - std::chrono::steady_clock::now();
        if (left <= left.zero()) return nullptr;
        if (count <= 0) dds_waitset_wait(waitset_, nullptr, 0, std::chrono::nanoseconds(left).count());
    }
}

void Subscriber::give_back(void* message) { dds_return_loan(reader_, &message, 1); }

NumbersSubscriber::NumbersSubscriber(const Participant& participant, const std::string& topic)
    : Subscriber(participant, topic, &std_msgs_msg_dds__Float64MultiArray__desc) {}

std::optional<std::vector<double>> NumbersSubscriber::next(int milliseconds) {
    void* message = take(milliseconds);
    if (message == nullptr) return std::nullopt;
    const auto& data = static_cast<const Numbers*>(message)->data;
    std::vector<double> numbers(data._buffer, data._buffer + data._length);
    give_back(message);
    return numbers;
}

PointCloudSubscriber::PointCloudSubscriber(const Participant& participant, const std::string& topic)
    : Subscriber(participant, topic, &sensor_msgs_msg_dds__PointCloud2__desc) {}

std::optional<PointCloudSubscriber::Cloud> PointCloudSubscriber::next(int milliseconds) {
    void* message = take(milliseconds);
    if (message == nullptr) return std::nullopt;
    const auto& from = *static_cast<const Cloud2*>(message);
    std::optional<Cloud> cloud;
    const auto offsets = offsets_of(from);
    const std::uint64_t count = std::uint64_t{from.width} * from.height;
    if (offsets && !from.is_bigendian && count <= from.data._length / from.point_step) {
        cloud = Cloud{.time = std::int64_t{from.header.stamp.sec} * 1'000'000'000 + from.header.stamp.nanosec,
                      .frame = from.header.frame_id};
        cloud->points.resize(count);
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t* at = from.data._buffer + i * from.point_step;
            for (std::size_t k = 0; k < 3; ++k)
                cloud->points[i][k] = std::bit_cast<float>(point_cloud::take<std::uint32_t>(at + (*offsets)[k]));
        }
    }
    give_back(message);
    return cloud;
}

}  // namespace interfaces::dds
