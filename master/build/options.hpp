#pragma once

#include "master/base/archive.hpp"
#include "master/base/time.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace master::build {

/// Another FMU for a component, and how the two stand for each other.
struct Replacement {
    std::string component;
    std::filesystem::path fmu;
    std::filesystem::path map;  // empty: by equal names
};

/// What a user asks for beside the system's file. Empty texts mean "as the system says".
struct BuildOptions {
    std::filesystem::path system;
    std::string variant;
    std::string start, stop, step;  // as typed
    std::string algorithm;
    std::string hold;
    std::optional<double> tolerance;
    double solver_factor = 1;    // of the tolerance of solvers: shadow runs
    std::string implementation;  // cs or me, for a single .fmu
    std::vector<std::string> set;
    std::vector<Replacement> replace;        // before anything else happens to the system
    std::filesystem::path input;             // CSV that drives free inputs
    std::vector<std::string> record;         // patterns; empty = the default selection
    std::vector<std::string> also_record;    // patterns beside the default selection; no match is no error
    std::string lead;                        // s to run before the start, at least; empty for none
    std::int64_t divide_steps = 1;           // all steps by this: convergence runs
    std::vector<base::Fraction> unit_steps;  // of every unit, above what the system says: shadow runs; or empty
    unsigned threads = 0;
    bool open_inputs = false;        // somebody may write free inputs while the run goes on
    std::vector<std::string> tuned;  // the same for tunable parameters: patterns
    bool paced = false;              // by a clock: no points beside the grid
    std::string tele;                // turns the machine's end of teleoperation on: its address, or "on"
    std::string link;                // how bad its link is; empty: as it says
    std::filesystem::path journals;  // folder for what comes from outside; empty: it is not kept
    std::filesystem::path replays;   // folder with journals that are played instead; empty: none
    std::optional<std::set<std::string>> accepted_units;  // FMUs by SHA-256; others are refused. Nothing: any
    base::ArchiveCache* archives = nullptr;  // of runs that belong together, outlives them; null for a run by itself

    [[nodiscard]] bool single_fmu() const { return system.extension() == ".fmu"; }
};

}  // namespace master::build
