// A CAN bus at 250 kbit/s that is never idle: four controllers with frames of eight bytes, an error in each hundredth.
// With a unit, the same through FMI.   usage: benchmark_can_bus MILLISECONDS model|fmi
#include "interfaces/can_bus/bus.hpp"
#include "interfaces/ls_bus/operations.hpp"
#include "tests/support/fmi3_unit.hpp"

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

namespace can_bus = interfaces::can_bus;
namespace ls_bus = interfaces::ls_bus;
using interfaces::can::Frame;

constexpr std::size_t controllers = 4;

Frame frame_of(std::uint64_t number) {
    Frame frame{.id = static_cast<std::uint32_t>(0x180 + number % controllers), .size = 8};
    for (std::size_t i = 0; i < 8; ++i)
        frame.data[i] = static_cast<std::uint8_t>(number * 0x9E3779B97F4A7C15U >> 8 * i);
    return frame;
}

/// Every controller has its next frame ready when one of them is through.
class Traffic final : public can_bus::Observer {
public:
    explicit Traffic(can_bus::Bus& bus) : bus_(bus) {}
    void received(std::size_t, const Frame&) override { ++received_; }
    void confirmed(std::size_t terminal, const Frame&) override { done_ = terminal; }
    void arbitration_lost(std::size_t, const Frame&) override {}
    void disturbed(std::size_t, const Error&) override {}

    void run(can_bus::Nanoseconds end) {
        for (std::size_t i = 0; i < controllers; ++i) bus_.join(i, 0);
        for (std::size_t i = 0; i < controllers; ++i) bus_.send(i, frame_of(number_++), 0);
        while (const auto next = bus_.next()) {
            if (*next > end) return;
            done_ = controllers;
            bus_.advance(*next, *this);
            if (done_ < controllers) bus_.send(done_, frame_of(number_++), *next);
        }
    }
    [[nodiscard]] std::uint64_t received() const { return received_; }

private:
    can_bus::Bus& bus_;
    std::uint64_t number_ = 0, received_ = 0;
    std::size_t done_ = controllers;
};

void run_model(long milliseconds) {
    static can_bus::Bus bus;
    bus.parameters.error_share = 0.01;
    Traffic traffic(bus);
    const can_bus::Nanoseconds end = milliseconds * 1'000'000;
    traffic.run(end);
    std::printf("%llu frames, load %.3f\n", static_cast<unsigned long long>(bus.statistics().frames),
                static_cast<double>(bus.busy(end)) / static_cast<double>(end));
}

/// The unit with hands at its terminals, as an importer has them.
class Importer {
public:
    Importer() : unit_("can_bus", {.event_mode = true}) {
        for (std::size_t i = 0; i < controllers; ++i) {
            const std::string name = "Node" + std::to_string(i + 1);
            const auto reference = [&](const char* member) { return unit_.fmu()[name + member].reference; };
            terminals_[i] = {reference(".Rx_Clock"), reference(".Rx_Data"), reference(".Tx_Clock"),
                             reference(".Tx_Data")};
            tx_clocks_[i] = terminals_[i].tx_clock;
        }
        check(unit_.initialize());
    }
    void run(double end) {
        for (std::size_t i = 0; i < controllers; ++i) say(i);
        double t = 0, h = update();
        while (t + h < end) {
            check(enter_step_(unit_.instance()));
            check(unit_.step(t, h).status);
            t += h;
            check(enter_event_(unit_.instance()));
            for (std::size_t i = 0; i < controllers; ++i) tick(i);
            h = update();
        }
        std::printf("%llu frames\n", static_cast<unsigned long long>(sent_));
    }

private:
    struct Terminal {
        fmi3ValueReference rx_clock = 0, rx_data = 0, tx_clock = 0, tx_data = 0;
    };
    static void check(fmi3Status status) {
        if (status != fmi3OK) throw std::runtime_error("the unit refused a call");
    }
    void say(std::size_t i) {
        bytes_.clear();
        append(bytes_, ls_bus::Transmit{frame_of(controllers * number_++ + i)});
        const bool active = true;
        const std::size_t size = bytes_.size();
        const fmi3Binary data = bytes_.data();
        check(set_clock_(unit_.instance(), &terminals_[i].rx_clock, 1, &active));
        check(set_binary_(unit_.instance(), &terminals_[i].rx_data, 1, &size, &data, 1));
    }
    /// What the bus says; its confirmation makes room for the next frame.
    void tick(std::size_t i) {
        const bool active = true;
        check(set_clock_(unit_.instance(), &terminals_[i].tx_clock, 1, &active));
        std::size_t size = 0;
        fmi3Binary data = nullptr;
        check(get_binary_(unit_.instance(), &terminals_[i].tx_data, 1, &size, &data, 1));
        const auto operation = ls_bus::decode({data, size});
        if (!operation || !std::holds_alternative<ls_bus::Confirm>(*operation)) return;
        ++sent_;
        say(i);
    }
    /// Seconds to the next tick.
    double update() {
        check(unit_.update_discrete().status);
        std::array<double, controllers> intervals{};
        std::array<fmi3IntervalQualifier, controllers> qualifiers{};
        check(get_interval_(unit_.instance(), tx_clocks_.data(), controllers, intervals.data(), qualifiers.data()));
        if (qualifiers[0] != fmi3IntervalChanged) throw std::runtime_error("the bus is idle");
        return intervals[0];
    }

    tests::Fmi3Unit unit_;
    std::array<Terminal, controllers> terminals_;
    std::array<fmi3ValueReference, controllers> tx_clocks_{};
    ls_bus::Bytes bytes_;
    std::uint64_t number_ = 0, sent_ = 0;
    fmi3SetClockTYPE* set_clock_ = unit_.call<fmi3SetClockTYPE>("fmi3SetClock");
    fmi3SetBinaryTYPE* set_binary_ = unit_.call<fmi3SetBinaryTYPE>("fmi3SetBinary");
    fmi3GetBinaryTYPE* get_binary_ = unit_.call<fmi3GetBinaryTYPE>("fmi3GetBinary");
    fmi3GetIntervalDecimalTYPE* get_interval_ = unit_.call<fmi3GetIntervalDecimalTYPE>("fmi3GetIntervalDecimal");
    fmi3EnterStepModeTYPE* enter_step_ = unit_.call<fmi3EnterStepModeTYPE>("fmi3EnterStepMode");
    fmi3EnterEventModeTYPE* enter_event_ = unit_.call<fmi3EnterEventModeTYPE>("fmi3EnterEventMode");
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 3) return 2;
    const long milliseconds = std::atol(arguments[1]);
    if (arguments[2] == std::string("model"))
        run_model(milliseconds);
    else
        Importer().run(static_cast<double>(milliseconds) * 1e-3);
}
