#include "master/view/client_message.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace master::view {
namespace {

using Do = ClientMessage::Do;

constexpr std::array<std::pair<std::string_view, Do>, 13> actions{{{"take", Do::take},
                                                                   {"give", Do::give},
                                                                   {"release", Do::release},
                                                                   {"pause", Do::pause},
                                                                   {"go", Do::go},
                                                                   {"step", Do::step},
                                                                   {"speed", Do::speed},
                                                                   {"reset", Do::reset},
                                                                   {"set", Do::set},
                                                                   {"levers", Do::levers},
                                                                   {"budget", Do::budget},
                                                                   {"seek", Do::seek},
                                                                   {"end", Do::end}}};

struct Range {
    double least = 0, most = 0;
};

std::optional<double> number(const nlohmann::json& message, const char* key, const Range& range) {
    const auto found = message.find(key);
    if (found == message.end() || !found->is_number()) return std::nullopt;
    const double value = found->get<double>();
    if (!(value >= range.least && value <= range.most)) return std::nullopt;
    return value;
}

/// False where the member is not there, is no whole number or out of range.
bool read_whole(const nlohmann::json& message, const char* key, const Range& range, std::uint32_t& to) {
    const std::optional<double> value = number(message, key, range);
    if (!value || *value != std::floor(*value)) return false;
    to = static_cast<std::uint32_t>(*value);
    return true;
}

bool read_number(const nlohmann::json& message, const char* key, const Range& range, double& to) {
    const std::optional<double> value = number(message, key, range);
    if (!value) return false;
    to = *value;
    return true;
}

bool read_levers(const nlohmann::json& message, ClientMessage& to) {
    const auto alive = message.find("alive");
    const auto values = message.find("values");
    if (alive == message.end() || !alive->is_boolean() || values == message.end() || !values->is_array() ||
        values->size() > ClientMessage::most_levers)
        return false;
    to.alive = alive->get<bool>();
    for (const nlohmann::json& value : *values) {
        if (!value.is_number()) return false;
        const double lever = value.get<double>();
        if (!(lever >= -1 && lever <= 1)) return false;
        to.levers.push_back(lever);
    }
    return true;
}

bool read_rest(const nlohmann::json& message, ClientMessage& to) {
    constexpr double most_index = 0xffffffff;
    constexpr double largest = 1e300;
    switch (to.what) {
        case Do::give:
            return read_whole(message, "to", {1, most_index}, to.number);
        case Do::step:
            to.number = 1;
            return !message.contains("n") || read_whole(message, "n", {1, ClientMessage::most_steps}, to.number);
        case Do::speed:
            return read_number(message, "factor", {0, ClientMessage::fastest}, to.value);
        case Do::set:
            return read_whole(message, "signal", {0, most_index}, to.number) &&
                   read_number(message, "value", {-largest, largest}, to.value);
        case Do::levers:
            return read_levers(message, to);
        case Do::budget:
            return read_whole(message, "points", {0, ClientMessage::most_points}, to.number);
        case Do::seek:
            return read_number(message, "t", {-largest, largest}, to.value);
        case Do::take:
        case Do::release:
        case Do::pause:
        case Do::go:
        case Do::reset:
        case Do::end:
            break;
    }
    return true;
}

}  // namespace

std::optional<ClientMessage> parse_client_message(std::string_view text) {
    if (text.size() > ClientMessage::most_bytes) return std::nullopt;
    const nlohmann::json message = nlohmann::json::parse(text, nullptr, false);
    if (!message.is_object()) return std::nullopt;
    const auto what = message.find("do");
    if (what == message.end() || !what->is_string()) return std::nullopt;
    for (const auto& [name, action] : actions) {
        if (what->get_ref<const std::string&>() != name) continue;
        ClientMessage found{.what = action, .levers = {}};
        if (!read_rest(message, found)) return std::nullopt;
        return found;
    }
    return std::nullopt;
}

}  // namespace master::view
