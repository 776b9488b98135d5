#pragma once

#include "interfaces/can_log/log.hpp"
#include "master/base/block_file.hpp"
#include "master/base/pulse.hpp"
#include "master/base/time.hpp"
#include "master/core/tap.hpp"
#include "master/runs/taps/can_frames.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace master::runs {

/// The traffic of a system's CAN buses as a log with simulated times: in ASC format where the file is called so, else
/// as candump writes it. ASC numbers its channels: the first bus is 1.
class CanLog final : public core::Tap {
public:
    CanLog(std::filesystem::path file, std::vector<CanBus> buses, base::Timebase timebase, base::Time start);
    ~CanLog() override;

    /// Frames wait in memory until then. A regular file is FILE.partial.EXTENSION while it grows.
    void open();
    void on_event(base::Time t, const core::Signals& signals) override;
    void finish() override;

    [[nodiscard]] const std::filesystem::path& file() const { return file_; }
    /// How many frames of which buses.
    [[nodiscard]] std::string summary() const;

private:
    struct Channel {
        CanBus bus;
        interfaces::can_log::Entry entry;  // with its name
        std::uint64_t frames = 0;
    };

    void write(Channel& channel, std::span<const SeenFrame> frames, base::Time t);
    void write_block();
    void complete();

    std::filesystem::path file_, partial_;
    bool asc_;
    base::Timebase timebase_;
    base::Time zero_;
    std::vector<Channel> channels_;
    CanFrames frames_;
    std::string text_;
    base::BlockFile out_;
    std::uint64_t written_ = 0;  // bytes
    bool failed_ = false;
    base::Pulse flush_;
};

/// The process that wrote the log is gone: what it left, whole lines up to its last flush, gets the name of the log.
/// Nothing happens where it left nothing. Throws `Error`.
void complete_can_log(const std::filesystem::path& file);

/// For all buses of the system. Throws `Error` where there is none.
[[nodiscard]] std::unique_ptr<CanLog> make_can_log(const std::filesystem::path& file,
                                                   const build::Simulation& simulation);

}  // namespace master::runs
