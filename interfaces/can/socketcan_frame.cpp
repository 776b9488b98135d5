#include "interfaces/can/socketcan.hpp"
#include "interfaces/can/timing.hpp"

#include <algorithm>
#include <cstring>
#include <linux/can.h>
#include <linux/can/error.h>

namespace interfaces::can {

namespace {

// Where the fields of can_frame and canfd_frame lie.
constexpr std::size_t length_at = 4, flags_at = 5, data_at = 8;
static_assert(sizeof(can_frame) == 16 && sizeof(canfd_frame) == 72);

}  // namespace

KernelFrame kernel_frame(const Frame& frame) {
    KernelFrame out{.size = frame.fd ? sizeof(canfd_frame) : sizeof(can_frame)};
    const canid_t id = frame.id | (frame.extended ? CAN_EFF_FLAG : 0u) | (frame.remote ? CAN_RTR_FLAG : 0u) |
                       (frame.error ? CAN_ERR_FLAG : 0u);
    std::memcpy(out.bytes.data(), &id, sizeof id);
    out.bytes[length_at] = frame.size;
    if (frame.fd)
        out.bytes[flags_at] =
            static_cast<std::uint8_t>((frame.bit_rate_switch ? CANFD_BRS : 0) | (frame.error_state ? CANFD_ESI : 0));
    const auto data = frame.bytes().first(std::min<std::size_t>(frame.bytes().size(), out.size - data_at));
    std::copy(data.begin(), data.end(), out.bytes.begin() + data_at);
    return out;
}

std::optional<Frame> frame_of_kernel(std::span<const std::uint8_t> bytes) {
    if (bytes.size() != sizeof(can_frame) && bytes.size() != sizeof(canfd_frame)) return std::nullopt;
    canid_t id = 0;
    std::memcpy(&id, bytes.data(), sizeof id);
    Frame frame;
    frame.fd = bytes.size() == sizeof(canfd_frame);
    frame.error = (id & CAN_ERR_FLAG) != 0;
    frame.extended = (id & CAN_EFF_FLAG) != 0 && !frame.error;
    frame.remote = (id & CAN_RTR_FLAG) != 0 && !frame.error;
    frame.id = id & (frame.extended || frame.error ? CAN_EFF_MASK : CAN_SFF_MASK);
    frame.size = bytes[length_at];
    frame.bit_rate_switch = frame.fd && (bytes[flags_at] & CANFD_BRS) != 0;
    frame.error_state = frame.fd && (bytes[flags_at] & CANFD_ESI) != 0;
    if (frame.size > bytes.size() - data_at || !is_valid(frame)) return std::nullopt;
    std::copy_n(bytes.begin() + data_at, frame.bytes().size(), frame.data.begin());
    return frame;
}

std::optional<BusState> reported_state(const Frame& error) {
    if (!error.error) return std::nullopt;
    if (error.id & CAN_ERR_BUSOFF) return BusState::bus_off;
    if (error.id & CAN_ERR_RESTARTED) return BusState::error_active;
    if (!(error.id & CAN_ERR_CRTL)) return std::nullopt;
    if (error.data[1] & (CAN_ERR_CRTL_RX_PASSIVE | CAN_ERR_CRTL_TX_PASSIVE)) return BusState::error_passive;
    if (error.data[1] & (CAN_ERR_CRTL_RX_WARNING | CAN_ERR_CRTL_TX_WARNING)) return BusState::error_warning;
    if (error.data[1] & CAN_ERR_CRTL_ACTIVE) return BusState::error_active;
    return std::nullopt;
}

std::string description_of_error(const Frame& error) {
    struct Word {
        std::uint32_t flag;
        const char* text;
    };
    constexpr std::array<Word, 9> words{{{CAN_ERR_TX_TIMEOUT, "transmission timed out"},
                                         {CAN_ERR_LOSTARB, "lost arbitration"},
                                         {CAN_ERR_CRTL, "controller"},
                                         {CAN_ERR_PROT, "protocol violation"},
                                         {CAN_ERR_TRX, "transceiver"},
                                         {CAN_ERR_ACK, "no acknowledge"},
                                         {CAN_ERR_BUSOFF, "bus off"},
                                         {CAN_ERR_BUSERROR, "bus error"},
                                         {CAN_ERR_RESTARTED, "restarted"}}};
    std::string text;
    for (const Word& word : words)
        if (error.id & word.flag) text += (text.empty() ? "" : ", ") + std::string(word.text);
    if (error.id & CAN_ERR_CRTL && error.data[1] & (CAN_ERR_CRTL_RX_OVERFLOW | CAN_ERR_CRTL_TX_OVERFLOW))
        text += ", overrun";
    if (const auto state = reported_state(error)) text += std::string(", now ") + name_of(*state);
    return text;
}

}  // namespace interfaces::can
