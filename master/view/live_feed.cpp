#include "master/view/live_feed.hpp"

#include "interfaces/topics/topics.hpp"
#include "master/base/error.hpp"
#include "master/base/json.hpp"
#include "master/view/clock.hpp"
#include "master/view/traffic/bus_watch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace master::view {
namespace {

constexpr std::uint32_t state_slot = 0, cloud_slot = 1, first_array_slot = 2;
constexpr std::uint32_t first_bus_slot = 1U << 24U, topics_slot = 1U << 25U;
constexpr std::size_t most_remembered = 200;
constexpr std::uint64_t slow_ticks = 3;   // of 30 a second: ten clouds
constexpr std::uint64_t idle_ticks = 30;  // where nobody looks
constexpr std::uint64_t topic_ticks = 15;
constexpr double measured_time = 1;  // s, for the real-time factor

std::vector<double> doubles_of(std::span<const std::byte> bytes) {
    std::vector<double> values(bytes.size() / sizeof(double));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(double));
    return values;
}

}  // namespace

LiveFeed::LiveFeed(Channel& channel) : channel_(channel) {}

void LiveFeed::begin_run(const std::string& note) {
    channel_.begin_run();
    catalogue_.reset();
    settable_.clear();
    arrays_ = 0;
    buses_ = 0;
    axes_.clear();
    levers_.reset();
    frames_.clear();
    cloud_.reset();
    remembered_.clear();
    times_.clear();
    end_.clear();
    over_ = false;
    end_flags_ = 0;
    time_ = 0;
    factor_ = std::numeric_limits<double>::quiet_NaN();
    reset_ = false;
    phase_ = R"({"type":"run","phase":"preparing","speed":0,"paused":false})";
    tell_all(phase_);
    if (note.empty()) return;
    remembered_.push_back(
        fmt::format(R"({{"type":"log","level":"note","t":0,"where":"view","text":{}}})", base::json_quoted(note)));
    tell_all(remembered_.back());
}

void LiveFeed::end(int code, const std::string& text) {
    awake();
    over_ = true;
    const bool asked_for = code == static_cast<int>(base::Exit::interrupted);
    end_flags_ = Flag::ended | (code == 0 || asked_for ? 0U : std::uint32_t{Flag::failed});
    end_ = fmt::format(R"({{"type":"end","code":{},"text":{}}})", code,
                       base::json_quoted(asked_for && reset_asked() ? "reset" : text));
    phase_ = R"({"type":"run","phase":"ended","speed":0,"paused":false})";
    tell_all(phase_);
    tell_all(end_);
    const auto state = frames_.find(state_slot);
    if (state == frames_.end()) return;
    add_flags(state->second, end_flags_);
    for (Client* client : clients_) client->show(state_slot, state->second);
}

std::optional<std::string> LiveFeed::system_json() {
    read_catalogue();
    if (!catalogue_) return std::nullopt;
    return catalogue_->json;
}

const std::string* LiveFeed::file(std::string_view name) {
    read_catalogue();
    if (!catalogue_) return nullptr;
    const auto found = std::ranges::find(catalogue_->files, name, &std::pair<std::string, std::string>::first);
    return found == catalogue_->files.end() ? nullptr : &found->second;
}

/// It comes from the process of the run, which may have gone wild: what does not fit is not believed.
void LiveFeed::read_catalogue() {
    if (catalogue_) return;
    std::optional<Catalogue> found = channel_.catalogue();
    if (!found) return;
    std::vector<bool> settable;
    std::vector<Axis> axes;
    double dead_zone = 0;
    try {
        const auto document = nlohmann::json::parse(found->json);
        for (const auto& signal : document.at("signals"))
            settable.push_back(signal.contains("input") || signal.contains("tunable"));
        arrays_ = document.at("arrays").size();
        buses_ = document.at("buses").size();
        if (const auto& view = document.at("view"); view.is_object() && view.contains("operator")) {
            dead_zone = view["operator"].at("deadZone");
            for (const auto& axis : view["operator"].at("axes"))
                axes.push_back({.input = axis.at("input"), .least = axis.at("least"), .most = axis.at("most")});
        }
    } catch (const nlohmann::json::exception&) {
        return;
    }
    catalogue_ = std::move(found);
    settable_ = std::move(settable);
    axes_ = std::move(axes);
    if (!axes_.empty()) levers_.emplace(axes_.size(), dead_zone);
}

void LiveFeed::join(Client& client) {
    clients_.push_back(&client);
    tell(client, fmt::format(R"({{"type":"hello","client":{},"run":{},"mode":"live"}})", client.id(), channel_.run()));
    control_.tell();
    tell(client, phase_);
    for (const std::string& json : remembered_) tell(client, json);
    if (!end_.empty()) tell(client, end_);
    for (const auto& [slot, frame] : frames_) client.show(slot, frame);
    std::map<std::size_t, Frame> made;
    show_cloud(client, made);
    channel_.wish(Channel::fast | Channel::slow);
}

void LiveFeed::leave(Client& client) {
    std::erase(clients_, &client);
    control_.leave(client.id());
}

