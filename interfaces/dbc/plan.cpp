#include "interfaces/dbc/plan.hpp"

#include "interfaces/dbc/layout.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

namespace interfaces::dbc {

namespace {

using Wide = unsigned __int128;  // 64 bits may lie over nine bytes

/// Raw values from here on are no numbers in J1939 (SAE J1939-71): the highest byte is above 0xFA, or in fewer than
/// eight bits they are the two largest. One bit has no room for them, texts do not use them.
std::uint64_t first_indicator(std::uint32_t length) {
    if (length < 2 || length > 32) return std::numeric_limits<std::uint64_t>::max();
    const std::uint64_t all = (std::uint64_t{1} << length) - 1;
    return length < 8 ? all - 1 : std::uint64_t{0xFB} << (length - 8);
}

Indicator indicator_of(std::uint32_t length, std::uint64_t bits) {
    if (bits < first_indicator(length)) return Indicator::number;
    const std::uint64_t rank = length < 8 ? bits - first_indicator(length) + 0xFE : bits >> (length - 8);
    if (rank == 0xFF) return Indicator::not_available;
    return rank == 0xFE ? Indicator::error : Indicator::specific;
}

/// What is beyond the range of a float becomes the end of it; infinity stays.
float nearest_float(double value) {
    constexpr double most = std::numeric_limits<float>::max();
    return static_cast<float>(std::isinf(value) ? value : std::clamp(value, -most, most));
}

std::size_t depth(const Message& message, const Signal& signal) {
    return signal.selector ? 1 + depth(message, message.signals[*signal.selector]) : 0;
}

}  // namespace

MessagePlan::MessagePlan(const Message& message) : size_(message.size) {
    for (const Signal& signal : message.signals) {
        const Layout place = layout(signal);
        Field field;
        field.mask = signal.length == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << signal.length) - 1;
        field.factor = signal.factor;
        field.offset = signal.offset;
        field.first = static_cast<std::uint16_t>(place.first);
        field.count = static_cast<std::uint8_t>(place.count);
        field.shift = static_cast<std::uint8_t>(place.shift);
        field.length = static_cast<std::uint8_t>(signal.length);
        field.kind = signal.kind;
        field.big_endian = signal.order == ByteOrder::big;
        field.j1939 = message.j1939 && signal.kind == ValueKind::unsigned_integer;
        field.highest = std::ldexp(1.0, signal.length - (signal.kind == ValueKind::signed_integer ? 1 : 0));
        field.lowest = signal.kind == ValueKind::signed_integer ? -field.highest : 0;
        if (field.j1939) {
            const std::uint64_t end = first_indicator(signal.length);
            if (end != std::numeric_limits<std::uint64_t>::max()) field.highest = static_cast<double>(end);
        }
        field.for_nan = field.j1939 ? field.mask : 0;
        if (!field.j1939) field.for_nan = unscaled(field, signal.initial * signal.factor + signal.offset);
        if (signal.selector) {
            field.selector = *signal.selector;
            field.range_begin = static_cast<std::uint32_t>(ranges_.size());
            ranges_.insert(ranges_.end(), signal.selected_by.begin(), signal.selected_by.end());
            field.range_end = static_cast<std::uint32_t>(ranges_.size());
            multiplexed_ = true;
        }
        fields_.push_back(field);
    }
    order_.resize(fields_.size());
    std::iota(order_.begin(), order_.end(), 0u);
    std::stable_sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return depth(message, message.signals[a]) < depth(message, message.signals[b]);
    });
}

std::uint64_t MessagePlan::get(const Field& field, const std::uint8_t* bytes) {
    const std::uint8_t* const first = bytes + field.first;
    std::uint64_t value = 0;
    if (field.count <= 8) {
        if (field.big_endian) {
            for (unsigned i = 0; i < field.count; ++i) value = value << 8 | first[i];
        } else {
            for (unsigned i = field.count; i-- > 0;) value = value << 8 | first[i];
        }
        value >>= field.shift;
    } else {
        Wide wide = 0;
        for (unsigned i = 0; i < field.count; ++i)
            wide = wide << 8 | first[field.big_endian ? i : field.count - 1u - i];
        value = static_cast<std::uint64_t>(wide >> field.shift);
    }
    value &= field.mask;
    if (field.kind != ValueKind::signed_integer) return value;
    const std::uint64_t sign = std::uint64_t{1} << (field.length - 1u);
    return (value ^ sign) - sign;
}

