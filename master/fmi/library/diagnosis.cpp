#include "master/fmi/library/diagnosis.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/error.hpp"
#include "master/base/printable.hpp"
#include "master/fmi/library/elf.hpp"
#include "master/fmi/library/library.hpp"
#include "master/fmi/library/log_relay.hpp"
#include "master/fmi/library/probe.hpp"
#include "master/fmi/library/python_library.hpp"
#include "master/fmi/library/refusals.hpp"
#include "master/fmi/library/resource_location.hpp"
#include "master/fmi/library/search_path.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fmt/format.h>

namespace master::fmi {
namespace {

constexpr std::size_t compared_outputs = 100;

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

/// Real outputs and what they or the derivatives depend on: a pair to try a directional derivative with.
struct Pair {
    std::uint32_t unknown = 0, known = 0;
    bool input = true;  // else the known is a state, which cannot be moved alone to compare
};

std::optional<Pair> derivative_pair(const ModelDescription& description) {
    const auto& variables = description.info.variables;
    for (const core::Unknown& unknown : description.info.outputs) {
        if (description.natives[unknown.variable] != Native::float64 || variables[unknown.variable].size != 1) continue;
        for (std::uint32_t i = 0; i < variables.size(); ++i) {
            const bool input = variables[i].causality == core::Causality::input && variables[i].size == 1 &&
                               variables[i].variability == core::Variability::continuous &&
                               description.natives[i] == Native::float64;
            const bool depends = !unknown.dependencies || std::ranges::count(*unknown.dependencies, i) > 0;
            if (input && depends) return Pair{description.references[unknown.variable], description.references[i]};
        }
    }
    if (description.states.empty() || description.states.size() != description.derivatives.size()) return std::nullopt;
    const std::uint32_t derivative = description.derivatives.front(), state = description.states.front();
    if (description.natives[derivative] != Native::float64 || variables[derivative].size != 1) return std::nullopt;
    return Pair{description.references[derivative], description.references[state], false};
}

double trial_step(const ModelDescription& description, const InterfaceDescription& interface) {
    for (const std::string& text : {interface.fixed_internal_step, description.info.experiment.step}) {
        const double step = std::atof(text.c_str());
        if (step > 0) return step;
    }
    return 1e-3;
}

std::string request_for(const std::filesystem::path& library, const std::string& first,
                        const std::filesystem::path& folder, const ModelDescription& description, Interface kind) {
    const InterfaceDescription& interface = description.interface(kind);
    std::string outputs;
    std::size_t count = 0;
    for (const core::Unknown& output : description.info.outputs) {
        const bool real = description.natives[output.variable] == Native::float64 &&
                          description.info.variables[output.variable].size == 1;
        if (real && ++count <= compared_outputs) outputs += fmt::format(" {}", description.references[output.variable]);
    }
    std::size_t states = 0;
    for (const std::uint32_t derivative : description.derivatives)
        states += description.info.variables[derivative].size;
    std::string text =
        fmt::format("library {}\nfirst {}\nversion {}\ninterface {}\ntoken {}\nresources {}\n", library.string(), first,
                    description.version == Version::fmi2 ? 2 : 3, kind == Interface::model_exchange ? "me" : "cs",
                    base::printable(description.info.token), resource_location(folder, description.version));
    const bool event_mode = kind == Interface::co_simulation && interface.has_event_mode;
    text += fmt::format("event-mode {}\nearly-return {}\n", event_mode ? 1 : 0, interface.may_return_early ? 1 : 0);
    text += fmt::format("start {}\nstep {}\ntolerance {}\noutputs{}\nstates {}\n",
                        description.info.experiment.start.value_or(0), trial_step(description, interface),
                        description.info.experiment.tolerance.value_or(0), outputs, states);
    if (const auto pair = derivative_pair(description)) {
        text += fmt::format("unknown {}\nknown {}\nmovable {}\n", pair->unknown, pair->known, pair->input ? 1 : 0);
    }
    return text + fmt::format("claims{}{}{}\n", interface.can.save_state ? " save" : "",
                              interface.can.serialize_state ? " serialize" : "",
                              interface.can.directional_derivatives ? " derivatives" : "");
}

std::string step_rule(const ModelDescription& description, const InterfaceDescription& interface, Interface kind) {
    if (kind == Interface::model_exchange) return "the master integrates; any step";
    if (!interface.fixed_internal_step.empty()) return "multiples of " + interface.fixed_internal_step + " s";
    if (interface.can.variable_step) return "any, and it may change";
    const std::string& stated = description.info.experiment.step;
    return "one step for the whole run" + (stated.empty() ? std::string{} : "; it states " + stated + " s");
}

void take_claims(const InterfaceDescription& interface, Trial& trial) {
    const auto ability = [&](const char* name, bool claimed) {
        trial.abilities[name] = claimed ? "claimed" : "not claimed";
    };
    ability("save and restore the state", interface.can.save_state);
    ability("serialise the state", interface.can.serialize_state);
    ability("directional derivatives", interface.can.directional_derivatives);
}

/// A process that ends well without having said that it made a unit did not make one.
void take_results(const ProbeAnswer& answer, const InterfaceDescription& interface, Trial& trial) {
    const auto ability = [&](const char* name, const char* key, bool claimed) {
        const auto found = answer.results.find(key);
        trial.abilities[name] = found != answer.results.end() ? found->second : claimed ? "not tried" : "not claimed";
    };
    ability("instantiate", "instantiate", true);
    ability("initialise", "initialize", true);
    ability("save and restore the state", "save", interface.can.save_state);
    ability("serialise the state", "serialize", interface.can.serialize_state);
    ability("directional derivatives", "derivatives", interface.can.directional_derivatives);
    const bool made = trial.abilities["instantiate"] == "works";
    trial.runs = answer.success && made ? Trial::Runs::yes : Trial::Runs::no;
    if (!answer.success) trial.why_not = answer.text;
    trial.died = answer.died || (answer.success && !made);
    if (answer.success && !made) trial.why_not = "its code ended the process before a unit was made";
    if (answer.success && made && !answer.results.contains("done")) {
        const auto stage = answer.results.find("stage");
        trial.runs = Trial::Runs::no;
        trial.died = true;
        trial.why_not =
            "its code ended the process" + (stage == answer.results.end() ? std::string{} : " in " + stage->second);
    }
    if (trial.runs == Trial::Runs::no && interfaces::text::lower(trial.why_not).find("licen") != std::string::npos)
        trial.why_not += " (a licence is missing)";
    const auto open_doors = answer.results.find("withheld-not");
    if (open_doors != answer.results.end()) trial.not_withheld = open_doors->second;
}

void try_out(Trial& trial, const std::filesystem::path& library, const SharedObject& object, const Subject& subject,
             const InterfaceDescription& interface, Interface kind, int seconds) {
    std::string python;
    try {
        python = python_library_for(object, subject.file.string());
    } catch (const base::Error& error) {
        trial.runs = Trial::Runs::no;
        trial.why_not = error.what();
        return;
    }
    const ProbeAnswer answer = try_in_helper(request_for(library, python, subject.folder, subject.description, kind),
                                             {.folder = subject.folder, .seconds = seconds});
    if (!answer.available) {
        trial.why_not = "not tried: the helper tandem-probe is not installed beside this program";
        return;
    }
    take_results(answer, interface, trial);
}

Trial examine(const Subject& subject, Interface kind, std::optional<int> seconds) {
    const ModelDescription& description = subject.description;
    const InterfaceDescription& interface = description.interface(kind);
    Trial trial{.interface = kind == Interface::model_exchange ? "model exchange" : "co-simulation",
                .step_rule = step_rule(description, interface, kind)};
    const std::string platform(platform_folder(description.version));
    const auto library = std::filesystem::absolute(subject.folder / binary_of(description, interface));
    if (!std::filesystem::exists(library)) {
        trial.runs = Trial::Runs::no;
        trial.why_not = "there is no binary for this platform (" + platform + ")";
        return trial;
    }
    const auto object = read_shared_object(library);
    take_claims(interface, trial);
    if (seconds) try_out(trial, library, object.value_or(SharedObject{}), subject, interface, kind, *seconds);
    trial.missing_libraries = missing_libraries(library, subject.folder);
    const auto cannot = [&](const std::string& why) {
        trial.runs = Trial::Runs::no;
        trial.why_not = why;
    };
    if (!object && !seconds) cannot("its binary is damaged or of another kind than " + platform);
    if (!trial.missing_libraries.empty()) cannot("missing here: " + joined(trial.missing_libraries));
    if (trial.runs == Trial::Runs::no && interface.can.needs_execution_tool)
        trial.why_not += "; it needs the tool that made it";
    return trial;
}

std::vector<std::vector<std::string>> aliases_of(const ModelDescription& description) {
    std::map<std::pair<Native, std::uint32_t>, std::vector<std::string>> groups;
    for (std::size_t i = 0; i < description.references.size(); ++i) {
        const core::Variable& variable = description.info.variables[i];
        auto& names = groups[{description.natives[i], description.references[i]}];
        names.push_back(variable.name);
        names.insert(names.end(), variable.alias_names.begin(), variable.alias_names.end());
    }
    std::vector<std::vector<std::string>> found;
    for (auto& [reference, names] : groups) {
        if (names.size() > 1) found.push_back(std::move(names));
    }
    return found;
}

/// Functions of the standard that the binary lacks although the description promises what needs them.
std::vector<std::string> broken_promises(const SharedObject& object, const ModelDescription& description,
                                         const InterfaceDescription& interface) {
    const bool fmi2 = description.version == Version::fmi2;
    const std::string prefix = fmi2 ? "fmi2" : "fmi3", state = fmi2 ? "FMUstate" : "FMUState";
    std::vector<std::string> wanted;
    if (interface.can.save_state) wanted.insert(wanted.end(), {"Get" + state, "Set" + state, "Free" + state});
    if (interface.can.serialize_state) wanted.push_back("Serialize" + state);
    if (interface.can.directional_derivatives) wanted.emplace_back("GetDirectionalDerivative");
    if (interface.can.interpolates_inputs && fmi2 && description.co_simulation)
        wanted.emplace_back("SetRealInputDerivatives");
    std::vector<std::string> missing;
    for (const std::string& name : wanted) {
        if (std::ranges::find(object.functions, prefix + name) == object.functions.end())
            missing.push_back(prefix + name);
    }
    return missing;
}

std::vector<std::string> quirks_of(const std::filesystem::path& folder, const ModelDescription& description) {
    std::vector<std::string> quirks;
    const InterfaceDescription& interface =
        description.co_simulation ? *description.co_simulation : *description.model_exchange;
    const auto library =
        folder / "binaries" / platform_folder(description.version) / (interface.model_identifier + ".so");
    if (const auto object = read_shared_object(library)) {
        const auto missing = broken_promises(*object, description, interface);
        if (!missing.empty()) quirks.push_back("promised by the flags, but not in the binary: " + joined(missing));
        if (brings_own_solver(*object))
            quirks.emplace_back("has solvers of its own with the names of ours; they are kept apart");
        if (wants_python(*object))
            quirks.emplace_back("written in Python: the interpreter is loaded into this process");
    }
    if (interface.can.needs_execution_tool) quirks.emplace_back("needsExecutionTool: it needs the tool that made it");
    if (interface.can.once_per_process) quirks.emplace_back("only one instance in a process");
    if (!description.info.has_model_structure)
        quirks.emplace_back("no dependencies stated: everything depends on everything");
    if (problem_categories(description).empty()) quirks.emplace_back("no log category for problems: its log stays off");
    if (description.derivatives.size() > description.states.size())
        quirks.emplace_back("derivatives do not name their states");
    std::error_code none;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder / "resources", none)) {
        const std::string extension = interfaces::text::lower(entry.path().extension().string());
        if (extension == ".lic") quirks.push_back("licence file " + entry.path().filename().string());
    }
    return quirks;
}

}  // namespace

