#pragma once

#include "master/build/requests/signal_request.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace master::runs {

/// A signal as a topic says it: its elements one after the other, little endian; real float64, integer int64, natural
/// uint64, boolean a byte; bytes and text as they are.
[[nodiscard]] std::string topic_type(const build::LocatedSignal& signal);
/// Of the largest value.
[[nodiscard]] std::size_t topic_capacity(const build::LocatedSignal& signal);
/// True for the points of a sensor.
[[nodiscard]] bool is_point_cloud(const build::LocatedSignal& signal);
/// The value where it lies, until the unit is read again.
[[nodiscard]] std::span<const std::uint8_t> topic_value(const build::LocatedSignal& signal,
                                                        const core::Signals& signals);
/// Whether an input takes a value, and why not.
enum class TopicFit : std::uint8_t { fits, other_type, not_a_number, infinite, not_a_boolean, not_a_text };
[[nodiscard]] TopicFit topic_fit(const build::LocatedSignal& signal, std::span<const std::uint8_t> value);
/// What an input has of a value that fits, for a message.
[[nodiscard]] std::string topic_text(const build::LocatedSignal& signal, std::span<const std::uint8_t> value);
/// Writes a value that fits into inputs that no wire drives. `kept` holds bytes until the next value.
void give_topic_value(const build::LocatedSignal& signal, std::span<const std::uint8_t> value, core::ByteString& kept,
                      core::Lanes& inputs);

}  // namespace master::runs
