#include "fmus/can/common/node_unit.hpp"

#include <algorithm>
#include <array>

namespace {

using fmus::can::Nanoseconds;
using interfaces::can::Frame;

constexpr std::size_t watched = 8;

/// Listens: counts frames, and for some identifiers when the last one came and what it said.
struct Recorder {
    struct Parameters {
        std::array<std::int32_t, watched> ids;
        bool extended = false;
        Parameters() { ids.fill(-1); }
    } parameters;
    struct Outputs {
        std::uint32_t last_id = 0;
        double last_time = 0;
        std::array<std::uint64_t, watched> count{}, data{};
        std::array<double, watched> time{};
    } outputs;

    void initialize(Nanoseconds) { outputs = {}; }
    void act(Nanoseconds, fmus::can::Node&) {}
    void receive(const Frame& frame, Nanoseconds now) {
        const double t = static_cast<double>(now) / 1e9;
        outputs.last_id = frame.id;
        outputs.last_time = t;
        for (std::size_t i = 0; i < watched; ++i) {
            if (frame.extended != parameters.extended || static_cast<std::int32_t>(frame.id) != parameters.ids[i])
                continue;
            ++outputs.count[i];
            outputs.time[i] = t;
            outputs.data[i] = 0;
            for (std::size_t k = std::min<std::size_t>(frame.bytes().size(), 8); k-- > 0;)
                outputs.data[i] = outputs.data[i] << 8 | frame.data[k];
        }
    }
    [[nodiscard]] static std::optional<Nanoseconds> next() { return std::nullopt; }
    auto members() { return std::tie(parameters, outputs); }
};

class CanRecorderFmu final : public fmus::can::NodeUnit<Recorder> {
public:
    void declare_unit(const std::string&) override {
        about({.name = "CanRecorder", .description = "Counts the frames on a CAN bus", .stop = 1, .step = 0.001});
        auto& parameters = device().parameters;
        parameter("ids", parameters.ids).describe("Identifiers to watch; -1: none");
        parameter("extended", parameters.extended).describe("They are of 29 bits");
        declare_node("Bus");
        auto& outputs = device().outputs;
        output("last.id", outputs.last_id).depends_on({}).describe("Identifier of the last frame");
        output("last.time", "s", outputs.last_time).discrete().depends_on({}).describe("When it was over");
        output("watched.count", outputs.count).depends_on({}).describe("Frames of each identifier watched");
        output("watched.time", "s", outputs.time).discrete().depends_on({}).describe("When the last of each was over");
        output("watched.data", outputs.data).depends_on({}).describe("Its bytes, the first one lowest");
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<CanRecorderFmu>(); }
