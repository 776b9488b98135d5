#include "fmus/sensing/common/point_stream.hpp"
#include "interfaces/livox/recording.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

namespace livox = interfaces::livox;

/// The packets of one device of an .lvx file.
struct Recording {
    struct Packet {
        std::int64_t time = 0;  // ns, of its first point, since the first packet
        std::span<const std::uint8_t> bytes;
    };
    std::vector<std::uint8_t> file;
    std::vector<Packet> packets;
};

using Warn = std::function<void(const std::string&)>;

/// Throws std::runtime_error that names the file; what is wrong in it and can be passed over is a warning.
std::shared_ptr<const Recording> read_recording(const std::filesystem::path& path, std::uint64_t device,
                                                const Warn& warn) {
    auto recording = std::make_shared<Recording>();
    std::ifstream in(path, std::ios::binary);
    if (!in) throw std::runtime_error("cannot read the recording '" + path.string() + "' (parameter 'file')");
    recording->file.assign(std::istreambuf_iterator<char>(in), {});
    auto reader = livox::LvxReader::parse(recording->file);
    if (!reader) throw std::runtime_error("'" + path.string() + "' is no .lvx file of version 1.1");
    if (device >= reader->devices().size())
        throw std::runtime_error("'" + path.string() + "' holds " + std::to_string(reader->devices().size()) +
                                 " devices, parameter 'device' is " + std::to_string(device));
    std::optional<std::int64_t> first;
    std::size_t older = 0;
    while (const auto packet = reader->next()) {
        const auto view = livox::PacketView::parse(packet->bytes);
        if (packet->device != device || !view || view->size() == 0) continue;
        const auto time = livox::time_of(view->header());
        if (!time) continue;
        if (!first) first = *time;
        if (!recording->packets.empty() && *time - *first < recording->packets.back().time) ++older;
        recording->packets.push_back({*time - *first, packet->bytes});
    }
    const std::string count = std::to_string(recording->packets.size());
    if (reader->damaged())
        warn("'" + path.string() + "' is cut off or damaged at byte " + std::to_string(reader->position()) +
             ": only the " + count + " packets of device " + std::to_string(device) + " before it are played");
    else if (recording->packets.empty())
        warn("'" + path.string() + "' holds no points of device " + std::to_string(device));
    if (older > 0)
        warn("'" + path.string() + "': " + std::to_string(older) + " of " + count +
             " packets are older than the one before");
    return recording;
}

/// Plays a recorded sensor in place of a simulated one: each packet appears when its last point was measured.
struct Player {
    struct Parameters {
        std::string file;
        std::uint64_t device = 0;
        double start = 0;
        auto members() { return std::tie(file, device, start); }
        friend bool operator==(const Parameters&, const Parameters&) = default;
    } parameters;
    fmus::PointStream stream;
    std::string resources;
    Warn warn;
    std::shared_ptr<const Recording> recording;  // follows from the parameters
    Parameters read;                             // those that it follows from
    std::uint64_t position = 0;
    std::int64_t begin = 0;  // ns, when the first point is played
    bool finished = false;

    void initialize(double t) {
        stream.initialize(t);
        position = 0;
        begin = fmus::nanoseconds(t + parameters.start);
        if (!recording || read != parameters) {
            recording = parameters.file.empty() ? std::make_shared<const Recording>()
                                                : read_recording(path(), parameters.device, warn);
            read = parameters;
        }
        finished = position == recording->packets.size();
    }
    void step(double t, double h) {
        const std::int64_t now = fmus::nanoseconds(t + h);
        const auto& packets = recording->packets;
        for (; position < packets.size(); ++position) {
            const auto view = livox::PacketView::parse(packets[position].bytes);
            const std::int64_t own = livox::time_of(view->header()).value_or(0);
            const std::int64_t shift = begin + packets[position].time - own;
            if (view->point(view->size() - 1, 0).time + shift > now) break;
            stream.add(*view, shift, now);
        }
        finished = position == packets.size();
        stream.finish(t + h);
    }
    auto members() { return std::tie(parameters, stream, position, begin, finished); }

private:
    /// A relative path is one of the unit's resources, or of the folder the simulation was started in.
    [[nodiscard]] std::filesystem::path path() const {
        const std::filesystem::path own = std::filesystem::path(resources) / parameters.file;
        return std::filesystem::is_regular_file(own) ? own : std::filesystem::path(parameters.file);
    }
};

class LvxPlayerFmu final : public fmus::PointStreamUnit<Player> {
public:
    LvxPlayerFmu() {
        about({.name = "LvxPlayer",
               .description = "Plays the .lvx recording of a Livox LiDAR as if it were the sensor",
               .stop = 1,
               .step = 0.01});
        parameter("file", model_.parameters.file)
            .describe("An .lvx file of version 1.1: one of the resources, or a path; empty: no points");
        parameter("device", model_.parameters.device).describe("Number of the device in the file, from 0");
        parameter("start", "s", model_.parameters.start).describe("Time of the first point after the start");
        declare_stream(model_.stream);
        output("finished", model_.finished).depends_on({}).describe("All that can be read of the recording was played");
        model_.warn = [this](const std::string& text) { report(fmus::Status::warning, text); };
    }
    void declare(const std::string& resources) override { model_.resources = resources; }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<LvxPlayerFmu>(); }
