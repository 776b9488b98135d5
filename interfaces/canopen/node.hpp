#pragma once

#include "interfaces/canopen/slave/slave.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace interfaces::canopen {

/// A quantity of the simulation and the object that carries it.
struct Signal {
    std::string name;
    std::string unit = {};  // of the physical value; empty: not stated
    Entry entry;
    std::size_t channel = Profile::none;        // of the profile, which then scales; none: by `scale`
    Scale scale{};                              // physical = raw * gain + offset
    Direction direction = Direction::transmit;  // as the node sees it
};

/// A node on the bus: device, place and signals. Must outlive its slave.
struct Node {
    std::string name;
    Commissioning commissioning;
    Device device;
    std::vector<Signal> signals;
};

/// The profile that the low half of 0x1000 names (404, 406, 410), if there is one here.
[[nodiscard]] std::unique_ptr<const Profile> profile_of(const Dictionary& dictionary);

/// How the number of a signal becomes the physical value, with the parameters in the image.
[[nodiscard]] Scale scale_of(const Device& device, const Signal& signal, const Image& image);

/// Physical values, one per signal, into the slave; those that the slave receives are skipped.
void measure(Slave& slave, std::span<const Signal> signals, std::span<const double> physical, Time now);
/// The physical value that a received signal has now.
[[nodiscard]] double received(const Slave& slave, const Signal& signal);

}  // namespace interfaces::canopen
