#include "master/runs/taps/topic_value.hpp"

#include "interfaces/point_cloud/point_cloud.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

namespace master::runs {
namespace {

static_assert(std::endian::native == std::endian::little, "topics are little endian, as the lanes are");

constexpr std::size_t longest_text = 4096, unstated_size = 1U << 20U, longest_type = 63;

const char* name_of(core::Type type) {
    switch (type) {
        case core::Type::real:
            return "float64";
        case core::Type::integer:
            return "int64";
        case core::Type::natural:
            return "uint64";
        case core::Type::boolean:
        case core::Type::clock:
            return "bool";
        case core::Type::bytes:
            return "bytes";
        case core::Type::string:
            break;
    }
    return "string";
}

TopicFit fit_of(double value) {
    if (std::isnan(value)) return TopicFit::not_a_number;
    return std::isinf(value) ? TopicFit::infinite : TopicFit::fits;
}
TopicFit fit_of(std::uint8_t boolean) { return boolean <= 1 ? TopicFit::fits : TopicFit::not_a_boolean; }
TopicFit fit_of(std::int64_t) { return TopicFit::fits; }
TopicFit fit_of(std::uint64_t) { return TopicFit::fits; }

template <class Element>
TopicFit fit_of_all(std::size_t count, std::span<const std::uint8_t> value) {
    if (value.size() != count * sizeof(Element)) return TopicFit::other_type;
    for (std::size_t i = 0; i < count; ++i) {
        Element element;
        std::memcpy(&element, value.data() + i * sizeof(Element), sizeof(Element));
        if (const TopicFit fit = fit_of(element); fit != TopicFit::fits) return fit;
    }
    return TopicFit::fits;
}

}  // namespace

bool is_point_cloud(const build::LocatedSignal& signal) {
    return signal.variable->mime_type == interfaces::point_cloud::mime_type;
}

std::string topic_type(const build::LocatedSignal& signal) {
    std::string text = name_of(signal.first.type);
    for (std::size_t i = 0; i < signal.dimensions.size(); ++i)
        text += (i == 0 ? "[" : ",") + std::to_string(signal.dimensions[i]);
    if (!signal.dimensions.empty()) text += "]";
    if (!signal.variable->mime_type.empty()) text += " " + signal.variable->mime_type;
    return text.substr(0, longest_type);
}

std::size_t topic_capacity(const build::LocatedSignal& signal) {
    if (signal.first.type == core::Type::string) return longest_text;
    if (signal.first.type == core::Type::bytes)
        return signal.variable->max_bytes != 0 ? signal.variable->max_bytes : unstated_size;
    return signal.size() * (signal.first.type == core::Type::boolean ? 1 : 8);
}

std::span<const std::uint8_t> topic_value(const build::LocatedSignal& signal, const core::Signals& signals) {
    using Span = std::span<const std::uint8_t>;
    return core::with_lane(
        signal.first.type, signal.first.lanes(signals), [&]<class Element>(const std::vector<Element>& lane) {
            const Element* at = lane.data() + signal.first.index;
            if constexpr (std::is_same_v<Element, core::Bytes>)
                return Span(at->data, at->size);
            else if constexpr (std::is_same_v<Element, std::string>)
                return Span(reinterpret_cast<const std::uint8_t*>(at->data()), at->size());
            else
                return Span(reinterpret_cast<const std::uint8_t*>(at), signal.size() * sizeof(Element));
        });
}

TopicFit topic_fit(const build::LocatedSignal& signal, std::span<const std::uint8_t> value) {
    switch (signal.first.type) {
        case core::Type::real:
            return fit_of_all<double>(signal.size(), value);
        case core::Type::integer:
            return fit_of_all<std::int64_t>(signal.size(), value);
        case core::Type::natural:
            return fit_of_all<std::uint64_t>(signal.size(), value);
        case core::Type::boolean:
        case core::Type::clock:
            return fit_of_all<std::uint8_t>(signal.size(), value);
        case core::Type::bytes:
            return value.size() <= topic_capacity(signal) ? TopicFit::fits : TopicFit::other_type;
        case core::Type::string:
            break;
    }
    const bool is_text = value.size() <= longest_text && std::ranges::find(value, 0) == value.end();
    return is_text ? TopicFit::fits : TopicFit::not_a_text;
}

std::string topic_text(const build::LocatedSignal& signal, std::span<const std::uint8_t> value) {
    const core::Lanes types;
    return core::with_lane(signal.first.type, types, [&]<class Element>(const std::vector<Element>&) {
        if constexpr (std::is_same_v<Element, std::string>) {
            return "'" + std::string(value.begin(), value.end()) + "'";
        } else if constexpr (!std::is_same_v<Element, core::Bytes>) {
            if (signal.dimensions.empty()) {
                Element element{};
                std::memcpy(&element, value.data(), sizeof element);
                if constexpr (std::is_same_v<Element, double>) element = signal.gain * element + signal.offset;
                return fmt::format("{}", element);
            }
        }
        return std::string("its value");
    });
}

void give_topic_value(const build::LocatedSignal& signal, std::span<const std::uint8_t> value, core::ByteString& kept,
                      core::Lanes& inputs) {
    core::with_lane(signal.first.type, inputs, [&]<class Element>(std::vector<Element>& lane) {
        Element* at = lane.data() + signal.first.index;
        if constexpr (std::is_same_v<Element, core::Bytes>) {
            kept.assign(value.begin(), value.end());
            *at = {kept.data(), kept.size()};
        } else if constexpr (std::is_same_v<Element, std::string>) {
            at->assign(reinterpret_cast<const char*>(value.data()), value.size());
        } else {
            std::memcpy(at, value.data(), value.size());
            if constexpr (std::is_same_v<Element, double>)
                for (std::size_t i = 0; i < signal.size(); ++i) at[i] = signal.gain * at[i] + signal.offset;
        }
    });
}

}  // namespace master::runs
