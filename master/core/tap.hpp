#pragma once

#include "master/base/time.hpp"
#include "master/core/signals.hpp"

namespace master::core {

/// Looks at a run from outside: recorders, views, shared memory. Never slows a step by more than a copy.
class Tap {
public:
    virtual ~Tap() = default;
    virtual void before_step(base::Time, Lanes& /*free_inputs*/) {}  // may write inputs that no wire drives
    virtual void before_event(base::Time, const Signals&) {}         // at a point whose events are handled next
    virtual void on_event(base::Time, const Signals&) {}    // each event iteration, so that bus frames are not lost
    virtual void after_step(base::Time, const Signals&) {}  // also called once at the start, after initialisation
    virtual void after_last_step(base::Time, const Signals&) {}  // where a run ended, unless that was an error
    virtual void finish() {}                                     // the run is over: flush; called also after an error
};

}  // namespace master::core
