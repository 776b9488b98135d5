#pragma once

#include "interfaces/dbc/database.hpp"
#include "interfaces/e2e/protection.hpp"

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// Which signal of a DBC file is which connector, and how its messages are protected.
namespace interfaces::can_mapping {

/// A mapping file that cannot be used; the text begins with file:line.
class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// connector = physical * gain + offset
struct SignalMap {
    std::uint32_t signal = 0;  // in the message of the database
    std::string connector;
    double gain = 1, offset = 0;
};

struct MessageMap {
    std::size_t message = 0;  // in the database
    e2e::Protection protection;
    std::optional<std::uint32_t> counter,
        checksum;  // signals of the message; written by the protection, mapped to nothing
    e2e::Monitor::Limits limits;
    std::optional<std::uint8_t> source;  // of a J1939 message from one sender only
    std::vector<SignalMap> signals;
};

/// Messages whose signals count once all with equal counters have come.
struct SetMap {
    std::string name;
    std::vector<std::size_t> members;  // of `Mapping::messages`
};

struct Mapping {
    std::string database_file;
    dbc::Database database;
    std::vector<MessageMap> messages;
    std::vector<SetMap> sets;
};

/// The name of the DBC file in the text of a mapping. Throws `Error`.
[[nodiscard]] std::string database_named(std::string_view text, const std::string& shown);

/// Messages call the file `shown`. Throws `Error`.
[[nodiscard]] Mapping read(std::string_view text, const std::string& shown, dbc::Database database);

/// Also reads the DBC file that it names, from its own folder. Throws `Error` and `dbc::Error`.
[[nodiscard]] Mapping read_file(const std::string& path);

}  // namespace interfaces::can_mapping
