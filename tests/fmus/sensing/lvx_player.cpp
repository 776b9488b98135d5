#include "interfaces/livox/recording.hpp"
#include "interfaces/point_cloud/point_cloud.hpp"
#include "tests/fmus/sensing/points.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <fstream>

namespace livox = interfaces::livox;
using interfaces::point_cloud::View;
using tests::Fmi3Unit;
using tests::points;

namespace {

constexpr std::int64_t recorded_at = 123'000'000'000;  // ns of the device's clock

livox::Point recorded(int i) {
    return {.x = 1.0F + static_cast<float>(i % 1000) * 0.001F,
            .y = 2,
            .z = -1,
            .intensity = static_cast<std::uint8_t>(i),
            .time = recorded_at + i * livox::point_interval};
}

/// A quarter of a second of a device.
void record(const std::filesystem::path& path) {
    std::ofstream file(path, std::ios::binary);
    const std::array devices{livox::RecordedDevice{.code = "3GGDJ6K00200101"}};
    livox::LvxWriter writer(file, devices);
    livox::PacketBuilder builder(livox::DataType::cartesian_tag, livox::ReturnMode::first);
    for (int i = 0; i <= 25'000; ++i)
        if (const auto packet = builder.add(recorded(i))) REQUIRE(writer.add(0, *packet));
}

void set_text(const Fmi3Unit& unit, const std::string& name, const std::string& value) {
    const fmi3ValueReference reference = unit.fmu()[name].reference;
    const char* text = value.c_str();
    REQUIRE(unit.call<fmi3SetStringTYPE>("fmi3SetString")(unit.instance(), &reference, 1, &text, 1) == fmi3OK);
}

}  // namespace

TEST_CASE("a recorded LiDAR is played in place of a simulated one") {
    const tests::Scratch scratch;
    const auto file = scratch.folder() / "site.lvx";
    record(file);
    const Fmi3Unit player("lvx_player");
    set_text(player, "file", file.string());
    REQUIRE(player.initialize() == fmi3OK);
    std::int64_t newest = -1;
    std::size_t fresh = 0;
    for (int step = 0; step < 30; ++step) {
        REQUIRE(player.step(step * 0.01, 0.01).status == fmi3OK);
        const auto bytes = points(player);
        const auto cloud = View::parse(bytes);
        REQUIRE(cloud.has_value());
        CHECK(cloud->header().time == (step + 1) * 10'000'000);
        CHECK(cloud->size() <= 10'000);
        for (std::size_t i = 0; i < cloud->size(); ++i) {
            const auto point = (*cloud)[i];
            CHECK(point.time >= cloud->header().time - 100'000'000);
            if (point.time <= newest) continue;
            newest = point.time;
            const livox::Point was = recorded(static_cast<int>(fresh++));
            REQUIRE(point.time == was.time - recorded_at);
            REQUIRE(point.x == Approx(was.x).margin(0.0006));
            REQUIRE(point.intensity == was.intensity);
        }
    }
    CHECK(fresh == 25'000 / 96 * 96);
    CHECK(View::parse(points(player))->size() > 4000);  // of the last 50 ms
}

TEST_CASE("what is no recording is refused by name") {
    const tests::Scratch scratch;
    const auto refusal = [&](const std::string& file) {
        const Fmi3Unit player("lvx_player");
        set_text(player, "file", file);
        CHECK(player.initialize() != fmi3OK);
        std::string text;
        for (const std::string& message : player.messages()) text += message + "\n";
        return text;
    };
    CHECK_THAT(refusal((scratch.folder() / "none.lvx").string()),
               Catch::Matchers::Contains("cannot read the recording"));
    CHECK_THAT(refusal(scratch.write("text.lvx", "no recording").string()),
               Catch::Matchers::Contains("is no .lvx file of version 1.1"));
}

TEST_CASE("a recording that was cut off is played as far as it goes, and that is said") {
    const tests::Scratch scratch;
    const auto file = scratch.folder() / "cut.lvx";
    record(file);
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    const Fmi3Unit player("lvx_player");
    set_text(player, "file", file.string());
    CHECK(player.initialize() != fmi3Error);
    std::string text;
    for (const std::string& message : player.messages()) text += message + "\n";
    CHECK_THAT(text, Catch::Matchers::Contains("is cut off or damaged at byte") &&
                         Catch::Matchers::Contains("packets of device 0 before it are played"));
    CHECK(player.step(0, 0.01).status != fmi3Error);
    CHECK(View::parse(points(player))->size() > 0);
}
