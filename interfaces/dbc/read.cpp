#include "interfaces/dbc/read.hpp"

#include "interfaces/dbc/layout.hpp"
#include "interfaces/dbc/reader.hpp"
#include "interfaces/text/suggestion.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <set>

namespace interfaces::dbc {

namespace {

constexpr std::uint32_t extended_flag = 0x80000000u;
constexpr std::uint32_t largest_message = 2048;  // bytes; the transport of J1939 carries 1785
constexpr std::size_t most_signals = 4096;       // of one message
constexpr std::size_t most_ranges = 1024;        // of one signal

/// What stands before a name that is none.
constexpr std::string_view nobody = "Vector__XXX";

/// The name of a message that holds signals without a message.
constexpr std::string_view without_message = "VECTOR__INDEPENDENT_SIG_MSG";

/// Statements about things that no frame shows.
const std::vector<std::string> passed_over{
    "EV_",           "EV_DATA_",   "ENVVAR_DATA_",     "SGTYPE_",     "SGTYPE_VAL_", "BA_DEF_SGTYPE_",  "BA_SGTYPE_",
    "SIG_TYPE_REF_", "SIG_GROUP_", "SIGTYPE_VALTYPE_", "BA_DEF_REL_", "BA_REL_",     "BA_DEF_DEF_REL_", "BU_SG_REL_",
    "BU_EV_REL_",    "BU_BO_REL_", "CAT_DEF_",         "CAT_",        "FILTER",      "NS_DESC_"};

const std::vector<std::string> keywords{"VERSION",     "NS_", "BS_",       "BU_",          "VAL_TABLE_",
                                        "BO_",         "SG_", "BO_TX_BU_", "CM_",          "BA_DEF_",
                                        "BA_DEF_DEF_", "BA_", "VAL_",      "SIG_VALTYPE_", "SG_MUL_VAL_"};

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string number_text(double value) {
    std::array<char, 32> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

}  // namespace

const Attribute* find(const std::vector<Attribute>& attributes, const std::string& name) {
    const auto found =
        std::find_if(attributes.begin(), attributes.end(), [&](const Attribute& a) { return a.name == name; });
    return found == attributes.end() ? nullptr : &*found;
}

Database read(std::string_view text, const std::string& shown) {
    if (text.size() > largest_file) throw Error(shown + ":1: the file has more than 64 MiB");
    constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    if (is_utf8(text)) return Reader(text, shown).read();
    const std::string converted = utf8_of_cp1252(text);
    return Reader(converted, shown).read();
}

Database read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    if (!file) throw Error(path + ": cannot be opened");
    if (file.tellg() > static_cast<std::streamoff>(largest_file))
        throw Error(path + ":1: the file has more than 64 MiB");
    file.seekg(0);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    if (file.bad()) throw Error(path + ": cannot be read");
    return read(text, path);
}

Database Reader::read() {
    while (!cursor_.at_end()) {
        if (cursor_.skip(';')) continue;  // of an empty statement
        read_statement(cursor_.word("a statement"));
    }
    finish();
    return std::move(database_);
}

void Reader::read_statement(const std::string& keyword) {
    if (keyword == "VERSION") {
        database_.version = cursor_.quoted("the version");
    } else if (keyword == "NS_") {
        read_new_symbols();
    } else if (keyword == "BS_") {
        cursor_.expect(':', "BS_");
        while (!cursor_.at_line_end()) {  // bit timing, which nobody uses
            static_cast<void>(cursor_.number("a bit timing"));
            if (!cursor_.skip(':')) cursor_.skip(',');
        }
    } else if (keyword == "BU_") {
        read_nodes();
    } else if (keyword == "BO_") {
        read_message();
    } else if (keyword == "SG_") {
        read_signal();
    } else if (keyword == "BO_TX_BU_") {
        read_senders();
    } else if (keyword == "CM_") {
        read_comment();
    } else if (keyword == "VAL_") {
        read_values();
    } else if (keyword == "VAL_TABLE_") {
        read_value_table();
    } else if (keyword == "SIG_VALTYPE_") {
        read_value_type();
    } else if (keyword == "SG_MUL_VAL_") {
        read_multiplexing();
    } else if (keyword == "BA_DEF_") {
        read_attribute_definition();
    } else if (keyword == "BA_DEF_DEF_") {
        read_attribute_preset();
    } else if (keyword == "BA_") {
        read_attribute();
    } else if (contains(passed_over, keyword)) {
        cursor_.skip_statement();
    } else {
        cursor_.fail("unknown statement '" + keyword + "'" + interfaces::text::suggestion(keyword, keywords));
    }
}

/// A list of keywords, each alone on its line.
void Reader::read_new_symbols() {
    cursor_.expect(':', "NS_");
    while (true) {
        const std::string_view word = cursor_.peek_word();
        if (!contains(keywords, word) && !contains(passed_over, word)) return;
        Cursor after = cursor_;
        static_cast<void>(after.take_word());
        if (!after.at_line_end()) return;
        cursor_ = after;
    }
}

void Reader::read_nodes() {
    cursor_.expect(':', "BU_");
    while (true) {
        const std::string_view word = cursor_.peek_word();
        if (word.empty() || contains(keywords, word) || contains(passed_over, word)) return;
        database_.nodes.push_back({.name = std::string(cursor_.take_word())});
        cursor_.skip(',');
    }
}

void Reader::read_message() {
    Message message;
    message.line = cursor_.line();
    const std::uint32_t file_id = cursor_.unsigned_integer("the identifier of a message", 0xFFFFFFFFu);
    message.name = cursor_.word("the name of a message");
    cursor_.expect(':', "the name of a message");
    message.size = static_cast<std::uint16_t>(cursor_.unsigned_integer("the size of a message", largest_message));
    if (!cursor_.at_line_end()) message.sender = cursor_.word("the sender of a message");
    if (message.sender == nobody) message.sender.clear();
    message.extended = (file_id & extended_flag) != 0;
    message.id = file_id & ~extended_flag;
    const bool independent = message.name == without_message;
    if (!independent && message.id > 0x1FFFFFFFu)
        cursor_.fail(message.line, "message '" + message.name + "' has the identifier " + std::to_string(message.id) +
                                       ", expected at most 29 bits");
    if (!independent && !message.extended && message.id > 0x7FFu) {
        remark(message.line, "message '" + message.name + "' has the identifier " + std::to_string(message.id) +
                                 " of more than 11 bits: taken as an extended one");
        message.extended = true;
    }
    if (!by_id_.emplace(file_id, database_.messages.size()).second)
        remark(message.line, "message '" + message.name + "' has the identifier of '" +
                                 database_.messages[by_id_.at(file_id)].name + "': values and comments go to that one");
    database_.messages.push_back(std::move(message));
    index_.push_back({.independent = independent});
}

void Reader::read_signal() {
    const std::size_t line = cursor_.line();
    if (database_.messages.empty()) cursor_.fail(line, "a signal stands before the first message");
    Message& message = database_.messages.back();
    MessageIndex& index = index_.back();
    Signal signal;
    signal.line = line;
    signal.name = cursor_.word("the name of a signal");
    Multiplexing multiplexing{.line = line};
    if (const std::string_view sign = cursor_.take_word(); !sign.empty()) {
        std::string_view number = sign;
        if (number.ends_with('M')) {
            signal.multiplexor = true;
            number.remove_suffix(1);
        }
        if (number.starts_with('m') && number.size() > 1 && number.size() < 12 &&
            number.find_first_not_of("0123456789", 1) == std::string_view::npos) {
            multiplexing.selected = true;
            multiplexing.value = std::stoll(std::string(number.substr(1)));
        } else if (!number.empty()) {
            cursor_.fail(line, "signal '" + signal.name + "' has the multiplexing '" + std::string(sign) +
                                   "', expected M, m and a number, or both");
        }
    }
    read_signal_layout(signal);
    if (index.signals.size() >= most_signals) cursor_.fail(line, "a message has more than 4096 signals");
    if (signal.length > 64) {
        remark(line, "signal '" + signal.name + "' has " + std::to_string(signal.length) +
                         " bits; only up to 64 make a number: left out");
        return;
    }
    if (!index.independent && !fits(signal, message.size))
        cursor_.fail(line, "signal '" + signal.name + "' (start bit " + std::to_string(signal.start) + ", " +
                               std::to_string(signal.length) + " bits) ends outside of message '" + message.name +
                               "', which has " + std::to_string(message.size) + " bytes");
    if (!index.signals.emplace(signal.name, static_cast<std::uint32_t>(message.signals.size())).second) {
        remark(line,
               "message '" + message.name + "' has two signals '" + signal.name + "': the second one is left out");
        return;
    }
    message.signals.push_back(std::move(signal));
    index.multiplexing.push_back(std::move(multiplexing));
}

/// Start|length@order sign (factor,offset) [minimum|maximum] "unit" receivers
void Reader::read_signal_layout(Signal& signal) {
    cursor_.expect(':', "the name of a signal");
    signal.start =
        static_cast<std::uint16_t>(cursor_.unsigned_integer("the start bit of a signal", 8 * largest_message));
    cursor_.expect('|', "the start bit of a signal");
    signal.length = static_cast<std::uint16_t>(cursor_.unsigned_integer("the length of a signal", 8 * largest_message));
    if (signal.length == 0) cursor_.fail("signal '" + signal.name + "' has no bits");
    cursor_.expect('@', "the length of a signal");
    // Not a number: the sign behind it would become part of it.
    if (cursor_.skip('0')) {
        signal.order = ByteOrder::big;
    } else if (!cursor_.skip('1')) {
        cursor_.fail_found("0 or 1, the byte order of a signal");
    }
    if (cursor_.skip('-')) {
        signal.kind = ValueKind::signed_integer;
    } else if (!cursor_.skip('+')) {
        cursor_.fail_found("+ or -, whether a signal has a sign");
    }
    cursor_.expect('(', "the sign of a signal");
    signal.factor = cursor_.number("the factor of a signal");
    cursor_.expect(',', "the factor of a signal");
    signal.offset = cursor_.number("the offset of a signal");
    cursor_.expect(')', "the offset of a signal");
    cursor_.expect('[', "the offset of a signal");
    signal.minimum = cursor_.number("the minimum of a signal");
    cursor_.expect('|', "the minimum of a signal");
    signal.maximum = cursor_.number("the maximum of a signal");
    cursor_.expect(']', "the maximum of a signal");
    if (signal.factor == 0) {
        remark(signal.line, "signal '" + signal.name + "' has the factor 0: taken as 1");
        signal.factor = 1;
    }
    // [0|0] is how tools write that there is none.
    const bool is_none = signal.minimum == 0 && signal.maximum == 0;
    if (!is_none && signal.minimum >= signal.maximum)
        remark(signal.line, "signal '" + signal.name + "' has the range [" + number_text(signal.minimum) + "|" +
                                number_text(signal.maximum) + "], expected the smaller end first: taken as none");
    signal.unit = cursor_.quoted("the unit of a signal");
    bool more = !cursor_.at_line_end();
    while (more) {
        std::string receiver = cursor_.word("the receiver of a signal");
        if (receiver != nobody) signal.receivers.push_back(std::move(receiver));
        more = cursor_.skip(',') || !cursor_.at_line_end();
    }
}

void Reader::read_senders() {
    Message* message = message_of(cursor_.unsigned_integer("the identifier of a message", 0xFFFFFFFFu));
    cursor_.expect(':', "the identifier of a message");
    while (!cursor_.skip(';')) {
        std::string sender = cursor_.word("the sender of a message");
        if (message && sender != nobody && sender != message->sender)
            message->further_senders.push_back(std::move(sender));
        cursor_.skip(',');
    }
}

void Reader::read_comment() {
    const Place place = read_place();
    std::string text = cursor_.quoted("a comment");
    cursor_.expect(';', "a comment");
    if (place.signal) {
        place.signal->comment = std::move(text);
    } else if (place.message) {
        place.message->comment = std::move(text);
    } else if (place.node) {
        place.node->comment = std::move(text);
    } else if (place.owner == AttributeOwner::network) {
        database_.comment = std::move(text);
    }
}

void Reader::read_values() {
    const std::size_t line = cursor_.line();
    const std::string_view first = cursor_.peek_word();
    if (first.find_first_not_of("0123456789") != std::string_view::npos)
        return cursor_.skip_statement();  // environment
    Message* message = message_of(cursor_.unsigned_integer("the identifier of a message", 0xFFFFFFFFu));
    const std::string name = cursor_.word("the name of a signal");
    std::vector<ValueName> values = read_value_names();
    if (!message) return;
    if (Signal* signal = find_signal(*message, name)) {
        signal->values = std::move(values);
    } else {
        remark(line, "values of a signal '" + name + "' that message '" + message->name + "' does not have");
    }
}

void Reader::read_value_table() {
    ValueTable table{.name = cursor_.word("the name of a table")};
    table.values = read_value_names();
    database_.value_tables.push_back(std::move(table));
}

/// Numbers with their names, or the name of a table.
std::vector<ValueName> Reader::read_value_names() {
    std::vector<ValueName> values;
    std::set<std::int64_t> named;
    while (!cursor_.skip(';')) {
        const std::size_t line = cursor_.line();
        const std::string_view word = cursor_.peek_word();
        if (!word.empty() && (word[0] < '0' || word[0] > '9')) {
            const std::string table(cursor_.take_word());
            const auto known = std::find_if(database_.value_tables.begin(), database_.value_tables.end(),
                                            [&](const ValueTable& one) { return one.name == table; });
            if (known != database_.value_tables.end())
                values = known->values;
            else
                remark(line, "the file has no table of values '" + table + "'");
            continue;
        }
        const std::int64_t value = cursor_.integer("a value with a name");
        values.push_back({value, cursor_.quoted("the name of a value")});
        if (!named.insert(value).second)
            remark(line, "value " + std::to_string(value) + " has a second name, '" + values.back().name + "'");
    }
    return values;
}

void Reader::read_value_type() {
    const std::size_t line = cursor_.line();
    Message* message = message_of(cursor_.unsigned_integer("the identifier of a message", 0xFFFFFFFFu));
    const std::string name = cursor_.word("the name of a signal");
    cursor_.skip(':');
    const std::uint32_t type = cursor_.unsigned_integer("the type of a signal", 3);
    cursor_.expect(';', "the type of a signal");
    if (!message) cursor_.fail(line, "the type of signal '" + name + "' of a message that the file does not have");
    Signal& signal = message->signals[signal_of(*message, name)];
    if (type == 0) return;
    const std::uint16_t bits = type == 1 ? 32 : 64;
    if (type == 3 || signal.length != bits)
        cursor_.fail(line, "signal '" + name + "' of " + std::to_string(signal.length) + " bits has the type " +
                               std::to_string(type) + ", expected 1 for 32 bits or 2 for 64");
    signal.kind = type == 1 ? ValueKind::float32 : ValueKind::float64;
}

void Reader::read_multiplexing() {
    const std::size_t line = cursor_.line();
    Message* message = message_of(cursor_.unsigned_integer("the identifier of a message", 0xFFFFFFFFu));
    const std::string name = cursor_.word("the name of a signal");
    const std::string selector = cursor_.word("the name of a multiplexor");
    std::vector<Range> ranges;
    while (!cursor_.skip(';')) {
        Range range;
        range.first = cursor_.unsigned_integer("a value of a multiplexor", 0xFFFFFFFFu);
        cursor_.expect('-', "the first value of a multiplexor");
        range.last = cursor_.unsigned_integer("a value of a multiplexor", 0xFFFFFFFFu);
        ranges.push_back(range);
        if (range.first > range.last)
            remark(line, "signal '" + name + "' is selected by " + std::to_string(range.first) + "-" +
                             std::to_string(range.last) + ", expected the smaller value first: no value selects it");
        if (ranges.size() > most_ranges) cursor_.fail(line, "signal '" + name + "' has more than 1024 ranges");
        cursor_.skip(',');
    }
    if (!message)
        cursor_.fail(line, "the multiplexing of signal '" + name + "' of a message that the file does not have");
    static_cast<void>(signal_of(*message, selector));
    Multiplexing& multiplexing =
        index_[static_cast<std::size_t>(message - database_.messages.data())].multiplexing[signal_of(*message, name)];
    multiplexing.selected = true;
    multiplexing.selector = selector;
    multiplexing.ranges.insert(multiplexing.ranges.end(), ranges.begin(), ranges.end());
    multiplexing.line = line;
}

Message* Reader::message_of(std::uint32_t file_id) {
    const auto found = by_id_.find(file_id);
    if (found != by_id_.end()) return &database_.messages[found->second];
    remark(cursor_.line(), "the file has no message with the identifier " + std::to_string(file_id));
    return nullptr;
}

Signal* Reader::find_signal(Message& message, const std::string& name) {
    const auto& signals = index_[static_cast<std::size_t>(&message - database_.messages.data())].signals;
    const auto found = signals.find(name);
    return found == signals.end() ? nullptr : &message.signals[found->second];
}

std::uint32_t Reader::signal_of(const Message& message, const std::string& name) const {
    const auto& signals = index_[static_cast<std::size_t>(&message - database_.messages.data())].signals;
    if (const auto found = signals.find(name); found != signals.end()) return found->second;
    std::vector<std::string> names;
    names.reserve(message.signals.size());
    for (const Signal& signal : message.signals) names.push_back(signal.name);
    cursor_.fail("message '" + message.name + "' has no signal '" + name + "'" +
                 interfaces::text::suggestion(name, names));
}

}  // namespace interfaces::dbc