Diagnosis diagnose(const Subject& subject, std::optional<int> try_seconds) {
    const ModelDescription& description = subject.description;
    Diagnosis diagnosis{.tried = try_seconds.has_value()};
    if (description.co_simulation) diagnosis.trials.push_back(examine(subject, Interface::co_simulation, try_seconds));
    if (description.model_exchange)
        diagnosis.trials.push_back(examine(subject, Interface::model_exchange, try_seconds));
    diagnosis.aliases = aliases_of(description);
    if (!diagnosis.trials.empty()) diagnosis.quirks = quirks_of(subject.folder, description);
    return diagnosis;
}

std::string text_of(const Diagnosis& diagnosis) {
    std::string text = diagnosis.tried ? "\ntried out\n" : "\non this machine (from its files; --try runs it)\n";
    for (const Trial& trial : diagnosis.trials) {
        const bool known = trial.runs != Trial::Runs::unknown;
        text += fmt::format("  {}: {}\n", trial.interface,
                            trial.runs == Trial::Runs::yes ? "runs here"
                            : known                        ? "does not run here: " + trial.why_not
                            : trial.why_not.empty()        ? "its binary and the libraries it needs are here"
                                                           : trial.why_not);
        text += "    step: " + trial.step_rule + "\n";
        for (const auto& [ability, result] : trial.abilities) text += fmt::format("    {}: {}\n", ability, result);
        if (!trial.not_withheld.empty()) text += "    the trial was less confined: " + trial.not_withheld + "\n";
    }
    if (!diagnosis.aliases.empty()) {
        constexpr std::size_t shown = 5;
        text += fmt::format("\naliases: {} values have several names\n", diagnosis.aliases.size());
        for (std::size_t i = 0; i < std::min(shown, diagnosis.aliases.size()); ++i) {
            const auto& names = diagnosis.aliases[i];
            text += "    " +
                    joined({names.begin(), names.begin() + static_cast<long>(std::min<std::size_t>(names.size(), 6))}) +
                    (names.size() > 6 ? ", ...\n" : "\n");
        }
        if (diagnosis.aliases.size() > shown)
            text += fmt::format("    and {} more\n", diagnosis.aliases.size() - shown);
    }
    if (!diagnosis.quirks.empty()) text += "\nto know\n";
    for (const std::string& quirk : diagnosis.quirks) text += "  " + quirk + "\n";
    return text;
}

}  // namespace master::fmi
