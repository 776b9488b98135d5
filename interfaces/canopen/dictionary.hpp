#pragma once

#include "interfaces/canopen/types.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace interfaces::canopen {

/// Where an entry stands in the object dictionary.
struct Key {
    std::uint16_t index = 0;
    std::uint8_t sub = 0;
    friend auto operator<=>(const Key&, const Key&) = default;
};

/// "0x1018:04"
[[nodiscard]] std::string shown(Key key);

/// As an EDS has them; rwr and rww say in which kind of PDO an entry that can be written may be mapped.
enum class Access : std::uint8_t { ro, wo, rw, rwr, rww, constant };

[[nodiscard]] inline bool is_readable(Access access) { return access != Access::wo; }
[[nodiscard]] inline bool is_writable(Access access) { return access != Access::ro && access != Access::constant; }

/// One entry: what may be read, written and mapped. `offset` and `capacity` are its place in an image.
struct Entry {
    Key key;
    std::string name;
    Type type = Type::unsigned32;
    Access access = Access::ro;
    bool mappable = false;
    bool adds_node_id = false;   // the node-id is added to the initial number
    std::uint64_t initial = 0;   // raw; numbers only
    std::string initial_text{};  // strings and domains only
    std::optional<std::uint64_t> low{}, high{};
    std::uint32_t offset = 0, capacity = 0;
};

enum class ObjectKind : std::uint8_t { domain = 0x2, variable = 0x7, array = 0x8, record = 0x9 };

struct Object {
    std::uint16_t index = 0;
    std::string name;
    ObjectKind kind = ObjectKind::variable;
};

/// The present values of all entries, one after the other; plain bytes, so that saving a device is copying them.
using Image = std::vector<std::uint8_t>;

/// What a device has: never changes, may serve any number of devices of one kind.
class Dictionary {
public:
    Dictionary() = default;
    /// In any order; of several entries with one key the first is kept.
    Dictionary(std::vector<Object> objects, std::vector<Entry> entries);

    [[nodiscard]] std::span<const Object> objects() const { return objects_; }  // by index
    [[nodiscard]] std::span<const Entry> entries() const { return entries_; }   // by key
    [[nodiscard]] const Entry* find(Key key) const;                             // nullptr if there is none
    [[nodiscard]] bool has_object(std::uint16_t index) const;
    [[nodiscard]] std::span<const Entry> entries_of(std::uint16_t index) const;

    /// All entries at their initial values for this node-id.
    [[nodiscard]] Image factory(std::uint8_t node_id) const;

    /// The number at a key, or this where the dictionary has none.
    [[nodiscard]] std::uint64_t number_or(const Image& image, Key key, std::uint64_t otherwise) const;

private:
    std::vector<Object> objects_;
    std::vector<Entry> entries_;
    std::size_t image_size_ = 0;
};

[[nodiscard]] std::uint64_t initial_number(const Entry& entry, std::uint8_t node_id);
[[nodiscard]] std::uint64_t number(const Image& image, const Entry& entry);
void set_number(Image& image, const Entry& entry, std::uint64_t raw);
/// The value as an SDO carries it.
[[nodiscard]] std::span<const std::uint8_t> value(const Image& image, const Entry& entry);
/// The length must be that of the number, or at most the entry's capacity.
void set_value(Image& image, const Entry& entry, std::span<const std::uint8_t> bytes);

}  // namespace interfaces::canopen
