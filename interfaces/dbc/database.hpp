#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

/// Descriptions of bus traffic in DBC files: who sends which message, and where its signals lie.
namespace interfaces::dbc {

/// A DBC file that cannot be used; the text begins with file:line.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

enum class ByteOrder : std::uint8_t { little, big };
enum class ValueKind : std::uint8_t { unsigned_integer, signed_integer, float32, float64 };

/// A raw value with a name.
struct ValueName {
    std::int64_t value = 0;
    std::string name;
};

/// Raw values of a multiplexor, both ends included.
struct Range {
    std::int64_t first = 0, last = 0;

    [[nodiscard]] bool holds(std::int64_t value) const { return first <= value && value <= last; }
};

/// Of one object. `number` is the value of INT, HEX and FLOAT and the index of ENUM, whose text is the chosen one.
struct Attribute {
    std::string name;
    double number = 0;
    std::string text;
};

struct Signal {
    std::string name, unit, comment;
    std::uint16_t start = 0, length = 1;  // bits, counted as in the file
    ByteOrder order = ByteOrder::little;
    ValueKind kind = ValueKind::unsigned_integer;
    double factor = 1, offset = 0;    // physical = raw * factor + offset
    double minimum = 0, maximum = 0;  // physical; nothing is said unless the first is smaller
    double initial = 0;               // raw, GenSigStartValue
    std::vector<std::string> receivers;
    bool multiplexor = false;
    std::optional<std::uint32_t> selector;  // the multiplexor in the same message that selects this signal
    std::vector<Range> selected_by;         // by these raw values of it
    std::vector<ValueName> values;
    std::vector<Attribute> attributes;
    std::size_t line = 0;
};

struct Message {
    std::string name, comment, sender;  // the sender is empty where the file names none
    std::uint32_t id = 0;
    bool extended = false, fd = false, bit_rate_switch = false;
    bool j1939 = false;      // identified by its parameter group; any source address
    std::uint16_t size = 0;  // bytes; above 64 only for messages of a transport protocol
    double cycle_time = 0;   // s, GenMsgCycleTime; 0 is not cyclic
    std::vector<std::string> further_senders;
    std::vector<Signal> signals;
    std::vector<Attribute> attributes;
    std::size_t line = 0;
};

struct Node {
    std::string name, comment;
    std::vector<Attribute> attributes;
};

struct ValueTable {
    std::string name;
    std::vector<ValueName> values;
};

enum class AttributeOwner : std::uint8_t { network, node, message, signal, environment };
enum class AttributeType : std::uint8_t { integer, real, text, choice };

struct AttributeDefinition {
    std::string name;
    AttributeOwner owner = AttributeOwner::network;
    AttributeType type = AttributeType::text;
    double minimum = 0, maximum = 0;
    std::vector<std::string> choices;
    std::optional<Attribute> preset;  // what objects without a value of their own have
};

/// Something odd that does not make the file useless.
struct Remark {
    std::size_t line = 0;
    std::string text;
};

struct Database {
    std::string version, comment;
    std::vector<Node> nodes;
    std::vector<Message> messages;
    std::vector<ValueTable> value_tables;
    std::vector<AttributeDefinition> definitions;
    std::vector<Attribute> attributes;  // of the network
    std::vector<Remark> remarks;
};

/// The attribute by that name, or null.
[[nodiscard]] const Attribute* find(const std::vector<Attribute>& attributes, const std::string& name);

}  // namespace interfaces::dbc
