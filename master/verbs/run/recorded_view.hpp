#pragma once

#include "master/base/diagnostics.hpp"
#include "master/build/simulation.hpp"
#include "master/results/recorder.hpp"
#include "master/view/view_file.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace master::verbs {

/// What a recording for viewers (`--format mcap`) holds beside its columns: the poses and the cloud that the view.xml
/// of the system names.
class RecordedView {
public:
    /// `viewed`: a view is served too, which says what is missing.
    RecordedView(const std::string& format, bool viewed) : on_(format == "mcap"), viewed_(viewed) {}

    /// Before the build: what it has to locate.
    void ask(const std::filesystem::path& system, std::vector<build::SignalRequest*>& requests,
             base::Diagnostics& diagnostics);
    /// After it.
    [[nodiscard]] results::RecordedScene scene(build::Simulation& simulation, base::Diagnostics& diagnostics) const;

private:
    bool on_, viewed_;
    view::ViewFile file_;
};

}  // namespace master::verbs
