#include "master/view/scene.hpp"

#include "interfaces/machine_file/machine_file.hpp"
#include "master/base/json.hpp"
#include "master/base/patterns.hpp"
#include "master/build/requests/locate.hpp"
#include "master/view/description/scene_json.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace master::view {
namespace {

using base::Json;

const char* type_name(core::Type type) {
    constexpr std::array names{"real", "integer", "natural", "boolean", "bytes", "string", "clock"};
    return names[core::index_of(type)];
}

const char* causality_name(core::Causality causality) {
    constexpr std::array names{"structuralParameter", "parameter", "calculatedParameter", "input", "output", "local",
                               "independent"};
    return names[static_cast<std::size_t>(causality)];
}

const char* hold_name(core::Hold hold) {
    constexpr std::array names{"automatic", "constant", "compensated", "linear"};
    return names[static_cast<std::size_t>(hold)];
}

class SceneMaker {
public:
    SceneMaker(build::Simulation& simulation, const ViewFile& view, base::Diagnostics& diagnostics)
        : simulation_(simulation), parts_(simulation.parts), view_(view), diagnostics_(diagnostics) {}

    MadeScene make(std::uint32_t run) {
        add_columns();
        add_inputs();
        Json view = view_.there ? shown() : Json();  // adds signals
        made_.scene.buses = runs::can_buses(simulation_);
        Json buses = Json::array();
        for (const runs::CanBus& bus : made_.scene.buses) buses.push_back(bus.name);
        const build::Timing& timing = simulation_.timing;
        const base::Timebase timebase = timing.timebase;
        Json document{{"protocol", 1},
                      {"name", parts_.description.name},
                      {"title", view_.title.empty() ? parts_.description.name : view_.title},
                      {"version", TANDEM_VERSION},
                      {"mode", "live"},
                      {"start", timebase.seconds(timing.start)},
                      {"stop", timebase.seconds(timing.stop)},
                      {"step", timebase.seconds(*std::ranges::min_element(timing.periods))},
                      {"run", run},
                      {"streams", {parts_.description.name}},
                      {"signals", std::move(signals_)},
                      {"arrays", std::move(arrays_)},
                      {"components", components()},
                      {"wires", wires()},
                      {"boundary", boundary()},
                      {"buses", std::move(buses)},
                      {"view", std::move(view)}};
        made_.catalogue.json = base::json_text(std::move(document));
        return std::move(made_);
    }

private:
    std::uint32_t add_scalar(const Scene::Scalar& scalar, Json description) {
        const auto index = static_cast<std::uint32_t>(made_.scene.scalars.size());
        known_.try_emplace(description["name"].get<std::string>(), index);
        made_.scene.scalars.push_back(scalar);
        signals_.push_back(std::move(description));
        return index;
    }

    static void show_unit(Json& signal, const results::ShownUnit& shown) {
        if (!shown.name.empty())
            signal["shown"] = {{"unit", shown.name}, {"factor", shown.gain}, {"offset", shown.offset}};
    }

    void add_columns() {
        std::map<std::string, const core::Variable*> variables;
        for (std::size_t i = 0; i < parts_.components.size(); ++i)
            for (const core::Variable& variable : parts_.components[i].info->variables)
                variables.emplace(parts_.plan.units[i].name + "." + variable.name, &variable);
        const std::string only = parts_.plan.units.empty() ? "" : parts_.plan.units.front().name + ".";
        for (const results::Column& column : simulation_.columns) {
            if (!core::is_number(column.signal.type)) continue;
            Json signal{{"name", column.name}, {"unit", column.unit}, {"type", type_name(column.signal.type)}};
            const std::string whole = column.name.substr(0, column.name.find('['));
            auto found = variables.find(whole);
            if (found == variables.end()) found = variables.find(only + whole);
            if (found != variables.end()) {
                signal["causality"] = causality_name(found->second->causality);
                if (found->second->minimum) signal["min"] = *found->second->minimum;
                if (found->second->maximum) signal["max"] = *found->second->maximum;
            }
            if (!column.description.empty()) signal["description"] = column.description;
            show_unit(signal, column.shown);
            add_scalar({.signal = column.signal}, std::move(signal));
        }
    }

