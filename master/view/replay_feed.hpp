#pragma once

#include "master/base/diagnostics.hpp"
#include "master/base/json.hpp"
#include "master/results/table.hpp"
#include "master/view/channel.hpp"
#include "master/view/feed.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace master::view {

/// A finished run, as it was recorded.
struct Recording {
    std::string name;
    results::Table table;
    /// What was said of its run.
    struct Said {
        std::vector<std::string> remarks;  // that everybody must see who looks at it
        std::vector<base::Finding> findings;
    } said;
};

/// Recordings, each a stream of its own: every client plays them by itself, from the time that it likes.
class ReplayFeed final : public Feed {
public:
    /// `catalogue`: what a run of the system would show; nothing where the system is not there any more. What was not
    /// recorded is left out of it.
    ReplayFeed(std::vector<Recording> recordings, std::optional<Catalogue> catalogue);

    [[nodiscard]] std::optional<std::string> system_json() override { return catalogue_.json; }
    [[nodiscard]] const std::string* file(std::string_view name) override;
    [[nodiscard]] std::optional<std::string> history(std::string_view query) override;
    void join(Client& client) override;
    void leave(Client& client) override;
    void hear(Client& client, const ClientMessage& message) override;
    void tick(double now) override;

    /// What of the scene was not recorded, and how it is drawn instead.
    [[nodiscard]] const std::vector<std::string>& remarks() const { return remarks_; }

    [[nodiscard]] double start() const { return start_; }
    [[nodiscard]] double stop() const { return stop_; }
    /// The time of the row of the first stream that is shown at a time, and after its end of the one that goes on; from
    /// any thread.
    [[nodiscard]] double time_shown(double time) const;

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);
    /// What a stream has of the common list of signals and arrays.
    struct Stream {
        results::Table table;
        std::vector<const results::TableColumn*> columns;              // by signal; null: not recorded
        std::vector<std::vector<const results::TableColumn*>> arrays;  // by array; empty: not recorded
    };
    struct Player {
        Client* client = nullptr;
        double time = 0, speed = 1;
        double last_tick = 0;
        bool playing = false;
        std::vector<std::size_t> rows;  // shown last, by stream
    };

    void read_document(std::optional<Catalogue> catalogue, const std::vector<std::string>& names,
                       const Recording::Said& said);
    /// Leaves out of the scene what was not recorded, or remarks that it is only a guess.
    void read_scene(base::Json& view, const std::vector<std::string>& names);
    [[nodiscard]] bool has(const Stream& stream, const base::Json& array) const;
    [[nodiscard]] Player* player_of(const Client& client);
    void show(Player& player, bool all);
    /// What belongs to the player's time, before it is shown.
    void tell_sought(const Player& player) const;
    [[nodiscard]] static std::size_t row_at(const Stream& stream, double time);
    void show_row(Player& player, std::uint32_t stream, std::size_t row);
    void tell_phase(const Player& player) const;

    std::vector<Stream> streams_;
    Catalogue catalogue_;
    std::vector<std::string> signals_, arrays_, remarks_;
    double start_ = 0, stop_ = 0;
    std::vector<Player> players_;
};

/// At most `most` points of a line that show all its extremes: of each stretch the first, the smallest, the largest and
/// the last, in their order.
struct TimedValue {
    double time = 0, value = 0;
    friend bool operator==(const TimedValue&, const TimedValue&) = default;
};
[[nodiscard]] std::vector<TimedValue> thinned(const std::vector<TimedValue>& points, std::size_t most);

}  // namespace master::view
