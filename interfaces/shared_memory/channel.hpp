#pragma once

#include "interfaces/point_cloud/point_cloud.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

struct tandem_channel;

/// Values in shared memory by name, the newest one for whoever wants it; layout and readers in C: tandem_shared.h.
namespace interfaces::shared_memory {

inline constexpr const char* points_type = "points xyz float32";
inline constexpr std::uint32_t default_slots = 4;

struct ChannelSettings {
    std::string name;          // letters, digits, '.', '_', '-', '%'; at most 200
    std::string type;          // of the payload, at most 63 characters
    std::size_t capacity = 0;  // bytes of the largest payload
    std::uint32_t slots = default_slots;
};

/// The only writer of a name. A reader never makes it wait.
class Writer {
public:
    /// Throws std::runtime_error that says who holds the name, if somebody does. What a dead writer left is taken over.
    explicit Writer(const ChannelSettings& settings);
    ~Writer();
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;

    /// Neither allocates nor waits. False, and nothing published, if the payload is larger than the capacity.
    bool publish(std::int64_t time, std::span<const std::uint8_t> payload);
    [[nodiscard]] std::uint64_t sequence() const { return sequence_; }

private:
    class Segment;
    std::unique_ptr<Segment> segment_;
    std::uint64_t sequence_ = 0;
};

/// Publishes x, y, z of each point that is a return.
class PointWriter {
public:
    PointWriter(const std::string& name, std::size_t most_points);
    /// At most `most_points`; points at (0, 0, 0) are left out.
    bool publish(std::int64_t time, std::span<const point_cloud::Point> points);
    bool publish(const point_cloud::View& cloud);

private:
    template <class Points>
    bool publish_all(std::int64_t time, const Points& points, std::size_t count);
    Writer writer_;
    std::vector<std::uint8_t> payload_;
};

/// A reader of a name, which need not be there yet and may go and come back.
class Reader {
public:
    explicit Reader(std::string name);
    ~Reader();
    Reader(Reader&& other) noexcept;
    Reader& operator=(Reader&&) = delete;

    struct Value {
        std::uint64_t sequence = 0;
        std::int64_t time = 0;   // ns of the simulation
        std::int64_t stamp = 0;  // ns of the steady clock when it was published
        std::span<const std::uint8_t> payload;
    };
    /// The newest value; none if there is none, or the writer was faster than every attempt. The payload is the
    /// reader's until it reads again.
    [[nodiscard]] std::optional<Value> latest();
    /// Waits for a value that was not read yet, at most so long.
    [[nodiscard]] std::optional<Value> wait(int milliseconds);

    [[nodiscard]] bool connected() const { return channel_ != nullptr; }
    [[nodiscard]] std::string type() const;
    /// Grows whenever a segment was opened: until then the type stays what it is.
    [[nodiscard]] std::uint64_t connections() const { return connections_; }
    [[nodiscard]] std::uint64_t published() const;
    /// How often the writer was faster than every attempt.
    [[nodiscard]] std::uint64_t overtaken() const { return overtaken_; }

private:
    bool connect();
    std::string name_;
    const tandem_channel* channel_ = nullptr;
    std::vector<std::uint8_t> buffer_;
    std::uint64_t last_ = 0, overtaken_ = 0, connections_ = 0;
};

}  // namespace interfaces::shared_memory
