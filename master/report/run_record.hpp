#pragma once

#include "master/base/json.hpp"
#include "master/core/unit.hpp"

#include <filesystem>
#include <string>
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
        base::Json value;
        std::string unit, origin;
    };

    std::string version;                 // of this program
    std::string folder;                  // where the run was started
    std::vector<std::string> arguments;  // of the command line, verb first
    base::Json::Object options;          // every option's effective value
    std::vector<File> inputs, results;
    std::vector<Parameter> parameters;
    Environment environment;
    base::Json::Object outcome;  // exit code, time reached, communication points
};

/// A value for the record: a scalar, or an array; bytes in hexadecimal.
[[nodiscard]] base::Json json_of(const core::Value& value);

/// A file with its hash; `Error` when it cannot be read.
[[nodiscard]] RunRecord::File hashed(std::string role, const std::filesystem::path& path);

void write_run_record(const std::filesystem::path& file, const RunRecord& record);
[[nodiscard]] RunRecord read_run_record(const std::filesystem::path& file);

/// What is no longer as it was: inputs that changed or are gone, another program version, processor or library.
/// Relative paths are looked up from the record's folder.
[[nodiscard]] std::vector<std::string> changes_since(const RunRecord& record);

}  // namespace master::report
