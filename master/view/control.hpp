#pragma once

#include "master/view/client_message.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace master::view {

/// Who may steer a run: one client at a time, and it is handed over, not taken away.
class Control {
public:
    static constexpr std::uint32_t nobody = 0;

    [[nodiscard]] std::uint32_t holder() const { return holder_; }
    [[nodiscard]] std::span<const std::uint32_t> asked() const { return asked_; }
    [[nodiscard]] bool has(std::uint32_t client) const { return client != nobody && holder_ == client; }

    /// At once where nobody holds it; else the holder is asked.
    void take(std::uint32_t client);
    /// False where the client does not hold it, or the other one does not ask for it.
    [[nodiscard]] bool give(std::uint32_t client, std::uint32_t to);
    [[nodiscard]] bool release(std::uint32_t client);
    /// The client is gone.
    void leave(std::uint32_t client);

private:
    std::uint32_t holder_ = nobody;
    std::vector<std::uint32_t> asked_;
};

/// Control among the pages of a feed: hears who takes, hands over and gives it back, brings the axes to rest where it
/// changes hands, and tells everybody who has it.
class SharedControl {
public:
    struct Answers {
        std::function<void()> rest;                         // the axes
        std::function<void(const std::string& json)> tell;  // all pages
    };
    explicit SharedControl(Answers answers) : answers_(std::move(answers)) {}

    [[nodiscard]] const Control& who() const { return control_; }
    [[nodiscard]] bool has(std::uint32_t client) const { return control_.has(client); }

    enum class Heard : std::uint8_t { other, done, refused };
    /// Whether the message was about control, and was obeyed.
    [[nodiscard]] Heard hear(std::uint32_t client, const ClientMessage& message);
    void leave(std::uint32_t client);
    void tell() const;

    static constexpr const char* refusal = "this client does not hold control, or the other one does not ask for it";

private:
    Answers answers_;
    Control control_;
};

/// The levers of an operator behind a dead-man key. Without the key, or when nothing was heard for a while, all axes
/// are at rest; afterwards an axis follows its lever again once that was within the dead zone while the key was held.
class Levers {
public:
    static constexpr double patience = 0.3;  // s

    Levers(std::size_t axes, double dead_zone) : dead_zone_(dead_zone), armed_(axes, false), values_(axes, 0) {}

    /// False for another number of levers.
    [[nodiscard]] bool move(bool alive, std::span<const double> levers, double now);
    /// Nothing came until now: true where that brought axes to rest.
    [[nodiscard]] bool expire(double now);
    /// The operator changed.
    void rest();

    /// What the axes are told, from -1 to 1.
    [[nodiscard]] std::span<const double> values() const { return values_; }
    /// Those that wait for their lever to be neutral.
    [[nodiscard]] std::vector<std::uint32_t> waiting() const;
    [[nodiscard]] bool alive() const { return heard_.has_value(); }

private:
    double dead_zone_;
    std::vector<bool> armed_;
    std::vector<double> values_;
    std::optional<double> heard_;  // s, last sign of life
};

}  // namespace master::view
