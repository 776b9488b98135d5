#pragma once

#include "interfaces/dbc/cursor.hpp"
#include "interfaces/dbc/database.hpp"

#include <map>
#include <string>
#include <vector>

namespace interfaces::dbc {

/// Builds a database statement by statement. What a statement refers to stands before it, as every tool writes it.
class Reader {
public:
    Reader(std::string_view text, const std::string& shown) : cursor_(text, shown) {}

    [[nodiscard]] Database read();

private:
    /// How a signal says it is multiplexed on its own line, and what SG_MUL_VAL_ adds.
    struct Multiplexing {
        bool selected = false;
        std::int64_t value = 0;
        std::string selector;  // empty: the only multiplexor of the message
        std::vector<Range> ranges;
        std::size_t line = 0;
    };
    struct MessageIndex {
        std::map<std::string, std::uint32_t, std::less<>> signals;
        std::vector<Multiplexing> multiplexing;  // per signal
        bool independent = false;                // a message that only holds signals without a message
    };
    struct Place {  // of what a comment, attribute or value belongs to; all null where the file has no such object
        AttributeOwner owner = AttributeOwner::network;
        Node* node = nullptr;
        Message* message = nullptr;
        Signal* signal = nullptr;
        bool found = true;
    };

    void read_statement(const std::string& keyword);
    void read_new_symbols();
    void read_nodes();
    void read_message();
    void read_signal();
    void read_signal_layout(Signal& signal);
    void read_senders();
    void read_comment();
    void read_values();
    void read_value_table();
    [[nodiscard]] std::vector<ValueName> read_value_names();
    void read_value_type();
    void read_multiplexing();

    [[nodiscard]] Place read_place();
    [[nodiscard]] Message* message_of(std::uint32_t file_id);
    /// Its index in the message, or fails: a wrong name here would change how frames are read.
    [[nodiscard]] std::uint32_t signal_of(const Message& message, const std::string& name) const;
    [[nodiscard]] Signal* find_signal(Message& message, const std::string& name);

    void read_attribute_definition();
    void read_attribute_preset();
    void read_attribute();
    [[nodiscard]] AttributeDefinition* definition(const std::string& name);
    [[nodiscard]] Attribute read_attribute_value(const AttributeDefinition& definition);
    [[nodiscard]] const Attribute* effective(const std::vector<Attribute>& own, const std::string& name) const;

    void finish();
    void finish_nodes();
    void finish_message(Message& message);
    void finish_multiplexing(std::size_t message);
    void finish_name(std::string& name, const std::vector<Attribute>& own, const std::string& attribute) const;
    void check_ids();
    void check_overlap(const Message& message);
    void remark(std::size_t line, const std::string& text) { database_.remarks.push_back({line, text}); }

    Cursor cursor_;
    Database database_;
    std::map<std::uint32_t, std::size_t> by_id_;  // of messages, by the number in the file
    std::vector<MessageIndex> index_;             // per message
    std::map<std::string, std::size_t> definitions_;
};

}  // namespace interfaces::dbc