    void add_inputs() {
        for (const build::OpenInput& input : simulation_.open_inputs) {
            const build::LocatedSignal& first = input.targets.front();
            if (first.gain == 0) continue;
            Json signal{{"name", input.name},
                        {"unit", input.unit},
                        {"type", type_name(first.first.type)},
                        {"causality", input.tunable ? "parameter" : "input"},
                        {input.tunable ? "tunable" : "input", true}};
            if (!input.description.empty()) signal["description"] = input.description;
            if (input.minimum) signal["min"] = (*input.minimum - first.offset) / first.gain;
            if (input.maximum) signal["max"] = (*input.maximum - first.offset) / first.gain;
            const Scene::Scalar scalar{
                .signal = first.first, .gain = 1 / first.gain, .offset = -first.offset / first.gain};
            signal["start"] = scalar.gain * core::number(scalar.signal, simulation_.system->signals()) + scalar.offset;
            show_unit(signal, input.shown);
            const std::uint32_t index = add_scalar(scalar, std::move(signal));
            made_.scene.inputs.push_back({input.name, index, input.targets});
            known_[input.name] = index;
        }
    }

    /// The index of a single value; nothing where the system has none.
    std::optional<std::uint32_t> scalar(const build::SignalRequest& request, std::uint32_t element = 0) {
        const build::LocatedSignal* located = request.signal();
        if (located == nullptr || element >= located->size() || !core::is_number(located->first.type))
            return std::nullopt;
        const std::string name =
            located->dimensions.empty() ? request.name : fmt::format("{}[{}]", request.name, element + 1);
        const auto known = known_.find(name);
        if (known != known_.end()) return known->second;
        return add_scalar({.signal = located->first.element(element)},
                          {{"name", name}, {"unit", ""}, {"type", type_name(located->first.type)}});
    }

    void put_scalar(Json& into, const char* key, const build::SignalRequest& request) {
        if (const auto index = scalar(request)) into[key] = *index;
    }

    void put_elements(Json& into, const char* key, const build::SignalRequest& request) {
        if (request.signal() == nullptr) return;
        for (std::uint32_t i = 0; i < request.signal()->size(); ++i) into[key].push_back(*scalar(request, i));
    }

    std::optional<std::uint32_t> array(const build::SignalRequest& request, bool fast) {
        const build::LocatedSignal* located = request.signal();
        if (located == nullptr || located->dimensions.empty() || !core::is_number(located->first.type))
            return std::nullopt;
        const auto [known, added] =
            known_arrays_.try_emplace(request.name, static_cast<std::uint32_t>(made_.scene.arrays.size()));
        if (!added) return known->second;
        made_.scene.arrays.push_back(
            {.first = located->first, .size = static_cast<std::uint32_t>(located->size()), .fast = fast});
        arrays_.push_back({{"name", request.name},
                           {"unit", ""},
                           {"dimensions", located->dimensions},
                           {"type", type_name(located->first.type)}});
        return known->second;
    }

    /// What the quantity is now, at the start.
    void put_quantity(Json& into, const char* key, const Quantity& quantity) const {
        const build::LocatedSignal* located = quantity.signal.signal();
        into[key] = located == nullptr ? quantity.number : build::number(*located, simulation_.system->signals());
    }
    /// False where it names a variable that the system does not have.
    static bool is_known(const Quantity& quantity) {
        return quantity.signal.name.empty() || quantity.signal.signal() != nullptr;
    }

    Json shown() {
        Json view = Json::object();
        view["machines"] = Json::array();
        for (const ViewMachine& machine : view_.machines) add_machine(view["machines"], machine);
        for (const ViewWall& wall : view_.walls) add_wall(view, wall);
        for (const ViewCloud& cloud : view_.clouds) add_cloud(view, cloud);
        for (const ViewEdge& edge : view_.edges) add_edge(view, edge);
        for (const ViewLidar& lidar : view_.lidars) add_lidar(view, lidar);
        for (const ViewTool& tool : view_.tools) {
            Json& shown = view["tool"] = {{"machine", tool.machine}};
            put_elements(shown, "pose", tool.pose);
            put_elements(shown, "box", tool.box);
            put_scalar(shown, "collision", tool.collision);
            put_scalar(shown, "inside", tool.inside);
            if (is_known(tool.offset) && (tool.offset.signal.signal() != nullptr || !std::isnan(tool.offset.number)))
                put_quantity(shown, "offset", tool.offset);
        }
        view["cameras"] = cameras_json(view_.cameras);
        for (const ViewCamera& camera : view_.cameras) warn_of_unknown(camera);
        warn_of_unknown_variables();
        for (const ViewOperator& driven : view_.operators) add_operator(view, driven);
        add_plots(view);
        view["files"] = Json::array();
        for (const auto& [name, content] : made_.catalogue.files) view["files"].push_back(name);
        return view;
    }

