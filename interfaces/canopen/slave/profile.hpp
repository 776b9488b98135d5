#pragma once

#include "interfaces/canopen/abort.hpp"
#include "interfaces/canopen/dictionary.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>

namespace interfaces::canopen {

/// What a device measures, in SI units, and what it remembers for rates and filters.
struct Measurement {
    static constexpr std::size_t channels = 2, history_size = 32;
    std::array<double, channels> physical{};
    std::array<double, channels> rate{};         // per second, between the last two samples
    std::array<double, history_size> history{};  // of the first channel; a ring
    std::uint32_t samples = 0;
    Time at{};
};

/// What a device profile adds to the communication: how measured values appear in its objects. It has no state of its
/// own.
class Profile {
public:
    virtual ~Profile() = default;

    /// How many values it measures, and the objects that show them; a value may be shown by several.
    [[nodiscard]] virtual std::size_t channels() const = 0;
    [[nodiscard]] virtual std::size_t channel_of(Key key) const = 0;  // `none` if the object shows no channel
    /// How the number in such an object becomes the physical value, with the parameters in the image.
    [[nodiscard]] virtual Scale scale(const Image& image, Key key) const = 0;

    /// Whether a parameter may get this value.
    [[nodiscard]] virtual Abort check(const Image&, const Measurement&, const Entry&, std::uint64_t) const {
        return Abort::none;
    }
    /// After a write: presets, rescaled parameters.
    virtual void written(Image&, const Measurement&, const Entry&, std::uint64_t) const {}
    /// New values from what is measured.
    virtual void update(Image& image, const Measurement& measurement) const = 0;

    static constexpr std::size_t none = static_cast<std::size_t>(-1);
};

/// A kind of device: its objects and, if it has one, its profile. Never changes; must outlive its slaves.
struct Device {
    Dictionary dictionary;
    std::unique_ptr<const Profile> profile;
};

}  // namespace interfaces::canopen
