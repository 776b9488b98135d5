#pragma once

#include "master/build/parts.hpp"
#include "master/build/requests/signal_request.hpp"
#include "master/core/system.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace master::build {

/// Finds the variables that requests mean before units are bound, and fills in where they lie afterwards.
class RequestResolver {
public:
    /// Throws `Error` for a name that must be known and is not, for a wish to drive what a connection drives, and for
    /// a value that its variable cannot have.
    RequestResolver(const Parts& parts, SignalRequests requests);

    /// What the system has to write and read for them.
    void select(core::SystemOptions& options) const;
    void fill(core::System& system) const;
    /// Warns of values of the command line that a request drives over from the start on.
    void report_overruled(double start, base::Diagnostics& diagnostics) const;

private:
    struct Target {
        core::Endpoint end;
        double gain = 1, offset = 0;
        std::optional<std::uint32_t> count = {};  // of the elements of an array; all of them otherwise
        core::Value values = {};
    };
    struct Pending {
        SignalRequest* request = nullptr;
        std::vector<Target> targets;
    };

    [[nodiscard]] std::vector<Target> observed(const SignalRequest& request) const;
    [[nodiscard]] std::vector<Target> matching(const SignalRequest& request) const;
    [[nodiscard]] std::vector<Target> driven_or_watched(const SignalRequest& request) const;
    /// The values of a request, as the variable takes them; throws `Error` for one that it does not.
    [[nodiscard]] core::Value values_for(const SignalRequest& request, const Target& target) const;
    void refuse_connected(const SignalRequest& request, const Target& target) const;
    /// `component.variable`, or the name alone in a single FMU.
    [[nodiscard]] bool is_called(std::uint32_t unit, const core::Variable& variable, std::string_view name) const;

    const Parts& parts_;
    std::vector<Pending> pending_;
};

}  // namespace master::build
