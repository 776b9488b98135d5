#include "interfaces/canopen/slave/lss_slave.hpp"

#include <algorithm>

namespace interfaces::canopen {
namespace {

// Command specifiers of CiA 305.
constexpr std::uint8_t switch_global = 0x04, configure_node_id = 0x11, configure_bit_timing = 0x13,
                       activate_bit_timing = 0x15, store_configuration = 0x17, switch_selective = 0x40,
                       switched_selective = 0x44, identify_remote = 0x46, identify_unconfigured = 0x4C,
                       identified = 0x4F, unconfigured_identified = 0x50, fastscan = 0x51, inquire_identity = 0x5A,
                       inquire_node_id = 0x5E;
constexpr std::uint8_t scan_all = 0x80;
constexpr std::uint8_t ok = 0, out_of_range = 1;

constexpr std::array<std::uint32_t, 10> bit_rates{1000000, 800000, 500000, 250000, 125000, 0, 50000, 20000, 10000, 0};

std::uint32_t number_in(const LssBytes& request) {
    return static_cast<std::uint32_t>(load(std::span(request).subspan(1, 4)));
}

LssBytes result(std::uint8_t command, std::uint8_t code) { return {command, code}; }

/// Four requests, one number each and in this order, address one device.
bool is_selected(LssSlaveState& state, const Identity& identity, const LssBytes& request) {
    const std::uint8_t part = request[0] - switch_selective;
    if (part == 0) state.selected = 0;
    const bool fits = state.selected == part && number_in(request) == identity[part];
    state.selected = fits ? part + 1 : 0;
    return state.selected == 4;
}

/// Vendor, product, lowest and highest revision, lowest and highest serial number.
bool is_identified(LssSlaveState& state, const Identity& identity, const LssBytes& request) {
    static constexpr std::array<std::size_t, 6> number_of{0, 1, 2, 2, 3, 3};
    const std::uint8_t part = request[0] - identify_remote;
    if (part == 0) state.identified = 0;
    const std::uint32_t ours = identity[number_of[part]], asked = number_in(request);
    const bool is_range = part >= 2;
    const bool is_low = part % 2 == 0;
    const bool fits = is_range ? (is_low ? ours >= asked : ours <= asked) : ours == asked;
    state.identified = fits && state.identified == part ? part + 1 : 0;
    return state.identified == 6;
}

/// One question of the bit-wise search; only devices without a node-id take part.
bool is_scanned(LssSlaveState& state, const Identity& identity, const LssBytes& request) {
    if (state.active.node_id != unconfigured_node_id || state.pending.node_id != unconfigured_node_id) return false;
    const std::uint8_t bit = request[5], number = request[6], next = request[7];
    if (bit == scan_all) {
        state.fastscan_next = 0;
        return true;
    }
    if (bit > 31 || number > 3 || next > 3 || number != state.fastscan_next) return false;
    const std::uint32_t mask = ~std::uint32_t{0} << bit;
    if (((identity[number] ^ number_in(request)) & mask) != 0) return false;
    state.fastscan_next = next;
    if (bit == 0 && next < number) state.configuring = true;
    return true;
}

std::optional<LssBytes> configure(LssSlaveState& state, const Identity& identity, const LssBytes& request, Time now) {
    switch (request[0]) {
        case configure_node_id: {
            const std::uint8_t id = request[1];
            const bool valid = (id >= 1 && id <= 127) || id == unconfigured_node_id;
            if (valid) state.pending.node_id = id;
            return result(configure_node_id, valid ? ok : out_of_range);
        }
        case configure_bit_timing: {
            const std::optional<std::uint32_t> rate = request[1] == 0 ? lss_bit_rate(request[2]) : std::nullopt;
            if (rate) state.pending.bit_rate = *rate;
            return result(configure_bit_timing, rate ? ok : out_of_range);
        }
        case activate_bit_timing: {
            const auto delay = std::chrono::milliseconds(load(std::span(request).subspan(1, 2)));
            state.activate_bit_rate = state.pending.bit_rate;
            state.switch_at = now + delay;
            state.silent_until = now + 2 * delay;
            return std::nullopt;
        }
        case store_configuration:
            state.stored = state.pending;
            return result(store_configuration, ok);
        case inquire_node_id:
            return result(inquire_node_id, state.active.node_id);
        default:
            break;
    }
    if (request[0] < inquire_identity || request[0] > inquire_identity + 3) return std::nullopt;
    LssBytes answer{request[0]};
    store(std::span(answer).subspan(1, 4), identity[request[0] - inquire_identity]);
    return answer;
}

}  // namespace

std::optional<std::uint32_t> lss_bit_rate(std::uint8_t entry) {
    if (entry >= bit_rates.size() || bit_rates[entry] == 0) return std::nullopt;
    return bit_rates[entry];
}

LssOutcome serve(LssSlaveState& state, const Identity& identity, const LssBytes& request, Time now) {
    const std::uint8_t command = request[0];
    if (command == switch_global) {
        const bool configures = request[1] == 1;
        if (request[1] > 1) return {};
        const bool left = state.configuring && !configures;
        state.configuring = configures;
        return {.left_configuration = left};
    }
    if (command >= switch_selective && command < switched_selective) {
        if (state.configuring || !is_selected(state, identity, request)) return {};
        state.configuring = true;
        return {.answer = LssBytes{switched_selective}};
    }
    if (command >= identify_remote && command < identify_unconfigured) {
        if (!is_identified(state, identity, request)) return {};
        return {.answer = LssBytes{identified}};
    }
    if (command == identify_unconfigured) {
        if (state.active.node_id != unconfigured_node_id) return {};
        return {.answer = LssBytes{unconfigured_identified}};
    }
    if (command == fastscan) {
        if (state.configuring || !is_scanned(state, identity, request)) return {};
        return {.answer = LssBytes{identified}};
    }
    if (!state.configuring) return {};
    return {.answer = configure(state, identity, request, now)};
}

}  // namespace interfaces::canopen
