#include "interfaces/canopen/node.hpp"

#include "interfaces/canopen/sensors/encoder.hpp"
#include "interfaces/canopen/sensors/inclinometer.hpp"
#include "interfaces/canopen/sensors/pressure_transmitter.hpp"

#include <algorithm>
#include <array>

namespace interfaces::canopen {

std::unique_ptr<const Profile> profile_of(const Dictionary& dictionary) {
    const Entry* type = dictionary.find({0x1000, 0});
    switch (type != nullptr ? type->initial & 0xFFFF : 0) {
        case 404:
            return make_pressure_transmitter(dictionary);
        case 406:
            return make_encoder(dictionary);
        case 410:
            return make_inclinometer(dictionary);
        default:
            return nullptr;
    }
}

Scale scale_of(const Device& device, const Signal& signal, const Image& image) {
    const bool by_profile = signal.channel != Profile::none && device.profile;
    return by_profile ? device.profile->scale(image, signal.entry.key) : signal.scale;
}

void measure(Slave& slave, std::span<const Signal> signals, std::span<const double> physical, Time now) {
    std::array<double, Measurement::channels> channels = slave.state.running.measurement.physical;
    for (std::size_t i = 0; i < std::min(physical.size(), signals.size()); ++i) {
        const Signal& signal = signals[i];
        if (signal.direction == Direction::receive) continue;
        if (signal.channel < channels.size())
            channels[signal.channel] = physical[i];
        else
            slave.set(signal.entry, (physical[i] - signal.scale.offset) / signal.scale.gain);
    }
    slave.measure(channels, now);
}

double received(const Slave& slave, const Signal& signal) {
    return slave.get(signal.entry) * signal.scale.gain + signal.scale.offset;
}

}  // namespace interfaces::canopen