void LiveFeed::hear(Client& client, const ClientMessage& message) {
    using Do = ClientMessage::Do;
    if (const auto heard = control_.hear(client.id(), message); heard != SharedControl::Heard::other) {
        if (heard == SharedControl::Heard::refused)
            refuse(client, message.what == Do::give ? "give" : "release", SharedControl::refusal);
        return;
    }
    switch (message.what) {
        case Do::budget:
            client.budget = message.number;
            return;
        case Do::seek:
            return refuse(client, "seek", "time cannot be moved in a run that goes on");
        default:
            break;
    }
    if (!control_.has(client.id())) return refuse(client, "control", "this client does not hold control");
    hear_steering(client, message);
}

void LiveFeed::hear_steering(Client& client, const ClientMessage& message) {
    using Do = ClientMessage::Do;
    using Kind = Command::Kind;
    Command command{.client = client.id()};
    switch (message.what) {
        case Do::pause:
            command.kind = Kind::pause;
            break;
        case Do::go:
            command.kind = Kind::go;
            break;
        case Do::step:
            command.kind = Kind::step;
            command.count = message.number;
            break;
        case Do::speed:
            command.kind = Kind::speed;
            command.value = message.value;
            break;
        case Do::set:
            if (message.number >= settable_.size() || !settable_[message.number])
                return refuse(client, "set",
                              "this signal is no free input and no tunable parameter that the view opens");
            command.kind = Kind::set;
            command.signal = message.number;
            command.value = message.value;
            break;
        case Do::levers:
            return move(client, message);
        case Do::reset:
            reset_.store(true, std::memory_order_release);
            command.kind = Kind::end;
            break;
        default:
            command.kind = Kind::end;
    }
    channel_.command(command);
}

void LiveFeed::move(Client& client, const ClientMessage& message) {
    if (!levers_) return refuse(client, "levers", "this system has no axes that an operator drives");
    if (!levers_->move(message.alive, message.levers, steady_seconds()))
        return refuse(client, "levers", fmt::format("expected {} values, one for each axis", axes_.size()));
    tell_axes(client.id());
}

void LiveFeed::tell_axes(std::uint32_t client) {
    const std::span<const double> values = levers_->values();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        Axis& axis = axes_[i];
        const double value = values[i] >= 0 ? values[i] * axis.most : -values[i] * axis.least;
        if (value == axis.told) continue;
        axis.told = value;
        channel_.command({.kind = Command::Kind::set, .signal = axis.input, .client = client, .value = value});
    }
    std::vector<std::uint32_t> waiting = levers_->waiting();
    if (waiting == waiting_) return;
    waiting_ = std::move(waiting);
    tell_all(fmt::format(R"({{"type":"neutral","axes":[{}]}})", fmt::join(waiting_, ",")));
}

void LiveFeed::stop_axes() {
    if (!levers_) return;
    levers_->rest();
    tell_axes(control_.who().holder());
}

void LiveFeed::tick(double now) {
    ++ticks_;
    if (levers_ && levers_->expire(now)) tell_axes(control_.who().holder());
    const std::uint64_t rare = clients_.empty() ? idle_ticks : 1;
    if (!clients_.empty() && ticks_ % topic_ticks == 0 && !over_) show_topics();
    if (ticks_ % rare != 0) return;
    channel_.wish(Channel::fast | (ticks_ % (rare * slow_ticks) == 0 ? Channel::slow : 0U));
}

void LiveFeed::awake() {
    channel_.slept();
    read_catalogue();
    take_sayings();
    take_snapshots();
}

void LiveFeed::take_sayings() {
    while (const std::optional<Channel::Saying> saying = channel_.next_saying()) {
        if (saying->json.starts_with(R"({"type":"run")")) {
            phase_ = saying->json;
        } else if (!saying->json.starts_with(R"({"type":"set")")) {
            remembered_.push_back(saying->json);
            if (remembered_.size() > most_remembered) remembered_.pop_front();
        }
        tell_all(saying->json, saying->time);
    }
}

FrameHead LiveFeed::head_of(const Latest::Snapshot& snapshot) const {
    return {.sequence = static_cast<std::uint32_t>(snapshot.head.sequence),
            .time = snapshot.head.time,
            .run = channel_.run()};
}

void LiveFeed::take_snapshots() {
    for (Latest* latest : {&channel_.fast_snapshots, &channel_.slow_snapshots}) {
        const std::optional<Latest::Snapshot> snapshot = latest->take();
        if (!snapshot) continue;
        for (const Section& section : snapshot->sections) {
            if (section.head.kind == SectionKind::array) take_array(*snapshot, section);
            if (section.head.kind == SectionKind::cloud) take_cloud(*snapshot, section);
            if (section.head.kind == SectionKind::bus) take_bus(*snapshot, section);
        }
        // After the arrays of the same point: whoever has the state has the poses.
        if (latest == &channel_.fast_snapshots) take_state(*snapshot);
    }
}

