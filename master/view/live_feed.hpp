#pragma once

#include "master/view/channel.hpp"
#include "master/view/control.hpp"
#include "master/view/feed.hpp"

#include <atomic>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace master::view {

/// A run that goes on, or has just ended: what it shows goes to all clients, what the one in control asks for goes to
/// it.
class LiveFeed final : public Feed {
public:
    explicit LiveFeed(Channel& channel);

    /// While no thread serves: another run begins, and this is said about it.
    void begin_run(const std::string& note = {});
    /// The run is over.
    void end(int code, const std::string& text);
    /// From any thread: the page wants the run to begin again.
    [[nodiscard]] bool reset_asked() const { return reset_.load(std::memory_order_acquire); }

    [[nodiscard]] std::optional<std::string> system_json() override;
    [[nodiscard]] const std::string* file(std::string_view name) override;
    void join(Client& client) override;
    void leave(Client& client) override;
    void hear(Client& client, const ClientMessage& message) override;
    [[nodiscard]] int descriptor() const override { return channel_.descriptor(); }
    void awake() override;
    void tick(double now) override;

private:
    struct Axis {
        std::uint32_t input = 0;
        double least = -1, most = 1;
        double told = 0;  // what the run was told last
    };
    struct Cloud {
        FrameHead head;
        std::vector<std::byte> section;
    };

    void read_catalogue();
    void take_snapshots();
    void take_state(const Latest::Snapshot& snapshot);
    void take_array(const Latest::Snapshot& snapshot, const Section& section);
    void take_cloud(const Latest::Snapshot& snapshot, const Section& section);
    void take_bus(const Latest::Snapshot& snapshot, const Section& section);
    void show_topics();
    void show_all(std::uint32_t slot, Frame frame);
    void show_cloud(Client& client, std::map<std::size_t, Frame>& made) const;
    void take_sayings();
    void measure(const SnapshotHead& head);
    [[nodiscard]] FrameHead head_of(const Latest::Snapshot& snapshot) const;

    void tell_all(const std::string& json, std::optional<double> time = {});
    void tell(Client& client, const std::string& json) const;
    void refuse(Client& client, const char* action, const std::string& text) const;
    void hear_steering(Client& client, const ClientMessage& message);
    void move(Client& client, const ClientMessage& message);
    void tell_axes(std::uint32_t client);
    void stop_axes();

    Channel& channel_;
    std::vector<Client*> clients_;
    std::optional<Catalogue> catalogue_;
    std::vector<bool> settable_;  // by signal
    std::size_t arrays_ = 0;      // how many there are
    std::size_t buses_ = 0;
    std::vector<Axis> axes_;
    std::optional<Levers> levers_;
    SharedControl control_{
        {.rest = [this] { stop_axes(); }, .tell = [this](const std::string& json) { tell_all(json); }}};
    std::vector<std::uint32_t> waiting_;     // axes, as clients were told
    std::map<std::uint32_t, Frame> frames_;  // the newest, by slot
    std::optional<Cloud> cloud_;
    std::deque<std::string> remembered_;  // for those who come later
    std::string phase_, end_;
    std::vector<std::pair<double, double>> times_;  // clock and simulated, of the last second
    double factor_ = 0, time_ = 0;
    std::uint64_t ticks_ = 0;
    bool over_ = false;
    std::uint32_t end_flags_ = 0;
    std::atomic<bool> reset_{false};
};

}  // namespace master::view
