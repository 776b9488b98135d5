#pragma once

#include "master/base/diagnostics.hpp"
#include "master/core/unit.hpp"
#include "master/report/error_bar.hpp"
#include "master/report/pacing.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace master::report {

/// What decides about the last bits of a result besides the inputs.
struct Environment {
    std::string cpu;
    std::string cpu_features;  // vector extensions by which libraries choose their code
    std::string c_library, kernel, compiler;
    std::vector<std::pair<std::string, std::string>> libraries;  // name and version

    friend bool operator==(const Environment&, const Environment&) = default;
};
[[nodiscard]] Environment this_environment();

/// The sidecar of a result, `run.json`: everything that is needed to get the same numbers again. It holds neither the
/// date nor wall times, so that equal runs have equal records.
struct RunRecord {
    struct File {
        std::string role;  // system, parameters, fmu, input, result, ...
        std::string path;  // as it was given, relative to `folder`; a result relative to run.json
        std::string sha256;
    };
    struct Parameter {
        std::string name;  // component.variable
        core::Value value;
        std::string unit, origin;
    };
    struct Signal {
        std::string name, unit, description;
    };
    /// Effective values, wherever they came from.
    struct Options {
        std::string algorithm, step, step_origin;
        double start = 0, stop = 0;  // s
        std::string hold;
    };
    struct Outcome {
        std::optional<int> exit;  // none as long as the run goes on, and where it was killed
        std::string ended;        // how, in words
        double reached = 0;       // s
        std::uint64_t points = 0;
    };

    std::string version;                 // of this program
    std::string folder;                  // where the run was started
    std::vector<std::string> arguments;  // of the command line, verb first
    Options options;
    std::vector<File> inputs, results;
    std::vector<Signal> signals;  // what was recorded
    std::vector<Parameter> parameters;
    Environment environment;
    Outcome outcome;
    ErrorBar error_bar;
    std::optional<Pacing> pacing;  // of a run in real time
    std::vector<BondEnergy> bonds;
    std::vector<base::Finding> findings;  // what was remarked about the system and the run
};

/// A file with its hash; `Error` when it cannot be read.
[[nodiscard]] RunRecord::File hashed(std::string role, const std::filesystem::path& path);

/// Changes how a run ended; the file's results are hashed again.
using AmendOutcome = std::function<void(RunRecord::Outcome&)>;
void amend_run_record(const std::filesystem::path& file, const AmendOutcome& amend);

void write_run_record(const std::filesystem::path& file, const RunRecord& record);
/// What it takes to repeat the run. Options, parameters and outcome follow from that and are left empty.
[[nodiscard]] RunRecord read_run_record(const std::filesystem::path& file);

/// Names of the parameters of a run whose values came from there.
[[nodiscard]] std::vector<std::string> parameters_from(const std::filesystem::path& file, std::string_view origin);

/// What is no longer as it was: inputs that changed or are gone, another program version, processor or library.
/// Relative paths are looked up from the record's folder.
[[nodiscard]] std::vector<std::string> changes_since(const RunRecord& record);

}  // namespace master::report