    /// The URDF, and where messages say that it is.
    std::filesystem::path urdf_of(const ViewMachine& machine) const {
        if (machine.component.empty()) return machine.file;
        const auto unit = std::ranges::find(parts_.plan.units, machine.component, &core::PlannedUnit::name);
        if (unit == parts_.plan.units.end()) return {};
        const auto* fmu = parts_.components[static_cast<std::size_t>(unit - parts_.plan.units.begin())].fmu;
        return fmu == nullptr ? std::filesystem::path() : fmu->folder() / "resources" / "machine.urdf";
    }

    void add_machine(Json& machines, const ViewMachine& machine) {
        const std::filesystem::path file = urdf_of(machine);
        if (file.empty()) return;  // another system's
        const std::string name = (machine.component.empty() ? file.stem().string() : machine.component) + ".urdf";
        const std::optional<std::string> urdf = add_machine_files(machine, file, name, made_.catalogue, diagnostics_);
        if (!urdf) return;
        Json shown{{"name", machine.name}, {"urdf", "files/" + name}};
        try {
            std::vector<std::string> links;
            for (const auto& link : interfaces::machine_file::parse(*urdf, file.string()).links)
                links.push_back(link.name);
            if (const auto poses = array(machine.poses, true);
                poses && made_.scene.arrays[*poses].size == 7 * links.size()) {
                shown["poses"] = *poses;
                poses_[machine.name] = *poses;
            }
            shown["links"] = links;
            links_[machine.name] = std::move(links);
        } catch (const interfaces::machine_file::Error& error) {
            // A description that other programs made may lack what a simulation needs; joints show it all the same.
            if (!machine.poses.name.empty())
                diagnostics_.warn("bad-machine", machine.where,
                                  fmt::format("{}; poses do not move the machine", error.what()));
        }
        const UrdfNames names = names_in(*urdf);
        for (const ViewMachine::Joint& joint : machine.joints)
            if (std::ranges::find(names.joints, joint.name) == names.joints.end())
                diagnostics_.warn("unknown-name", machine.where,
                                  fmt::format("machine '{}' has no joint '{}'{}", machine.name, joint.name,
                                              base::did_you_mean(joint.name, names.joints)));
        names_[machine.name] = names;
        shown["joints"] = Json::object();
        for (const ViewMachine::Joint& joint : machine.joints)
            if (const auto signal = scalar(joint.signal))
                shown["joints"][joint.name] = {{"signal", *signal}, {"factor", joint.factor}, {"offset", joint.offset}};
        machines.push_back(std::move(shown));
    }

    void warn_of_unknown(const ViewCamera& camera) const {
        std::vector<std::string> machines;
        machines.reserve(view_.machines.size());
        for (const ViewMachine& each : view_.machines) machines.push_back(each.name);
        if (!camera.machine.empty() && std::ranges::find(machines, camera.machine) == machines.end())
            diagnostics_.warn("unknown-name", view_.where,
                              fmt::format("camera '{}': there is no machine '{}'{}", camera.name, camera.machine,
                                          base::did_you_mean(camera.machine, machines)));
        const auto machine = names_.find(camera.machine);
        if (machine == names_.end() || camera.link.empty()) return;
        const auto& links = machine->second.links;
        if (std::ranges::find(links, camera.link) == links.end())
            diagnostics_.warn("unknown-name", view_.where,
                              fmt::format("camera '{}': machine '{}' has no link '{}'{}", camera.name, camera.machine,
                                          camera.link, base::did_you_mean(camera.link, links)));
    }

    /// One file may serve several systems, which have not all components; of one that is there, a wrong name is a
    /// mistake.
    void warn_of_unknown_variables() const {
        for (const build::SignalRequest* request : view_.requests()) {
            if (request->signal() != nullptr) continue;
            for (std::size_t i = 0; i < parts_.plan.units.size(); ++i) {
                const std::string owner = parts_.plan.units[i].name + ".";
                if (!request->name.starts_with(owner)) continue;
                std::vector<std::string> known;
                for (const core::Variable& each : parts_.components[i].info->variables) known.push_back(each.name);
                const std::string name = request->name.substr(owner.size());
                diagnostics_.warn("unknown-name", view_.where,
                                  fmt::format("component '{}' has no variable '{}'{}", parts_.plan.units[i].name, name,
                                              base::did_you_mean(name, known)));
            }
        }
    }

