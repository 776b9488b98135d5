#include "master/runs/taps/bus_monitor.hpp"

#include "interfaces/dbc/read.hpp"
#include "master/base/error.hpp"
#include "master/contracts/read_interface.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace master::runs {
namespace {

using contracts::Verdict;

// Other frames go first, and a sender's clock is its own: only half a cycle more is late.
constexpr double late_cycles = 1.5;
constexpr double least_movement = 0.05;

std::string text(double value) { return fmt::format("{:.5g}", value); }

}  // namespace

BusMonitor::BusMonitor(const std::filesystem::path& file, const build::Simulation& simulation,
                       base::Diagnostics& diagnostics)
    : timebase_(simulation.timing.timebase),
      now_(simulation.timing.start),
      interface_(contracts::read_interface(file, diagnostics)),
      plans_(interfaces::dbc::read_file(file.string())) {
    for (CanBus& bus : can_buses(simulation)) {
        Bus& added = buses_.emplace_back();
        added.bus = std::move(bus);
        for (const contracts::Element& element : interface_.elements)
            added.messages.emplace_back().signals.resize(element.entries.size());
    }
    if (buses_.empty())
        throw base::Error("other-interface", file.string(),
                          "'" + simulation.parts.description.name +
                              "' has no CAN bus: no wire between its units carries frames of FMI-LS-BUS");
    std::size_t most = 0;
    for (const contracts::Element& element : interface_.elements) most = std::max(most, element.entries.size());
    raws_.resize(most);
}

void BusMonitor::Trouble::add(double t, double value, bool worse) {
    if (count == 0) first = t;
    if (count == 0 || worse) worst = value;
    ++count;
}

void BusMonitor::on_event(base::Time t, const core::Signals& signals) {
    for (Bus& bus : buses_)
        for (const SeenFrame& seen : frames_.take(bus.bus, signals)) take(bus, seen.frame, t);
}

void BusMonitor::take(Bus& bus, const interfaces::can::Frame& frame, base::Time t) {
    if (frame.remote || frame.error) return;
    const std::size_t index = plans_.find(frame);
    if (index == interfaces::dbc::Plans::none) return;
    ++bus.known;
    Message& message = bus.messages[index];
    if (message.frames > 0) wait(message, index, t);
    ++message.frames;
    message.last = t;
    const std::span raws = std::span(raws_).first(message.signals.size());
    const double seconds = timebase_.seconds(t);
    if (!plans_[index].decode_raw(frame.bytes(), raws)) {
        message.bad.add(seconds, frame.size, false);
        return;
    }
    for (std::size_t i = 0; i < raws.size(); ++i) {
        const contracts::Entry& entry = interface_.elements[index].entries[i];
        const auto code = static_cast<std::int64_t>(raws[i].bits);
        if (!raws[i].present || entry.contract.invalid == code || entry.contract.not_available == code) continue;
        Signal& signal = message.signals[i];
        const double value = plans_[index].physical(i, raws[i].bits);
        signal.least = std::min(signal.least, value);
        signal.most = std::max(signal.most, value);
        const auto &low = entry.contract.minimum, &high = entry.contract.maximum;
        const double beyond = std::max(low ? *low - value : 0, high ? value - *high : 0);
        // The ends of a range are decimals, and so is the factor.
        const double slack = 1e-9 * std::max({std::abs(value), std::abs(low.value_or(0)), std::abs(high.value_or(0))});
        if (std::isnan(value) || beyond > slack)
            signal.range.add(seconds, value, std::abs(value) > std::abs(signal.range.worst));
    }
}

/// Since its last frame.
void BusMonitor::wait(Message& message, std::size_t index, base::Time t) const {
    const double cycle = interface_.elements[index].message->cycle_time;
    const double waited = timebase_.seconds(t - message.last);
    message.longest = std::max(message.longest, waited);
    if (cycle > 0 && waited > late_cycles * cycle)
        message.late.add(timebase_.seconds(t), waited, waited > message.late.worst);
}

std::vector<Verdict> BusMonitor::verdicts() const {
    const Bus& bus = *std::ranges::max_element(buses_, {}, &Bus::known);
    std::vector<Verdict> all;
    for (std::size_t i = 0; i < bus.messages.size(); ++i) {
        Message message = bus.messages[i];
        if (message.frames > 0) wait(message, i, now_);  // it may be silent by now
        all.push_back(verdict(message, i));
        for (std::size_t j = 0; j < message.signals.size(); ++j)
            all.push_back(verdict(message.signals[j], interface_.elements[i].entries[j]));
    }
    return all;
}

Verdict BusMonitor::verdict(const Message& message, std::size_t index) const {
    const contracts::Element& element = interface_.elements[index];
    const double cycle = element.message->cycle_time;
    Verdict verdict{.requirement = element.name,
                    .subject = element.name,
                    .violations = {},
                    .evidence = fmt::format("{} frames", message.frames),
                    .where = element.where};
    if (cycle > 0 && message.frames > 0)
        verdict.evidence +=
            fmt::format(", at most {} s apart, with a cycle of {} s", text(message.longest), text(cycle));
    const auto add = [&](const Trouble& trouble, const char* words) {
        if (trouble.count > 0) verdict.violations.push_back({words, trouble.first, trouble.count, trouble.worst});
    };
    add(message.late, "comes too late");
    add(message.bad, "is too short for its signals");
    const bool shown = message.frames > 1 && cycle > 0;
    verdict.used = message.late.count > 0 ? message.longest / (late_cycles * cycle) : 0;
    verdict.outcome = !verdict.violations.empty() ? Verdict::Outcome::failed
                      : shown                     ? Verdict::Outcome::passed
                                                  : Verdict::Outcome::not_exercised;
    return verdict;
}

Verdict BusMonitor::verdict(const Signal& signal, const contracts::Entry& entry) const {
    const ssp::Contract& contract = entry.contract;
    Verdict verdict{.requirement = contract.requirement.empty() ? entry.name : contract.requirement,
                    .subject = entry.name,
                    .violations = {},
                    .evidence = "no value was seen",
                    .where = entry.where};
    if (signal.range.count > 0)
        verdict.violations.push_back({"outside its range", signal.range.first, signal.range.count, signal.range.worst});
    const bool seen = signal.most >= signal.least;
    if (seen && contract.minimum && contract.maximum) {
        const double middle = (*contract.minimum + *contract.maximum) / 2;
        const double half = (*contract.maximum - *contract.minimum) / 2;
        verdict.evidence =
            fmt::format("{} to {} of {} to {}{}", text(signal.least), text(signal.most), text(*contract.minimum),
                        text(*contract.maximum), entry.unit ? " " + entry.unit->name : "");
        verdict.used = std::max(std::abs(signal.most - middle), std::abs(signal.least - middle)) / half;
        if (signal.most - signal.least >= least_movement * 2 * half) verdict.outcome = Verdict::Outcome::passed;
    } else if (seen) {
        verdict.evidence = fmt::format("{} to {}, and nothing is promised", text(signal.least), text(signal.most));
    }
    if (!verdict.violations.empty()) verdict.outcome = Verdict::Outcome::failed;
    return verdict;
}

}  // namespace master::runs