void MessagePlan::put(const Field& field, std::uint64_t bits, std::uint8_t* bytes) {
    bits &= field.mask;
    if (field.count <= 8) return put_bytes(field, bits << field.shift, field.mask << field.shift, bytes);
    put_bytes(field, static_cast<Wide>(bits) << field.shift, static_cast<Wide>(field.mask) << field.shift, bytes);
}

template <typename Bits>
void MessagePlan::put_bytes(const Field& field, Bits value, Bits mask, std::uint8_t* bytes) {
    std::uint8_t* at = bytes + field.first + (field.big_endian ? field.count - 1 : 0);
    const std::ptrdiff_t step = field.big_endian ? -1 : 1;
    for (; mask != 0; at += step, value >>= 8, mask >>= 8)
        *at = static_cast<std::uint8_t>((*at & ~static_cast<std::uint8_t>(mask)) | static_cast<std::uint8_t>(value));
}

/// Asks what `bits_of` says of the multiplexor, and of the multiplexor's own one.
template <typename Bits>
bool MessagePlan::selected(const Field& field, const Bits& bits_of) const {
    for (const Field* at = &field; at->range_begin != at->range_end; at = &fields_[at->selector]) {
        const auto value = static_cast<std::int64_t>(bits_of(at->selector));
        const auto begin = ranges_.begin() + at->range_begin, end = ranges_.begin() + at->range_end;
        if (std::none_of(begin, end, [&](const Range& range) { return range.holds(value); })) return false;
    }
    return true;
}

bool MessagePlan::decode_raw(std::span<const std::uint8_t> bytes, std::span<Raw> raws) const {
    if (bytes.size() < size_ || raws.size() < fields_.size()) return false;
    for (std::size_t i = 0; i < fields_.size(); ++i) raws[i] = {get(fields_[i], bytes.data()), true};
    if (!multiplexed_) return true;
    for (std::size_t i = 0; i < fields_.size(); ++i)
        raws[i].present = selected(fields_[i], [&](std::uint32_t k) { return raws[k].bits; });
    return true;
}

bool MessagePlan::encode_raw(std::span<const Raw> raws, std::span<std::uint8_t> bytes) const {
    if (bytes.size() < size_ || raws.size() < fields_.size()) return false;
    for (const std::uint32_t i : order_)
        if (selected(fields_[i], [&](std::uint32_t k) { return raws[k].bits; }))
            put(fields_[i], raws[i].bits, bytes.data());
    return true;
}

bool MessagePlan::decode(std::span<const std::uint8_t> bytes, std::span<double> values) const {
    if (bytes.size() < size_ || values.size() < fields_.size()) return false;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const Field& field = fields_[i];
        if (multiplexed_ && !selected(field, [&](std::uint32_t k) { return get(fields_[k], bytes.data()); })) continue;
        values[i] = scaled(field, get(field, bytes.data()));
    }
    return true;
}

bool MessagePlan::encode(std::span<const double> values, std::span<std::uint8_t> bytes) const {
    if (bytes.size() < size_ || values.size() < fields_.size()) return false;
    // Multiplexors come first, so that what is asked about them is in the bytes already.
    for (const std::uint32_t i : order_) {
        const Field& field = fields_[i];
        if (multiplexed_ && !selected(field, [&](std::uint32_t k) { return get(fields_[k], bytes.data()); })) continue;
        put(field, unscaled(field, values[i]), bytes.data());
    }
    return true;
}

bool MessagePlan::indicate(std::span<const std::uint8_t> bytes, std::span<std::uint8_t> indicators) const {
    if (bytes.size() < size_ || indicators.size() < fields_.size()) return false;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
        const Field& field = fields_[i];
        if (multiplexed_ && !selected(field, [&](std::uint32_t k) { return get(fields_[k], bytes.data()); })) continue;
        const Indicator found = field.j1939 ? indicator_of(field.length, get(field, bytes.data())) : Indicator::number;
        indicators[i] = static_cast<std::uint8_t>(found);
    }
    return true;
}

double MessagePlan::physical(std::size_t signal, std::uint64_t bits) const { return scaled(fields_[signal], bits); }

std::uint64_t MessagePlan::raw(std::size_t signal, double physical) const {
    return unscaled(fields_[signal], physical);
}