    /// The same for a pattern of a plot; what is there but not recorded is no mistake.
    void warn_of_unmatched(const report::WishedPlot& plot, const std::string& pattern) const {
        bool owned = false;
        std::vector<std::string> known;
        for (std::size_t i = 0; i < parts_.plan.units.size(); ++i) {
            const std::string& owner = parts_.plan.units[i].name;
            for (std::size_t dot = pattern.find('.'); dot != std::string::npos; dot = pattern.find('.', dot + 1))
                owned = owned || base::matches(pattern.substr(0, dot), owner);
            for (const core::Variable& each : parts_.components[i].info->variables)
                known.push_back(owner + "." + each.name);
        }
        const auto fits = [&](const std::string& name) { return base::matches(pattern, name); };
        if (!owned || std::ranges::any_of(known, fits)) return;
        diagnostics_.warn("unknown-name", view_.where,
                          fmt::format("plot '{}': '{}' matches no signal{}", plot.title, pattern,
                                      base::did_you_mean(pattern, known)));
    }

    void add_wall(Json& view, const ViewWall& wall) {
        if (!is_known(wall.radius) || !is_known(wall.span)) return;
        Json shown = Json::object();
        if (const auto heights = array(wall.heights, false)) shown["heights"] = *heights;
        put_quantity(shown, "radius", wall.radius);
        put_quantity(shown, "thickness", wall.thickness);
        put_quantity(shown, "start", wall.start);
        put_quantity(shown, "span", wall.span);
        put_quantity(shown, "base", wall.base);
        put_quantity(shown, "height", wall.height);
        put_quantity(shown, "floor", wall.floor);
        view["wall"] = std::move(shown);
    }

    void add_cloud(Json& view, const ViewCloud& cloud) {
        const build::LocatedSignal* points = cloud.points.signal();
        if (points == nullptr || points->first.type != core::Type::bytes) return;
        Scene::Cloud gathered{.points = points->first, .pose = {}};
        const auto poses = poses_.find(cloud.machine);
        if (poses != poses_.end()) {
            const auto& links = links_[cloud.machine];
            const auto link = std::ranges::find(links, cloud.sensor);
            const Scene::Array& rows = made_.scene.arrays[poses->second];
            if (link != links.end() && rows.first.type == core::Type::real)
                gathered.pose = rows.first.element(static_cast<std::uint32_t>(7 * (link - links.begin())));
        }
        made_.scene.cloud = gathered;
        view["cloud"] = {{"machine", cloud.machine}, {"sensor", cloud.sensor}};
    }

    void add_edge(Json& view, const ViewEdge& edge) {
        const auto heights = array(edge.heights, false);
        if (!heights) return;
        Json shown{{"heights", *heights}, {"machine", edge.machine}, {"frame", edge.frame}};
        if (const auto valid = array(edge.valid, false)) shown["valid"] = *valid;
        put_quantity(shown, "radius", edge.radius);
        put_quantity(shown, "start", edge.start);
        put_quantity(shown, "span", edge.span);
        view["edge"] = std::move(shown);
    }

    void add_lidar(Json& view, const ViewLidar& lidar) const {
        if (!is_known(lidar.fov)) return;
        Json shown{{"machine", lidar.machine}, {"link", lidar.link}, {"curve", lidar.curve}};
        put_quantity(shown, "fov", lidar.fov);
        put_quantity(shown, "range", lidar.range);
        put_quantity(shown, "first", lidar.first);
        put_quantity(shown, "second", lidar.second);
        put_quantity(shown, "ratio", lidar.ratio);
        view["lidar"] = std::move(shown);
    }

    /// Only where the system is driven by hand: every axis is a free input.
    void add_operator(Json& view, const ViewOperator& driven) {
        Json shown = operator_json(driven);
        for (const ViewOperator::Axis& axis : driven.axes) {
            const auto input = std::ranges::find(made_.scene.inputs, axis.input, &Scene::Input::name);
            if (input == made_.scene.inputs.end()) return;
            shown["axes"].push_back(
                {{"name", axis.name}, {"input", input->signal}, {"least", axis.least}, {"most", axis.most}});
        }
        view["operator"] = std::move(shown);
    }

