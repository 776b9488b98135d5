#include "interfaces/canopen/slave/slave.hpp"

#include <algorithm>

// The slave's objects as its SDO client sees them: checks in the order object, sub-index, access, length, value.

namespace interfaces::canopen {
namespace {

constexpr std::uint16_t error_register_index = 0x1001, error_history = 0x1003, sync_cob_id = 0x1005,
                        store_objects = 0x1010, restore_objects = 0x1011, emergency_cob_id = 0x1014,
                        heartbeat_time = 0x1017, identity_object = 0x1018;
constexpr std::uint32_t save_signature = 0x65766173, load_signature = 0x64616F6C;  // "save", "load"

bool is_between(std::uint16_t index, std::uint16_t first, std::uint16_t last) {
    return index >= first && index <= last;
}

bool is_pdo_communication(std::uint16_t index) {
    return is_between(index, first_rpdo, first_rpdo + most_pdos - 1) ||
           is_between(index, first_tpdo, first_tpdo + most_pdos - 1);
}

bool is_pdo_mapping(std::uint16_t index) {
    return index >= mapping_distance && is_pdo_communication(index - mapping_distance);
}

/// The identifier of a service that is on may not change; bit 31 switches it off first.
Abort check_emergency_id(std::uint64_t before, std::uint64_t raw) {
    if ((raw & cob_id_off) != 0) return Abort::none;
    if (!is_free_cob_id(static_cast<std::uint32_t>(raw))) return Abort::value;
    const bool was_on = (before & cob_id_off) == 0;
    return was_on && before != raw ? Abort::wrong_state : Abort::none;
}

/// What a device is and how it fares: nothing to be stored or loaded.
bool is_own(std::uint16_t index) {
    return index == error_register_index || index == error_history || index == identity_object;
}

struct Range {
    std::uint16_t first, last;
};

/// What the sub-indices of 0x1010 and 0x1011 stand for.
Range range_of(std::uint8_t sub) {
    if (sub == 1) return {0x1000, 0xFFFF};
    if (sub == 2) return {0x1000, 0x1FFF};
    if (sub == 3) return {0x6000, 0x9FFF};
    return {0x2000, 0x5FFF};
}

}  // namespace

Abort Slave::look_up(Key key, const Entry*& entry) const {
    entry = device_->dictionary.find(key);
    if (entry != nullptr) return Abort::none;
    return device_->dictionary.has_object(key.index) ? Abort::no_sub_index : Abort::no_object;
}

Abort Slave::read(Key key, std::vector<std::uint8_t>& bytes) {
    const Entry* entry = nullptr;
    if (const Abort abort = look_up(key, entry); abort != Abort::none) return abort;
    if (!is_readable(entry->access)) return Abort::write_only;
    const auto present = value(state.image, *entry);
    bytes.assign(present.begin(), present.end());
    return Abort::none;
}

Abort Slave::may_write(Key key, std::size_t& capacity) {
    const Entry* entry = nullptr;
    if (const Abort abort = look_up(key, entry); abort != Abort::none) return abort;
    if (!is_writable(entry->access)) return Abort::read_only;
    capacity = entry->capacity;
    return Abort::none;
}

Abort Slave::write(Key key, std::span<const std::uint8_t> bytes) {
    const Entry* entry = nullptr;
    if (const Abort abort = look_up(key, entry); abort != Abort::none) return abort;
    if (!is_writable(entry->access)) return Abort::read_only;
    if (bytes.size() > entry->capacity) return Abort::too_long;
    if (!is_number(entry->type)) {
        set_value(state.image, *entry, bytes);
        return Abort::none;
    }
    if (bytes.size() < entry->capacity) return Abort::too_short;
    const std::uint64_t raw = load(bytes), before = number(state.image, *entry);
    if (entry->high && below(entry->type, *entry->high, raw)) return Abort::too_high;
    if (entry->low && below(entry->type, raw, *entry->low)) return Abort::too_low;
    if (entry->type == Type::boolean && raw > 1) return Abort::value;
    if (const Abort abort = check_rules(*entry, raw); abort != Abort::none) return abort;
    const Profile* profile = device_->profile.get();
    if (profile != nullptr) {
        const Abort abort = profile->check(state.image, state.running.measurement, *entry, raw);
        if (abort != Abort::none) return abort;
    }
    if (acts(*entry)) return Abort::none;
    set_number(state.image, *entry, raw);
    if (profile != nullptr) {
        profile->written(state.image, state.running.measurement, *entry, before);
        profile->update(state.image, state.running.measurement);
    }
    if (key.index == heartbeat_time) state.running.heartbeat_period = Time{-1};  // the period begins anew
    configure();
    return Abort::none;
}

Abort Slave::check_rules(const Entry& entry, std::uint64_t raw) const {
    const Dictionary& dictionary = device_->dictionary;
    const Key key = entry.key;
    if (key.index == error_history && raw != 0) return Abort::value;
    if (key.index == sync_cob_id)
        return is_free_cob_id(static_cast<std::uint32_t>(raw)) ? Abort::none : Abort::value;  // no producer, 11 bits
    if (key.index == emergency_cob_id) return check_emergency_id(number(state.image, entry), raw);
    if (key.index == store_objects && raw != save_signature) return Abort::cannot_store;
    if (key.index == restore_objects && raw != load_signature) return Abort::cannot_store;
    if (is_pdo_communication(key.index)) return check_communication(dictionary, state.image, key, raw);
    if (is_pdo_mapping(key.index)) return check_mapping(dictionary, state.image, key, raw);
    return Abort::none;
}

/// Objects whose writing is a command; they do not keep what was written.
bool Slave::acts(const Entry& entry) {
    const Dictionary& dictionary = device_->dictionary;
    if (entry.key.index == error_history) {
        for (const Entry& error : dictionary.entries_of(error_history)) set_number(state.image, error, 0);
        return true;
    }
    const bool stores = entry.key.index == store_objects;
    if (!stores && entry.key.index != restore_objects) return false;
    const Range range = range_of(entry.key.sub);
    const Image factory = dictionary.factory(node_id());
    for (const Entry& kept : dictionary.entries()) {
        if (!is_between(kept.key.index, range.first, range.last) || is_own(kept.key.index)) continue;
        set_value(state.stored, kept, value(stores ? state.image : factory, kept));
    }
    // One id for all of them: what followed the old one and is not stored now, has to follow the new one as well.
    for (const Entry& kept : dictionary.entries())
        if (kept.adds_node_id && number(state.stored, kept) == initial_number(kept, state.running.stored_at_id))
            set_number(state.stored, kept, initial_number(kept, node_id()));
    state.running.stored_at_id = node_id();
    return true;
}

/// 0x1001 and 0x1003 follow the errors; code 0 adds nothing to the history.
void Slave::mirror_errors(std::uint16_t code) {
    const Dictionary& dictionary = device_->dictionary;
    const std::uint8_t bits = state.running.emergency.error_bits();
    if (const Entry* entry = dictionary.find({error_register_index, 0})) set_number(state.image, *entry, bits);
    const auto history = dictionary.entries_of(error_history);
    if (code == 0 || history.size() < 2 || history[0].key.sub != 0) return;
    for (std::size_t i = history.size() - 1; i > 1; --i)
        set_number(state.image, history[i], number(state.image, history[i - 1]));
    set_number(state.image, history[1], code);
    const std::uint64_t count = std::min<std::uint64_t>(number(state.image, history[0]) + 1, history.size() - 1);
    set_number(state.image, history[0], count);
}

}  // namespace interfaces::canopen
