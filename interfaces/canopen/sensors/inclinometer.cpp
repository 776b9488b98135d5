#include "interfaces/canopen/sensors/inclinometer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <vector>

namespace interfaces::canopen {
namespace {

constexpr Key resolution_key{0x6000, 0};
constexpr std::uint64_t default_resolution = 10;  // hundredths of a degree
constexpr double millidegree = std::numbers::pi / 180e3;

/// One slope in one width: the value and the four parameters that follow it.
struct Slope {
    std::size_t channel = 0;
    Entry shown;
    std::optional<Entry> operation, preset, offset, differential;
};

class Inclinometer final : public Profile {
public:
    explicit Inclinometer(const Dictionary& dictionary) {
        const auto copy = [&](std::uint16_t index) {
            const Entry* entry = dictionary.find({index, 0});
            return entry != nullptr && is_number(entry->type) ? std::optional(*entry) : std::nullopt;
        };
        resolution_ = copy(resolution_key.index);
        for (const std::uint16_t base : {0x6010, 0x6020, 0x6110, 0x6120}) {
            const auto value = copy(base);
            if (!value) continue;
            const std::size_t channel = (base & 0xF0) == 0x10 ? 0 : 1;
            slopes_.push_back({channel, *value, copy(base + 1), copy(base + 2), copy(base + 3), copy(base + 4)});
            channels_ = std::max(channels_, channel + 1);
        }
    }

    std::size_t channels() const override { return channels_; }

    std::size_t channel_of(Key key) const override {
        for (const Slope& slope : slopes_)
            if (slope.shown.key == key) return slope.channel;
        return none;
    }

    Scale scale(const Image& image, Key key) const override {
        for (const Slope& slope : slopes_) {
            if (slope.shown.key != key) continue;
            const double step = sign(image, slope) * resolution(image) * millidegree;
            return {.gain = step, .offset = -step * added(image, slope)};
        }
        return {};
    }

    Abort check(const Image&, const Measurement&, const Entry& entry, std::uint64_t raw) const override {
        if (entry.key != resolution_key) return Abort::none;
        return raw == 1 || raw == 10 || raw == 100 || raw == 1000 ? Abort::none : Abort::value;
    }

    void written(Image& image, const Measurement& measurement, const Entry& entry,
                 std::uint64_t before) const override {
        if (entry.key == resolution_key) return rescale(image, static_cast<double>(before) / resolution(image));
        for (const Slope& slope : slopes_) {
            if (!slope.preset || !slope.offset || slope.preset->key != entry.key) continue;
            const double now = steps(image, measurement, slope) + number_in(image, slope.differential);
            set(image, *slope.offset, number_in(image, slope.preset) - now);
        }
    }

    void update(Image& image, const Measurement& measurement) const override {
        for (const Slope& slope : slopes_)
            set(image, slope.shown, steps(image, measurement, slope) + added(image, slope));
    }

private:
    static double number_in(const Image& image, const std::optional<Entry>& entry) {
        return entry ? value_of(entry->type, number(image, *entry)) : 0;
    }
    static void set(Image& image, const Entry& entry, double value) {
        set_number(image, entry, raw_of(entry.type, value));
    }
    double resolution(const Image& image) const {
        const double found = number_in(image, resolution_);
        return found > 0 ? found : static_cast<double>(default_resolution);
    }
    static std::uint64_t operation(const Image& image, const Slope& slope) {
        return slope.operation ? number(image, *slope.operation) : 0;
    }
    static double sign(const Image& image, const Slope& slope) {
        return (operation(image, slope) & inverted) != 0 ? -1 : 1;
    }
    static double added(const Image& image, const Slope& slope) {
        if ((operation(image, slope) & scaled) == 0) return 0;
        return number_in(image, slope.offset) + number_in(image, slope.differential);
    }
    /// The angle in whole steps, before what the user adds.
    double steps(const Image& image, const Measurement& measurement, const Slope& slope) const {
        const double angle = sign(image, slope) * measurement.physical[slope.channel];
        return std::round(angle / (resolution(image) * millidegree));
    }
    void rescale(Image& image, double factor) const {
        for (const Slope& slope : slopes_)
            for (const auto* entry : {&slope.preset, &slope.offset, &slope.differential})
                if (*entry) set(image, **entry, number_in(image, *entry) * factor);
    }

    // Bits of the operating parameter.
    static constexpr std::uint64_t inverted = 1, scaled = 2;

    std::optional<Entry> resolution_;
    std::vector<Slope> slopes_;
    std::size_t channels_ = 0;
};

}  // namespace

std::unique_ptr<const Profile> make_inclinometer(const Dictionary& dictionary) {
    return std::make_unique<Inclinometer>(dictionary);
}

}  // namespace interfaces::canopen
