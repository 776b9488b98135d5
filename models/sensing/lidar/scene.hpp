#pragma once

#include "models/sensing/lidar/face.hpp"
#include "models/site/wall/ring.hpp"

#include <array>
#include <cstdint>
#include <embree3/rtcore.h>
#include <memory>
#include <span>
#include <vector>

namespace models::lidar {

/// The wall for ray tracing with Embree. It is cut into tiles of quads: a bite refits the tiles it touched, whatever
/// the length of the wall.
class Scene {
public:
    explicit Scene(const wall::Ring& ring);

    /// One height per vertex of the ring; throws std::runtime_error if one that changed is not finite.
    void set_heights(std::span<const double> heights);
    /// Makes the changes visible to rays.
    void commit();

    [[nodiscard]] RTCScene handle() const { return scene_.get(); }
    /// All of the wall lies between two cylinders about z and two heights; never too narrow.
    struct Bounds {
        double inner = 0, outer = 0, bottom = 0, top = 0;
    };
    [[nodiscard]] const Bounds& bounds() const { return bounds_; }
    [[nodiscard]] const Face& face() const { return face_; }
    /// Tiles refitted since the scene was made.
    [[nodiscard]] std::uint64_t refitted_tiles() const { return refitted_; }

private:
    struct Tile {
        std::size_t first = 0, columns = 0;  // of vertices; neighbours share one column
        RTCGeometry geometry = nullptr;      // owned by the scene
        float* vertices = nullptr;           // tops, then bottoms, column by column
        std::vector<double> heights;         // of the tops, as last seen
    };
    struct Release {
        void operator()(RTCDevice device) const { rtcReleaseDevice(device); }
        void operator()(RTCScene scene) const { rtcReleaseScene(scene); }
    };
    using Corners = std::vector<std::array<std::uint32_t, 4>>;  // a corner named twice makes a triangle

    void add_wall();
    float* attach(const Corners& corners, std::size_t vertices, RTCGeometry& geometry);
    void move_tops(const Tile& tile) const;
    void update(RTCGeometry geometry);
    void check_device() const;

    wall::Ring ring_;
    Face face_;
    Bounds bounds_;
    std::unique_ptr<std::remove_pointer_t<RTCDevice>, Release> device_;
    std::unique_ptr<std::remove_pointer_t<RTCScene>, Release> scene_;
    std::vector<Tile> tiles_;
    std::uint64_t refitted_ = 0;
    bool changed_ = true;
};

}  // namespace models::lidar
