#include "master/results/event_rows.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
#include <span>
#include <vector>

namespace master::results {
namespace {

/// Events of one step that are recorded; the log says where a unit has more of them.
constexpr std::size_t most_events = 100;

class EventRows final : public core::Tap {
public:
    EventRows(std::unique_ptr<core::Tap> recorder, std::span<const Column> columns, core::System& system)
        : recorder_(std::move(recorder)), system_(system), last_row_(system.signals()) {
        for (const Column& column : columns) {
            recorded_.push_back(column.signal);
            if (column.signal.type == core::Type::bytes) bytes_.emplace_back();
        }
        for (core::Node& node : system.nodes()) {
            if (node.events == nullptr) continue;
            node.events->keep_inner_events(most_events);
            nodes_.push_back(&node);
        }
        pending_.reserve(nodes_.size() * most_events);
    }

    void before_step(base::Time t, core::Lanes& free_inputs) override { recorder_->before_step(t, free_inputs); }
    void on_event(base::Time t, const core::Signals& signals) override { recorder_->on_event(t, signals); }
    void after_last_step(base::Time t, const core::Signals& signals) override {
        recorder_->after_last_step(t, signals);
    }
    void finish() override { recorder_->finish(); }

    void before_event(base::Time t, const core::Signals& signals) override {
        write_inner_events(t, signals);
        if (t > last_) write(t, signals);
    }

    void after_step(base::Time t, const core::Signals& signals) override {
        write_inner_events(t, signals);
        write(t, signals);
        keep(signals);
    }

private:
    struct Pending {
        base::Time at;
        const core::Node* node;
        const core::InnerEvent* event;
    };

    void write(base::Time t, const core::Signals& signals) {
        recorder_->after_step(t, signals);
        last_ = t;
    }

    /// Those of units whose step ends at `t`, in the order of their times.
    void write_inner_events(base::Time t, const core::Signals& signals) {
        pending_.clear();
        for (const core::Node* node : nodes_) {
            if (node->end != t) continue;
            for (const core::InnerEvent& event : node->events->inner_events()) {
                const base::Time at = std::min(system_.timebase().nearest(event.t), t);
                if (at >= last_) pending_.push_back({at, node, &event});
            }
        }
        std::ranges::stable_sort(pending_, {}, &Pending::at);
        for (auto first = pending_.begin(); first != pending_.end();) {
            const base::Time at = first->at;
            const auto last = std::find_if(first, pending_.end(), [at](const Pending& each) { return each.at != at; });
            write_both_sides({first, last}, t, signals);
            first = last;
        }
        for (const core::Node* node : nodes_) {
            if (node->end == t) node->events->forget_inner_events();
        }
    }

    /// Of events at one instant. One may have brought about another, so the row before has all of them undone.
    void write_both_sides(std::span<const Pending> events, base::Time t, const core::Signals& signals) {
        const base::Time at = events.front().at;
        // At the point itself the others are there too, and the row that follows is the one after the event.
        if (at == t) keep(signals);
        for (const Pending& each : std::views::reverse(events)) place(*each.node, each.event->before);
        if (at > last_) write(at, last_row_);
        for (const Pending& each : events) place(*each.node, each.event->after);
        if (at < t) write(at, last_row_);
    }

    void place(const core::Node& node, const core::Lanes& outputs) {
        for (std::size_t index = 0; index < core::type_count; ++index) {
            const auto type = static_cast<core::Type>(index);
            if (type == core::Type::bytes || type == core::Type::clock) continue;
            core::visit_lane(type, [&](auto lane) {
                std::ranges::copy(lane(outputs), lane(last_row_.outputs).begin() + node.output_base[index]);
            });
        }
    }

    void keep(const core::Signals& signals) {
        std::size_t binary = 0;
        for (const core::SignalRef& signal : recorded_) {
            core::Lanes& kept = signal.input ? last_row_.inputs : last_row_.outputs;
            core::visit_lane(signal.type,
                             [&](auto lane) { lane(kept)[signal.index] = lane(signal.lanes(signals))[signal.index]; });
            if (signal.type == core::Type::bytes) own(kept.bytes[signal.index], bytes_[binary++]);
        }
    }

    /// A unit's bytes lie in its own buffer, which changes with its next output.
    static void own(core::Bytes& value, std::vector<std::uint8_t>& copy) {
        copy.assign(value.data, value.data + value.size);
        value = {copy.data(), copy.size()};
    }

    std::unique_ptr<core::Tap> recorder_;
    core::System& system_;
    std::vector<core::SignalRef> recorded_;
    std::vector<core::Node*> nodes_;                // with events
    core::Signals last_row_;                        // of what is recorded
    std::vector<std::vector<std::uint8_t>> bytes_;  // of the recorded binary signals
    std::vector<Pending> pending_;
    base::Time last_{std::numeric_limits<std::int64_t>::min()};
};

}  // namespace

std::unique_ptr<core::Tap> with_event_rows(std::unique_ptr<core::Tap> recorder, std::span<const Column> columns,
                                           core::System& system) {
    const auto has_events = [](const core::Node& node) { return node.events != nullptr; };
    if (std::ranges::none_of(system.nodes(), has_events)) return recorder;
    return std::make_unique<EventRows>(std::move(recorder), columns, system);
}

}  // namespace master::results
