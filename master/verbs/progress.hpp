#pragma once

#include "master/base/pulse.hpp"
#include "master/core/tap.hpp"

#include <cstdio>
#include <string>

namespace master::verbs {

/// Shows how far a long run is: a bar with the real-time factor on a terminal, else one line per tenth. Runs shorter
/// than two seconds show nothing. A step costs a decrement or a comparison.
class Progress final : public core::Tap {
public:
    enum class Style { quiet, lines, bar };
    /// A bar if `stream` is a terminal.
    [[nodiscard]] static Style style_for(std::FILE* stream, bool quiet);

    struct Range {
        base::Time start, stop;
        base::Timebase timebase;
    };
    Progress(const Range& range, Style style, std::FILE* stream = stderr);

    void after_step(base::Time t, const core::Signals& /*signals*/) override {
        if (t.ticks < next_ticks_) return;
        if (style_ == Style::bar ? pulse_.due() : true) show(t);
    }
    void finish() override;

    /// What is shown at `t` after `elapsed` seconds of wall time.
    [[nodiscard]] std::string text(base::Time t, double elapsed) const;

private:
    void show(base::Time t);
    [[nodiscard]] double part(base::Time t) const;

    Range range_;
    Style style_;
    std::FILE* stream_;
    base::Pulse pulse_;
    base::Pulse::Clock::time_point begin_ = base::Pulse::Clock::now();
    std::int64_t next_ticks_ = 0;
    bool drawn_ = false;
};

}  // namespace master::verbs
