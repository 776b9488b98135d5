#include "fmus/common/declaring/outside.hpp"
#include "fmus/sensing/common/point_stream.hpp"
#include "interfaces/bytes/bytes.hpp"
#include "interfaces/journal/journal.hpp"
#include "interfaces/livox/host_endpoint.hpp"

#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

namespace {

namespace livox = interfaces::livox;

struct Parameters {
    fmus::OutsideParameters outside;
    std::string address = "127.0.0.1", code;
    bool dual_return = false;
    auto members() { return std::tie(outside, address, code, dual_return); }
    friend bool operator==(const Parameters&, const Parameters&) = default;
};

using Packet = std::span<const std::uint8_t>;
/// What comes from outside: how it stands, or a packet of points.
using Arrival = std::variant<livox::HostReport, Packet>;

/// The network, or the journal of what came from it. An entry of a journal is a packet behind a zero, or a report: six
/// numbers of 8 bytes behind a one.
class Outside {
public:
    explicit Outside(const Parameters& parameters) {
        if (!parameters.outside.replay.empty()) {
            replay_.emplace(parameters.outside.replay, kind);
            return;
        }
        const auto address = interfaces::udp::parse_address(parameters.address);
        if (!address || address->port != 0)
            throw std::invalid_argument("livox_client: parameter 'address' is '" + parameters.address +
                                        "', expected an IPv4 address such as 127.0.0.1");
        if (!parameters.outside.journal.empty()) journal_.emplace(parameters.outside.journal, kind);
        endpoint_.emplace(livox::HostEndpointSettings{
            .code = parameters.code,
            .ip = address->ip,
            .mode = parameters.dual_return ? livox::ReturnMode::dual : livox::ReturnMode::first});
    }
    /// What enters at this communication point, one after the other; bytes stand until the next call.
    std::optional<Arrival> next(std::int64_t point) {
        if (replay_) {
            const auto entry = replay_->next(point);
            if (!entry) return std::nullopt;
            return decoded(*entry);
        }
        if (const auto report = endpoint_->report(); report != last_) {
            last_ = report;
            keep(point, 1, encoded(report));
            return report;
        }
        const Packet packet = endpoint_->next();
        if (packet.empty()) return std::nullopt;
        keep(point, 0, packet);
        return packet;
    }
    void finish_point() {
        if (journal_) journal_->finish_point();
    }

private:
    static constexpr const char* kind = "livox client";
    static constexpr std::size_t numbers = 6;

    void keep(std::int64_t point, std::uint8_t what, std::span<const std::uint8_t> bytes) {
        if (!journal_) return;
        entry_.assign(1, what);
        entry_.insert(entry_.end(), bytes.begin(), bytes.end());
        journal_->add(point, entry_);
    }
    static std::array<std::uint8_t, 8 * numbers> encoded(const livox::HostReport& report) {
        std::array<std::uint8_t, 8 * numbers> bytes;
        std::uint8_t* at = bytes.data();
        for (const std::uint64_t number : {std::uint64_t{report.connected}, std::uint64_t{report.sampling},
                                           report.packets, report.lost, report.malformed, report.failed}) {
            interfaces::bytes::put(at, number);
            at += 8;
        }
        return bytes;
    }
    static Arrival decoded(std::span<const std::uint8_t> entry) {
        if (!entry.empty() && entry[0] == 0 && livox::PacketView::parse(entry.subspan(1))) return entry.subspan(1);
        if (entry.size() != 1 + 8 * numbers || entry[0] != 1)
            throw std::runtime_error("the journal of the livox_client is damaged");
        const auto number = [&](std::size_t i) { return interfaces::bytes::take<std::uint64_t>(&entry[1 + 8 * i]); };
        return livox::HostReport{.connected = number(0) != 0,
                                 .sampling = number(1) != 0,
                                 .packets = number(2),
                                 .lost = number(3),
                                 .malformed = number(4),
                                 .failed = number(5)};
    }

