#include "master/fmi/library/process_state.hpp"

#include <clocale>
#include <cstring>
#include <fenv.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace master::fmi {
namespace {

/// Rounding and trap bits in one word; the sticky flags that every division may raise are left out.
unsigned control_word() {
#if defined(__SSE2__)
    constexpr unsigned sticky_flags = 0x3fU;
    return _mm_getcsr() & ~sticky_flags;
#else
    return (static_cast<unsigned>(fegetround()) << 8U) ^ static_cast<unsigned>(fegetexcept());
#endif
}

std::string numeric_locale() {
    const char* name = std::setlocale(LC_NUMERIC, nullptr);
    return name == nullptr ? "C" : name;
}

}  // namespace

FloatingPoint::FloatingPoint() : control_(control_word()) { fegetenv(&environment_); }

bool FloatingPoint::restore() const {
    if (control_word() == control_) return false;
    fesetenv(&environment_);
    return true;
}

ProcessState::ProcessState() : numbers_(numeric_locale()) {
    std::error_code none;
    directory_ = std::filesystem::current_path(none);
    for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], nullptr, &actions_[i]);
}

std::string ProcessState::restore() {
    std::string changed;
    const auto add = [&changed](const char* what) { changed += (changed.empty() ? "" : ", ") + std::string(what); };

    std::error_code failed;
    if (!directory_.empty() && std::filesystem::current_path(failed) != directory_) {
        std::filesystem::current_path(directory_, failed);
        add("the working directory");
    }
    floating_point_changed_ = floating_point_.restore();
    if (floating_point_changed_) add("the floating-point environment");
    if (numeric_locale() != numbers_) {
        std::setlocale(LC_NUMERIC, numbers_.c_str());
        add("the number format (locale)");
    }
    bool signal_changed = false;
    for (std::size_t i = 0; i < signals.size(); ++i) {
        struct sigaction now {};
        sigaction(signals[i], nullptr, &now);
        if (now.sa_handler == actions_[i].sa_handler) continue;
        sigaction(signals[i], &actions_[i], nullptr);
        signal_changed = true;
    }
    if (signal_changed) add("signal handlers");
    return changed;
}

}  // namespace master::fmi
