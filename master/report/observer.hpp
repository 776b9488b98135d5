#pragma once

#include "master/core/tap.hpp"
#include "master/report/report_file.hpp"

#include <optional>
#include <string>
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

    /// A fact that a signal of the run gave.
    struct Fact {
        WishedFact wish;
        double value = 0;
    };

    /// All before the run; later only pictures of binary signals allocate, a few dozen times in a run. Wishes without
    /// a signal, and facts about what is no number, are left out.
    void watch(const WishedFact& wish);
    void picture(const build::SignalRequest& array);
    void take_last(const build::SignalRequest& value);

    void after_step(base::Time t, const core::Signals& signals) override;
    void finish() override;

    [[nodiscard]] std::vector<Fact> facts() const;
    /// The value at the end of the run of a signal that the system has.
    [[nodiscard]] std::optional<double> last(const build::SignalRequest& value) const;
    /// The number, or the value of its signal; NaN where the system has no such signal.
    [[nodiscard]] double number(const Quantity& quantity) const;
    /// At most `count` pictures of an array, evenly spaced, the first and the last among them.
    [[nodiscard]] std::vector<Picture> pictures(const build::SignalRequest& array, std::size_t count) const;

private:
    static constexpr std::size_t most_pictures = 64;

    struct Watched {
        WishedFact wish;
        double first = 0, last = 0, smallest = 0, largest = 0, integral = 0;
    };
    struct Array {
        std::string name;
        build::LocatedSignal signal;
        std::vector<Picture> taken;
        std::size_t used = 0;
    };

    struct Last {
        std::string name;
        build::LocatedSignal signal;
        double value = 0;
    };

    [[nodiscard]] double value_of(const Watched& fact) const;
    void take_pictures(double t, const core::Signals& signals);

    Range range_;
    std::vector<Watched> watched_;
    std::vector<Array> arrays_;
    std::vector<Last> lasts_;
    const core::Signals* signals_ = nullptr;  // of the run, for the last picture and the last values
    bool begun_ = false;
    base::Time last_, next_picture_;
};

}  // namespace master::report
