#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <tuple>

namespace fmus {

/// Whether a unit talks to the world outside of the simulation, and what is kept of that.
struct OutsideParameters {
    bool network = false;
    std::string journal, replay;

    [[nodiscard]] bool wanted() const { return network || !replay.empty(); }
    auto members() { return std::tie(network, journal, replay); }
    friend bool operator==(const OutsideParameters&, const OutsideParameters&) = default;
};

/// Declares them, and the terminal by which the master finds them. `Unit` is the InstanceOf that it adds this to.
template <class Unit>
class OutsideUnit : public Unit {
protected:
    using Unit::Unit;

    /// `network` says what is opened when it is on.
    void declare_outside(OutsideParameters& parameters, std::string_view network) {
        this->parameter("network", parameters.network).describe(network);
        this->parameter("journal", parameters.journal)
            .describe("File that keeps what came from outside, with the communication point; empty: none");
        this->parameter("replay", parameters.replay)
            .describe("Such a file, which is played instead of what comes from outside; empty: none");
        this->terminal({.name = "outside",
                        .kind = "io.tandem.cosim.outside",
                        .members = {{"network", "network"}, {"journal", "journal"}, {"replay", "replay"}}});
    }
};

/// What is open outside. Values may be set and read in any order before a simulation begins, so the same parameters
/// (with an `outside` among them) open it once. Copies of a model share it: a copy is never stepped beside it.
template <class Outside, class Parameters>
class Opened {
public:
    /// `make` gives a std::unique_ptr<Outside>.
    template <class Make>
    void open(const Parameters& parameters, Make make) {
        if (outside_ && with_ == parameters) return;
        outside_.reset();
        with_ = parameters;
        if (parameters.outside.wanted()) outside_ = make();
    }
    explicit operator bool() const { return outside_ != nullptr; }
    Outside* operator->() const { return outside_.get(); }

private:
    std::shared_ptr<Outside> outside_;
    Parameters with_;
};

}  // namespace fmus
