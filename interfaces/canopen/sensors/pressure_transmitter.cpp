#include "interfaces/canopen/sensors/pressure_transmitter.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace interfaces::canopen {
namespace {

constexpr Key unit_key{0x6131, 1}, auto_zero_key{0x6125, 1};
constexpr double bar = 1e5;                           // the unit of the field value
constexpr std::uint32_t zero_signature = 0x6F72657A;  // "zero"
constexpr std::uint8_t overload = 2, underload = 4;   // bits of the status
constexpr std::uint64_t moving_average = 1;           // filter type

/// Pa per unit of 0x6131: a power of ten and an SI or other unit; nothing if it is no pressure that is known here.
std::optional<double> pascals(std::uint64_t unit) {
    const double factor = std::pow(10.0, static_cast<std::int8_t>(unit >> 24));
    switch (unit >> 16 & 0xFF) {
        case 0x22:
            return factor;
        case 0x4E:
            return factor * bar;
        case 0xAB:
            return factor * 6894.757293168361;  // pound-force per square inch
        default:
            return std::nullopt;
    }
}

class PressureTransmitter final : public Profile {
public:
    explicit PressureTransmitter(const Dictionary& dictionary) {
        const auto copy = [&](std::uint16_t index) {
            const Entry* entry = dictionary.find({index, 1});
            return entry != nullptr && is_number(entry->type) ? std::optional(*entry) : std::nullopt;
        };
        for (const std::uint16_t index : {0x6100, 0x7100, 0x8100, 0x9100})
            if (const auto entry = copy(index)) fields_.push_back(*entry);
        for (const std::uint16_t index : {0x6130, 0x7130, 0x8130, 0x9130})
            if (const auto entry = copy(index)) processes_.push_back(*entry);
        field_1_ = copy(0x6120);
        process_1_ = copy(0x6121);
        field_2_ = copy(0x6122);
        process_2_ = copy(0x6123);
        offset_ = copy(0x6124);
        unit_ = copy(unit_key.index);
        digits_ = copy(0x6132);
        span_start_ = copy(0x6148);
        span_end_ = copy(0x6149);
        status_ = copy(0x6150);
        filter_ = copy(0x61A0);
        filter_constant_ = copy(0x61A1);
    }

    std::size_t channels() const override { return processes_.empty() ? 0 : 1; }

    std::size_t channel_of(Key key) const override {
        return std::ranges::any_of(processes_, [&](const Entry& entry) { return entry.key == key; }) ? 0 : none;
    }

    Scale scale(const Image& image, Key key) const override {
        const Line line = scaling(image);
        const auto found = std::ranges::find(processes_, key, &Entry::key);
        const double digits = found == processes_.end() || is_real(found->type) ? 1 : power(image);
        return {.gain = bar / (line.gain * digits),
                .offset = bar * (line.field - (line.process + offset(image)) / line.gain)};
    }

    Abort check(const Image& image, const Measurement&, const Entry& entry, std::uint64_t raw) const override {
        if (entry.key == auto_zero_key) return raw == zero_signature ? Abort::none : Abort::cannot_store;
        if (entry.key == unit_key) return pascals(raw) ? Abort::none : Abort::value;
        if (filter_ && entry.key == filter_->key) return raw <= moving_average ? Abort::none : Abort::value;
        if (is_real(entry.type) && !std::isfinite(value_of(entry.type, raw))) return Abort::value;
        // Two points make a line only if they differ.
        const auto meets = [&](const std::optional<Entry>& written, const std::optional<Entry>& other) {
            return written && other && entry.key == written->key && raw == number(image, *other);
        };
        const bool flat = meets(field_1_, field_2_) || meets(field_2_, field_1_) || meets(process_1_, process_2_) ||
                          meets(process_2_, process_1_);
        return flat ? Abort::incompatible : Abort::none;
    }

