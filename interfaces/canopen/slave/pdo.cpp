#include "interfaces/canopen/slave/pdo.hpp"

#include <algorithm>

namespace interfaces::canopen {
namespace {

// Sub-indices of the communication parameters.
constexpr std::uint8_t sub_cob_id = 1, sub_type = 2, sub_inhibit = 3, sub_event_timer = 5, sub_sync_start = 6;
constexpr std::uint32_t cob_id_extended = 0x20000000;
constexpr std::uint8_t pdo_bits = 64;
constexpr std::uint16_t last_dummy = 0x1F;  // objects that stand for a data type: gaps in RPDOs

struct Mapped {
    Key key;
    std::uint8_t bits = 0;
};

Mapped mapped(std::uint64_t raw) {
    return {{static_cast<std::uint16_t>(raw >> 16), static_cast<std::uint8_t>(raw >> 8)},
            static_cast<std::uint8_t>(raw)};
}

Direction direction_of(std::uint16_t index) { return index >= first_tpdo ? Direction::transmit : Direction::receive; }

bool is_valid(const Dictionary& dictionary, const Image& image, std::uint16_t communication) {
    return (dictionary.number_or(image, {communication, sub_cob_id}, cob_id_off) & cob_id_off) == 0;
}

bool may_be_mapped(const Entry& entry, Direction direction) {
    if (!entry.mappable || !is_number(entry.type)) return false;
    if (direction == Direction::transmit) return is_readable(entry.access) && entry.access != Access::rww;
    return is_writable(entry.access) && entry.access != Access::rwr;
}

Abort check_mapped(const Dictionary& dictionary, std::uint64_t raw, Direction direction) {
    const Mapped object = mapped(raw);
    if (object.key.index <= last_dummy) {
        const auto type = type_of(object.key.index);
        const bool fits = direction == Direction::receive && type && bits(*type) == object.bits && object.bits > 0;
        return fits ? Abort::none : Abort::not_mappable;
    }
    if (!dictionary.has_object(object.key.index)) return Abort::no_object;
    const Entry* entry = dictionary.find(object.key);
    if (entry == nullptr) return Abort::no_sub_index;
    if (!may_be_mapped(*entry, direction) || bits(entry->type) != object.bits) return Abort::not_mappable;
    return Abort::none;
}

Abort check_count(const Dictionary& dictionary, const Image& image, std::uint16_t index, std::uint64_t count) {
    if (count > pdo_bits) return Abort::pdo_too_long;
    if (dictionary.find({index, static_cast<std::uint8_t>(count)}) == nullptr) return Abort::too_high;
    unsigned total = 0;
    for (unsigned sub = 1; sub <= count; ++sub) {
        const std::uint64_t raw = dictionary.number_or(image, {index, static_cast<std::uint8_t>(sub)}, 0);
        if (const Abort abort = check_mapped(dictionary, raw, direction_of(index)); abort != Abort::none)
            return Abort::not_mappable;
        total += mapped(raw).bits;
    }
    return total > pdo_bits ? Abort::pdo_too_long : Abort::none;
}

}  // namespace

PdoSettings pdo_settings(const Dictionary& dictionary, const Image& image, std::uint16_t communication) {
    const auto parameter = [&](std::uint8_t sub, std::uint64_t otherwise) {
        return dictionary.number_or(image, {communication, sub}, otherwise);
    };
    const std::uint64_t cob_id = parameter(sub_cob_id, cob_id_off);
    PdoSettings pdo;
    pdo.valid = (cob_id & (cob_id_off | cob_id_extended)) == 0 && is_free_cob_id(cob_id & cob_id_number);
    pdo.cob_id = static_cast<std::uint16_t>(cob_id & cob_id_number);
    pdo.type = static_cast<std::uint8_t>(parameter(sub_type, 255));
    pdo.inhibit = std::chrono::microseconds(100 * (parameter(sub_inhibit, 0) & 0xFFFF));
    pdo.event_period = std::chrono::milliseconds(parameter(sub_event_timer, 0) & 0xFFFF);
    pdo.sync_start = static_cast<std::uint8_t>(parameter(sub_sync_start, 0));
    const std::uint16_t mapping = communication + mapping_distance;
    const std::uint64_t count = std::min<std::uint64_t>(dictionary.number_or(image, {mapping, 0}, 0), pdo.items.size());
    unsigned total = 0;
    for (std::uint8_t sub = 1; sub <= count; ++sub) {
        const Mapped object = mapped(dictionary.number_or(image, {mapping, sub}, 0));
        if (object.bits == 0 || total + object.bits > pdo_bits) break;
        PdoItem& item = pdo.items[pdo.count++];
        item.bits = object.bits;
        total += object.bits;
        const Entry* entry = dictionary.find(object.key);
        if (entry == nullptr || !is_number(entry->type)) continue;
        item.offset = entry->offset;
        item.size = static_cast<std::uint8_t>(entry->capacity);
    }
    pdo.size = static_cast<std::uint8_t>((total + 7) / 8);
    return pdo;
}

PdoBytes pack(const PdoSettings& pdo, const Image& image) {
    std::uint64_t all = 0;
    unsigned at = 0;
    for (const PdoItem& item : std::span(pdo.items).first(pdo.count)) {
        const std::uint64_t raw = load(std::span(image).subspan(item.offset, item.size));
        const std::uint64_t mask = item.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << item.bits) - 1;
        all |= (raw & mask) << at;
        at += item.bits;
    }
    PdoBytes bytes{};
    store(bytes, all);
    return bytes;
}

