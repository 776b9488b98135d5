#pragma once

#include "interfaces/foxglove/messages.hpp"

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace interfaces::foxglove {

enum class Kind : std::uint8_t { real, integer, natural, boolean, text };

/// A signal by its name: component.variable, elements of arrays as name[i].
struct Signal {
    std::string name;
    Kind kind = Kind::real;
};

/// A field of a component's message: one signal, or the neighbouring elements of an array.
struct RowField {
    std::string name;  // an identifier, unlike that of any other field
    std::uint32_t number = 0;
    Kind kind = Kind::real;
    bool array = false;
    std::size_t first = 0, count = 1;  // among the signals of its row
};

/// The signals of one component as one message, tandem.COMPONENT on the topic /COMPONENT: its field `time`, in
/// seconds, then one per signal. Signals without a component come as /signals.
struct Row {
    static constexpr std::uint32_t time_field = 1;
    std::string topic;
    std::string message;               // name of the schema
    std::vector<std::size_t> signals;  // which of all signals
    std::vector<RowField> fields;
};

[[nodiscard]] std::vector<Row> rows_of(std::span<const Signal> signals);
[[nodiscard]] Schema schema_of(const Row& row);

/// A row at a time in s. The source has real(i), integer(i), natural(i), boolean(i) and text(i) of signal i. Every
/// field is written, also where it is zero.
template <class Source>
void put_row(Bytes& out, const Row& row, double time, const Source& source) {
    protobuf::Writer message(out);
    message.number(Row::time_field, time);
    const auto bits = [&](Kind kind, std::size_t i) -> std::uint64_t {
        if (kind == Kind::integer) return static_cast<std::uint64_t>(source.integer(i));
        if (kind == Kind::natural) return source.natural(i);
        return std::bit_cast<std::uint64_t>(double{source.real(i)});
    };
    for (const RowField& field : row.fields) {
        const auto signals = std::span(row.signals).subspan(field.first, field.count);
        if (field.kind == Kind::text) {
            for (const std::size_t i : signals) message.text(field.number, source.text(i));
            continue;
        }
        const bool flag = field.kind == Kind::boolean;
        if (field.array)
            message.begin_sized(field.number, (flag ? 1 : 8) * field.count);
        else
            message.tag(field.number, flag ? protobuf::WireType::varint : protobuf::WireType::fixed64);
        for (const std::size_t i : signals) {
            if (flag)
                out.push_back(source.boolean(i) ? 1 : 0);
            else
                protobuf::put_fixed(out, bits(field.kind, i));
        }
    }
}

}  // namespace interfaces::foxglove
