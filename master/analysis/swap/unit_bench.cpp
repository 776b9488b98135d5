#include "master/analysis/swap/unit_bench.hpp"

#include "master/base/atomic_file.hpp"
#include "master/base/error.hpp"
#include "master/core/value_text.hpp"
#include "master/fmi/fmu.hpp"
#include "master/results/table.hpp"
#include "master/runs/prepare.hpp"
#include "master/runs/session.hpp"

#include <algorithm>

namespace master::analysis {
namespace {

/// Keeps the outputs of a single unit in memory.
class BenchTap final : public core::Tap {
public:
    BenchTap(const std::vector<results::Column>& columns, const std::vector<std::string>& names,
             base::Timebase timebase, Response& response)
        : timebase_(timebase), response_(response) {
        for (const std::string& name : names) {
            const auto found = std::ranges::find_if(columns, [&](const results::Column& column) {
                return column.name == name || column.name.ends_with("." + name);
            });
            signals_.push_back(found == columns.end() ? std::nullopt : std::optional(found->signal));
        }
        response_.outputs.resize(names.size());
    }
    void after_step(base::Time t, const core::Signals& signals) override {
        response_.time.push_back(timebase_.seconds(t));
        for (std::size_t i = 0; i < signals_.size(); ++i)
            response_.outputs[i].push_back(signals_[i] ? core::number(*signals_[i], signals) : 0);
    }

private:
    base::Timebase timebase_;
    Response& response_;
    std::vector<std::optional<core::SignalRef>> signals_;
};

std::string table_text(const Trial& trial) {
    std::string text = "time";
    for (const Drive& drive : trial.drives) text += ",\"" + drive.input + "\"";
    text += "\n";
    for (std::size_t row = 0; row < trial.time.size(); ++row) {
        text += core::number_text(trial.time[row]);
        for (const Drive& drive : trial.drives) text += "," + core::number_text(drive.values[row]);
        text += "\n";
    }
    return text;
}

}  // namespace

Response Response::at(const std::vector<double>& times) const {
    Response result{.time = times, .outputs = {}};
    result.outputs.resize(outputs.size());
    for (const double t : times) {
        const results::TablePosition position = results::locate(time, t, core::Side::after);
        for (std::size_t i = 0; i < outputs.size(); ++i)
            result.outputs[i].push_back(results::interpolate(outputs[i], position));
    }
    return result;
}

UnitBench::UnitBench(std::filesystem::path fmu, base::ArchiveCache& archives, base::Log& log, runs::Board* board)
    : fmu_(std::move(fmu)), archives_(archives), log_(log), board_(board) {
    base::Diagnostics unsaid;
    fmi::Fmu unit(fmu_, archives_.get(fmu_), unsaid);
    info_ = unit.chosen(unit.interface("any")).info;
    for (std::uint32_t i = 0; i < info_.variables.size(); ++i) {
        const core::Variable& variable = info_.variables[i];
        if (variable.type != core::Type::real || variable.size != 1 || !variable.dimensions.empty()) continue;
        if (variable.causality == core::Causality::input) inputs_.push_back(i);
        if (variable.causality == core::Causality::output) outputs_.push_back(i);
    }
}

std::optional<Response> UnitBench::run(const Trial& trial) {
    build::BuildOptions options;
    options.system = fmu_;
    options.archives = &archives_;
    options.stop = core::number_text(trial.time.back());
    options.step = trial.step;
    options.set = trial.set;
    if (!trial.drives.empty()) {
        options.input = folder_.path() / "drive.csv";
        base::write_atomically(options.input, table_text(trial));
    }
    std::vector<std::string> names;
    names.reserve(outputs_.size());
    for (const std::uint32_t output : outputs_) names.push_back(name(output));
    Response response;
    try {
        base::Diagnostics unsaid;
        runs::Prepared prepared = runs::prepare({.build = options}, unsaid, log_);
        build::Simulation& simulation = prepared.simulation;
        BenchTap tap(simulation.columns, names, simulation.timing.timebase, response);
        std::vector<core::Tap*> taps{&tap};
        const runs::Outcome outcome = runs::execute(simulation, taps, {.board = board_});
        if (outcome.exit == base::Exit::interrupted)
            throw base::Error("interrupted", "", "stopped by Ctrl-C", base::Exit::interrupted);
        if (outcome.error) return std::nullopt;
        simulation.system->terminate();
    } catch (const base::Error& error) {
        if (error.exit() == base::Exit::interrupted) throw;
        return std::nullopt;
    }
    if (response.time.size() < 2) return std::nullopt;
    return response;
}

}  // namespace master::analysis