void unpack(const PdoSettings& pdo, Image& image, std::span<const std::uint8_t> bytes) {
    const std::uint64_t all = load(bytes);
    unsigned at = 0;
    for (const PdoItem& item : std::span(pdo.items).first(pdo.count)) {
        if (at + item.bits > 8 * bytes.size()) return;
        const std::uint64_t mask = item.bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << item.bits) - 1;
        store(std::span(image).subspan(item.offset, item.size), all >> at & mask);
        at += item.bits;
    }
}

Abort check_communication(const Dictionary& dictionary, const Image& image, Key key, std::uint64_t raw) {
    const bool valid = is_valid(dictionary, image, key.index);
    switch (key.sub) {
        case sub_cob_id: {
            const std::uint64_t before = dictionary.number_or(image, key, 0);
            const bool stays_on = valid && (raw & cob_id_off) == 0;
            if ((raw & cob_id_extended) != 0) return Abort::value;
            if ((raw & cob_id_off) == 0 && !is_free_cob_id(raw & ~std::uint64_t{0x40000000})) return Abort::value;
            return stays_on && ((raw ^ before) & cob_id_number) != 0 ? Abort::wrong_state : Abort::none;
        }
        case sub_type:
            return raw > 240 && raw < 254 ? Abort::value : Abort::none;
        case sub_inhibit:
        case sub_sync_start:
            if (key.sub == sub_sync_start && raw > 240) return Abort::value;
            return valid ? Abort::wrong_state : Abort::none;
        default:
            return Abort::none;
    }
}

Abort check_mapping(const Dictionary& dictionary, const Image& image, Key key, std::uint64_t raw) {
    if (is_valid(dictionary, image, key.index - mapping_distance)) return Abort::wrong_state;
    if (key.sub == 0) return check_count(dictionary, image, key.index, raw);
    if (dictionary.number_or(image, {key.index, 0}, 0) != 0) return Abort::wrong_state;
    return raw == 0 ? Abort::none : check_mapped(dictionary, raw, direction_of(key.index));
}

bool is_free_cob_id(std::uint32_t id) {
    const auto between = [id](std::uint32_t first, std::uint32_t last) { return id >= first && id <= last; };
    return id <= cob_id_number && !between(0x000, 0x07F) && !between(0x101, 0x180) && !between(0x581, 0x5FF) &&
           !between(0x601, 0x67F) && !between(0x6E0, 0x7FF);
}

void Tpdo::restart() {
    sent = counting = false;
    syncs = 0;
}

bool Tpdo::is_due_on_sync(std::optional<std::uint8_t> counter, const PdoBytes& bytes) {
    if (settings.type == 0) return !sent || bytes != last;
    if (settings.sync_start != 0 && counter && !counting) {
        if (*counter != settings.sync_start) return false;
        counting = true;  // the first one goes out with this SYNC
        syncs = settings.type - 1;
    }
    if (++syncs < settings.type) return false;
    syncs = 0;
    return true;
}

std::optional<Time> Tpdo::due(Time now, const PdoBytes& bytes) const {
    if (!settings.valid || !settings.on_event()) return std::nullopt;
    if (!sent) return now;
    Time wanted = bytes != last ? now : Time::max();
    if (settings.event_period > Time{}) wanted = std::min(wanted, sent_at + settings.event_period);
    if (wanted == Time::max()) return std::nullopt;
    return std::max(wanted, sent_at + settings.inhibit);
}

void Tpdo::note_event_sent(Time now, const PdoBytes& bytes) {
    const Time planned = std::max(sent_at + settings.event_period, sent_at + settings.inhibit);
    const bool by_timer = sent && settings.event_period > Time{} && planned <= now;
    sent_at = by_timer && now - planned < settings.event_period ? planned : now;
    sent = true;
    last = bytes;
}

}  // namespace interfaces::canopen
