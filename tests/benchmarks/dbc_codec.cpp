// Encodes or decodes the message of a DBC file that has the most signals, with its protection where a mapping has one.
// usage: benchmark_dbc MAPPING.xml encode|decode COUNT
#include "interfaces/can_mapping/mapping.hpp"
#include "interfaces/dbc/plan.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

int main(int count, char** arguments) {
    using namespace interfaces;
    if (count != 4) return 2;
    const can_mapping::Mapping mapping = can_mapping::read_file(arguments[1]);
    const dbc::Plans plans(mapping.database);
    const auto& map =
        *std::max_element(mapping.messages.begin(), mapping.messages.end(), [&](const auto& a, const auto& b) {
            return plans[a.message].signal_count() < plans[b.message].signal_count();
        });
    const dbc::MessagePlan& plan = plans[map.message];
    const bool encode = std::string_view(arguments[2]) == "encode";
    std::array<std::uint8_t, 64> bytes{};
    const std::span data = std::span(bytes).first(plan.size());
    std::vector<double> values(plan.signal_count(), 0.5);
    const int rounds = std::atoi(arguments[3]);
    double total = 0;
    for (int i = 0; i < rounds; ++i) {
        if (encode) {
            values.back() = i * 1e-3;
            static_cast<void>(plan.encode(values, data));
            e2e::protect(map.protection, static_cast<std::uint8_t>(i % 15), data);
        } else {
            bytes[2] = static_cast<std::uint8_t>(i);
            total += e2e::is_intact(map.protection, data) ? 1 : 0;
            static_cast<void>(plan.decode(data, values));
        }
        total += values.back() + bytes[0];
    }
    std::printf("%s with %zu signals %g\n", mapping.database.messages[map.message].name.c_str(), plan.signal_count(),
                total);
}
