#include "master/view/replay_feed.hpp"

#include "master/base/json.hpp"
#include "master/base/xml/values.hpp"
#include "master/view/http.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>
#include <utility>

namespace master::view {
namespace {

using base::Json;

constexpr std::uint32_t slots_per_stream = 1 << 12;
constexpr std::size_t most_history = 200'000;
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

double value_in(const results::TableColumn& column, std::size_t row) {
    return std::visit(
        [&]<class Element>(const std::vector<Element>& values) {
            if constexpr (std::is_arithmetic_v<Element>) {
                if (column.constant && !values.empty()) return static_cast<double>(values.front());
                return row < values.size() ? static_cast<double>(values[row]) : nan_value;
            } else {
                return nan_value;
            }
        },
        column.values);
}

bool is_number(const results::TableColumn& column) {
    return std::visit([]<class Element>(const std::vector<Element>&) { return std::is_arithmetic_v<Element>; },
                      column.values);
}

/// Other numbers than truths may be whole by chance.
const char* type_of(const results::TableColumn& column) {
    return std::holds_alternative<std::vector<std::uint8_t>>(column.values) ? "boolean" : "real";
}

const char* level_of(base::Severity severity) {
    return severity == base::Severity::error ? "error" : severity == base::Severity::warning ? "warning" : "note";
}

/// The elements of an array in the order of the file, which is that of the array.
std::vector<const results::TableColumn*> elements_of(const results::Table& table, const std::string& name,
                                                     std::size_t size) {
    std::vector<const results::TableColumn*> found;
    for (const results::TableColumn& column : table.columns)
        if (column.name.size() > name.size() && column.name.starts_with(name) && column.name[name.size()] == '[')
            found.push_back(&column);
    if (found.size() != size) found.clear();
    return found;
}

}  // namespace

std::vector<TimedValue> thinned(const std::vector<TimedValue>& points, std::size_t most) {
    constexpr std::size_t kept = 4;
    if (points.size() <= most || most < kept) return points;
    std::vector<TimedValue> result;
    const std::size_t stretches = most / kept;
    for (std::size_t i = 0; i < stretches; ++i) {
        const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i * points.size() / stretches);
        const auto end = points.begin() + static_cast<std::ptrdiff_t>((i + 1) * points.size() / stretches);
        if (begin == end) continue;
        const auto less = [](const TimedValue& a, const TimedValue& b) { return a.value < b.value; };
        auto [smallest, largest] = std::minmax_element(begin, end, less);
        if (largest < smallest) std::swap(smallest, largest);
        auto last = points.end();
        for (const auto each : {begin, smallest, largest, end - 1}) {
            if (each != last) result.push_back(*each);
            last = each;
        }
    }
    return result;
}

ReplayFeed::ReplayFeed(std::vector<Recording> recordings, std::optional<Catalogue> catalogue) {
    std::vector<std::string> names;
    Recording::Said said;
    start_ = std::numeric_limits<double>::infinity();
    stop_ = -start_;
    for (Recording& recording : recordings) {
        names.push_back(std::move(recording.name));
        std::ranges::move(recording.said.remarks, std::back_inserter(said.remarks));
        std::ranges::move(recording.said.findings, std::back_inserter(said.findings));
        streams_.push_back({std::move(recording.table), {}, {}});
        const auto& time = streams_.back().table.time;
        if (time.empty()) continue;
        start_ = std::min(start_, time.front());
        stop_ = std::max(stop_, time.back());
    }
    if (!(start_ <= stop_)) start_ = stop_ = 0;
    read_document(std::move(catalogue), names, said);
}

