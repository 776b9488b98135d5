#include "interfaces/topics/topics.hpp"

#include "interfaces/shared_memory/tandem_shared.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <sys/file.h>
#include <system_error>

namespace interfaces::topics {

namespace {

constexpr std::string_view folder = "/dev/shm", prefix = &TANDEM_PREFIX[1];

bool is_plain(char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '.' || c == '_' ||
           c == '-';
}

/// Whoever publishes holds the lock of the segment.
bool is_locked(const std::string& path) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return false;
    const bool is_free = ::flock(descriptor, LOCK_SH | LOCK_NB) == 0;
    ::close(descriptor);
    return !is_free;
}

/// When the value with this sequence was published, if it still stands in its slot.
std::optional<std::int64_t> stamp_of(const tandem_channel& channel, std::uint64_t sequence) {
    const char* at = reinterpret_cast<const char*>(&channel + 1) + sequence % channel.slots * channel.stride;
    const auto* slot = reinterpret_cast<const tandem_slot*>(at);
    if (__atomic_load_n(&slot->version, __ATOMIC_ACQUIRE) != 2 * sequence) return std::nullopt;
    const std::int64_t stamp = __atomic_load_n(&slot->stamp, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&slot->version, __ATOMIC_RELAXED) != 2 * sequence) return std::nullopt;
    return stamp;
}

void describe_values(const tandem_channel& channel, TopicInfo& info) {
    info.published = tandem_published(&channel);
    tandem_value value{};
    const auto result = tandem_read(&channel, nullptr, 0, &value);
    if (result != TANDEM_OK && result != TANDEM_SMALL) return;
    info.size = value.size;
    info.time = value.time;
    const auto now = std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
    info.age = 1e-9 * static_cast<double>(now - value.stamp);
    // The slot after the newest is written next, so the oldest that may be whole is one further.
    for (std::uint64_t back = channel.slots - 2; back >= 1; --back) {
        if (value.sequence <= back) continue;
        const auto earlier = stamp_of(channel, value.sequence - back);
        if (!earlier || *earlier >= value.stamp) continue;
        info.rate = static_cast<double>(back) * 1e9 / static_cast<double>(value.stamp - *earlier);
        return;
    }
}

}  // namespace

Publisher::Publisher(const TopicSettings& settings)
    : writer_({.name = segment_of(settings.name), .type = settings.type, .capacity = settings.capacity}) {}

Subscriber::Subscriber(std::string_view name) : reader_(segment_of(name)) {}

std::vector<TopicInfo> list() {
    std::vector<TopicInfo> topics;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
        const std::string file = entry.path().filename();
        if (!file.starts_with(prefix)) continue;
        const std::string segment = file.substr(prefix.size());
        const tandem_channel* channel = tandem_open(segment.c_str());
        if (channel == nullptr) continue;
        TopicInfo info{.name = topic_of(segment), .type = channel->type, .publisher = channel->owner};
        info.alive = is_locked(entry.path());
        describe_values(*channel, info);
        tandem_close(channel);
        topics.push_back(std::move(info));
    }
    std::sort(topics.begin(), topics.end(), [](const TopicInfo& a, const TopicInfo& b) { return a.name < b.name; });
    return topics;
}

bool has_publisher(std::string_view topic) {
    return is_locked(std::string(folder) + "/" + std::string(prefix) + segment_of(topic));
}

std::string segment_of(std::string_view topic) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string segment;
    for (const char c : topic) {
        if (is_plain(c)) {
            segment += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        segment += {'%', digits[byte >> 4U], digits[byte & 0xFU]};
    }
    return segment;
}

std::string topic_of(std::string_view segment) {
    std::string topic;
    for (std::size_t i = 0; i < segment.size(); ++i) {
        unsigned byte = 0;
        if (segment[i] == '%' && i + 2 < segment.size()) {
            const char* digits = segment.data() + i + 1;
            if (std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
                topic += static_cast<char>(byte);
                i += 2;
                continue;
            }
        }
        topic += segment[i];
    }
    return topic;
}

}  // namespace interfaces::topics