    void written(Image& image, const Measurement& measurement, const Entry& entry,
                 std::uint64_t before) const override {
        if (entry.key == auto_zero_key) {
            set(image, offset_, -unshifted(image, measurement));
            set_number(image, entry, 0);
        }
        if (entry.key != unit_key) return;
        const double factor = pascals(before).value_or(bar) / pascals(number(image, entry)).value_or(bar);
        for (const auto* scaled : {&process_1_, &process_2_, &offset_, &span_start_, &span_end_})
            set(image, *scaled, number_in(image, *scaled) * factor);
    }

    void update(Image& image, const Measurement& measurement) const override {
        const double process = unshifted(image, measurement) + offset(image);
        for (const Entry& entry : fields_) show(image, entry, held(filtered(image, measurement)) / bar);
        for (const Entry& entry : processes_) show(image, entry, process);
        std::uint8_t status = 0;
        const double asked = process_of(image, filtered(image, measurement)) + offset(image);
        if (span_end_ && asked > number_in(image, span_end_)) status |= overload;
        if (span_start_ && asked < number_in(image, span_start_)) status |= underload;
        if (status_) set_number(image, *status_, status);
    }

private:
    /// process value = process + gain * (field value - field)
    struct Line {
        double field, process, gain;
    };

    static double number_in(const Image& image, const std::optional<Entry>& entry) {
        return entry ? value_of(entry->type, number(image, *entry)) : 0;
    }
    static void set(Image& image, const std::optional<Entry>& entry, double value) {
        if (entry) set_number(image, *entry, raw_of(entry->type, value));
    }
    double offset(const Image& image) const { return number_in(image, offset_); }
    double power(const Image& image) const { return std::pow(10.0, number_in(image, digits_)); }

    void show(Image& image, const Entry& entry, double value) const {
        set_number(image, entry, raw_of(entry.type, is_real(entry.type) ? value : value * power(image)));
    }

    Line scaling(const Image& image) const {
        const double field_1 = number_in(image, field_1_), field_2 = number_in(image, field_2_);
        const double process_1 = number_in(image, process_1_), process_2 = number_in(image, process_2_);
        if (field_1 != field_2 && process_1 != process_2)
            return {field_1, process_1, (process_2 - process_1) / (field_2 - field_1)};
        return {0, 0, bar / (unit_ ? pascals(number(image, *unit_)).value_or(bar) : bar)};
    }
    double process_of(const Image& image, double pressure) const {
        const Line line = scaling(image);
        return line.process + line.gain * (pressure / bar - line.field);
    }
    double unshifted(const Image& image, const Measurement& measurement) const {
        return process_of(image, held(filtered(image, measurement)));
    }

    /// The cell itself ends where its factory span ends, whatever the user makes of it.
    double held(double pressure) const {
        if (!span_start_ || !span_end_) return pressure;
        const double unit = unit_ ? pascals(unit_->initial).value_or(bar) : bar;
        const double low = value_of(span_start_->type, span_start_->initial) * unit;
        const double high = value_of(span_end_->type, span_end_->initial) * unit;
        return low < high ? std::clamp(pressure, low, high) : pressure;
    }

    /// The mean of the last samples, as many as the filter constant says.
    double filtered(const Image& image, const Measurement& measurement) const {
        const double wanted = number_in(image, filter_constant_);
        if (!filter_ || number(image, *filter_) != moving_average || wanted < 2 || measurement.samples == 0)
            return measurement.physical[0];
        const auto most = std::min<std::uint32_t>(measurement.samples, Measurement::history_size);
        const auto count = static_cast<std::uint32_t>(std::min<double>(wanted, most));
        double sum = 0;
        for (std::uint32_t i = 1; i <= count; ++i)
            sum += measurement.history[(measurement.samples - i) % Measurement::history_size];
        return sum / count;
    }

    std::vector<Entry> fields_, processes_;
    std::optional<Entry> field_1_, process_1_, field_2_, process_2_, offset_, unit_, digits_, span_start_, span_end_;
    std::optional<Entry> status_, filter_, filter_constant_;
};

}  // namespace

std::unique_ptr<const Profile> make_pressure_transmitter(const Dictionary& dictionary) {
    return std::make_unique<PressureTransmitter>(dictionary);
}

}  // namespace interfaces::canopen
