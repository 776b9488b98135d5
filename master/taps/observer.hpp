#pragma once

#include "master/handle.hpp"
#include "master/report/report_file.hpp"
#include "master/tap.hpp"

#include <optional>
#include <vector>

namespace master::taps {

/// Looks at single signals for the summary and takes pictures of arrays for the report.
class Observer final : public Tap {
public:
    struct Range {
        Time start, stop;
        Timebase timebase;
    };
    /// An array at one moment.
    struct Picture {
        double t = 0;
        std::vector<double> values;
        std::vector<std::uint8_t> bytes;  // of a binary signal
    };

    explicit Observer(const Range& range) : range_(range) {}

    /// Both before the run; later only pictures of binary signals allocate, a few dozen times in a run.
    void watch(std::optional<Handle> handle, report::WishedFact::Take take);
    void picture(std::optional<Handle> handle);

    void after_step(Time t, const Signals& signals) override;
    void finish() override;

    /// The i-th fact; nothing if the system has no such signal.
    [[nodiscard]] std::optional<double> fact(std::size_t index) const;
    /// At most `count` pictures of the i-th array, evenly spaced, the first and the last among them.
    [[nodiscard]] std::vector<Picture> pictures(std::size_t index, std::size_t count) const;
    [[nodiscard]] const std::optional<Handle>& pictured(std::size_t index) const { return arrays_[index].handle; }

private:
    static constexpr std::size_t most_pictures = 64;

    struct Watched {
        std::optional<Handle> handle;
        report::WishedFact::Take take = report::WishedFact::Take::last;
        double first = 0, last = 0, smallest = 0, largest = 0, integral = 0;
    };
    struct Array {
        std::optional<Handle> handle;
        std::vector<Picture> taken;
        std::size_t used = 0;
    };

    void take_pictures(double t, const Signals& signals);

    Range range_;
    std::vector<Watched> facts_;
    std::vector<Array> arrays_;
    const Signals* signals_ = nullptr;  // of the run, for the last picture
    bool begun_ = false;
    Time last_, next_picture_;
};

}  // namespace master::taps
