#include "fmus/can/common/node_unit.hpp"
#include "interfaces/can_log/log_file.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using fmus::can::Nanoseconds;
using interfaces::can::Frame;

/// Sends the frames of a log at their times, counted from the first one.
struct Player {
    struct Parameters {
        std::string file = "frames.log", interface;
        double start = 0;
        auto members() { return std::tie(file, interface, start); }
    } parameters;
    std::string resources;
    std::function<void(const std::string&)> warn;
    struct Entry {
        Nanoseconds time = 0;
        Frame frame;
    };
    std::vector<Entry> entries;  // follows from the parameters
    std::size_t position = 0;

    void initialize(Nanoseconds now) {
        entries.clear();
        position = 0;
        read(path());
        std::stable_sort(entries.begin(), entries.end(),
                         [](const Entry& a, const Entry& b) { return a.time < b.time; });
        const Nanoseconds first = entries.empty() ? 0 : entries.front().time;
        if (entries.size() > 1 && entries.back().time == first)
            warn(path().string() + ": all frames have the same time, if any, and are sent at once");
        for (Entry& entry : entries) entry.time += now + fmus::can::nanoseconds(parameters.start) - first;
    }
    void act(Nanoseconds now, fmus::can::Node& node) {
        for (; position < entries.size() && entries[position].time <= now; ++position)
            node.send(entries[position].frame);
    }
    void receive(const Frame&, Nanoseconds) {}
    [[nodiscard]] std::optional<Nanoseconds> next() const {
        if (position == entries.size()) return std::nullopt;
        return entries[position].time;
    }
    auto members() { return std::tie(parameters, position); }

private:
    /// A relative path is one of the unit's resources, or of the folder the simulation was started in.
    [[nodiscard]] std::filesystem::path path() const {
        const std::filesystem::path own = std::filesystem::path(resources) / parameters.file;
        return std::filesystem::is_regular_file(own) ? own : std::filesystem::path(parameters.file);
    }
    void read(const std::filesystem::path& path) {
        interfaces::can_log::LogFile log(path.string());
        constexpr std::size_t most_named = 16;
        std::set<std::string> others;
        std::size_t errors = 0;
        while (const auto entry = log.next()) {
            if (!parameters.interface.empty() && entry->channel != parameters.interface) {
                if (others.size() < most_named) others.insert(entry->channel);
            } else if (entry->frame.error) {
                ++errors;  // what the bus did to the nodes, which nobody can send
            } else {
                entries.push_back({entry->nanoseconds, entry->frame});
            }
        }
        if (errors > 0) warn(path.string() + ": " + std::to_string(errors) + " error frames are not played");
        if (entries.empty() && errors == 0 && !others.empty()) {
            std::string known;
            for (const std::string& name : others) known += (known.empty() ? "" : ", ") + name;
            throw std::runtime_error(path.string() + ": has no frame of the interface '" + parameters.interface +
                                     "', expected one of: " + known);
        }
        if (log.malformed() > 0)
            throw std::runtime_error(path.string() + ':' + std::to_string(log.first_malformed_line()) +
                                     ": no line of a candump or ASC log, and " + std::to_string(log.malformed() - 1) +
                                     " more");
    }
};

class CanPlayerFmu final : public fmus::can::NodeUnit<Player> {
public:
    void declare_unit(const std::string&) override {
        about({.name = "CanPlayer", .description = "Plays a log of CAN frames", .stop = 1, .step = 0.001});
        parameter("file", device().parameters.file)
            .describe("A log of candump or in ASC format: a file of the resources, or a path");
        parameter("interface", device().parameters.interface)
            .describe("Only frames of this interface or channel of the log; empty: all");
        parameter("start", "s", device().parameters.start).describe("Time of the first frame after the start");
        declare_node("Bus");
        device().warn = [this](const std::string& text) { report(fmus::Status::warning, text); };
    }

private:
    void load_resources(const std::string& folder) override { device().resources = folder; }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanPlayerFmu>(); }
