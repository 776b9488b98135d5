#pragma once

#include "master/core/run.hpp"
#include "master/core/tap.hpp"
#include "master/runs/real_time.hpp"
#include "master/view/channel.hpp"
#include "master/view/scene.hpp"
#include "master/view/settings.hpp"
#include "master/view/traffic/bus_watch.hpp"

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace master::view {

/// The view in the process of a run. As a tap it shows values when the server wishes for them, and sets what the page
/// sets; as a pacer it holds the run where the page says so. A step in which nobody asks for anything costs three
/// loads.
class RunSide final : public core::Tap, public core::Pacer {
public:
    struct Options {
        double speed = 0;        // simulated per real second; 0: as fast as possible
        bool must_pace = false;  // units talk to the outside: never as fast as possible
    };
    /// `stop` is set when the page ends the run. All must outlive it.
    RunSide(Channel& channel, const Scene& scene, runs::RealTimePacer& pacer, SettingsJournal& journal,
            base::Timebase timebase, std::atomic<bool>& stop, const Options& options);

    void before_step(base::Time t, core::Lanes& free_inputs) override;
    void on_event(base::Time t, const core::Signals& signals) override;
    void after_step(base::Time t, const core::Signals& signals) override;
    void finish() override;

    [[nodiscard]] bool go() override;
    void wait_until(base::Time t) override;
    /// The page ended the run, or began it again.
    [[nodiscard]] bool stopped() const { return stopped_; }

private:
    void obey();
    void obey(const Command& command);
    /// At the next point, or not where an input's type does not have the value.
    void set(const Command& command);
    void set_speed(double factor);
    /// Until the page lets the run go on.
    void rest();
    void show(std::uint32_t wishes);
    void show_fast();
    void show_slow();
    void add_array(Latest& latest, std::uint32_t index) const;
    void add_cloud() const;
    void add_bus(std::size_t bus) const;
    [[nodiscard]] SnapshotHead head();
    void tell_phase(const char* phase);

    Channel& channel_;
    const Scene& scene_;
    runs::RealTimePacer& pacer_;
    SettingsJournal& journal_;
    base::Timebase timebase_;
    std::atomic<bool>& stop_;
    Options options_;
    base::Time now_;
    const core::Signals* signals_ = nullptr;
    bool stepping_ = false;
    std::vector<std::pair<const Scene::Input*, Command>> settings_;  // for the next point
    std::vector<const Scene::Input*> input_of_;                      // by signal; null: none
    BusWatch buses_;
    bool paused_ = false, over_ = false, paced_anew_ = false, stopped_ = false;
    std::uint64_t steps_ = 0;  // to do while paused
    std::uint64_t sequence_ = 0, missed_ = 0;
};

}  // namespace master::view
