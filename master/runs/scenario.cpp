#include "master/runs/scenario.hpp"

#include "master/base/xml/page.hpp"
#include "master/base/xml/values.hpp"
#include "master/results/table.hpp"

#include <algorithm>
#include <cmath>

namespace master::runs {
namespace {

using base::Page;
using base::Space;

std::optional<double> value_of(const std::string& text) {
    if (text == "true") return 1;
    if (text == "false") return 0;
    return base::parse_double(text);
}

struct Point {
    double t = 0, value = 0;
    std::string text;  // of the value
};

std::optional<Point> read_point(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"t", "value"});
    const std::string t_text = page.required(node, "t");
    const std::string value_text = page.required(node, "value");
    const std::optional<double> t = base::parse_double(t_text);
    const std::optional<double> value = value_of(value_text);
    if (t && std::isfinite(*t) && value && std::isfinite(*value)) return Point{*t, *value, value_text};
    page.error("bad-value", node,
               "t is '" + t_text + "' and value is '" + value_text + "', expected two finite numbers");
    return std::nullopt;
}

/// Jumps alone are no slope.
bool has_slope(const ScenarioSignal& signal) {
    for (std::size_t i = 1; i < signal.times.size(); ++i)
        if (signal.times[i] > signal.times[i - 1] && signal.values[i] != signal.values[i - 1]) return true;
    return false;
}

ScenarioSignal read_signal(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"name", "hold"});
    ScenarioSignal signal;
    signal.request = {
        .use = build::SignalRequest::Use::drive, .name = page.required(node, "name"), .where = page.where(node)};
    const std::string hold = node.attribute("hold").as_string("constant");
    if (hold == "linear") signal.hold = ScenarioSignal::Hold::linear;
    if (hold != "linear" && hold != "constant")
        page.error("bad-value", node, "hold is '" + hold + "', expected constant or linear");
    for (const pugi::xml_node inner : node.children()) {
        if (!base::is(inner, Space::scenario, "At")) {
            page.unknown_child(inner);
            continue;
        }
        const std::optional<Point> point = read_point(inner, page);
        if (!point) continue;
        if (!signal.times.empty() && point->t < signal.times.back()) {
            page.error("bad-value", inner, "the times of '" + signal.request.name + "' go back");
            continue;
        }
        signal.times.push_back(point->t);
        signal.values.push_back(point->value);
        signal.request.values.push_back({point->text, page.where(inner)});
    }
    signal.request.linear = signal.hold == ScenarioSignal::Hold::linear && has_slope(signal);
    if (signal.times.empty()) page.error("missing-element", node, "signal '" + signal.request.name + "' has no values");
    return signal;
}

ScenarioLimit read_limit(pugi::xml_node node, Page& page) {
    page.check_attributes(node, {"name", "min", "max", "action"});
    ScenarioLimit limit;
    limit.request = {
        .use = build::SignalRequest::Use::watch, .name = page.required(node, "name"), .where = page.where(node)};
    const auto read_bound = [&](const char* name, std::optional<double>& bound, std::string& text) {
        if (!node.attribute(name)) return;
        text = node.attribute(name).value();
        bound = page.number(node, name, 0);
        if (std::isnan(*bound))
            page.error("bad-value", node, "limit of '" + limit.request.name + "' has the " + name + " NaN");
    };
    read_bound("min", limit.minimum, limit.minimum_text);
    read_bound("max", limit.maximum, limit.maximum_text);
    if (!limit.minimum && !limit.maximum)
        page.error("missing-attribute", node, "limit of '" + limit.request.name + "' has neither min nor max");
    if (limit.minimum && limit.maximum && *limit.minimum > *limit.maximum)
        page.error("bad-value", node, "limit of '" + limit.request.name + "' has min above max");
    const std::string action = node.attribute("action").as_string("stop");
    if (action == "warn") limit.action = ScenarioLimit::Action::warn;
    if (action != "warn" && action != "stop")
        page.error("bad-value", node, "action is '" + action + "', expected stop or warn");
    return limit;
}

}  // namespace

double ScenarioSignal::value_at(double t, core::Side side) const {
    const bool begun = side == core::Side::after ? t >= times.front() : t > times.front();
    if (!begun) return std::numeric_limits<double>::quiet_NaN();
    const results::TablePosition position = results::locate(times, t, side);
    return hold == Hold::constant ? values[position.held] : results::interpolate(values, position);
}

double Scenario::value_at(std::uint32_t signal, double t, core::Side side) const {
    return t > begin ? signals[signal].value_at(t, side) : signals[signal].value_at(begin);
}

double Scenario::next_corner(std::uint32_t signal, double t) const {
    const auto next = std::ranges::upper_bound(signals[signal].times, std::max(t, begin));
    return next == signals[signal].times.end() ? std::numeric_limits<double>::infinity() : *next;
}

std::vector<double> Scenario::jumps(std::uint32_t index) const {
    const ScenarioSignal& signal = signals[index];
    std::vector<double> found{signal.times.front()};  // whatever the input was before
    for (std::size_t i = 1; i < signal.times.size(); ++i) {
        const bool sudden = signal.hold == ScenarioSignal::Hold::constant || signal.times[i] == signal.times[i - 1];
        // Above 2^53 whole numbers that differ may be the same double.
        constexpr double exact_limit = 9007199254740992.0;
        const bool differs = signal.values[i] != signal.values[i - 1] ||
                             (std::abs(signal.values[i]) >= exact_limit &&
                              signal.request.values[i].text != signal.request.values[i - 1].text);
        if (sudden && differs) found.push_back(signal.times[i]);
    }
    return found;
}

std::vector<build::SignalRequest*> Scenario::requests() {
    std::vector<build::SignalRequest*> all;
    for (std::uint32_t i = 0; i < signals.size(); ++i) {
        signals[i].request.drive = {.source = this, .variable = i};
        all.push_back(&signals[i].request);
    }
    for (ScenarioLimit& limit : limits) all.push_back(&limit.request);
    return all;
}

Scenario read_scenario(const std::filesystem::path& file, base::Diagnostics& diagnostics) {
    const base::Document document(file, file.string());
    document.expect_root(Space::scenario, "Scenario");
    Page page(document, diagnostics);
    page.check_attributes(document.root(), {});
    Scenario scenario;
    for (const pugi::xml_node node : document.root().children()) {
        if (base::is(node, Space::scenario, "Signal")) {
            ScenarioSignal signal = read_signal(node, page);
            const auto same = [&](const ScenarioSignal& other) { return other.request.name == signal.request.name; };
            if (std::ranges::any_of(scenario.signals, same))
                page.error("duplicate-name", node, "a second signal '" + signal.request.name + "'");
            scenario.signals.push_back(std::move(signal));
        } else if (base::is(node, Space::scenario, "Limit")) {
            scenario.limits.push_back(read_limit(node, page));
        } else {
            page.unknown_child(node);
        }
    }
    return scenario;
}

}  // namespace master::runs
