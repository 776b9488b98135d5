#include "master/view/run_side.hpp"

#include "master/base/json.hpp"
#include "master/runs/interrupt.hpp"
#include "master/view/clock.hpp"

#include <chrono>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>

namespace master::view {
namespace {

constexpr std::chrono::milliseconds look_again{4};

void copy_numbers(const core::SignalRef& first, std::uint32_t size, const core::Signals& signals, std::byte* to) {
    if (first.type == core::Type::real) {
        std::memcpy(to, &first.lanes(signals).reals[first.index], size * sizeof(double));
        return;
    }
    for (std::uint32_t i = 0; i < size; ++i) {
        const double value = core::number(first.element(i), signals);
        std::memcpy(to + i * sizeof value, &value, sizeof value);
    }
}

}  // namespace

RunSide::RunSide(Channel& channel, const Scene& scene, runs::RealTimePacer& pacer, SettingsJournal& journal,
                 base::Timebase timebase, std::atomic<bool>& stop, const Options& options)
    : channel_(channel),
      scene_(scene),
      pacer_(pacer),
      journal_(journal),
      timebase_(timebase),
      stop_(stop),
      options_(options),
      input_of_(scene.scalars.size(), nullptr),
      buses_(scene.buses) {
    channel_.introduce(static_cast<std::uint32_t>(::getpid()));
    for (const Scene::Input& input : scene.inputs) input_of_[input.signal] = &input;
    settings_.reserve(64);
    tell_phase("running");
}

void RunSide::before_step(base::Time t, core::Lanes& free_inputs) {
    stepping_ = true;
    if (settings_.empty()) [[likely]]
        return;
    for (const auto& [input, command] : settings_) {
        for (const build::LocatedSignal& target : input->targets) build::set_number(target, command.value, free_inputs);
        journal_.add(t, input->name, command.value);
        channel_.say(timebase_.seconds(t), fmt::format(R"({{"type":"set","signal":{},"value":{},"by":{}}})",
                                                       command.signal, command.value, command.client));
    }
    settings_.clear();
}

void RunSide::on_event(base::Time t, const core::Signals& signals) {
    if (buses_.buses() > 0) buses_.take(timebase_.seconds(t), signals);
}

void RunSide::after_step(base::Time t, const core::Signals& signals) {
    now_ = t;
    stepping_ = false;
    signals_ = &signals;
    if (const std::uint32_t wishes = channel_.wishes(); wishes != 0) [[unlikely]]
        show(wishes);
}

void RunSide::finish() {
    over_ = true;
    // Where a step failed, some values are of its end already: what was shown last stays.
    if (signals_ != nullptr && !stepping_) show(Channel::fast | Channel::slow);
    tell_phase("writing");
}

bool RunSide::go() {
    if (channel_.has_commands()) [[unlikely]]
        obey();
    if (paused_) [[unlikely]]
        rest();
    if (paced_anew_) [[unlikely]] {
        paced_anew_ = false;
        if (options_.speed > 0) pacer_.pace_from(now_, options_.speed);
    }
    return pacer_.go();
}

void RunSide::wait_until(base::Time t) {
    if (options_.speed > 0 && !paused_) pacer_.wait_until(t);
}

void RunSide::set(const Command& command) {
    const Scene::Input* const input = command.signal < input_of_.size() ? input_of_[command.signal] : nullptr;
    if (input == nullptr) return;
    for (const build::LocatedSignal& target : input->targets) {
        if (build::takes_number(target, command.value)) continue;
        const std::string text = fmt::format("{} cannot be {:g}: {} is of type {}", input->name, command.value,
                                             target.name, target.variable->declared_type);
        channel_.say(timebase_.seconds(now_),
                     fmt::format(R"({{"type":"refused","do":"set","text":{}}})", base::json_quoted(text)));
        return;
    }
    settings_.emplace_back(input, command);
}

void RunSide::obey() {
    while (const std::optional<Command> command = channel_.next_command()) obey(*command);
}

void RunSide::obey(const Command& command) {
    switch (command.kind) {
        case Command::Kind::pause:
        case Command::Kind::go:
            paused_ = command.kind == Command::Kind::pause;
            steps_ = 0;
            paced_anew_ = true;
            return tell_phase("running");
        case Command::Kind::step:
            if (paused_) steps_ += command.count;
            return;
        case Command::Kind::speed:
            return set_speed(command.value);
        case Command::Kind::set:
            return set(command);
        case Command::Kind::end:
            stopped_ = true;
            stop_ = true;
    }
}

void RunSide::set_speed(double factor) {
    if (!(factor >= 0 && std::isfinite(factor)) || (factor == 0 && options_.must_pace)) return;
    options_.speed = factor;
    paced_anew_ = true;
    tell_phase("running");
}

void RunSide::rest() {
    if (steps_ == 0) show(Channel::fast | Channel::slow);
    while (paused_ && steps_ == 0 && !runs::InterruptGuard::interrupted()) {
        std::this_thread::sleep_for(look_again);
        obey();
        if (const std::uint32_t wishes = channel_.wishes(); wishes != 0) show(wishes);
    }
    if (steps_ > 0) --steps_;
}

void RunSide::show(std::uint32_t wishes) {
    channel_.fulfil(wishes);
    if ((wishes & Channel::fast) != 0) show_fast();
    if ((wishes & Channel::slow) != 0) show_slow();
    channel_.wake();
}

SnapshotHead RunSide::head() {
    const std::uint64_t missed = pacer_.pacing().missed;
    const bool late = options_.speed > 0 && missed > missed_;
    missed_ = missed;
    return {.sequence = ++sequence_,
            .time = timebase_.seconds(now_),
            .clock = steady_seconds(),
            .flags = (paused_ ? Flag::paused : 0U) | (over_ ? Flag::ended : 0U) |
                     (options_.speed > 0 ? Flag::paced : 0U) | (late ? Flag::catching_up : 0U)};
}

void RunSide::show_fast() {
    Latest& latest = channel_.fast_snapshots;
    latest.begin();
    const std::size_t bytes = scene_.scalars.size() * sizeof(double);
    if (std::byte* at = latest.add({.kind = SectionKind::scalars, .bytes = bytes})) {
        for (const Scene::Scalar& scalar : scene_.scalars) {
            const double value = scalar.gain * core::number(scalar.signal, *signals_) + scalar.offset;
            std::memcpy(at, &value, sizeof value);
            at += sizeof value;
        }
    }
    for (std::uint32_t i = 0; i < scene_.arrays.size(); ++i)
        if (scene_.arrays[i].fast) add_array(latest, i);
    latest.publish(head());
}

void RunSide::show_slow() {
    Latest& latest = channel_.slow_snapshots;
    latest.begin();
    for (std::uint32_t i = 0; i < scene_.arrays.size(); ++i)
        if (!scene_.arrays[i].fast) add_array(latest, i);
    if (scene_.cloud) add_cloud();
    for (std::size_t i = 0; i < buses_.buses(); ++i) add_bus(i);
    latest.publish(head());
}

void RunSide::add_array(Latest& latest, std::uint32_t index) const {
    const Scene::Array& array = scene_.arrays[index];
    std::byte* const at =
        latest.add({.kind = SectionKind::array, .index = index, .bytes = array.size * sizeof(double)});
    if (at != nullptr) copy_numbers(array.first, array.size, *signals_, at);
}

void RunSide::add_cloud() const {
    constexpr std::size_t pose_bytes = 7 * sizeof(double);
    const core::Bytes points = scene_.cloud->points.lanes(*signals_).bytes[scene_.cloud->points.index];
    if (points.data == nullptr) return;
    std::byte* const at = channel_.slow_snapshots.add({.kind = SectionKind::cloud, .bytes = pose_bytes + points.size});
    if (at == nullptr) return;
    constexpr std::array<double, 7> nowhere{0, 0, 0, 0, 0, 0, 1};
    std::memcpy(at, nowhere.data(), pose_bytes);
    if (scene_.cloud->pose) copy_numbers(*scene_.cloud->pose, 7, *signals_, at);
    std::memcpy(at + pose_bytes, points.data, points.size);
}

void RunSide::add_bus(std::size_t bus) const {
    std::byte* const at = channel_.slow_snapshots.add(
        {.kind = SectionKind::bus, .index = static_cast<std::uint32_t>(bus), .bytes = buses_.bytes(bus)});
    if (at != nullptr) buses_.write(bus, at);
}

void RunSide::tell_phase(const char* phase) {
    channel_.say(timebase_.seconds(now_), fmt::format(R"({{"type":"run","phase":"{}","speed":{},"paused":{}}})", phase,
                                                      options_.speed, paused_));
}

}  // namespace master::view
