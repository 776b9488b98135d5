#include "interfaces/canopen/dictionary.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

namespace interfaces::canopen {
namespace {

constexpr std::size_t length_size = 4;               // in front of a value whose length varies
constexpr std::size_t writable_text_capacity = 256;  // a domain that can be written has ten times that
constexpr std::size_t domain_capacity = 2560;

std::size_t capacity_of(const Entry& entry) {
    if (is_number(entry.type)) return bytes(entry.type);
    if (!is_writable(entry.access)) return entry.initial_text.size();
    return std::max(entry.initial_text.size(), entry.type == Type::domain ? domain_capacity : writable_text_capacity);
}

}  // namespace

std::string shown(Key key) {
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "0x%04X:%02X", unsigned{key.index}, unsigned{key.sub});
    return text.data();
}

Dictionary::Dictionary(std::vector<Object> objects, std::vector<Entry> entries)
    : objects_(std::move(objects)), entries_(std::move(entries)) {
    std::ranges::stable_sort(objects_, {}, &Object::index);
    std::ranges::stable_sort(entries_, {}, &Entry::key);
    const auto same_object = [](const Object& a, const Object& b) { return a.index == b.index; };
    objects_.erase(std::unique(objects_.begin(), objects_.end(), same_object), objects_.end());
    const auto same_entry = [](const Entry& a, const Entry& b) { return a.key == b.key; };
    entries_.erase(std::unique(entries_.begin(), entries_.end(), same_entry), entries_.end());
    for (Entry& entry : entries_) {
        entry.capacity = static_cast<std::uint32_t>(capacity_of(entry));
        entry.offset = static_cast<std::uint32_t>(image_size_);
        image_size_ += entry.capacity + (is_number(entry.type) ? 0 : length_size);
    }
}

const Entry* Dictionary::find(Key key) const {
    const auto found = std::ranges::lower_bound(entries_, key, {}, &Entry::key);
    return found != entries_.end() && found->key == key ? &*found : nullptr;
}

bool Dictionary::has_object(std::uint16_t index) const { return !entries_of(index).empty(); }

std::span<const Entry> Dictionary::entries_of(std::uint16_t index) const {
    const auto index_of = [](const Entry& entry) { return entry.key.index; };
    const auto first = std::ranges::lower_bound(entries_, index, {}, index_of);
    const auto last = std::ranges::upper_bound(entries_, index, {}, index_of);
    return {first, last};
}

Image Dictionary::factory(std::uint8_t node_id) const {
    Image image(image_size_);
    for (const Entry& entry : entries_) {
        if (is_number(entry.type)) {
            set_number(image, entry, initial_number(entry, node_id));
            continue;
        }
        const auto* text = reinterpret_cast<const std::uint8_t*>(entry.initial_text.data());
        set_value(image, entry, {text, entry.initial_text.size()});
    }
    return image;
}

std::uint64_t Dictionary::number_or(const Image& image, Key key, std::uint64_t otherwise) const {
    const Entry* entry = find(key);
    return entry != nullptr && is_number(entry->type) ? number(image, *entry) : otherwise;
}

std::uint64_t initial_number(const Entry& entry, std::uint8_t node_id) {
    return entry.initial + (entry.adds_node_id ? node_id : 0);
}

std::uint64_t number(const Image& image, const Entry& entry) {
    return load(std::span(image).subspan(entry.offset, entry.capacity));
}

void set_number(Image& image, const Entry& entry, std::uint64_t raw) {
    store(std::span(image).subspan(entry.offset, entry.capacity), raw);
}

std::span<const std::uint8_t> value(const Image& image, const Entry& entry) {
    if (is_number(entry.type)) return std::span(image).subspan(entry.offset, entry.capacity);
    const std::uint64_t length = load(std::span(image).subspan(entry.offset, length_size));
    return std::span(image).subspan(entry.offset + length_size, length);
}

void set_value(Image& image, const Entry& entry, std::span<const std::uint8_t> bytes) {
    assert(bytes.size() <= entry.capacity);
    std::size_t begin = entry.offset;
    if (!is_number(entry.type)) {
        store(std::span(image).subspan(begin, length_size), bytes.size());
        begin += length_size;
    }
    std::ranges::copy(bytes, image.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace interfaces::canopen
