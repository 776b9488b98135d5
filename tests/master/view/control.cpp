#include "master/view/control.hpp"

#include <catch2/catch.hpp>

using namespace master::view;
using Do = ClientMessage::Do;

TEST_CASE("control is held by one client, and handed over only by it") {
    Control control;
    control.take(3);
    CHECK(control.has(3));
    control.take(5);
    CHECK(control.has(3));
    CHECK(control.asked().size() == 1);
    CHECK_FALSE(control.give(5, 5));
    CHECK_FALSE(control.give(3, 7));
    CHECK(control.give(3, 5));
    CHECK(control.has(5));
    CHECK(control.asked().empty());
    CHECK_FALSE(control.release(3));
}

TEST_CASE("control is free again when its holder is gone") {
    Control control;
    control.take(1);
    control.take(2);
    control.leave(1);
    CHECK(control.holder() == Control::nobody);
    control.take(2);
    CHECK(control.has(2));
}

TEST_CASE("an axis follows its lever only after that was neutral with the key held") {
    Levers levers(2, 0.1);
    CHECK(levers.move(true, std::vector{0.5, 0.05}, 0.0));
    CHECK(levers.values()[0] == 0);
    CHECK(levers.waiting() == std::vector<std::uint32_t>{0});
    CHECK(levers.move(true, std::vector{0.5, 0.7}, 0.1));
    CHECK(levers.values()[0] == 0);
    CHECK(levers.values()[1] == 0.7);
    CHECK(levers.move(true, std::vector{0.0, 0.7}, 0.2));
    CHECK(levers.move(true, std::vector{-0.4, 0.7}, 0.3));
    CHECK(levers.values()[0] == -0.4);
}

TEST_CASE("without the key, or without a sign of life, all axes are at rest and wait for neutral") {
    Levers levers(1, 0.1);
    CHECK(levers.move(true, std::vector{0.0}, 0.0));
    CHECK(levers.move(true, std::vector{1.0}, 0.1));
    CHECK(levers.values()[0] == 1);
    CHECK_FALSE(levers.expire(0.099 + Levers::patience));
    CHECK(levers.expire(0.101 + Levers::patience));
    CHECK(levers.values()[0] == 0);
    CHECK(levers.move(true, std::vector{1.0}, 0.5));
    CHECK(levers.values()[0] == 0);
    CHECK(levers.move(true, std::vector{0.0}, 0.6));
    CHECK(levers.move(true, std::vector{1.0}, 0.7));
    CHECK(levers.values()[0] == 1);
    CHECK(levers.move(false, std::vector{1.0}, 0.8));
    CHECK(levers.values()[0] == 0);
    CHECK_FALSE(levers.move(true, std::vector{1.0, 1.0}, 0.9));
}

TEST_CASE("whoever shares control brings the axes to rest when it changes hands, and tells everybody") {
    using Heard = SharedControl::Heard;
    int rests = 0;
    std::vector<std::string> told;
    SharedControl control({.rest = [&] { ++rests; }, .tell = [&](const std::string& json) { told.push_back(json); }});
    CHECK(control.hear(3, {.what = Do::take, .levers = {}}) == Heard::done);
    CHECK(control.hear(5, {.what = Do::take, .levers = {}}) == Heard::done);
    CHECK(told.back() == R"({"type":"control","holder":3,"asked":[5]})");
    CHECK(rests == 0);
    CHECK(control.hear(5, {.what = Do::release, .levers = {}}) == Heard::refused);
    CHECK(control.hear(3, {.what = Do::give, .number = 9, .levers = {}}) == Heard::refused);
    CHECK(told.size() == 2);
    CHECK(control.hear(3, {.what = Do::give, .number = 5, .levers = {}}) == Heard::done);
    CHECK(rests == 1);
    CHECK(control.has(5));
    CHECK(control.hear(5, {.what = Do::pause, .levers = {}}) == Heard::other);
    control.leave(3);
    CHECK(rests == 1);
    control.leave(5);
    CHECK(rests == 2);
    CHECK(told.back() == R"({"type":"control","holder":0,"asked":[]})");
}
