#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace master::base {

enum class Severity { note, warning, error };

/// One remark about an input: what is ignored, assumed, or wrong.
struct Finding {
    Severity severity = Severity::note;
    std::string code;   // short and stable, e.g. "unit-mismatch"
    std::string where;  // file:line or component
    std::string text;
    bool told = false;  // its reader saw it when it happened
};

/// Collects remarks while files are read and a system is built; equal ones are kept once.
/// Errors are collected too, so that a user sees all of them at once; `throw_if_errors` ends the work.
class Diagnostics {
public:
    void note(std::string code, std::string where, std::string text);
    /// What may be wrong: an error when `strict`.
    void warn(std::string code, std::string where, std::string text);
    void error(std::string code, std::string where, std::string text);
    /// The same as `warn` about what the user was told when it happened; said again only as an error.
    void warn_told(std::string code, std::string where, std::string text);

    /// What is not honoured: a note, or an error when `strict`.
    void ignored(std::string code, std::string where, std::string text);

    [[nodiscard]] bool has_errors() const { return errors_ > 0; }
    [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }

    /// Throws the first error (exit code 2); the others stay in `findings`, which are printed before it.
    void throw_if_errors() const;

    bool strict = false;

private:
    void add(Severity severity, std::string code, std::string where, std::string text);

    std::vector<Finding> findings_;
    std::size_t errors_ = 0;
};

/// `, closest match 'x'` or an empty string: the tail of a message about an unknown name.
[[nodiscard]] std::string did_you_mean(std::string_view name, std::span<const std::string> candidates);

}  // namespace master::base
