#pragma once

#include "master/core/handle.hpp"
#include "master/core/tap.hpp"
#include "master/report/report_file.hpp"

#include <optional>
#include <vector>

namespace master::report {

/// Looks at single signals for the summary and takes pictures of arrays for the report.
class Observer final : public core::Tap {
public:
    struct Range {
        base::Time start, stop;
        base::Timebase timebase;
    };
    /// An array at one moment.
    struct Picture {
        double t = 0;
        std::vector<double> values;
        std::vector<std::uint8_t> bytes;  // of a binary signal
    };

    explicit Observer(const Range& range) : range_(range) {}

    /// Both before the run; later only pictures of binary signals allocate, a few dozen times in a run.
    void watch(std::optional<core::Handle> handle, WishedFact::Take take);
    void picture(std::optional<core::Handle> handle);

    void after_step(base::Time t, const core::Signals& signals) override;
    void finish() override;

    /// The i-th fact; nothing if the system has no such signal.
    [[nodiscard]] std::optional<double> fact(std::size_t index) const;
    /// At most `count` pictures of the i-th array, evenly spaced, the first and the last among them.
    [[nodiscard]] std::vector<Picture> pictures(std::size_t index, std::size_t count) const;
    [[nodiscard]] const std::optional<core::Handle>& pictured(std::size_t index) const { return arrays_[index].handle; }

private:
    static constexpr std::size_t most_pictures = 64;

    struct Watched {
        std::optional<core::Handle> handle;
        WishedFact::Take take = WishedFact::Take::last;
        double first = 0, last = 0, smallest = 0, largest = 0, integral = 0;
    };
    struct Array {
        std::optional<core::Handle> handle;
        std::vector<Picture> taken;
        std::size_t used = 0;
    };

    void take_pictures(double t, const core::Signals& signals);

    Range range_;
    std::vector<Watched> facts_;
    std::vector<Array> arrays_;
    const core::Signals* signals_ = nullptr;  // of the run, for the last picture
    bool begun_ = false;
    base::Time last_, next_picture_;
};

}  // namespace master::report
