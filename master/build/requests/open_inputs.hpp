#pragma once

#include "master/build/options.hpp"
#include "master/build/parts.hpp"
#include "master/build/requests/signal_request.hpp"
#include "master/core/system.hpp"
#include "master/results/column.hpp"

#include <optional>
#include <string>
#include <vector>

namespace master::build {

/// A scalar number that somebody may write while a run goes on: a free input, or a tunable parameter.
struct OpenInput {
    std::string name;  // of the system's connector, or component.variable
    std::string unit;
    std::string description;
    results::ShownUnit shown = {};
    bool tunable = false;                    // a parameter
    std::optional<double> minimum, maximum;  // as the first of its variables declares them, in its own unit
    std::vector<LocatedSignal> targets;      // several where a connector leads to several variables
};

/// Finds them before units are bound, and where they lie afterwards.
class OpenInputs {
public:
    /// What is written already (by a scenario) stays as it is; the rest is written from now on. Parts must outlive it.
    OpenInputs(const Parts& parts, const BuildOptions& options, core::SystemOptions& system_options);

    [[nodiscard]] std::vector<OpenInput> located(core::System& system) const;

private:
    struct Target {
        core::Endpoint end;
        double gain = 1, offset = 0;
    };
    struct Pending {
        OpenInput input;
        std::vector<Target> targets;
    };

    void add_ports(const BuildOptions& options, const core::SystemOptions& system_options);
    void add_parameters(const BuildOptions& options, const core::SystemOptions& system_options);
    [[nodiscard]] OpenInput describe(std::string name, const core::Endpoint& end) const;
    [[nodiscard]] const core::Variable& variable(const core::Endpoint& end) const;

    const Parts& parts_;
    std::vector<Pending> pending_;
};

}  // namespace master::build
