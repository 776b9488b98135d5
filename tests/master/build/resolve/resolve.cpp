#include "master/build/resolve/resolve.hpp"

#include "master/base/error.hpp"
#include "tests/master/ssp/support.hpp"
#include "tests/support/scratch.hpp"

#include <random>

using namespace tests::ssp;
using master::base::Diagnostics;
using master::core::Causality;

namespace {

/// A byte changed, a stretch removed, doubled or moved: what bad transfers and careless editors do.
std::string mutated(std::string text, std::mt19937& random) {
    const auto below = [&](std::size_t limit) {
        return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random);
    };
    const std::size_t changes = 1 + below(4);
    for (std::size_t i = 0; i < changes && !text.empty(); ++i) {
        const std::size_t at = below(text.size());
        const std::size_t length = 1 + below(std::min<std::size_t>(text.size() - at, 60));
        const std::string part = text.substr(at, length);
        switch (below(5)) {
            case 0:
                text[at] = static_cast<char>(below(256));
                break;
            case 1:
                text.erase(at, length);
                break;
            case 2:
                text.insert(at, part);
                break;
            case 3:
                text.insert(below(text.size()), part);
                break;
            default:
                // A quoted value replaced by another one of the same file keeps the XML well-formed.
                if (const auto from = text.find('"', at); from != std::string::npos) {
                    const auto to = text.find('"', from + 1);
                    const auto other = text.find('"', below(text.size()));
                    const auto end = other == std::string::npos ? other : text.find('"', other + 1);
                    if (to != std::string::npos && end != std::string::npos)
                        text.replace(from, to - from, text.substr(other, end - other));
                }
        }
    }
    return text;
}

}  // namespace

TEST_CASE("mutated files are read or refused, never crashed on") {
    const std::filesystem::path data = std::filesystem::path(TANDEM_TEST_DATA) / "master/ssp/data/nested";
    Folder folder;
    folder.fmus({"source", "plant"}).write("resources/table.csv", "time,u\n0,1\n");
    const std::vector<std::string> files{"SystemStructure.ssd", "resources/plant.ssv", "resources/plant.ssm",
                                         "resources/signals.ssb"};
    const master::core::UnitInfo info =
        unit({variable("y", Causality::output), variable("u", Causality::input), variable("k", Causality::parameter),
              array(variable("v", Causality::input), {2}), variable("mode", Causality::parameter, "Enumeration")});

    std::vector<std::string> originals;
    for (const std::string& file : files) originals.push_back(tests::content_of(data / file));
    for (std::size_t i = 0; i < files.size(); ++i) folder.write(files[i], originals[i]);

    std::mt19937 random(20240229);
    std::size_t refused = 0;
    constexpr int rounds = 1500;
    for (int round = 0; round < rounds; ++round) {
        const std::size_t victim = static_cast<std::size_t>(round) % files.size();
        folder.write(files[victim], mutated(originals[victim], random));
        Diagnostics diagnostics;
        try {
            const auto description = read(folder, diagnostics);
            std::vector<const master::core::UnitInfo*> infos;
            for (const auto& component : description.components)
                infos.push_back(component.kind == master::ssp::ComponentKind::interface_only ? nullptr : &info);
            (void)master::build::resolve(description, infos, {.set = {"plant.k=1"}}, diagnostics);
            if (diagnostics.has_errors()) ++refused;
        } catch (const master::base::Error&) {
            ++refused;
        }
        folder.write(files[victim], originals[victim]);
    }
    // Most mutations do harm; if none were refused, nothing would have been mutated.
    CHECK(refused > rounds / 4);
}
