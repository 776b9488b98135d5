#include "interfaces/dbc/layout.hpp"
#include "interfaces/dbc/plan.hpp"
#include "interfaces/dbc/reader.hpp"

#include <algorithm>
#include <set>

namespace interfaces::dbc {

namespace {

constexpr std::size_t most_multiplexors = 16;

bool disjoint(const std::vector<Range>& a, const std::vector<Range>& b) {
    for (const Range& x : a)
        for (const Range& y : b)
            if (x.first <= y.last && y.first <= x.last) return false;
    return true;
}

/// No frame carries both: somewhere above them the same multiplexor selects the one or the other.
bool exclusive(const Message& message, const Signal& a, const Signal& b) {
    for (const Signal* x = &a; x->selector; x = &message.signals[*x->selector])
        for (const Signal* y = &b; y->selector; y = &message.signals[*y->selector])
            if (*x->selector == *y->selector && disjoint(x->selected_by, y->selected_by)) return true;
    return false;
}

bool overlap(const Signal& a, const Signal& b) {
    const Layout x = layout(a), y = layout(b);
    const std::uint32_t end = std::min(x.first + x.count, y.first + y.count);
    for (std::uint32_t byte = std::max(x.first, y.first); byte < end; ++byte)
        if (mask_in_byte(a, byte) & mask_in_byte(b, byte)) return true;
    return false;
}

}  // namespace

void Reader::finish() {
    for (std::size_t i = 0; i < database_.messages.size(); ++i) {
        finish_multiplexing(i);
        if (!index_[i].independent) finish_message(database_.messages[i]);
    }
    std::size_t i = 0;
    std::erase_if(database_.messages, [&](const Message&) { return index_[i++].independent; });
    finish_nodes();
    check_ids();
    std::stable_sort(database_.remarks.begin(), database_.remarks.end(),
                     [](const Remark& a, const Remark& b) { return a.line < b.line; });
}

/// Messages and signals name nodes by their cut names.
void Reader::finish_nodes() {
    std::map<std::string, std::string> full;
    for (Node& node : database_.nodes) {
        const std::string cut = node.name;
        finish_name(node.name, node.attributes, "SystemNodeLongSymbol");
        if (node.name != cut) full.emplace(cut, node.name);
    }
    if (full.empty()) return;
    const auto rename = [&](std::string& name) {
        if (const auto found = full.find(name); found != full.end()) name = found->second;
    };
    for (Message& message : database_.messages) {
        rename(message.sender);
        std::for_each(message.further_senders.begin(), message.further_senders.end(), rename);
        for (Signal& signal : message.signals) std::for_each(signal.receivers.begin(), signal.receivers.end(), rename);
    }
}

void Reader::finish_message(Message& message) {
    if (const Attribute* cycle = effective(message.attributes, "GenMsgCycleTime"); cycle && cycle->number > 0)
        message.cycle_time = cycle->number / 1000;
    if (const Attribute* format = effective(message.attributes, "VFrameFormat")) {
        // By number where an old file has no choices.
        message.fd = format->text.ends_with("CAN_FD") || (format->text.empty() && format->number >= 14);
        message.j1939 =
            message.extended && (format->text == "J1939PG" || (format->text.empty() && format->number == 3));
    }
    if (message.size > 8 && message.size <= 64 && !message.j1939) message.fd = true;
    if (const Attribute* fast = effective(message.attributes, "CANFD_BRS"); fast && message.fd)
        message.bit_rate_switch = fast->text == "1" || (fast->text.empty() && fast->number == 1);
    for (Signal& signal : message.signals)
        if (const Attribute* start = effective(signal.attributes, "GenSigStartValue")) signal.initial = start->number;
    check_overlap(message);
    for (Signal& signal : message.signals) finish_name(signal.name, signal.attributes, "SystemSignalLongSymbol");
    finish_name(message.name, message.attributes, "SystemMessageLongSymbol");
}

/// Names of more than 32 letters stand in an attribute, the name itself is cut.
void Reader::finish_name(std::string& name, const std::vector<Attribute>& own, const std::string& attribute) const {
    if (const Attribute* full = find(own, attribute); full && !full->text.empty()) name = full->text;
}

void Reader::finish_multiplexing(std::size_t i) {
    Message& message = database_.messages[i];
    const std::vector<Multiplexing>& all = index_[i].multiplexing;
    std::optional<std::uint32_t> root;
    bool several = false;
    for (std::uint32_t k = 0; k < message.signals.size(); ++k) {
        if (!message.signals[k].multiplexor || all[k].selected) continue;
        several = root.has_value();
        root = k;
    }
    for (std::uint32_t k = 0; k < message.signals.size(); ++k) {
        Signal& signal = message.signals[k];
        if (!all[k].selected) continue;
        if (!all[k].selector.empty()) {
            signal.selector = index_[i].signals.at(all[k].selector);
            signal.selected_by = all[k].ranges;
        } else if (several) {
            cursor_.fail(all[k].line, "message '" + message.name +
                                          "' has several multiplexors, and no SG_MUL_VAL_ says which one selects '" +
                                          signal.name + "'");
        } else if (root) {
            signal.selector = root;
        } else {
            remark(all[k].line, "signal '" + signal.name + "' is multiplexed, but message '" + message.name +
                                    "' has no multiplexor: it is taken to be always there");
        }
        if (signal.selector && signal.selected_by.empty()) signal.selected_by = {{all[k].value, all[k].value}};
        if (signal.selector) message.signals[*signal.selector].multiplexor = true;
    }
    for (const Signal& signal : message.signals) {
        std::size_t depth = 0;
        for (const Signal* at = &signal; at->selector; at = &message.signals[*at->selector])
            if (++depth > most_multiplexors)
                cursor_.fail(signal.line, "more than 16 multiplexors in a row select signal '" + signal.name +
                                              "', or it selects itself");
    }
}

void Reader::check_ids() {
    std::map<std::pair<std::uint32_t, bool>, const Message*> seen;
    std::map<std::uint32_t, const Message*> groups;
    std::set<std::string> names;
    for (const Message& message : database_.messages) {
        const auto [first, is_new] = seen.emplace(std::pair(message.id, message.extended), &message);
        if (!is_new)
            remark(message.line, "messages '" + first->second->name + "' and '" + message.name +
                                     "' have the same identifier: the first one counts");
        if (!names.insert(message.name).second)
            remark(message.line, "there are two messages '" + message.name + "': the name means the first one");
        if (!is_new || !message.j1939) continue;
        const auto [other, is_first] = groups.emplace(parameter_group(message.id), &message);
        if (!is_first)
            remark(message.line, "messages '" + other->second->name + "' and '" + message.name +
                                     "' have the same parameter group: the source address tells them apart, and frames "
                                     "from others are taken for the first");
    }
}

void Reader::check_overlap(const Message& message) {
    for (std::size_t b = 1; b < message.signals.size(); ++b) {
        const Signal& later = message.signals[b];
        const auto hit = std::find_if(
            message.signals.begin(), message.signals.begin() + static_cast<std::ptrdiff_t>(b),
            [&](const Signal& earlier) { return overlap(earlier, later) && !exclusive(message, earlier, later); });
        if (hit == message.signals.begin() + static_cast<std::ptrdiff_t>(b)) continue;
        remark(later.line,
               "signals '" + hit->name + "' and '" + later.name + "' of message '" + message.name + "' share bits");
    }
}

}  // namespace interfaces::dbc
