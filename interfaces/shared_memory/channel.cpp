#include "interfaces/shared_memory/channel.hpp"

#include "interfaces/shared_memory/tandem_shared.h"

#include <algorithm>
#include <atomic>
#include <boost/interprocess/mapped_region.hpp>
#include <boost/interprocess/shared_memory_object.hpp>
#include <cassert>
#include <chrono>
#include <limits>
#include <new>
#include <stdexcept>
#include <sys/file.h>
#include <thread>
#include <utility>

namespace interfaces::shared_memory {

namespace {

namespace ipc = boost::interprocess;

template <class Number>
void store(Number& at, Number value, std::memory_order order) {
    std::atomic_ref<Number>(at).store(value, order);
}

/// As Boost names it, without the slash.
std::string segment_name(const std::string& name) { return &TANDEM_PREFIX[1] + name; }

bool is_name(const std::string& name) {
    const auto good = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
               c == '-' || c == '%';
    };
    return !name.empty() && name.size() <= TANDEM_LONGEST_NAME && std::all_of(name.begin(), name.end(), good);
}

std::uint64_t padded(std::uint64_t size, std::uint64_t to) { return (size + to - 1) / to * to; }

/// The header that a new segment gets; the magic is left out, which makes it count.
tandem_channel fresh_header(const ChannelSettings& settings) {
    tandem_channel header{};
    header.slots = settings.slots;
    header.owner = static_cast<std::uint32_t>(::getpid());
    header.capacity = padded(settings.capacity, 8);
    header.stride = padded(sizeof(tandem_slot) + header.capacity, 64);
    std::copy(settings.type.begin(), settings.type.end(), header.type);
    return header;
}

void check(const ChannelSettings& settings) {
    if (!is_name(settings.name))
        throw std::runtime_error("shared memory: name '" + settings.name +
                                 "', expected up to 200 letters, digits, '.', '_', '-' and '%'");
    if (settings.type.size() >= sizeof tandem_channel::type)
        throw std::runtime_error("shared memory '" + settings.name + "': type '" + settings.type +
                                 "', expected at most 63 characters");
    if (settings.slots < 2 || settings.capacity > std::numeric_limits<std::uint32_t>::max())
        throw std::runtime_error("shared memory '" + settings.name + "': " + std::to_string(settings.slots) +
                                 " slots of " + std::to_string(settings.capacity) +
                                 " bytes, expected at least 2 slots of less than 4 GiB");
}

}  // namespace

/// The mapping of a writer. Who holds the file's lock owns the name; the kernel frees it when its owner dies.
class Writer::Segment {
public:
    explicit Segment(const ChannelSettings& settings)
        : name_(segment_name(settings.name)), header_(fresh_header(settings)) {
        // Between opening and locking, the owner before us may have removed the file or another may have come.
        for (int attempt = 0; attempt < 100; ++attempt) {
            object_ = open();
            if (!lock())
                throw std::runtime_error("shared memory '" + settings.name + "' has a publisher already" + owner());
            if (!is_current()) continue;
            const std::uint64_t size = file_size();
            if (size == wanted_size() && take_over()) return;
            if (size == 0) {
                object_.truncate(static_cast<ipc::offset_t>(wanted_size()));
                map();
                *channel_ = header_;
                store(channel_->magic, std::uint64_t{TANDEM_MAGIC}, std::memory_order_release);
                return;
            }
            // Somebody who died had another size: his readers are told, and the name is made anew.
            close_leftover();
            ipc::shared_memory_object::remove(name_.c_str());
        }
        throw std::runtime_error("shared memory '" + settings.name + "' changes hands all the time");
    }
    ~Segment() {
        close_channel(*channel_);
        ipc::shared_memory_object::remove(name_.c_str());
    }
    Segment(const Segment&) = delete;
    Segment& operator=(const Segment&) = delete;

