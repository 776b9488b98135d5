#pragma once

#include "master/core/signal_ref.hpp"

#include <string>

namespace master::results {

/// One recorded scalar: where it lies, and what a reader of the result wants to know about it.
struct Column {
    std::string name;  // component.variable, arrays as name[i] or name[i,j] counted from 1
    std::string unit;
    std::string description;
    core::SignalRef signal;
    bool fixed = false;  // a parameter or constant
};

}  // namespace master::results
