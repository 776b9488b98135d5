#pragma once

#include "master/verbs/console.hpp"

namespace master::verbs {

/// Runs `work` and prints all findings, also when it ends with an error; errors that were collected stand for the one
/// that was thrown because of them.
template <typename Work>
int guarded(Console& console, base::Diagnostics& diagnostics, Work work) {
    try {
        const base::Exit exit = work();
        console.show(diagnostics);
        return static_cast<int>(exit);
    } catch (const base::Error& error) {
        console.show(diagnostics);
        if (!diagnostics.has_errors()) console.show(error);
        return static_cast<int>(error.exit());
    }
}

}  // namespace master::verbs
