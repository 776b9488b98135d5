#pragma once

#include "interfaces/j1939/identifier.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>

namespace interfaces::j1939 {

/// What a device is; of two that want the same address the smaller one, as a number, has it (SAE J1939-81).
struct Name {
    std::uint32_t identity = 0;                                                        // 21 bits
    std::uint16_t manufacturer = 0;                                                    // 11
    std::uint8_t ecu_instance = 0, function_instance = 0, function = 0;                // 3, 5, 8
    std::uint8_t vehicle_system = 0, vehicle_system_instance = 0, industry_group = 0;  // 7, 4, 3
    bool arbitrary_address = false;                                                    // may take another address

    [[nodiscard]] std::uint64_t number() const;
    friend bool operator==(const Name&, const Name&) = default;
};

[[nodiscard]] Name name_of(std::uint64_t number);

/// Claims an address, defends it, and moves on or gives up where a smaller name has it.
class AddressClaim {
public:
    enum class State : std::uint8_t { idle, claiming, claimed, cannot_claim };

    AddressClaim(const Name& name, std::uint8_t address) : name_(name), address_(address) {}

    void start(double t);
    void take(double t, const can::Frame& frame);
    /// Nobody has objected for long enough: the address is ours.
    void advance(double t);
    [[nodiscard]] std::optional<can::Frame> next_frame();

    [[nodiscard]] State state() const { return state_; }
    /// `nobody` where none could be claimed.
    [[nodiscard]] std::uint8_t address() const { return state_ == State::cannot_claim ? nobody : address_; }

private:
    void put_claim(std::uint8_t source);
    void move_on(double t);

    Name name_;
    std::uint8_t address_;
    std::uint8_t tried_ = 0;  // addresses that others have
    State state_ = State::idle;
    double due_ = 0;
    std::deque<can::Frame> frames_;
};

}  // namespace interfaces::j1939