bool MessagePlan::fits(std::size_t signal, double physical) const {
    const Field& field = fields_[signal];
    if (field.kind == ValueKind::float64) return true;
    const double given = (physical - field.offset) / field.factor;
    if (field.kind == ValueKind::float32)
        return !std::isfinite(given) || std::abs(given) <= std::numeric_limits<float>::max();
    const double value = std::rint(given);
    return value >= field.lowest && value < field.highest;
}

double MessagePlan::scaled(const Field& field, std::uint64_t bits) {
    if (field.j1939 && indicator_of(field.length, bits) != Indicator::number)
        return std::numeric_limits<double>::quiet_NaN();
    double value = 0;
    switch (field.kind) {
        case ValueKind::unsigned_integer:
            value = static_cast<double>(bits);
            break;
        case ValueKind::signed_integer:
            value = static_cast<double>(static_cast<std::int64_t>(bits));
            break;
        case ValueKind::float32:
            value = static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
            break;
        case ValueKind::float64:
            value = std::bit_cast<double>(bits);
            break;
    }
    return value * field.factor + field.offset;
}

std::uint64_t MessagePlan::unscaled(const Field& field, double physical) {
    const double value = (physical - field.offset) / field.factor;
    if (field.kind == ValueKind::float32) return std::bit_cast<std::uint32_t>(nearest_float(value));
    if (field.kind == ValueKind::float64) return std::bit_cast<std::uint64_t>(value);
    if (std::isnan(value)) return field.for_nan;
    const double whole = std::rint(value);
    const bool is_signed = field.kind == ValueKind::signed_integer;
    if (whole < field.lowest)
        return static_cast<std::uint64_t>(is_signed ? static_cast<std::int64_t>(field.lowest) : 0);
    if (whole >= field.highest) {
        const bool indicators = field.highest < 0x1p63 && !is_signed;
        return indicators ? static_cast<std::uint64_t>(field.highest) - 1 : field.mask >> (is_signed ? 1 : 0);
    }
    return is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole)) : static_cast<std::uint64_t>(whole);
}

std::uint32_t parameter_group(std::uint32_t id) {
    const std::uint32_t format = (id >> 16) & 0xFFu;
    return (id >> 8) & (format < 240 ? 0x3FF00u : 0x3FFFFu);
}

namespace {

constexpr std::uint64_t extended_key = std::uint64_t{1} << 32, group_key = std::uint64_t{1} << 33,
                        sender_key = std::uint64_t{1} << 34;

std::uint64_t key_of_sender(std::uint32_t group, std::uint32_t source) {
    return sender_key | std::uint64_t{group} << 8 | source;
}

}  // namespace

Plans::Plans(const Database& database, const Sources& sources) {
    plans_.reserve(database.messages.size());
    for (std::size_t i = 0; i < database.messages.size(); ++i) {
        const Message& message = database.messages[i];
        plans_.emplace_back(message);
        if (!message.j1939) {
            keys_.push_back({message.id | (message.extended ? extended_key : 0), i});
            continue;
        }
        const std::optional<std::uint8_t> only = sources.empty() ? std::nullopt : sources[i];
        const std::uint32_t group = parameter_group(message.id);
        keys_.push_back({key_of_sender(group, only.value_or(message.id & 0xFFU)), i});
        if (!only) keys_.push_back({group_key | group, i});
    }
    std::stable_sort(keys_.begin(), keys_.end(), [](const Key& a, const Key& b) { return a.key < b.key; });
}

std::size_t Plans::find(const can::Frame& frame) const {
    if (frame.error || frame.remote) return none;
    const std::size_t exact = look_up(frame.id | (frame.extended ? extended_key : 0));
    if (exact != none || !frame.extended) return exact;
    const std::uint32_t group = parameter_group(frame.id);
    const std::size_t from_sender = look_up(key_of_sender(group, frame.id & 0xFFU));
    return from_sender != none ? from_sender : look_up(group_key | group);
}

std::size_t Plans::look_up(std::uint64_t key) const {
    const auto found =
        std::lower_bound(keys_.begin(), keys_.end(), key, [](const Key& a, std::uint64_t b) { return a.key < b; });
    return found == keys_.end() || found->key != key ? none : found->message;
}

}  // namespace interfaces::dbc