    std::optional<livox::HostEndpoint> endpoint_;
    std::optional<interfaces::journal::Writer> journal_;
    std::optional<interfaces::journal::Reader> replay_;
    livox::HostReport last_;
    std::vector<std::uint8_t> entry_;
};

/// Receives a LiDAR from the network. Its clock is not ours: the packet that took least time on its way is taken as one
/// that took none.
struct Client {
    Parameters parameters;
    fmus::PointStream stream;
    livox::HostReport report;
    std::uint64_t untimed = 0;
    std::optional<std::int64_t> shift;  // ns, from the device's time to ours
    fmus::Opened<Outside, Parameters> outside;
    std::function<void(const std::string&)> warn;

    void initialize(double t) {
        stream.initialize(t);
        report = {};
        untimed = 0;
        shift.reset();
        outside.open(parameters, [this] { return std::make_unique<Outside>(parameters); });
    }
    void step(double t, double h) {
        if (outside) {
            const std::int64_t now = fmus::nanoseconds(t + h);
            // A flood comes in as fast as it is taken: what is beyond this waits for the next point.
            for (std::size_t i = 0; i < livox::HostEndpoint::queue_packets; ++i) {
                const auto arrival = outside->next(now);
                if (!arrival) break;
                if (const auto* packet = std::get_if<Packet>(&*arrival))
                    take(*packet, now);
                else
                    take(std::get<livox::HostReport>(*arrival));
            }
            outside->finish_point();
        }
        stream.finish(t + h);
    }
    auto members() {
        return std::tie(parameters, stream, report.connected, report.sampling, report.packets, report.lost,
                        report.malformed, report.failed, untimed, shift);
    }

private:
    void take(Packet bytes, std::int64_t now) {
        const auto packet = livox::PacketView::parse(bytes);
        const auto begin = packet ? livox::time_of(packet->header()) : std::nullopt;
        if (!begin || packet->size() == 0) {
            ++untimed;
            return;
        }
        const std::int64_t most = now - packet->point(packet->size() - 1, 0).time;
        // A device that was started anew has another clock.
        constexpr std::int64_t plausible = 1'000'000'000;
        if (!shift || most < *shift || most - *shift > plausible) shift = most;
        stream.add(*packet, *shift, now);
    }
    void take(const livox::HostReport& next) {
        if (warn && report.sampling && !next.sampling) warn("the LiDAR has fallen silent; the simulation goes on");
        if (warn && report.lost == 0 && next.lost > 0)
            warn("packets are lost and counted: more came than there is room for");
        report = next;
    }
};

class LivoxClientFmu final : public fmus::OutsideUnit<fmus::PointStreamUnit<Client>> {
public:
    LivoxClientFmu() {
        about({.name = "LivoxClient",
               .description = "Receives the points of a Livox LiDAR, real or emulated, from the network",
               .stop = 1,
               .step = 0.01});
        auto& parameters = model_.parameters;
        declare_outside(parameters.outside, "Searches and starts the LiDAR; off: nothing is opened");
        parameter("address", parameters.address)
            .describe("IPv4 address of this computer that the LiDAR sends to; one of 127.0.0.0/8 stays on it");
        parameter("code", parameters.code).describe("Broadcast code of the LiDAR; empty: the first one that is heard");
        parameter("dual_return", parameters.dual_return).describe("Asks for two returns of each pulse");
        declare_stream(model_.stream);
        auto& report = model_.report;
        output("connected", report.connected).depends_on({}).describe("The LiDAR answers");
        output("sampling", report.sampling).depends_on({}).describe("It sends points");
        output("packets.received", report.packets).depends_on({}).describe("Packets of points");
        output("packets.lost", report.lost).depends_on({}).describe("Those that found no room");
        output("packets.malformed", report.malformed).depends_on({}).describe("What came and was no packet of points");
        model_.warn = [this](const std::string& text) { this->report(fmus::Status::warning, text); };
    }
};

}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() { return std::make_unique<LivoxClientFmu>(); }
