#pragma once

#include "master/results/table.hpp"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace master::results {

struct CompareOptions {
    double absolute = 1e-9;
    double relative = 1e-6;                         // of the largest magnitude of the reference signal
    double time = 0;                                // s; the reference may lie up to this much earlier or later
    std::map<std::string, std::string> names = {};  // name in the reference by name in the result
    std::vector<std::string> only = {};             // patterns of names in the reference; empty = all
};

/// How far one signal is from its reference at worst.
struct SignalDeviation {
    std::string name;  // in the reference
    double deviation =
        0;  // distance from the reference's band within the time tolerance; infinite for text that differs
    double tolerance = 0;
    double time = 0;                        // where the deviation is largest
    double value = 0, expected = 0;         // there
    std::string value_text, expected_text;  // the same where a double is not all of it: text, bytes, large integers
    bool violated = false;
};

struct Comparison {
    std::vector<SignalDeviation> signals;  // worst first
    std::vector<std::string> problems;     // missing signals, a result that ends early, different rows
    std::vector<std::string> notes;        // what is not compared
    std::size_t violated = 0;

    [[nodiscard]] bool passed() const { return violated == 0 && problems.empty(); }
    /// A table of the worst signals and everything else that matters, for a terminal.
    [[nodiscard]] std::string text() const;
};

/// Compares every signal of `reference` with the one of that name in `result`, at all times of both. Reals are linear
/// between rows and jump at equal times; signals that hold only whole numbers, and text, keep their value until the
/// next row. Integers are compared as such, also where a double cannot hold them. Missing signals, and a result that
/// does not cover the reference's time, are problems; what only the result has is not.
[[nodiscard]] Comparison compare(const Table& result, const Table& reference, const CompareOptions& options = {});

/// Every row of every signal must have the same bits.
[[nodiscard]] Comparison compare_bits(const Table& result, const Table& reference);

/// Names that mean the same signal, and units that files do not hold.
struct NameMap {
    std::map<std::string, std::string> names;           // name in the reference by name in the result
    std::map<std::string, std::string> result_units;    // by name in the result
    std::map<std::string, std::string> expected_units;  // by name in the reference
};

/// Reads a name map: a CSV file with the name in the result and the name in the reference in each row, and where they
/// are wanted the units of both behind them.
[[nodiscard]] NameMap read_name_map(const std::filesystem::path& file);

}  // namespace master::results
