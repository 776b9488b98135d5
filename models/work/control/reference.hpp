#pragma once

namespace models::control {

/// What a reference may do; both positive.
struct ReferenceLimits {
    double speed = 0, acceleration = 0;
};

/// Makes a smooth reference of targets that come now and then: a cubic from where the reference is to the new target,
/// over the time between two targets, or longer where the limits ask for it; it arrives with the speed of the targets
/// and rests there when no further one comes.
struct Reference {
    double position = 0, velocity = 0, acceleration = 0;

    void rest_at(double place);
    /// `period`: until the next target is due.
    void aim(double target, double period, const ReferenceLimits& limits);
    void step(double h);
    [[nodiscard]] bool rests() const { return !moving; }
    [[nodiscard]] double goal() const { return end; }

    // The cubic, from its beginning.
    bool moving = false, passing = false;
    double start = 0, start_velocity = 0, end = 0, end_velocity = 0, duration = 0, elapsed = 0;

private:
    void begin(double target, double target_velocity, double time);
};

}  // namespace models::control