/// The signals of the catalogue keep their numbers, by which the rest of it names them; others are added.
void ReplayFeed::read_document(std::optional<Catalogue> catalogue, const std::vector<std::string>& names,
                               const Recording::Said& said) {
    Json document = catalogue ? Json::parse(catalogue->json, nullptr, false) : Json::object();
    if (!document.is_object()) document = Json::object();
    if (catalogue) catalogue_.files = std::move(catalogue->files);
    Json& signals = document["signals"];
    if (!signals.is_array()) signals = Json::array();
    for (Json& signal : signals) {
        signal.erase("input");
        signal.erase("tunable");
        signals_.push_back(signal.value("name", ""));
    }
    std::set<std::string> known(signals_.begin(), signals_.end());
    for (const Stream& stream : streams_) {
        for (const results::TableColumn& column : stream.table.columns) {
            if (!is_number(column) || !known.insert(column.name).second) continue;
            signals_.push_back(column.name);
            signals.push_back({{"name", column.name}, {"unit", column.unit}, {"type", type_of(column)}});
        }
    }
    std::vector<std::size_t> sizes;
    for (const Json& array : document.value("arrays", Json::array())) {
        arrays_.push_back(array.value("name", ""));
        std::size_t size = 1;
        for (const Json& extent : array.value("dimensions", Json::array())) size *= extent.get<std::size_t>();
        sizes.push_back(size);
    }
    for (Stream& stream : streams_) {
        for (const std::string& name : signals_) stream.columns.push_back(stream.table.find(name));
        for (std::size_t i = 0; i < arrays_.size(); ++i)
            stream.arrays.push_back(elements_of(stream.table, arrays_[i], sizes[i]));
    }
    if (document.contains("view") && document["view"].is_object()) read_scene(document["view"], names);
    document["remarks"] = said.remarks;
    for (const std::string& remark : remarks_) document["remarks"].push_back(remark);
    document["findings"] = Json::array();
    for (const base::Finding& finding : said.findings)
        document["findings"].push_back(
            {{"level", level_of(finding.severity)}, {"where", finding.where}, {"text", finding.text}});
    document["protocol"] = 1;
    document["version"] = TANDEM_VERSION;
    document["mode"] = "replay";
    document["run"] = 1;
    document["start"] = start_;
    document["stop"] = stop_;
    document["streams"] = names;
    document["stops"] = Json::array();
    for (const Stream& stream : streams_)
        document["stops"].push_back(stream.table.time.empty() ? start_ : stream.table.time.back());
    for (const char* list : {"arrays", "components", "wires", "boundary", "buses"})
        if (!document.contains(list)) document[list] = Json::array();
    if (!document.contains("view")) document["view"] = nullptr;
    if (!document.contains("name")) document["name"] = names.front();
    if (!document.contains("title")) document["title"] = names.front();
    catalogue_.json = base::json_text(std::move(document));
}

bool ReplayFeed::has(const Stream& stream, const Json& array) const {
    return array.is_number_unsigned() && array.get<std::size_t>() < arrays_.size() &&
           !stream.arrays[array.get<std::size_t>()].empty();
}

void ReplayFeed::read_scene(Json& view, const std::vector<std::string>& names) {
    const auto has_joint = [](const Stream& stream, const Json& source) {
        const std::size_t signal = source.value("signal", none);
        return signal < stream.columns.size() && stream.columns[signal] != nullptr;
    };
    for (Json& machine : view["machines"]) {
        const auto placed = [&](const Stream& stream) { return has(stream, machine["poses"]); };
        if (machine.contains("poses") && std::ranges::all_of(streams_, placed)) continue;
        machine.erase("poses");
        const Json joints = machine.value("joints", Json::object());
        for (std::size_t i = 0; i < streams_.size(); ++i) {
            std::vector<std::string> missing;
            for (const auto& [name, source] : joints.items())
                if (!has_joint(streams_[i], source)) missing.push_back(name);
            const std::string whose = fmt::format("{}: machine '{}'", names[i], machine.value("name", ""));
            if (missing.size() == joints.size()) {
                machine["unknown"] = true;
                remarks_.push_back(whose + ": neither poses nor joints were recorded, so it is not drawn");
            } else if (!missing.empty()) {
                remarks_.push_back(fmt::format("{}: joints that were not recorded are drawn at zero: {}", whose,
                                               fmt::join(missing, ", ")));
            }
        }
    }
    // Wall and edge are those of the first recording.
    if (view.contains("wall") && view["wall"].contains("heights")) {
        Json& wall = view["wall"];
        if (const Json heights = wall["heights"]; !has(streams_.front(), heights)) {
            wall.erase("heights");
            wall["unknown"] = true;
            remarks_.push_back(fmt::format(
                "{}: {} was not recorded (--record), so the wall is drawn whole and no "
                "distance to it is shown",
                names.front(),
                heights.is_number_unsigned() && heights < arrays_.size() ? arrays_[heights.get<std::size_t>()]
                                                                         : "its height"));
        }
    }
    if (view.contains("edge") && !has(streams_.front(), view["edge"]["heights"])) view.erase("edge");
    for (const char* live_only : {"cloud", "operator"}) view.erase(live_only);
}