    [[nodiscard]] tandem_channel& channel() { return *channel_; }
    [[nodiscard]] tandem_slot& slot(std::uint64_t sequence) {
        return *reinterpret_cast<tandem_slot*>(reinterpret_cast<char*>(channel_ + 1) +
                                               sequence % header_.slots * header_.stride);
    }

private:
    [[nodiscard]] ipc::shared_memory_object open() const try {
        const ipc::permissions readable(0644);
        ipc::shared_memory_object object(ipc::open_or_create, name_.c_str(), ipc::read_write, readable);
        ::fcntl(object.get_mapping_handle().handle, F_SETFD, FD_CLOEXEC);
        return object;
    } catch (const ipc::interprocess_exception& error) {
        throw std::runtime_error("shared memory: cannot make /dev/shm/" + name_ + ": " + error.what());
    }
    /// Who only looks whether there is a publisher holds the lock for an instant.
    [[nodiscard]] bool lock() const {
        for (int attempt = 0; attempt < 20; ++attempt) {
            if (::flock(descriptor(), LOCK_EX | LOCK_NB) == 0) return true;
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return false;
    }
    [[nodiscard]] int descriptor() const { return object_.get_mapping_handle().handle; }
    [[nodiscard]] std::uint64_t wanted_size() const { return tandem_segment_size(&header_); }
    [[nodiscard]] std::uint64_t file_size() const {
        struct stat status {};
        return ::fstat(descriptor(), &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    }

    /// True if the name still means the file that was opened.
    [[nodiscard]] bool is_current() const {
        struct stat mine {
        }, named{};
        const int other = ::shm_open(("/" + name_).c_str(), O_RDONLY | O_CLOEXEC, 0);
        if (other < 0) return false;
        const bool same =
            ::fstat(descriptor(), &mine) == 0 && ::fstat(other, &named) == 0 && mine.st_ino == named.st_ino;
        ::close(other);
        return same;
    }

    void map() {
        region_ = ipc::mapped_region(object_, ipc::read_write);
        channel_ = static_cast<tandem_channel*>(region_.get_address());
    }

    /// A segment that fits is used on, so that the readers it has go on as well.
    bool take_over() {
        map();
        if (channel_->magic != TANDEM_MAGIC || channel_->slots != header_.slots || channel_->closed != 0 ||
            channel_->capacity != header_.capacity || channel_->stride != header_.stride ||
            std::string_view(channel_->type, sizeof channel_->type) !=
                std::string_view(header_.type, sizeof header_.type))
            return false;
        channel_->owner = header_.owner;
        return true;
    }

    void close_leftover() {
        if (file_size() < sizeof(tandem_channel)) return;
        map();
        close_channel(*channel_);
    }

    static void close_channel(tandem_channel& channel) {
        store(channel.closed, std::uint32_t{1}, std::memory_order_release);
        store(channel.wakeup, ~channel.wakeup, std::memory_order_release);
        ::syscall(SYS_futex, &channel.wakeup, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
    }

    [[nodiscard]] std::string owner() const {
        const auto* channel =
            file_size() >= sizeof(tandem_channel) ? tandem_open(name_.c_str() + sizeof TANDEM_PREFIX - 2) : nullptr;
        if (channel == nullptr) return "";
        std::string text = ": process " + std::to_string(channel->owner);
        tandem_close(channel);
        return text;
    }

    std::string name_;
    tandem_channel header_;
    ipc::shared_memory_object object_;
    ipc::mapped_region region_;
    tandem_channel* channel_ = nullptr;
};

Writer::Writer(const ChannelSettings& settings) {
    check(settings);
    segment_ = std::make_unique<Segment>(settings);
    sequence_ = segment_->channel().published;
}

Writer::~Writer() = default;

bool Writer::publish(std::int64_t time, std::span<const std::uint8_t> payload) {
    tandem_channel& channel = segment_->channel();
    if (payload.size() > channel.capacity) return false;
    const std::uint64_t sequence = ++sequence_;
    tandem_slot& slot = segment_->slot(sequence);
    const auto stamp = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    using enum std::memory_order;
    store(slot.version, 2 * sequence - 1, relaxed);
    // Stores with release stay behind the odd version, so whoever sees one of them sees that as well.
    store(slot.time, time, release);
    store(slot.stamp, static_cast<std::int64_t>(stamp), release);
    store(slot.size, static_cast<std::uint64_t>(payload.size()), release);
    auto* word = reinterpret_cast<std::uint64_t*>(&slot + 1);
    const std::uint8_t* from = payload.data();
    std::uint64_t bits = 0;
    for (std::size_t words = payload.size() / 8; words > 0; --words, from += 8) {
        std::memcpy(&bits, from, 8);
        store(*word++, bits, release);
    }
    if (const std::size_t rest = payload.size() % 8; rest > 0) {
        bits = 0;
        std::memcpy(&bits, from, rest);
        store(*word, bits, release);
    }
    store(slot.version, 2 * sequence, release);
    store(channel.published, sequence, release);
    store(channel.wakeup, static_cast<std::uint32_t>(sequence), release);
    ::syscall(SYS_futex, &channel.wakeup, FUTEX_WAKE, std::numeric_limits<int>::max(), nullptr, nullptr, 0);
    return true;
}

PointWriter::PointWriter(const std::string& name, std::size_t most_points)
    : writer_({.name = name, .type = points_type, .capacity = 12 * most_points}), payload_(12 * most_points) {}

template <class Points>
bool PointWriter::publish_all(std::int64_t time, const Points& points, std::size_t count) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const point_cloud::Point point = points[i];
        if (point.x == 0 && point.y == 0 && point.z == 0) continue;
        if (size + 12 > payload_.size()) return false;
        const float xyz[] = {point.x, point.y, point.z};
        std::memcpy(payload_.data() + size, xyz, sizeof xyz);
        size += sizeof xyz;
    }
    return writer_.publish(time, std::span(payload_).first(size));
}

bool PointWriter::publish(std::int64_t time, std::span<const point_cloud::Point> points) {
    return publish_all(time, points, points.size());
}

bool PointWriter::publish(const point_cloud::View& cloud) {
    return publish_all(cloud.header().time, cloud, cloud.size());
}

Reader::Reader(std::string name) : name_(std::move(name)) { connect(); }

Reader::~Reader() { tandem_close(channel_); }

Reader::Reader(Reader&& other) noexcept
    : name_(std::move(other.name_)),
      channel_(std::exchange(other.channel_, nullptr)),
      buffer_(std::move(other.buffer_)),
      last_(other.last_),
      overtaken_(other.overtaken_),
      connections_(other.connections_) {}

bool Reader::connect() {
    tandem_close(channel_);
    channel_ = tandem_open(name_.c_str());
    last_ = 0;
    if (channel_ == nullptr) return false;
    buffer_.resize(static_cast<std::size_t>(channel_->capacity));
    ++connections_;
    return true;
}

std::optional<Reader::Value> Reader::latest() {
    if (channel_ == nullptr && !connect()) return std::nullopt;
    tandem_value value;
    tandem_result result = tandem_read(channel_, buffer_.data(), buffer_.size(), &value);
    if (result == TANDEM_CLOSED && connect()) result = tandem_read(channel_, buffer_.data(), buffer_.size(), &value);
    if (result == TANDEM_TORN) ++overtaken_;
    if (result != TANDEM_OK) return std::nullopt;
    last_ = value.sequence;
    return Value{.sequence = value.sequence,
                 .time = value.time,
                 .stamp = value.stamp,
                 .payload = std::span<const std::uint8_t>(buffer_).first(value.size)};
}

std::optional<Reader::Value> Reader::wait(int milliseconds) {
    using namespace std::chrono;
    const auto end = steady_clock::now() + std::chrono::milliseconds(milliseconds);
    while (true) {
        const auto left = static_cast<int>(duration_cast<std::chrono::milliseconds>(end - steady_clock::now()).count());
        const bool open = channel_ != nullptr && tandem_is_closed(channel_) == 0;
        if (open && tandem_wait(channel_, last_, std::max(left, 0)) != 0) {
            if (const auto value = latest()) return value;
        }
        if (!open && connect()) continue;
        if (left <= 0) return std::nullopt;
        // Nobody publishes: there is nothing to wait for but time.
        if (channel_ == nullptr) std::this_thread::sleep_for(std::chrono::milliseconds(std::min(left, 10)));
    }
}

std::string Reader::type() const { return channel_ != nullptr ? channel_->type : ""; }
std::uint64_t Reader::published() const { return channel_ != nullptr ? tandem_published(channel_) : 0; }

}  // namespace interfaces::shared_memory
