#include "master/verbs/run/recorded_view.hpp"

#include "master/view/foxglove/recorded_scene.hpp"
#include "master/view/scene.hpp"

namespace master::verbs {

void RecordedView::ask(const std::filesystem::path& system, std::vector<build::SignalRequest*>& requests,
                       base::Diagnostics& diagnostics) {
    if (!on_) return;
    file_ = view::view_file_of(system, diagnostics);
    diagnostics.throw_if_errors();
    for (view::ViewMachine& machine : file_.machines) requests.push_back(&machine.poses);
    for (view::ViewCloud& cloud : file_.clouds) requests.push_back(&cloud.points);
}

results::RecordedScene RecordedView::scene(build::Simulation& simulation, base::Diagnostics& diagnostics) const {
    if (!on_ || !file_.there) return {};
    base::Diagnostics unsaid;
    return view::recorded_scene(view::make_scene(simulation, file_, 1, viewed_ ? unsaid : diagnostics));
}

}  // namespace master::verbs
