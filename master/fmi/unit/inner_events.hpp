#pragma once

#include "master/core/signals.hpp"
#include "master/core/unit.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace master::fmi {

/// Keeps what a unit's outputs are on both sides of the events inside its steps, where somebody wants to know. All
/// buffers are made before the run. `read` fills a block with the present outputs.
class InnerEvents {
public:
    void make(const core::Layout& outputs, std::size_t most) {
        events_.assign(most, {});
        for (core::InnerEvent& event : events_) {
            for (std::size_t type = 0; type < core::type_count; ++type) {
                const auto resize = [&](auto& lane) { lane.resize(outputs.counts[type]); };
                core::with_lane(static_cast<core::Type>(type), event.before, resize);
                core::with_lane(static_cast<core::Type>(type), event.after, resize);
            }
        }
    }

    template <class Read>
    void before(double t, Read read) {
        ++total_;
        if (count_ == events_.size()) return;
        events_[count_].t = t;
        read(block(events_[count_].before));
    }

    /// Of the event that `before` began.
    template <class Read>
    void after(Read read) {
        if (count_ == events_.size()) return;
        read(block(events_[count_].after));
        ++count_;
    }

    [[nodiscard]] std::span<const core::InnerEvent> events() const { return {events_.data(), count_}; }
    void forget() { count_ = 0; }
    /// Of all, kept or not.
    [[nodiscard]] std::uint64_t total() const { return total_; }

private:
    static core::Block block(core::Lanes& lanes) {
        return {.reals = lanes.reals.data(),
                .integers = lanes.integers.data(),
                .naturals = lanes.naturals.data(),
                .booleans = lanes.booleans.data(),
                .bytes = lanes.bytes.data(),
                .strings = lanes.strings.data(),
                .clocks = lanes.clocks.data()};
    }

    std::vector<core::InnerEvent> events_;
    std::size_t count_ = 0;
    std::uint64_t total_ = 0;
};

}  // namespace master::fmi
