#pragma once

#include "fmus/common/declaring/outside.hpp"
#include "interfaces/journal/journal.hpp"
#include "interfaces/livox/endpoint.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace fmus {

/// The points of a sensor as a Livox Mid-70 on a network. What becomes of them is known only outside: the numbers enter
/// once per communication point, are kept in a journal, and a repeat plays them.
struct LivoxService {
    struct Parameters {
        OutsideParameters outside;
        std::string address = "127.0.0.2", advert_to = "127.0.0.1", code = "3GGDJ6K00200101";
        auto members() { return std::tie(outside, address, advert_to, code); }
        friend bool operator==(const Parameters&, const Parameters&) = default;
    } parameters;
    struct Outputs {
        bool connected = false, sampling = false;
        double points = 0, dropped = 0;  // too many for the integers of FMI 2 in a few hours
        std::uint64_t packets = 0, late = 0, failed = 0, failure = 0;
        friend bool operator==(const Outputs&, const Outputs&) = default;
    } outputs;
    std::function<void(const std::string&)> warn;

    void initialize() {
        outputs = {};
        fresh_.clear();
        outside_.open(parameters, [this] { return std::make_unique<Outside>(parameters); });
    }
    void add(const interfaces::livox::Point& point) {
        if (outside_) fresh_.push_back(point);
    }
    void finish_point(std::int64_t point) {
        if (!outside_) return;
        const Outputs before = outputs;
        outside_->exchange(point, fresh_, outputs);
        fresh_.clear();
        if (!warn) return;
        if (before.failed == 0 && outputs.failed > 0)
            warn("packets cannot be sent: " + std::string(std::strerror(static_cast<int>(outputs.failure))) +
                 "; they are thrown away and counted, the simulation goes on");
        if (before.dropped == 0 && outputs.dropped > 0)
            warn("points are thrown away and counted: the simulation is faster than they may be sent");
    }
    auto members() { return std::tie(parameters, outputs); }

private:
    class Outside {
    public:
        explicit Outside(const Parameters& parameters) {
            if (!parameters.outside.replay.empty()) {
                replay_.emplace(parameters.outside.replay, kind);
                return;
            }
            interfaces::livox::DeviceSettings device;
            device.code = parameters.code;
            device.own.ip = address_of(parameters.address, "livox.address").ip;
            device.advert_to.ip = address_of(parameters.advert_to, "livox.advert_to").ip;
            if (!parameters.outside.journal.empty()) journal_.emplace(parameters.outside.journal, kind);
            endpoint_.emplace(std::vector{device});
        }
        void exchange(std::int64_t point, const std::vector<interfaces::livox::Point>& fresh, Outputs& outputs) {
            if (replay_) {
                while (const auto entry = replay_->next(point)) outputs = decoded(*entry);
                return;
            }
            endpoint_->push(0, fresh);
            const interfaces::livox::Statistics now = endpoint_->statistics(0);
            const Outputs next{.connected = now.connected,
                               .sampling = now.sampling,
                               .points = static_cast<double>(now.points),
                               .dropped = static_cast<double>(now.dropped),
                               .packets = now.packets,
                               .late = now.late,
                               .failed = now.failed,
                               .failure = static_cast<std::uint64_t>(now.last_failure)};
            if (next == outputs) return;
            outputs = next;
            if (!journal_) return;
            journal_->add(point, encoded(outputs));
            journal_->finish_point();
        }

    private:
        static constexpr const char* kind = "livox device";
        static constexpr std::size_t numbers = 7;
        using Entry = std::array<std::uint8_t, 8 * numbers>;

        static interfaces::udp::Address address_of(const std::string& text, const std::string& parameter) {
            const auto address = interfaces::udp::parse_address(text);
            if (address && address->port == 0) return *address;
            throw std::invalid_argument("lidar: parameter '" + parameter + "' is '" + text +
                                        "', expected an IPv4 address such as 127.0.0.2");
        }
        static Entry encoded(const Outputs& outputs) {
            Entry entry;
            std::uint8_t* at = entry.data();
            const std::uint64_t flags = (outputs.connected ? 1U : 0U) | (outputs.sampling ? 2U : 0U);
            for (const std::uint64_t number :
                 {flags, static_cast<std::uint64_t>(outputs.points), static_cast<std::uint64_t>(outputs.dropped),
                  outputs.packets, outputs.late, outputs.failed, outputs.failure}) {
                interfaces::bytes::put(at, number);
                at += 8;
            }
            return entry;
        }
        static Outputs decoded(std::span<const std::uint8_t> entry) {
            if (entry.size() != 8 * numbers) throw std::runtime_error("the journal of the lidar is damaged");
            const auto number = [&](std::size_t i) { return interfaces::bytes::take<std::uint64_t>(&entry[8 * i]); };
            return {.connected = (number(0) & 1U) != 0,
                    .sampling = (number(0) & 2U) != 0,
                    .points = static_cast<double>(number(1)),
                    .dropped = static_cast<double>(number(2)),
                    .packets = number(3),
                    .late = number(4),
                    .failed = number(5),
                    .failure = number(6)};
        }

        std::optional<interfaces::livox::Endpoint> endpoint_;
        std::optional<interfaces::journal::Writer> journal_;
        std::optional<interfaces::journal::Reader> replay_;
    };

    Opened<Outside, Parameters> outside_;
    std::vector<interfaces::livox::Point> fresh_;
};

}  // namespace fmus
