#pragma once

#include "master/core/physical_unit.hpp"
#include "master/core/unit.hpp"
#include "master/ssp/contract.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace master::ssp {

enum class Kind : std::uint8_t {
    input,
    output,
    inout,
    parameter,
    calculated_parameter,
    structural_parameter,
    constant,
    local,
    unspecified
};

/// What a variable of an FMU is as a connector.
[[nodiscard]] Kind kind_of(core::Causality causality);

/// The extent of an array as a connector declares it: a number, the connector that holds it, or open.
struct Extent {
    std::optional<std::uint64_t> size;
    std::string connector;
};

/// What a file says about a connector; type and unit may be left to the FMU.
struct Connector {
    std::string name;
    Kind kind = Kind::unspecified;
    std::string type;  // Real, Float64, ..., Clock; empty = not declared
    std::optional<core::PhysicalUnit> unit;
    std::optional<core::Enumeration> enumeration;
    std::string mime_type;
    std::vector<Extent> dimensions;
    std::vector<std::string> clocks;
    std::optional<Contract> contract = {};
    std::string where;
};

/// The connectors of one element, as written and by name: a system may have a hundred thousand.
class Connectors {
public:
    /// False where there is one of that name already; that one stays.
    bool add(Connector connector);
    /// Null where there is none.
    [[nodiscard]] const Connector* find(std::string_view name) const;
    [[nodiscard]] std::vector<std::string> names() const;

    [[nodiscard]] const std::vector<Connector>& list() const { return list_; }
    [[nodiscard]] auto begin() const { return list_.begin(); }
    [[nodiscard]] auto end() const { return list_.end(); }
    [[nodiscard]] std::size_t size() const { return list_.size(); }
    [[nodiscard]] const Connector& operator[](std::size_t index) const { return list_[index]; }

private:
    std::vector<Connector> list_;
    std::map<std::string, std::uint32_t, std::less<>> index_of_;
};

}  // namespace master::ssp