    void add_plots(Json& view) const {
        view["plots"] = Json::array();
        for (const report::WishedPlot& plot : view_.plots) {
            Json indices = Json::array();
            std::set<std::string> unmatched(plot.patterns.begin(), plot.patterns.end());
            for (std::size_t i = 0; i < signals_.size(); ++i) {
                const auto& name = signals_[i]["name"].get_ref<const std::string&>();
                const auto fits = [&](const auto& each) { return base::matches(each, name); };
                if (std::ranges::any_of(plot.patterns, fits)) indices.push_back(i);
                std::erase_if(unmatched, fits);
            }
            for (const std::string& pattern : unmatched) warn_of_unmatched(plot, pattern);
            if (!indices.empty()) view["plots"].push_back({{"title", plot.title}, {"signals", std::move(indices)}});
        }
    }

    Json components() const {
        Json all = Json::array();
        for (std::size_t i = 0; i < parts_.plan.units.size(); ++i) {
            const core::UnitInfo& info = *parts_.components[i].info;
            Json component{
                {"name", parts_.plan.units[i].name},
                {"kind", info.fmi_version.empty() ? info.interface : "FMI " + info.fmi_version + " " + info.interface},
                {"model", info.model_name},
                {"step", simulation_.timing.timebase.seconds(simulation_.timing.periods[i])}};
            if (i < parts_.description.components.size()) component["source"] = parts_.description.components[i].shown;
            all.push_back(std::move(component));
        }
        return all;
    }

    [[nodiscard]] const core::Variable& variable(const core::Endpoint& end) const {
        return parts_.components[end.unit].info->variables[end.variable];
    }

    [[nodiscard]] std::string name_of(const core::Endpoint& end) const {
        return parts_.plan.units[end.unit].name + "." + variable(end).name;
    }

    void put_signal(Json& into, const std::string& name) const {
        auto known = known_.find(name);
        if (known == known_.end()) known = known_.find(name + "[1]");
        if (known != known_.end()) into["signal"] = known->second;
    }

    Json wires() const {
        Json all = Json::array();
        const auto couplings = simulation_.system->couplings();
        for (std::size_t i = 0; i < parts_.plan.wires.size(); ++i) {
            const core::PlannedWire& planned = parts_.plan.wires[i];
            Json wire{{"from", parts_.plan.units[planned.from.unit].name},
                      {"fromName", variable(planned.from).name},
                      {"to", parts_.plan.units[planned.to.unit].name},
                      {"toName", variable(planned.to).name},
                      {"label", planned.label},
                      {"count", planned.count}};
            if (i < couplings.size()) {
                wire["hold"] = couplings[i].continuous ? hold_name(couplings[i].hold) : "sampled";
                wire["order"] = couplings[i].continuous ? couplings[i].order : 0;
            }
            if (!planned.bond.empty()) wire["bond"] = planned.bond;
            put_signal(wire, name_of(planned.from));
            all.push_back(std::move(wire));
        }
        for (const core::BoundaryPort& port : parts_.plan.boundary) {
            if (parts_.description.boundary.empty() ||
                std::ranges::find(parts_.description.boundary, port.name, &ssp::Connector::name) ==
                    parts_.description.boundary.end())
                continue;  // a free input that no connector leads to
            const std::string& unit = parts_.plan.units[port.inner.unit].name;
            Json wire{{"from", port.input ? "" : unit},
                      {"fromName", port.input ? port.name : variable(port.inner).name},
                      {"to", port.input ? unit : ""},
                      {"toName", port.input ? variable(port.inner).name : port.name},
                      {"label", port.name},
                      {"count", port.count}};
            put_signal(wire, port.input ? port.name : name_of(port.inner));
            all.push_back(std::move(wire));
        }
        return all;
    }

    Json boundary() const {
        Json all = Json::array();
        for (const core::BoundaryPort& port : parts_.plan.boundary)
            all.push_back({{"name", port.name}, {"input", port.input}});
        return all;
    }

    build::Simulation& simulation_;
    const build::Parts& parts_;
    const ViewFile& view_;
    base::Diagnostics& diagnostics_;
    MadeScene made_;
    Json signals_ = Json::array(), arrays_ = Json::array();
    std::map<std::string, std::uint32_t> known_, known_arrays_;
    std::map<std::string, std::uint32_t> poses_;             // arrays of machines
    std::map<std::string, std::vector<std::string>> links_;  // of machines
    std::map<std::string, UrdfNames> names_;                 // of machines
};

}  // namespace

MadeScene make_scene(build::Simulation& simulation, const ViewFile& view, std::uint32_t run,
                     base::Diagnostics& diagnostics) {
    return SceneMaker(simulation, view, diagnostics).make(run);
}

}  // namespace master::view
