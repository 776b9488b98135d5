#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace master::fmi {

/// Finds event indicators that change their sign inside a solver step and may have changed it back at its end, where a
/// solver does not see it. It looks at a few instants; parabolas through them say where an indicator may be nearer to
/// zero, so that also what is beyond it for a short moment is found if it is smooth.
class InnerCrossing {
public:
    /// Writes the indicators at an instant of the step; false where they cannot be had.
    using Indicators = std::function<bool(double t, double* values)>;
    InnerCrossing(std::size_t count, Indicators indicators);

    /// The next step does not go on from the last one.
    void forget() { known_ = false; }
    /// A step begins.
    void begin(double t);
    /// It has ended: an instant inside at which indicators have just crossed, the first that is found.
    [[nodiscard]] std::optional<double> find(double end);
    /// Of the instant found, per indicator: 1 where it has risen above zero, -1 where it has fallen, else 0.
    [[nodiscard]] std::span<const int> crossings() const { return crossings_; }

private:
    struct Look {
        double t = 0;
        std::vector<double> values;
    };
    [[nodiscard]] bool look(double t, Look& at);
    /// FMI divides an indicator's values into z > 0 and z <= 0.
    [[nodiscard]] bool crossed(const Look& at, std::size_t i) const;
    [[nodiscard]] bool crossed(const Look& at) const;
    [[nodiscard]] double distance(const Look& at, std::size_t i) const;
    [[nodiscard]] bool dips(std::size_t indicator, std::size_t middle);
    [[nodiscard]] std::optional<double> narrow(double before, double after);

    static constexpr std::size_t parts = 4;
    Indicators indicators_;
    std::array<Look, parts + 1> looks_;
    Look probe_;
    std::vector<int> crossings_;
    bool known_ = false;  // the last look, or the first one of a step
};

}  // namespace master::fmi
