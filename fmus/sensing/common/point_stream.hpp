#pragma once

#include "fmus/common/declaring/instance_of.hpp"
#include "fmus/sensing/common/point_window.hpp"
#include "interfaces/livox/points.hpp"

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

namespace fmus {

/// Points that come as packets, in the window that the lidar unit has: whoever takes points cannot tell them apart.
struct PointStream {
    double window = 0.1;  // s
    PointWindow points;
    std::uint64_t count = 0, sequence = 0;
    double rate = 0;  // of points with a return, over the window

    void initialize(double t) {
        if (!(window > 0) || window > 4) throw std::invalid_argument("parameter 'window' must be in (0, 4] s");
        points.reset(most_points, nanoseconds(t));
        fresh_.clear();
        count = sequence = 0;
        rate = 0;
        last_ = nanoseconds(t) - 1;
    }
    /// Its points have their own times, `shift` later; times of points never go back, and none is later than `latest`.
    void add(const interfaces::livox::PacketView& packet, std::int64_t shift, std::int64_t latest) {
        for (std::size_t pulse = 0; pulse < packet.size(); ++pulse) {
            for (std::size_t number = 0; number < packet.returns(); ++number) {
                auto point = packet.point(pulse, number);
                // The returns of one pulse have one time.
                const std::int64_t earliest = number == 0 ? last_ + 1 : last_;
                last_ = point.time = std::min(std::max(point.time + shift, earliest), latest);
                fresh_.push_back(point);
            }
        }
    }
    void finish(double t) {
        const std::int64_t now = nanoseconds(t);
        points.advance(fresh_, now - nanoseconds(window), ++sequence, now);
        fresh_.clear();
        count = points.size();
        const auto cloud =
            interfaces::point_cloud::View::parse(std::span(points.data).subspan(points.part.begin, points.part.size));
        std::size_t returns = 0;
        for (std::size_t i = 0; i < cloud->size(); ++i) {
            const auto point = (*cloud)[i];
            returns += point.x != 0 || point.y != 0 || point.z != 0 ? 1 : 0;
        }
        rate = static_cast<double>(returns) / window;
    }
    auto members() { return std::tie(window, points, count, sequence, rate, last_); }

private:
    std::vector<interfaces::livox::Point> fresh_;
    std::int64_t last_ = 0;  // ns, of the newest point
};

/// A unit with the outputs of the lidar unit.
template <std::copyable Model>
class PointStreamUnit : public InstanceOf<Model> {
protected:
    void declare_stream(PointStream& stream) {
        this->parameter("window", "s", stream.window).describe("How long a point stays in points.data");
        this->output("points.data", stream.points.data)
            .binary(interfaces::point_cloud::mime_type, interfaces::point_cloud::size_of(most_points))
            .part(stream.points.part)
            .depends_on({})
            .describe("The points of the window; layout: interfaces/point_cloud/point_cloud.hpp");
        this->output("points.count", stream.count).depends_on({}).describe("Number of points");
        this->output("points.sequence", stream.sequence).depends_on({}).describe("Grows by one with every step");
        this->output("points.rate", "1/s", stream.rate)
            .discrete()
            .depends_on({})
            .describe("Points with a return per second, over the window");
    }
};

}  // namespace fmus
