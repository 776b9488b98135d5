#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace probe {

/// What is to be tried out on one unit, as the importer read it from the model description.
struct Request {
    std::string library, first, token, resources;
    int version = 2;  // of FMI
    bool model_exchange = false;
    bool event_mode = false, early_return = false;  // co-simulation of FMI 3: to be used as a run would
    double start = 0, step = 0.01, tolerance = 0;
    std::vector<std::uint32_t> outputs;         // real outputs, compared after a restored state
    std::uint32_t states = 0;                   // continuous states
    std::vector<std::uint32_t> unknown, known;  // one pair for a directional derivative
    bool movable = true;                        // the known may be set to compare with a difference quotient
    bool save = false, serialize = false, derivatives = false;  // what the unit claims
};

/// Lines of "name value" from the standard input.
[[nodiscard]] Request read_request();

/// Where answers go: a descriptor of its own, because foreign code prints. Each line is out before the next call.
class Answers {
public:
    explicit Answers(int descriptor) : descriptor_(descriptor) {}
    void say(const std::string& name, const std::string& value) const;
    /// What comes next, so that the parent knows where this process died.
    void stage(const std::string& what) const { say("stage", what); }

private:
    int descriptor_;
};

/// What the unit said last, for its failure; a copy, never formatted.
void keep_message(const char* text);
[[nodiscard]] std::string kept_message();

/// Tries a unit of the opened library; returns what the process returns: 0 when it could be instantiated.
int try_unit(const Request& request, void* library, const Answers& answers);

}  // namespace probe
