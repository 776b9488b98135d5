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

/// The units that a value passes from where its age counts to where it is watched.
struct AgeChain {
    struct Link {
        std::uint32_t unit;
        bool younger = false;  // stepped behind the one before it, and given what that one makes in the same step
        const core::Variable* gives = nullptr;  // what goes on from here; null at the end, where an input is watched
        base::Duration delay = {};              // that the unit adds, where it is known to
    };
    std::vector<Link> links;
    bool from_input = false;  // the age counts from an input of the first unit: when it is given, not when it is made
    bool to_input = false;    // it is watched at an input of the last unit
    std::string words;        // names of the units
};

/// A signal whose promises a run keeps an eye on. Values of the specification = scale(value in the run).
struct Watched {
    std::string subject;
    ssp::Contract contract;
    std::optional<core::PhysicalUnit> unit;
    build::SignalRequest request;
    build::SignalRequest age_from;  // where the contract has one
    std::string where;

    // Known once the system is built.
    build::Scale scale = {};
    base::Duration period = {};  // of the unit that it belongs to
    AgeChain chain = {};         // from `ageFrom` on
};

/// All of them, from a specification.
class WatchList {
public:
    /// Throws `Error` for a file that is no specification. For a run of one FMU alone its component needs no name.
    WatchList(const std::filesystem::path& specification, bool single_unit, base::Diagnostics& diagnostics);

    /// Throws `Error` where nothing is promised that a run can show.
    void require_any() const;
    [[nodiscard]] std::vector<build::SignalRequest*> requests();
    /// Fills in what depends on the system. Throws `Error` with file:line for units that cannot be converted, and for a
    /// chain that does not exist.
    void resolve(const build::Simulation& simulation);
    [[nodiscard]] const std::vector<Watched>& signals() const { return signals_; }

private:
    std::string specification_;
    std::vector<Watched> signals_;
};

}  // namespace master::contracts
