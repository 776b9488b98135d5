#include "master/results/mcap/mcap_result.hpp"

#include "interfaces/protobuf/wire.hpp"
#include "master/base/error.hpp"
#include "master/base/json.hpp"
#include "master/results/result_file.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

namespace master::results {
namespace {

namespace foxglove = interfaces::foxglove;
namespace mcap = interfaces::mcap;
using foxglove::Kind;
using interfaces::protobuf::WireType;

constexpr std::array kind_names{"real", "integer", "natural", "boolean", "text"};

Kind kind_of(core::Type type) {
    switch (type) {
        case core::Type::real:
            return Kind::real;
        case core::Type::integer:
            return Kind::integer;
        case core::Type::natural:
            return Kind::natural;
        case core::Type::string:
            return Kind::text;
        default:
            return Kind::boolean;
    }
}

/// Of packed elements.
std::size_t size_of(Kind kind) { return kind == Kind::boolean ? 1 : 8; }

}  // namespace

std::vector<foxglove::Signal> described_signals(std::span<const Column> columns) {
    std::vector<foxglove::Signal> signals;
    signals.reserve(columns.size());
    for (const Column& column : columns) signals.push_back({column.name, kind_of(column.signal.type)});
    return signals;
}

std::string described(const foxglove::Row& row, std::span<const Column> columns) {
    base::Json list = base::Json::array();
    for (const foxglove::RowField& field : row.fields)
        for (const std::size_t i : std::span(row.signals).subspan(field.first, field.count))
            list.push_back({{"name", columns[i].name},
                            {"unit", columns[i].unit},
                            {"type", kind_names[static_cast<std::size_t>(field.kind)]}});
    return list.dump(-1, ' ', false, base::Json::error_handler_t::replace);
}

McapResult::McapResult(const std::filesystem::path& file) : path_(file.string()), mapped_(file) { read_channels(); }

void McapResult::refuse(const std::string& found) const {
    throw base::Error("bad-result", path_, found + ", expected a results.mcap as this program records it");
}

void McapResult::read_channels() {
    std::optional<mcap::Records> records = mcap::Records::of_file(mapped_.bytes());
    if (!records) refuse("the file does not begin as MCAP");
    while (const auto record = records->next()) {
        if (record->op == mcap::Op::chunk || record->op == mcap::Op::data_end) break;
        if (record->op != mcap::Op::channel) continue;
        const std::optional<mcap::Channel> channel = mcap::parse_channel(record->content);
        if (!channel) refuse("a channel cannot be read");
        for (const auto& [key, value] : channel->metadata)
            if (key == columns_key) add_component(*channel, value);
    }
    if (components_.empty()) refuse("no channel says what its columns are");
}

void McapResult::add_component(const mcap::Channel& channel, const std::string& described) {
    const base::Json list = base::Json::parse(described, nullptr, false);
    if (!list.is_array()) refuse("the columns of " + channel.topic + " are no list");
    std::vector<foxglove::Signal> signals;
    const std::size_t first = columns_.size();
    for (const base::Json& each : list) {
        if (!each.is_object()) refuse("a column of " + channel.topic + " is no object");
        const auto text = [&](const char* key) {
            const auto found = each.find(key);
            if (found == each.end() || !found->is_string()) refuse("a column of " + channel.topic + " has no " + key);
            return found->get<std::string>();
        };
        const auto kind = std::ranges::find(kind_names, text("type"));
        if (kind == kind_names.end()) refuse("a column of " + channel.topic + " has the type '" + text("type") + "'");
        signals.push_back({text("name"), static_cast<Kind>(kind - kind_names.begin())});
        columns_.push_back({signals.back().name, text("unit"), signals.back().kind});
    }
    std::vector<foxglove::Row> rows = foxglove::rows_of(signals);
    if (rows.size() != 1) refuse("the columns of " + channel.topic + " are not those of one component");
    components_[channel.id] = {std::move(rows.front()), first};
}

void McapResult::read_rows(const std::function<void(const Cell&)>& use_cell,
                           const std::function<void(double)>& end_row) {
    std::optional<mcap::Records> records = mcap::Records::of_file(mapped_.bytes());
    double t = 0;
    // The components of a row follow each other.
    auto next = components_.begin();
    bool ended = false;
    while (const auto record = records->next()) {
        ended = record->op == mcap::Op::data_end;
        if (ended) break;
        if (record->op != mcap::Op::chunk) continue;
        const auto messages = mcap::parse_chunk(record->content);
        if (!messages) refuse("a chunk is damaged or compressed");
        mapped_.forget_before(record->content.data());
        mcap::Records inner(*messages);
        while (const auto each = inner.next()) {
            const auto message = mcap::parse_message(each->content);
            if (each->op != mcap::Op::message || !message) continue;
            const auto component = components_.find(message->head.channel);
            if (component == components_.end()) continue;
            if (component != next) refuse("the rows are not complete");
            read_message(component->second, message->content, t, use_cell);
            if (++next != components_.end()) continue;
            end_row(t);
            next = components_.begin();
        }
    }
    if (!ended) refuse("the file was cut: it ends before its data do");
}

void McapResult::read_message(const Component& component, std::span<const std::uint8_t> content, double& t,
                              const std::function<void(const Cell&)>& use_cell) const {
    interfaces::protobuf::Reader reader(content);
    const auto refuse_message = [&] { refuse("a message of " + component.row.topic + " does not fit its columns"); };
    const auto time = reader.next();
    if (!time || time->number != foxglove::Row::time_field || time->type != WireType::fixed64) refuse_message();
    t = std::bit_cast<double>(time->bits);
    for (const foxglove::RowField& field : component.row.fields) {
        const std::size_t column = component.first + field.first;
        const bool packed = field.array && field.kind != Kind::text;
        const std::size_t count = packed ? 1 : field.count;
        for (std::size_t i = 0; i < count; ++i) {
            const auto found = reader.next();
            const WireType expected = packed || field.kind == Kind::text ? WireType::sized
                                      : field.kind == Kind::boolean      ? WireType::varint
                                                                         : WireType::fixed64;
            if (!found || found->number != field.number || found->type != expected) refuse_message();
            if (!packed) {
                use_cell({column + i, found->bits, found->content});
                continue;
            }
            const std::size_t size = size_of(field.kind);
            if (found->content.size() != size * field.count) refuse_message();
            for (std::size_t k = 0; k < field.count; ++k) {
                const std::uint8_t* const at = found->content.data() + size * k;
                use_cell({column + k, size == 1 ? *at : interfaces::bytes::take<std::uint64_t>(at), {}});
            }
        }
    }
}

double McapResult::number(const Cell& cell) const {
    switch (columns_[cell.column].kind) {
        case Kind::real:
            return std::bit_cast<double>(cell.bits);
        case Kind::integer:
            return static_cast<double>(static_cast<std::int64_t>(cell.bits));
        case Kind::text:
            return std::numeric_limits<double>::quiet_NaN();
        default:
            return static_cast<double>(cell.bits);
    }
}

Table McapResult::table() {
    Table table;
    table.source = path_;
    for (const ColumnText& column : columns_) {
        table.columns.push_back({column.name, column.unit, {}});
        core::Value& values = table.columns.back().values;
        if (column.kind == Kind::integer) values = std::vector<std::int64_t>{};
        if (column.kind == Kind::natural) values = std::vector<std::uint64_t>{};
        if (column.kind == Kind::text) values = std::vector<std::string>{};
    }
    const auto take = [&](const Cell& cell) {
        std::visit(
            [&]<class Element>(std::vector<Element>& values) {
                if constexpr (std::is_same_v<Element, double>) {
                    values.push_back(number(cell));
                } else if constexpr (std::is_same_v<Element, std::string>) {
                    values.emplace_back(cell.text.begin(), cell.text.end());
                } else if constexpr (std::is_integral_v<Element>) {
                    values.push_back(static_cast<Element>(cell.bits));
                }
            },
            table.columns[cell.column].values);
    };
    read_rows(take, [&](double t) { table.time.push_back(t); });
    // A row that is not complete counts for nothing.
    for (TableColumn& column : table.columns)
        std::visit([&](auto& values) { values.resize(table.time.size()); }, column.values);
    return table;
}

void McapResult::stream(std::span<const std::string> names,
                        const std::function<void(double t, std::span<const double> values)>& use) {
    constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
    std::vector<std::size_t> places(columns_.size(), nowhere);
    for (std::size_t i = 0; i < columns_.size(); ++i)
        if (const auto found = std::ranges::find(names, columns_[i].name); found != names.end())
            places[i] = static_cast<std::size_t>(found - names.begin());
    std::vector<double> values(names.size(), std::numeric_limits<double>::quiet_NaN());
    const auto take = [&](const Cell& cell) {
        if (places[cell.column] != nowhere) values[places[cell.column]] = number(cell);
    };
    read_rows(take, [&](double t) { use(t, values); });
}

Table read_mcap(const std::filesystem::path& file) { return McapResult(file).table(); }

}  // namespace master::results
