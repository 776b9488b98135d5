#include "master/ssp/scaffold.hpp"

#include "master/base/error.hpp"
#include "master/ssp/write.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <fmt/format.h>
#include <fstream>
#include <string_view>

namespace master::ssp {
namespace {

constexpr const char* model_text = R"text(#pragma once

namespace models {{

/// A first-order lag: x' = (u - x) / T.
struct {type} {{
    struct Parameters {{
        double T = 1;
    }} parameters;
    struct Inputs {{
        double u = 0;
    }} inputs;
    struct State {{
        double x = 0;
    }} state, rates;

    void evaluate(double /*t*/) {{ rates.x = (inputs.u - state.x) / parameters.T; }}
}};

}}  // namespace models
)text";

constexpr const char* fmu_text = R"text(#include "fmus/common/declaring/instance_of.hpp"
#include "models/examples/{name}/{name}.hpp"

namespace {{

class {type}Fmu final : public fmus::InstanceOf<models::{type}> {{
public:
    {type}Fmu() {{
        about({{.description = "A first-order lag", .stop = 10}});
        parameter("T", "s", model_.parameters.T).min(1e-6).describe("Time constant");
        input("u", model_.inputs.u).describe("Input");
        output("x", model_.state.x).describe("Output");
        derivative("der(x)", "1/s", model_.rates.x, "x").depends_on({{"x", "u"}});
    }}
}};

}}  // namespace

std::unique_ptr<fmus::Instance> fmus::create() {{ return std::make_unique<{type}Fmu>(); }}
)text";

/// Libraries of the kit (fmu_kit).
constexpr std::array<std::string_view, 5> names_of_kit{"kit", "fmi2", "fmi3", "generator", "machine"};

void check_name(const std::string& name) {
    const auto fits = [](unsigned char c) { return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_'; };
    const bool good =
        !name.empty() && std::islower(static_cast<unsigned char>(name.front())) != 0 && std::ranges::all_of(name, fits);
    if (good) return;
    throw base::Error("usage", "", fmt::format("'{}' is no name for this: use lower-case letters, digits and _", name));
}

std::string type_name(const std::string& name) {
    std::string type;
    bool upper = true;
    for (const char c : name) {
        if (c != '_') type += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        upper = c == '_';
    }
    return type;
}

void write_new(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream stream(file, std::ios::binary);
    stream << text;
    if (!stream.flush()) throw base::Error("write-failed", file.string(), "cannot be written", base::Exit::failed);
}

void refuse_existing(const std::filesystem::path& path) {
    if (std::filesystem::exists(path))
        throw base::Error("usage", path.string(), "is there already; nothing was changed");
}

}  // namespace

std::vector<std::filesystem::path> scaffold_system(const std::filesystem::path& where, const std::string& name) {
    check_name(name);
    refuse_existing(where / name);
    const auto file = where / name / "SystemStructure.ssd";
    const auto table = where / name / new_table_name;
    write_new(file, new_system(name));
    write_new(table, new_table());
    return {file, table};
}

std::vector<std::filesystem::path> scaffold_fmu(const std::filesystem::path& checkout, const std::string& name) {
    check_name(name);
    const auto list = checkout / "fmus" / "CMakeLists.txt";
    if (!std::filesystem::exists(list)) {
        throw base::Error("usage", list.string(), "is not here; run this at the root of a Tandem checkout");
    }
    if (std::ranges::count(names_of_kit, name) > 0)
        throw base::Error("usage", "", fmt::format("a part of the kit is called '{}'; nothing was changed", name));
    // Names of libraries are those of folders: one name, one room.
    std::error_code none_yet;
    for (const char* kind : {"models", "fmus"})
        for (const auto& room : std::filesystem::directory_iterator(checkout / kind, none_yet))
            if (room.is_directory()) refuse_existing(room.path() / name);
    const auto model = checkout / "models" / "examples" / name / (name + ".hpp");
    const auto unit = checkout / "fmus" / "examples" / name / (name + "_fmu.cpp");
    const std::string type = type_name(name);
    write_new(model, fmt::format(model_text, fmt::arg("type", type)));
    write_new(unit, fmt::format(fmu_text, fmt::arg("type", type), fmt::arg("name", name)));
    std::ofstream lines(list, std::ios::app);
    lines << fmt::format("add_fmu({0} MODEL models::{0} FMI 2 3 ME)\n", name);
    if (!lines.flush()) throw base::Error("write-failed", list.string(), "cannot be written", base::Exit::failed);
    return {model, unit, list};
}

}  // namespace master::ssp
