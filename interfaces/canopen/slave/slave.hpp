#pragma once

#include "interfaces/canopen/slave/emergency.hpp"
#include "interfaces/canopen/slave/lss_slave.hpp"
#include "interfaces/canopen/slave/pdo.hpp"
#include "interfaces/canopen/slave/profile.hpp"
#include "interfaces/canopen/slave/sdo_server.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace interfaces::canopen {

/// The codes of the heartbeat; `initialising` is that of the boot-up message.
enum class NmtState : std::uint8_t { initialising = 0x00, stopped = 0x04, operational = 0x05, pre_operational = 0x7F };

enum class NmtCommand : std::uint8_t {
    start = 0x01,
    stop = 0x02,
    enter_pre_operational = 0x80,
    reset_node = 0x81,
    reset_communication = 0x82,
};

/// What one device of a kind has for itself when it is put on the bus.
struct Commissioning {
    std::uint8_t node_id = unconfigured_node_id;
    std::uint32_t bit_rate = 250000;
    std::optional<std::uint32_t> serial{};  // instead of the one in the object table
};

/// A CiA 301 slave. It is told frames, time and measured values, and gives back frames; everything that changes is in
/// `state`, so that a copy of it continues identically.
class Slave final : private SdoObjects {
public:
    /// Masters that begin to wait after they sent a reset would miss a boot-up message that came at once.
    static constexpr Time boot_delay = std::chrono::milliseconds(50);

    struct State {
        struct Running {
            NmtState nmt = NmtState::initialising;
            Time now{}, boot_at{}, heartbeat_at{};
            Time heartbeat_period{}, emergency_inhibit{};
            std::uint16_t sync_id = 0x80, emergency_id = 0;  // 0: off
            std::uint8_t stored_at_id = unconfigured_node_id;
            Identity identity{};
            LssSlaveState lss;
            EmergencyState emergency;
            Measurement measurement;
        } running;
        Image image;   // the objects as they are
        Image stored;  // as they are after power-up
        SdoServerState sdo;
        std::vector<Tpdo> tpdos;
        std::vector<Rpdo> rpdos;

        auto members() { return std::tie(running, image, stored, sdo, tpdos, rpdos); }
    };

    /// Switched on at `now`.
    Slave(const Device& device, const Commissioning& commissioning, Time now = {});

    /// Again, after the power was off: with what was stored.
    void switch_on(Time now);

    void receive(const can::Frame& frame, Time now, Frames& out);
    /// Timers and changed values; to be called at least once per millisecond, or when `due` says.
    void advance(Time now, Frames& out);
    /// When `advance` has something to do at the latest, if nothing is received or measured before.
    [[nodiscard]] std::optional<Time> due() const;

    /// What the sensor sees, one value per channel of its profile, in SI units.
    void measure(std::span<const double> physical, Time now);
    /// The number in an object, by the application: no access rights, held within the range of the type.
    void set(const Entry& entry, double value);
    [[nodiscard]] double get(const Entry& entry) const;

    void raise(const Emergency& emergency);
    void clear(std::uint16_t code);

    [[nodiscard]] NmtState nmt() const { return state.running.nmt; }
    [[nodiscard]] std::uint8_t node_id() const { return state.running.lss.active.node_id; }
    [[nodiscard]] const Device& device() const { return *device_; }

    State state;

private:
    Abort read(Key key, std::vector<std::uint8_t>& bytes) override;
    Abort may_write(Key key, std::size_t& capacity) override;
    Abort write(Key key, std::span<const std::uint8_t> bytes) override;

    void reset(bool application);
    void configure();
    void enter(NmtState nmt);
    void command(const can::Frame& frame);
    void answer_sdo(const can::Frame& frame, Frames& out);
    void answer_lss(const can::Frame& frame, Frames& out);
    void synchronize(const can::Frame& frame, Frames& out);
    void take_rpdo(const can::Frame& frame);
    void boot(Frames& out);
    void emit(std::uint32_t id, std::span<const std::uint8_t> bytes, Frames& out) const;

    [[nodiscard]] Abort look_up(Key key, const Entry*& entry) const;
    [[nodiscard]] Abort check_rules(const Entry& entry, std::uint64_t raw) const;
    bool acts(const Entry& entry);
    void restore(std::uint16_t first, std::uint16_t last);
    void mirror_errors(std::uint16_t code);

    const Device* device_;
};

}  // namespace interfaces::canopen