void LiveFeed::measure(const SnapshotHead& head) {
    if (!times_.empty() && head.clock < times_.back().first + 0.02) return;
    times_.emplace_back(head.clock, head.time);
    while (times_.size() > 2 && times_[1].first < head.clock - measured_time) times_.erase(times_.begin());
    const auto& [clock, time] = times_.front();
    factor_ = times_.size() < 2 ? std::numeric_limits<double>::quiet_NaN() : (head.time - time) / (head.clock - clock);
}

void LiveFeed::take_state(const Latest::Snapshot& snapshot) {
    measure(snapshot.head);
    time_ = snapshot.head.time;
    const StateInfo info{.flags = static_cast<std::uint32_t>(snapshot.head.flags) | end_flags_,
                         .real_time_factor = factor_,
                         .age = std::max(0.0, steady_seconds() - snapshot.head.clock)};
    for (const Section& section : snapshot.sections) {
        if (section.head.kind != SectionKind::scalars) continue;
        Frame frame = state_frame(head_of(snapshot), info, doubles_of(section.bytes));
        for (Client* client : clients_) client->show(state_slot, frame);
        frames_[state_slot] = std::move(frame);
    }
}

void LiveFeed::take_array(const Latest::Snapshot& snapshot, const Section& section) {
    if (section.head.index >= arrays_) return;
    Frame frame = array_frame(head_of(snapshot), section.head.index, doubles_of(section.bytes));
    Frame& last = frames_[first_array_slot + section.head.index];
    const bool same = last.size() == frame.size() &&
                      std::equal(frame.begin() + frame_head_size, frame.end(), last.begin() + frame_head_size);
    if (same) return;
    for (Client* client : clients_) client->show(first_array_slot + section.head.index, frame);
    last = std::move(frame);
}

void LiveFeed::take_bus(const Latest::Snapshot& snapshot, const Section& section) {
    if (section.head.index >= buses_) return;
    const std::string json = bus_json(section.head.index, section.bytes);
    if (!json.empty()) show_all(first_bus_slot + section.head.index, json_frame(head_of(snapshot), json));
}

/// What the run publishes stands in shared memory for everybody: it pays nothing for being looked at.
void LiveFeed::show_topics() {
    base::Json topics = base::Json::array();
    for (const interfaces::topics::TopicInfo& topic : interfaces::topics::list()) {
        if (topic.publisher != channel_.process() || !topic.alive) continue;
        base::Json& shown = topics.emplace_back();
        shown = {{"name", topic.name}, {"type", topic.type}, {"size", topic.size}, {"published", topic.published}};
        if (topic.rate) shown["rate"] = *topic.rate;
        if (topic.age) shown["age"] = *topic.age;
    }
    if (topics.empty() && !frames_.contains(topics_slot)) return;
    const base::Json message{{"type", "topics"}, {"topics", std::move(topics)}};
    show_all(topics_slot, json_frame({.time = time_, .run = channel_.run()}, base::json_text(message)));
}

void LiveFeed::show_all(std::uint32_t slot, Frame frame) {
    Frame& last = frames_[slot];
    if (last == frame) return;
    for (Client* client : clients_) client->show(slot, frame);
    last = std::move(frame);
}

void LiveFeed::take_cloud(const Latest::Snapshot& snapshot, const Section& section) {
    if (cloud_ && std::ranges::equal(cloud_->section, section.bytes)) return;
    cloud_ = Cloud{head_of(snapshot), {section.bytes.begin(), section.bytes.end()}};
    std::map<std::size_t, Frame> made;
    for (Client* client : clients_) show_cloud(*client, made);
}

void LiveFeed::show_cloud(Client& client, std::map<std::size_t, Frame>& made) const {
    constexpr std::size_t pose_bytes = 7 * sizeof(double);
    if (!cloud_ || cloud_->section.size() < pose_bytes || client.budget == 0) return;
    auto known = made.find(client.budget);
    if (known == made.end()) {
        std::array<double, 7> pose{};
        std::memcpy(pose.data(), cloud_->section.data(), pose_bytes);
        const auto* bytes = reinterpret_cast<const std::uint8_t*>(cloud_->section.data());
        const std::span points(bytes + pose_bytes, cloud_->section.size() - pose_bytes);
        std::optional<Frame> frame = cloud_frame(cloud_->head, pose, points, client.budget);
        if (!frame) return;
        known = made.emplace(client.budget, std::move(*frame)).first;
    }
    client.show(cloud_slot, known->second);
}

void LiveFeed::tell_all(const std::string& json, std::optional<double> time) {
    const Frame frame = json_frame({.time = time.value_or(time_), .run = channel_.run()}, json);
    for (Client* client : clients_) client->tell(frame);
}

void LiveFeed::tell(Client& client, const std::string& json) const {
    if (!json.empty()) client.tell(json_frame({.time = time_, .run = channel_.run()}, json));
}

void LiveFeed::refuse(Client& client, const char* action, const std::string& text) const {
    tell(client, fmt::format(R"({{"type":"refused","do":"{}","text":{}}})", action, base::json_quoted(text)));
}

}  // namespace master::view