const std::string* ReplayFeed::file(std::string_view name) {
    const auto found = std::ranges::find(catalogue_.files, name, &std::pair<std::string, std::string>::first);
    return found == catalogue_.files.end() ? nullptr : &found->second;
}

std::optional<std::string> ReplayFeed::history(std::string_view query) {
    const auto number = [&](const char* name, double otherwise) {
        const std::string text = query_value(query, name);
        return text.empty() ? std::optional(otherwise) : base::parse_double(text);
    };
    const auto stream = number("stream", 0), signal = number("signal", nan_value), from = number("from", start_),
               to = number("to", stop_), count = number("n", 4000);
    if (!stream || !signal || !from || !to || !count) return std::nullopt;
    if (!(*stream >= 0 && *stream < static_cast<double>(streams_.size())) ||
        !(*signal >= 0 && *signal < static_cast<double>(signals_.size())) || !(*count >= 4))
        return std::nullopt;
    const Stream& chosen = streams_[static_cast<std::size_t>(*stream)];
    const results::TableColumn* column = chosen.columns[static_cast<std::size_t>(*signal)];
    std::vector<TimedValue> points;
    const auto& time = chosen.table.time;
    // One row beyond both ends, so that lines reach the border.
    const auto first = std::ranges::lower_bound(time, *from);
    const auto last = std::ranges::upper_bound(time, *to);
    auto row = static_cast<std::size_t>(first - time.begin());
    if (row > 0) --row;
    const std::size_t end = std::min(time.size(), static_cast<std::size_t>(last - time.begin()) + 1);
    for (; column != nullptr && row < end; ++row) points.push_back({time[row], value_in(*column, row)});
    std::string bytes;
    for (const TimedValue& point : thinned(points, std::min(most_history, static_cast<std::size_t>(*count)))) {
        for (const double value : {point.time, point.value}) {
            const auto bits = std::bit_cast<std::uint64_t>(value);
            for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((bits >> (8 * i)) & 0xffU);
        }
    }
    return bytes;
}

void ReplayFeed::join(Client& client) {
    players_.push_back({.client = &client, .time = start_, .rows = std::vector<std::size_t>(streams_.size(), none)});
    client.tell(json_frame({.time = start_},
                           fmt::format(R"({{"type":"hello","client":{},"run":1,"mode":"replay"}})", client.id())));
    client.tell(
        json_frame({.time = start_}, fmt::format(R"({{"type":"control","holder":{},"asked":[]}})", client.id())));
    tell_phase(players_.back());
    show(players_.back(), true);
}

void ReplayFeed::leave(Client& client) {
    std::erase_if(players_, [&](const Player& player) { return player.client == &client; });
}

ReplayFeed::Player* ReplayFeed::player_of(const Client& client) {
    const auto found = std::ranges::find(players_, &client, &Player::client);
    return found == players_.end() ? nullptr : &*found;
}

void ReplayFeed::hear(Client& client, const ClientMessage& message) {
    using Do = ClientMessage::Do;
    Player* const player = player_of(client);
    if (player == nullptr) return;
    switch (message.what) {
        case Do::seek:
            player->time = std::clamp(message.value, start_, stop_);
            tell_sought(*player);
            return show(*player, true);
        case Do::reset:
            player->time = start_;
            return show(*player, true);
        case Do::go:
            if (player->time >= stop_) player->time = start_;
            player->playing = true;
            break;
        case Do::pause:
            player->playing = false;
            break;
        case Do::speed:
            if (message.value > 0) player->speed = message.value;
            break;
        case Do::step: {
            const auto& time = streams_.front().table.time;
            const auto next = std::ranges::upper_bound(time, player->time);
            if (next != time.end())
                player->time = next[std::min<std::ptrdiff_t>(message.number - 1, time.end() - next - 1)];
            break;
        }
        case Do::take:
        case Do::release:
        case Do::budget:
            return;
        default:
            client.tell(json_frame({.time = player->time},
                                   R"({"type":"refused","do":"control","text":"a recording cannot be changed"})"));
            return;
    }
    tell_phase(*player);
    show(*player, true);
}

