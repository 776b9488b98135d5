#pragma once

#include "master/core/signal_ref.hpp"

#include <string>

namespace master::results {

/// The unit that people want to see a signal in: shown = gain * value + offset.
struct ShownUnit {
    std::string name;
    double gain = 1, offset = 0;
};

/// A parameter or start value of a run, which has one value for all of it.
struct Constant {
    std::string name;
    std::string unit;
    std::string description;
    double value = 0;
    bool rounded = false;  // an integer that a double cannot hold
};

/// One recorded scalar: where it lies, and what a reader of the result wants to know about it.
struct Column {
    std::string name;  // component.variable, arrays as name[i] or name[i,j] counted from 1
    std::string unit;
    std::string description;
    core::SignalRef signal;
    bool fixed = false;    // a parameter or constant
    ShownUnit shown = {};  // where it differs from `unit`
};

}  // namespace master::results
