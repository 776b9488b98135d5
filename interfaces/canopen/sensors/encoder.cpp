#include "interfaces/canopen/sensors/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace interfaces::canopen {
namespace {

constexpr Key cyclic_timer{0x6200, 0}, event_timer{0x1800, 5};

constexpr double nanometre = 1e-9, hundredth_mm_per_s = 1e-5, tenth_hour = 360;
constexpr std::uint64_t position_error = 1;  // bit of alarms

class Encoder final : public Profile {
public:
    explicit Encoder(const Dictionary& dictionary) {
        const auto copy = [&](std::uint16_t index, std::uint8_t sub = 0) {
            const Entry* entry = dictionary.find({index, sub});
            return entry != nullptr && is_number(entry->type) ? std::optional(*entry) : std::nullopt;
        };
        const Entry* type = dictionary.find({0x1000, 0});
        const std::uint64_t detail = type != nullptr ? type->initial >> 16 : 0;
        linear_ = detail >= 6 && detail <= 9;
        operation_ = copy(0x6000);
        per_revolution_ = copy(0x6001);
        range_ = copy(0x6002);
        preset_ = copy(0x6003);
        position_ = copy(0x6004);
        position_step_ = copy(0x6005, 1);
        speed_step_ = copy(0x6005, 2);
        speed_ = copy(0x6030, 1);
        cyclic_timer_ = copy(cyclic_timer.index);
        event_timer_ = copy(event_timer.index, event_timer.sub);
        status_ = copy(0x6500);
        resolution_ = copy(0x6501);
        revolutions_ = copy(0x6502);
        alarms_ = copy(0x6503);
        operating_time_ = copy(0x6508);
        offset_ = copy(0x6509);
        manufacturer_offset_ = copy(0x650A, 1);
        lowest_ = copy(0x650A, 2);
        highest_ = copy(0x650A, 3);
    }

    std::size_t channels() const override { return position_ ? 1 : 0; }

    std::size_t channel_of(Key key) const override { return position_ && position_->key == key ? 0 : none; }

    Scale scale(const Image& image, Key) const override {
        const double step = direction(image) * step_size(image);
        return {.gain = step, .offset = -step * added(image)};
    }

    Abort check(const Image& image, const Measurement&, const Entry& entry, std::uint64_t raw) const override {
        const bool is_preset = preset_ && entry.key == preset_->key;
        const double value = value_of(entry.type, raw);
        if (is_preset && !linear_ && (value < 0 || value >= range(image))) return Abort::value;
        const bool divides =
            is(entry, per_revolution_) || is(entry, range_) || is(entry, position_step_) || is(entry, speed_step_);
        return divides && raw == 0 ? Abort::too_low : Abort::none;
    }

    void written(Image& image, const Measurement& measurement, const Entry& entry, std::uint64_t) const override {
        if (is(entry, preset_) && offset_)
            set(image, offset_,
                number_in(image, preset_) - steps(image, measurement) - number_in(image, manufacturer_offset_));
        // The cyclic timer is the event timer of the first PDO by another name.
        if (is(entry, cyclic_timer_)) set(image, event_timer_, number_in(image, cyclic_timer_));
        if (is(entry, event_timer_)) set(image, cyclic_timer_, number_in(image, event_timer_));
    }

    void update(Image& image, const Measurement& measurement) const override {
        if (!position_) return;
        const double count = steps(image, measurement) + added(image);
        set(image, position_, linear_ ? count : wrapped(count, range(image)));
        const double speed = direction(image) * measurement.rate[0];
        set(image, speed_, linear_ ? speed / speed_step(image) : speed / step_size(image));
        set(image, status_, number_in(image, operation_));
        set(image, alarms_, is_outside(image, measurement) ? position_error : 0);
        set(image, operating_time_, std::floor(std::chrono::duration<double>(measurement.at).count() / tenth_hour));
    }

private:
    static bool is(const Entry& entry, const std::optional<Entry>& other) { return other && other->key == entry.key; }

    static double number_in(const Image& image, const std::optional<Entry>& entry, double otherwise = 0) {
        return entry ? value_of(entry->type, number(image, *entry)) : otherwise;
    }
    static void set(Image& image, const std::optional<Entry>& entry, double value) {
        if (entry) set_number(image, *entry, raw_of(entry->type, value));
    }
    std::uint64_t operation(const Image& image) const { return operation_ ? number(image, *operation_) : 0; }

    double direction(const Image& image) const {
        return (operation(image) & (linear_ ? measures_backwards : counts_down)) != 0 ? -1 : 1;
    }
    bool is_scaled(const Image& image) const { return (operation(image) & scaled) != 0; }

    /// What the disc or scale itself can tell apart, in rad or m.
    double finest(const Image& image) const {
        const double resolution = number_in(image, resolution_, linear_ ? 1e4 : 4096);
        return linear_ ? resolution * nanometre : 2 * std::numbers::pi / resolution;
    }
    /// One step of the position value, in rad or m.
    double step_size(const Image& image) const {
        if (linear_) return number_in(image, position_step_, number_in(image, resolution_, 1e4)) * nanometre;
        return is_scaled(image) ? 2 * std::numbers::pi / number_in(image, per_revolution_, 4096) : finest(image);
    }
    double speed_step(const Image& image) const { return number_in(image, speed_step_, 1) * hundredth_mm_per_s; }

    double range(const Image& image) const {
        if (is_scaled(image) && range_) return number_in(image, range_);
        return number_in(image, resolution_, 4096) * number_in(image, revolutions_, 1);
    }
    double added(const Image& image) const {
        return number_in(image, offset_) + number_in(image, manufacturer_offset_);
    }

    double steps(const Image& image, const Measurement& measurement) const {
        const double seen = std::round(held(image, measurement) / finest(image)) * finest(image);
        return direction(image) * std::round(seen / step_size(image));
    }
    /// A wire or scale ends; a shaft does not.
    double held(const Image& image, const Measurement& measurement) const {
        const double physical = measurement.physical[0];
        if (!linear_ || !(lowest(image) < highest(image))) return physical;
        return std::clamp(physical, lowest(image), highest(image));
    }
    bool is_outside(const Image& image, const Measurement& measurement) const {
        return held(image, measurement) != measurement.physical[0];
    }
    // 0x650A is in steps of the scale's own resolution.
    double lowest(const Image& image) const { return number_in(image, lowest_) * finest(image); }
    double highest(const Image& image) const { return number_in(image, highest_) * finest(image); }

    static double wrapped(double count, double range) {
        const double rest = std::fmod(count, range);
        return rest < 0 ? rest + range : rest;
    }

    // Bits of the operating parameters.
    static constexpr std::uint64_t counts_down = 1, scaled = 4, measures_backwards = 8;

    bool linear_ = false;
    std::optional<Entry> operation_, per_revolution_, range_, preset_, position_, position_step_, speed_step_, speed_;
    std::optional<Entry> cyclic_timer_, event_timer_, status_, resolution_, revolutions_, alarms_, operating_time_;
    std::optional<Entry> offset_, manufacturer_offset_, lowest_, highest_;
};

}  // namespace

std::unique_ptr<const Profile> make_encoder(const Dictionary& dictionary) {
    return std::make_unique<Encoder>(dictionary);
}

}  // namespace interfaces::canopen
