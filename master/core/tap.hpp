#pragma once

#include "master/base/time.hpp"
#include "master/core/signals.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace master::core {

/// One recorded scalar: where it lies in `Signals`, and what a reader of the result wants to know about it.
struct Column {
    std::string name;  // component.variable, arrays as name[i] or name[i,j] counted from 1
    std::string unit;
    std::string description;
    Type type = Type::real;
    bool input = false;  // in Signals::inputs, else in Signals::outputs
    std::uint32_t index = 0;
    bool fixed = false;  // a parameter or constant
};

/// Looks at a run from outside: recorders, views, shared memory. Never slows a step by more than a copy.
class Tap {
public:
    virtual ~Tap() = default;
    virtual void before_step(base::Time, Lanes& /*free_inputs*/) {}  // may write inputs that no wire drives
    virtual void on_event(base::Time, const Signals&) {}    // each event iteration, so that bus frames are not lost
    virtual void after_step(base::Time, const Signals&) {}  // also called once at the start, after initialisation
    virtual void finish() {}                                // the run is over: flush; called also after an error
};

}  // namespace master::core