void ReplayFeed::tick(double now) {
    for (Player& player : players_) {
        const double passed = std::min(now - player.last_tick, 0.2);
        player.last_tick = now;
        if (!player.playing) continue;
        player.time = std::min(player.time + passed * player.speed, stop_);
        if (player.time >= stop_) {
            player.playing = false;
            tell_phase(player);
            show(player, true);
        } else {
            show(player, false);
        }
    }
}

/// The last row at a time or before; the first one before that.
std::size_t ReplayFeed::row_at(const Stream& stream, double time) {
    const auto& times = stream.table.time;
    if (times.empty()) return none;
    const auto after = std::ranges::upper_bound(times, time);
    return after == times.begin() ? 0 : static_cast<std::size_t>(after - times.begin()) - 1;
}

double ReplayFeed::time_shown(double time) const {
    const auto shown = [&](const Stream& stream) {
        const std::size_t row = row_at(stream, std::clamp(time, start_, stop_));
        return row == none ? nan_value : stream.table.time[row];
    };
    const Stream& first = streams_.front();
    if (!first.table.time.empty() && shown(first) < first.table.time.back()) return shown(first);
    double latest = nan_value;
    for (const Stream& stream : streams_) latest = std::fmax(latest, shown(stream));
    return latest;
}

void ReplayFeed::tell_sought(const Player& player) const {
    std::vector<std::int64_t> rows;
    std::size_t frames = 0;
    for (const Stream& stream : streams_) {
        const std::size_t row = row_at(stream, player.time);
        rows.push_back(row == none ? -1 : static_cast<std::int64_t>(row));
        if (row == none) continue;
        frames += 1 + static_cast<std::size_t>(
                          std::ranges::count_if(stream.arrays, [](const auto& elements) { return !elements.empty(); }));
    }
    player.client->tell(
        json_frame({.time = player.time}, fmt::format(R"({{"type":"sought","t":{},"rows":[{}],"frames":{}}})",
                                                      player.time, fmt::join(rows, ","), frames)));
}

void ReplayFeed::show(Player& player, bool all) {
    for (std::uint32_t stream = 0; stream < streams_.size(); ++stream) {
        const std::size_t row = row_at(streams_[stream], player.time);
        if (row == none) continue;
        if (!all && player.rows[stream] == row) continue;
        player.rows[stream] = row;
        show_row(player, stream, row);
    }
}

void ReplayFeed::show_row(Player& player, std::uint32_t stream, std::size_t row) {
    const Stream& shown = streams_[stream];
    const FrameHead head{.stream = static_cast<std::uint16_t>(stream),
                         .sequence = static_cast<std::uint32_t>(row),
                         .time = shown.table.time[row]};
    for (std::uint32_t i = 0; i < shown.arrays.size(); ++i) {
        if (shown.arrays[i].empty()) continue;
        std::vector<double> values;
        for (const results::TableColumn* column : shown.arrays[i]) values.push_back(value_in(*column, row));
        player.client->show(stream * slots_per_stream + 1 + i, array_frame(head, i, values));
    }
    std::vector<double> values;
    values.reserve(shown.columns.size());
    for (const results::TableColumn* column : shown.columns)
        values.push_back(column == nullptr ? nan_value : value_in(*column, row));
    const std::uint32_t flags =
        (player.playing ? 0U : std::uint32_t{Flag::paused}) | (player.time >= stop_ ? std::uint32_t{Flag::ended} : 0U);
    player.client->show(stream * slots_per_stream,
                        state_frame(head, {.flags = flags, .real_time_factor = player.speed, .age = 0}, values));
}

void ReplayFeed::tell_phase(const Player& player) const {
    player.client->tell(json_frame(
        {.time = player.time},
        fmt::format(R"({{"type":"run","phase":"running","speed":{},"paused":{}}})", player.speed, !player.playing)));
}

}  // namespace master::view
