#include "master/runs/taps/point_recorder.hpp"

#include "interfaces/livox/device.hpp"
#include "interfaces/livox/recording.hpp"
#include "master/base/error.hpp"
#include "master/runs/taps/topic_value.hpp"

#include <array>
#include <fmt/format.h>
#include <fstream>
#include <limits>
#include <optional>

namespace master::runs {
namespace {

namespace livox = interfaces::livox;
using interfaces::point_cloud::View;

std::ofstream open(const std::filesystem::path& file) {
    std::ofstream out(file, std::ios::binary);
    if (!out) throw base::Error("write-failed", file.string(), "cannot be written");
    return out;
}

void require_written(std::ostream& out, const std::filesystem::path& file) {
    if (!out.flush())
        throw base::Error("write-failed", file.string(), "cannot be written any more", base::Exit::failed);
}

class LvxRecorder final : public core::Tap {
public:
    LvxRecorder(const build::LocatedSignal& signal, const std::filesystem::path& file)
        : signal_(signal), file_(file), out_(open(file)) {
        const std::array devices{livox::RecordedDevice{.code = livox::DeviceSettings{}.code}};
        writer_.emplace(out_, devices);
    }
    void after_step(base::Time, const core::Signals& signals) override {
        const auto cloud = View::parse(topic_value(signal_, signals));
        // A cloud that was written already stays for as long as its unit does not step.
        if (!cloud || cloud->header().sequence == sequence_) return;
        sequence_ = cloud->header().sequence;
        const std::int64_t written = last_;
        for (std::size_t i = 0; i < cloud->size(); ++i) {
            const auto point = (*cloud)[i];
            if (point.time <= written) continue;
            last_ = point.time;
            if (!builder_) begin(*cloud);
            if (const auto packet = builder_->add(point)) writer_->add(0, *packet);
        }
        if (!out_) require_written(out_, file_);
    }
    void finish() override {
        if (builder_)
            if (const auto packet = builder_->flush()) writer_->add(0, *packet);
        writer_->finish();
        require_written(out_, file_);
    }

private:
    /// A sensor with two returns has them from the first cloud on.
    void begin(const View& cloud) {
        bool dual = false;
        for (std::size_t i = 0; i < cloud.size() && !dual; ++i) dual = (cloud[i].tag >> 4U & 3U) != 0;
        if (dual)
            builder_.emplace(livox::DataType::dual_cartesian, livox::ReturnMode::dual);
        else
            builder_.emplace(livox::DataType::cartesian_tag, livox::ReturnMode::first);
    }

    build::LocatedSignal signal_;
    std::filesystem::path file_;
    std::ofstream out_;
    std::optional<livox::LvxWriter> writer_;
    std::optional<livox::PacketBuilder> builder_;
    std::uint64_t sequence_ = 0;
    std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
};

class PcdRecorder final : public core::Tap {
public:
    PcdRecorder(const build::LocatedSignal& signal, const std::filesystem::path& file)
        : signal_(signal), file_(file), out_(open(file)) {}
    void after_step(base::Time, const core::Signals& signals) override { signals_ = &signals; }
    void finish() override {
        std::vector<livox::Point> points;
        const auto cloud = signals_ == nullptr ? std::nullopt : View::parse(topic_value(signal_, *signals_));
        for (std::size_t i = 0; cloud && i < cloud->size(); ++i) points.push_back((*cloud)[i]);
        livox::write_pcd(out_, points);
        require_written(out_, file_);
    }

private:
    build::LocatedSignal signal_;
    std::filesystem::path file_;
    std::ofstream out_;
    const core::Signals* signals_ = nullptr;  // of the run, for its last cloud
};

}  // namespace

std::unique_ptr<core::Tap> record_points(const build::LocatedSignal& signal, const std::filesystem::path& file) {
    if (!is_point_cloud(signal))
        throw base::Error("usage", "--record-points",
                          fmt::format("'{}' is no point cloud ({})", signal.name, interfaces::point_cloud::mime_type));
    if (file.extension() == ".lvx") return std::make_unique<LvxRecorder>(signal, file);
    if (file.extension() == ".pcd") return std::make_unique<PcdRecorder>(signal, file);
    throw base::Error("usage", "--record-points", fmt::format("'{}' ends with neither .lvx nor .pcd", file.string()));
}

}  // namespace master::runs
