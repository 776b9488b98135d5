#include "interfaces/dbc/reader.hpp"
#include "interfaces/text/suggestion.hpp"

#include <algorithm>

namespace interfaces::dbc {

/// [BU_ node | BO_ id | SG_ id signal | EV_ variable]
Reader::Place Reader::read_place() {
    const std::size_t line = cursor_.line();
    const std::string_view kind = cursor_.peek_word();
    if (kind == "BU_") {
        static_cast<void>(cursor_.take_word());
        const std::string name = cursor_.word("the name of a node");
        const auto node = std::find_if(database_.nodes.begin(), database_.nodes.end(),
                                       [&](const Node& known) { return known.name == name; });
        if (node != database_.nodes.end()) return {.owner = AttributeOwner::node, .node = &*node};
        remark(line, "the file has no node '" + name + "'");
        return {.owner = AttributeOwner::node, .found = false};
    }
    if (kind == "BO_" || kind == "SG_") {
        const AttributeOwner owner = kind == "BO_" ? AttributeOwner::message : AttributeOwner::signal;
        static_cast<void>(cursor_.take_word());
        Message* message = message_of(cursor_.unsigned_integer("the identifier of a message", 0xFFFFFFFFu));
        if (owner == AttributeOwner::message) return {.owner = owner, .message = message, .found = message != nullptr};
        const std::string name = cursor_.word("the name of a signal");
        Signal* signal = message ? find_signal(*message, name) : nullptr;
        if (message && !signal) remark(line, "message '" + message->name + "' has no signal '" + name + "'");
        return {.owner = owner, .signal = signal, .found = signal != nullptr};
    }
    if (kind == "EV_") {
        static_cast<void>(cursor_.take_word());
        static_cast<void>(cursor_.word("the name of a variable"));
        return {.owner = AttributeOwner::environment, .found = false};
    }
    return {};
}

AttributeDefinition* Reader::definition(const std::string& name) {
    const auto found = definitions_.find(name);
    return found == definitions_.end() ? nullptr : &database_.definitions[found->second];
}

void Reader::read_attribute_definition() {
    AttributeDefinition made;
    const std::string_view owner = cursor_.peek_word();
    if (owner == "BU_") made.owner = AttributeOwner::node;
    if (owner == "BO_") made.owner = AttributeOwner::message;
    if (owner == "SG_") made.owner = AttributeOwner::signal;
    if (owner == "EV_") made.owner = AttributeOwner::environment;
    if (made.owner != AttributeOwner::network) static_cast<void>(cursor_.take_word());
    made.name = cursor_.quoted("the name of an attribute");
    const std::string type = cursor_.word("the type of an attribute");
    if (type == "INT" || type == "HEX" || type == "FLOAT") {
        made.type = type == "FLOAT" ? AttributeType::real : AttributeType::integer;
        if (!cursor_.next_is(';')) {
            made.minimum = cursor_.number("the minimum of an attribute");
            made.maximum = cursor_.number("the maximum of an attribute");
        }
    } else if (type == "ENUM") {
        made.type = AttributeType::choice;
        while (cursor_.next_is_quoted()) {
            made.choices.push_back(cursor_.quoted("a choice"));
            cursor_.skip(',');
        }
    } else if (type != "STRING") {
        cursor_.fail("attribute '" + made.name + "' has the type '" + type + "'" +
                     interfaces::text::suggestion(type, {"INT", "HEX", "FLOAT", "STRING", "ENUM"}));
    }
    cursor_.expect(';', "the definition of an attribute");
    definitions_.insert_or_assign(made.name, database_.definitions.size());
    database_.definitions.push_back(std::move(made));
}

void Reader::read_attribute_preset() {
    const std::size_t line = cursor_.line();
    const std::string name = cursor_.quoted("the name of an attribute");
    AttributeDefinition* known = definition(name);
    Attribute value = read_attribute_value(known ? *known : AttributeDefinition{.name = name});
    cursor_.expect(';', "the value of an attribute");
    if (known) {
        known->preset = std::move(value);
    } else {
        remark(line, "the preset of an attribute '" + name + "' that is not defined");
    }
}

void Reader::read_attribute() {
    const std::size_t line = cursor_.line();
    const std::string name = cursor_.quoted("the name of an attribute");
    const Place place = read_place();
    const AttributeDefinition* known = definition(name);
    if (!known) remark(line, "attribute '" + name + "' is not defined");
    Attribute value = read_attribute_value(known ? *known : AttributeDefinition{.name = name});
    cursor_.expect(';', "the value of an attribute");
    if (!place.found) return;
    std::vector<Attribute>& owner = place.signal    ? place.signal->attributes
                                    : place.message ? place.message->attributes
                                    : place.node    ? place.node->attributes
                                                    : database_.attributes;
    owner.push_back(std::move(value));
}

Attribute Reader::read_attribute_value(const AttributeDefinition& definition) {
    Attribute value{.name = definition.name};
    if (cursor_.next_is_quoted()) {
        value.text = cursor_.quoted("the value of an attribute");
        const auto choice = std::find(definition.choices.begin(), definition.choices.end(), value.text);
        if (choice != definition.choices.end()) value.number = static_cast<double>(choice - definition.choices.begin());
        return value;
    }
    value.number = cursor_.number("the value of an attribute");
    const auto& choices = definition.choices;
    if (value.number >= 0 && value.number < static_cast<double>(choices.size()))
        value.text = choices[static_cast<std::size_t>(value.number)];
    return value;
}

/// An object's own value, or else the preset.
const Attribute* Reader::effective(const std::vector<Attribute>& own, const std::string& name) const {
    if (const Attribute* found = find(own, name)) return found;
    const auto known = definitions_.find(name);
    if (known == definitions_.end()) return nullptr;
    const std::optional<Attribute>& preset = database_.definitions[known->second].preset;
    return preset ? &*preset : nullptr;
}

}  // namespace interfaces::dbc
