#include "master/view/settings.hpp"

#include "master/base/error.hpp"
#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <fstream>

using namespace master;

TEST_CASE("what was set is read back, and played at its points") {
    const tests::Scratch scratch;
    const auto file = scratch.folder() / view::settings_name;
    const base::Timebase timebase{.ticks_per_second = 1000};
    view::SettingsJournal journal(file, timebase);
    CHECK(journal.empty());
    CHECK_FALSE(std::filesystem::exists(file));
    journal.add({10}, "boom command", 0.1);
    journal.add({20}, "boom command", -1.0 / 3);
    CHECK_FALSE(journal.empty());
    const auto settings = view::read_settings(file, timebase);
    REQUIRE(settings.size() == 2);
    CHECK(settings[1].name == "boom command");
    CHECK(settings[1].value == -1.0 / 3);

    build::OpenInput input;
    input.name = "boom command";
    input.targets = {{.first = {core::Type::real, true, 0}, .dimensions = {}}};
    core::Lanes lanes;
    lanes.reals = {7};
    const auto player = view::play_settings(settings, {input}, "x");
    player->before_step({9}, lanes);
    CHECK(lanes.reals[0] == 7);
    player->before_step({10}, lanes);
    CHECK(lanes.reals[0] == 0.1);
    player->before_step({20}, lanes);
    CHECK(lanes.reals[0] == -1.0 / 3);
    CHECK_THROWS_AS(view::play_settings({{{1}, "boom comand", 1}}, {input}, "x"), base::Error);
}

TEST_CASE("a journal of another run, or with lines that are none, is refused with its line") {
    const tests::Scratch scratch;
    const auto file = scratch.folder() / "j";
    const base::Timebase timebase{.ticks_per_second = 1000};
    for (const char* text :
         {"", "x\n", "tandem settings 1, ticks per second 999\n", "tandem settings 1, ticks per second 1000\n1 2\n",
          "tandem settings 1, ticks per second 1000\n1 nan a\n",
          "tandem settings 1, ticks per second 1000\n5 1 a\n4 1 a\n"}) {
        std::ofstream(file) << text;
        CHECK_THROWS_AS(view::read_settings(file, timebase), base::Error);
    }
}
