#include "master/core/algorithms/thread_team.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

using master::core::Node;
using master::core::algorithms::ThreadTeam;

namespace {

/// Nodes without units, and how often each was worked on.
struct Counted {
    explicit Counted(std::size_t count) : nodes(count), visits(count) {}

    [[nodiscard]] std::size_t index(const Node& node) const { return static_cast<std::size_t>(&node - nodes.data()); }
    void round(ThreadTeam& team) {
        team.for_each(nodes, [&](Node& node) { ++visits[index(node)]; });
    }
    [[nodiscard]] bool all_visited(int times) const {
        return std::ranges::all_of(visits, [&](int visit) { return visit == times; });
    }

    std::vector<Node> nodes;
    std::vector<int> visits;
};

constexpr bool always = true;

}  // namespace

TEST_CASE("every node is worked on exactly once per round") {
    for (const unsigned threads : {1U, 2U, 3U, 5U}) {
        for (const std::size_t count : {1U, 2U, 3U, 12U}) {
            ThreadTeam team(threads, always);
            Counted counted(count);
            for (int round = 1; round <= 20; ++round) {
                counted.round(team);
                INFO(threads << " threads, " << count << " nodes, round " << round);
                REQUIRE(counted.all_visited(round));
            }
            // The first round is timed on the caller's thread.
            CHECK(team.threaded_rounds() == (threads > 1 && count > 1 ? 19 : 0));
        }
    }
}

TEST_CASE("a team keeps count over many rounds") {
    constexpr int rounds = 3000;
    ThreadTeam team(2, always);
    Counted counted(4);
    for (int round = 0; round < rounds; ++round) counted.round(team);
    CHECK(counted.all_visited(rounds));
}

TEST_CASE("a team that measures does the same work, whatever it decides") {
    constexpr int rounds = 500;
    ThreadTeam team(2);
    Counted counted(3);
    for (int round = 0; round < rounds; ++round) counted.round(team);
    CHECK(counted.all_visited(rounds));
}

TEST_CASE("what the first failing node threw is reported, whichever thread was faster") {
    for (const unsigned threads : {1U, 2U, 4U}) {
        ThreadTeam team(threads, always);
        Counted counted(8);
        counted.round(team);
        std::string reported;
        try {
            team.for_each(counted.nodes, [&](Node& node) {
                const std::size_t index = counted.index(node);
                // The later one fails at once, the earlier one takes its time.
                if (index == 2) std::this_thread::sleep_for(std::chrono::milliseconds(5));
                if (index == 2 || index == 5) throw std::runtime_error("node " + std::to_string(index));
            });
        } catch (const std::runtime_error& error) {
            reported = error.what();
        }
        INFO(threads << " threads");
        CHECK(reported == "node 2");
        // What the other node threw belongs to that round too.
        CHECK_NOTHROW(counted.round(team));
    }
}

TEST_CASE("an idle team ends, awake or asleep") {
    { const ThreadTeam never_used(3, always); }
    for (const auto& pause : {std::chrono::milliseconds(0), std::chrono::milliseconds(20)}) {
        Counted counted(6);
        {
            ThreadTeam team(3, always);
            counted.round(team);
            counted.round(team);
            std::this_thread::sleep_for(pause);  // waiting threads fall asleep meanwhile
        }
        CHECK(counted.all_visited(2));
    }
}
