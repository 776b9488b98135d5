#pragma once

#include "master/pulse.hpp"
#include "master/tap.hpp"

#include <cstdio>
#include <string>

namespace master {

/// Shows how far a long run is: a bar with the real-time factor on a terminal, else one line per tenth. Runs shorter
/// than two seconds show nothing. A step costs a decrement or a comparison.
class Progress final : public Tap {
public:
    enum class Style { quiet, lines, bar };
    /// A bar if `stream` is a terminal.
    [[nodiscard]] static Style style_for(std::FILE* stream, bool quiet);

    struct Range {
        Time start, stop;
        Timebase timebase;
    };
    Progress(const Range& range, Style style, std::FILE* stream = stderr);

    void after_step(Time t, const Signals& /*signals*/) override {
        if (t.ticks < next_ticks_) return;
        if (style_ == Style::bar ? pulse_.due() : true) show(t);
    }
    void finish() override;

    /// What is shown at `t` after `elapsed` seconds of wall time.
    [[nodiscard]] std::string text(Time t, double elapsed) const;

private:
    void show(Time t);
    [[nodiscard]] double part(Time t) const;

    Range range_;
    Style style_;
    std::FILE* stream_;
    Pulse pulse_;
    Pulse::Clock::time_point begin_ = Pulse::Clock::now();
    std::int64_t next_ticks_ = 0;
    bool drawn_ = false;
};

}  // namespace master
