#pragma once

#include "interfaces/canopen/types.hpp"

#include <array>
#include <cstdint>
#include <optional>

namespace interfaces::canopen {

/// Bits of the error register 0x1001.
namespace error_register {
inline constexpr std::uint8_t generic = 0x01, current = 0x02, voltage = 0x04, temperature = 0x08, communication = 0x10,
                              profile = 0x20, manufacturer = 0x80;
}  // namespace error_register

/// An error by its code of CiA 301, such as 0x5000 for the hardware of the device.
struct Emergency {
    std::uint16_t code = 0;
    std::uint8_t bits = error_register::generic;
    std::array<std::uint8_t, 5> details{};
};

/// Errors that last, and messages that wait for the inhibit time.
class EmergencyState {
public:
    using Message = std::array<std::uint8_t, 8>;

    /// Whether it is new: one that lasts is told once. More than eight at a time are not kept apart.
    bool raise(const Emergency& emergency);
    /// Whether it lasted; when none is left, that is told.
    bool clear(std::uint16_t code);
    /// 0x1001: the bits of all that last.
    [[nodiscard]] std::uint8_t error_bits() const;

    [[nodiscard]] std::optional<Time> due(Time inhibit) const;
    [[nodiscard]] Message take(Time now);

private:
    static constexpr std::size_t most = 8;

    void queue(const Emergency& emergency);

    std::array<Emergency, most> active_{};
    std::array<Message, most> waiting_{};
    std::uint8_t active_count_ = 0, waiting_count_ = 0;
    bool sent_ = false;
    Time sent_at_{};
};

}  // namespace interfaces::canopen
