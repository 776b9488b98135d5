#pragma once

#include "master/build/physical_units.hpp"
#include "master/build/requests/signal_request.hpp"
#include "master/build/simulation.hpp"
#include "master/contracts/interface.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace master::contracts {

/// A signal whose promises a run keeps an eye on. Values of the specification = scale(value in the run).
struct Watched {
    std::string subject;
    ssp::Contract contract;
    std::optional<core::PhysicalUnit> unit;
    build::SignalRequest request;
    std::string where;

    // Known once the system is built.
    build::Scale scale = {};
    base::Duration period = {};             // of the unit that it belongs to
    std::vector<std::uint32_t> chain = {};  // units from the beginning of `ageFrom` to this one
    bool input = false;                     // of the last unit of the chain
};

/// All of them, from a specification.
class WatchList {
public:
    /// Throws `Error` for a file that is no specification. For a run of one FMU alone its component needs no name.
    WatchList(const std::filesystem::path& specification, bool single_unit, base::Diagnostics& diagnostics);

    [[nodiscard]] std::vector<build::SignalRequest*> requests();
    /// Fills in what depends on the system. Throws `Error` with file:line for units that cannot be converted, and for a
    /// chain that does not exist.
    void resolve(const build::Simulation& simulation);
    [[nodiscard]] const std::vector<Watched>& signals() const { return signals_; }

private:
    std::vector<Watched> signals_;
};

}  // namespace master::contracts
