#pragma once

#include "master/base/shared_block.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace master::view {

/// What there is to see at one communication point: a head, then sections.
struct SnapshotHead {
    std::uint64_t sequence = 0;
    double time = 0;   // s, simulated
    double clock = 0;  // s, steady clock, when it was taken
    std::uint64_t flags = 0;
    std::uint64_t bytes = 0;  // of the sections
};
enum Flag : std::uint32_t { paused = 1, ended = 2, failed = 4, paced = 8, catching_up = 16 };

enum class SectionKind : std::uint32_t {
    scalars = 1,  // doubles, all signals
    array = 2,    // doubles of the array `index`
    cloud = 3,    // seven doubles, the sensor's pose, then the point cloud as it is
    bus = 4,      // what was on the bus `index` (traffic/bus_watch.hpp)
};
struct SectionHead {
    SectionKind kind = SectionKind::scalars;
    std::uint32_t index = 0;
    std::uint64_t bytes = 0;
};
struct Section {
    SectionHead head;
    std::span<const std::byte> bytes;
};

/// The newest of a series of snapshots, in memory that two processes share: one writes, one reads, neither waits. The
/// one being written, the one being read and the one between them are three.
class Latest {
public:
    static constexpr std::size_t capacity = std::size_t{1} << 26U;
    [[nodiscard]] static constexpr std::size_t bytes() { return sizeof(State) + 3 * capacity; }

    /// In zeroed memory of `bytes()` bytes.
    void use(std::byte* memory);

    /// The writer: sections until `publish`; one that does not fit is left out, which makes it null.
    void begin();
    [[nodiscard]] std::byte* add(const SectionHead& section);
    void publish(SnapshotHead head);

    /// The reader: what came since the last call; valid until the next one.
    struct Snapshot {
        SnapshotHead head;
        std::vector<Section> sections;
    };
    [[nodiscard]] std::optional<Snapshot> take();

private:
    struct State {
        std::atomic<std::uint32_t> between;  // index, and `fresh`
        std::uint32_t writing, reading;
    };
    static constexpr std::uint32_t fresh = 4;

    [[nodiscard]] std::byte* buffer(std::uint32_t index) const { return memory_ + sizeof(State) + index * capacity; }

    State* state_ = nullptr;
    std::byte* memory_ = nullptr;
    std::size_t used_ = 0;
};

/// Records from one process to another, in order; one that does not fit is dropped and counted.
class Ring {
public:
    static constexpr std::size_t capacity = std::size_t{1} << 20U;
    [[nodiscard]] static constexpr std::size_t bytes() { return sizeof(State) + capacity; }

    void use(std::byte* memory);
    void clear();

    void put(std::span<const std::byte> record);
    [[nodiscard]] bool empty() const {
        return state_->put.load(std::memory_order_acquire) == state_->taken.load(std::memory_order_relaxed);
    }
    /// False: there is none, or what is there is none.
    [[nodiscard]] bool take(std::vector<std::byte>& record);

private:
    struct State {
        std::atomic<std::uint64_t> put, taken;  // bytes since the beginning
    };
    void copy_in(std::uint64_t at, const void* data, std::size_t size);
    void copy_out(std::uint64_t at, void* data, std::size_t size) const;

    State* state_ = nullptr;
    std::byte* memory_ = nullptr;
};

/// What the page asks of a run.
struct Command {
    enum class Kind : std::uint32_t { pause, go, step, speed, set, end };
    Kind kind = Kind::pause;
    std::uint32_t signal = 0;  // set
    std::uint32_t client = 0;  // who
    std::uint32_t count = 0;   // step
    double value = 0;          // set, speed
};

/// What is shown, once per run: system.json, and files by name.
struct Catalogue {
    std::string json;
    std::vector<std::pair<std::string, std::string>> files;
};

/// Between a run and the process that serves the view of it. Made before that process forks the run.
class Channel {
public:
    Channel();
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// The server: another run begins; what the last one left is gone, but its last snapshots.
    void begin_run();
    [[nodiscard]] std::uint32_t run() const { return state_->run.load(std::memory_order_relaxed); }

    // The run.
    /// Which process it is.
    void introduce(std::uint32_t process) { state_->process.store(process, std::memory_order_relaxed); }
    /// False where it is too large.
    [[nodiscard]] bool publish(const Catalogue& catalogue);
    enum Wish : std::uint32_t { fast = 1, slow = 2 };
    /// In the step: what the server would like to have.
    [[nodiscard]] std::uint32_t wishes() const { return state_->wishes.load(std::memory_order_relaxed); }
    void fulfil(std::uint32_t wishes) { state_->wishes.fetch_and(~wishes, std::memory_order_relaxed); }
    /// A JSON text for all clients; from any thread.
    void say(double time, std::string_view json);
    [[nodiscard]] bool has_commands() const { return !commands_.empty(); }
    [[nodiscard]] std::optional<Command> next_command();
    /// Wakes the server.
    void wake() const;

    // The server.
    /// 0: not known yet.
    [[nodiscard]] std::uint32_t process() const { return state_->process.load(std::memory_order_relaxed); }
    [[nodiscard]] std::optional<Catalogue> catalogue() const;
    void wish(std::uint32_t wishes) { state_->wishes.fetch_or(wishes, std::memory_order_relaxed); }
    void command(const Command& command);
    struct Saying {
        double time = 0;
        std::string json;
    };
    [[nodiscard]] std::optional<Saying> next_saying();
    /// Readable when the run woke this process.
    [[nodiscard]] int descriptor() const { return descriptor_; }
    void slept() const;

    Latest fast_snapshots, slow_snapshots;

private:
    static constexpr std::size_t catalogue_capacity = std::size_t{1} << 28U;
    struct State {
        std::atomic<std::uint32_t> wishes, run, process;
        std::atomic<std::uint64_t> catalogue_bytes;
    };

    base::SharedBlock memory_;
    State* state_ = nullptr;
    std::byte* catalogue_ = nullptr;
    Ring sayings_, commands_;
    std::mutex saying_;
    int descriptor_ = -1;
};

}  // namespace master::view
