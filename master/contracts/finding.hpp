#pragma once

#include <string>
#include <vector>

namespace master::contracts {

/// One difference between two interfaces.
struct Finding {
    std::string code;       // what kind of difference: unit, range, missing, ...
    std::string subject;    // COMPONENT.CONNECTOR, or the component
    bool breaking = false;  // else compatible: whoever relies on the other side is still served
    std::string text;
    std::string where;  // of what was found
    std::string expected_where;
    std::string requirement = {};  // id
    std::string accepted = {};     // by whom and why; empty: it is not

    /// By which deviations are accepted.
    [[nodiscard]] std::string id() const { return code + ":" + subject; }
    [[nodiscard]] bool fails() const { return breaking && accepted.empty(); }
};

/// Everything that two interfaces were compared for.
struct Comparison {
    std::string actual, expected;       // files
    bool versions = false;              // two versions of one interface: `expected` is the older one
    std::vector<std::string> compared;  // subjects, in order
    std::vector<Finding> findings;
    std::vector<std::string> unstated;  // what gives values, and states less than it is to promise: a run can tell
    std::vector<std::string> notes;

    [[nodiscard]] std::size_t breaking() const;
    [[nodiscard]] bool passed() const;
};

}  // namespace master::contracts
