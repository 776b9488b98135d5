// Decodes the seeds of a target and seeded mutations of them, with the ordinary compiler.
//
// usage: fuzz_replay TARGET MANIFEST MUTATIONS
#include "tests/fuzz/table.hpp"
#include "tests/support/damage.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <glob.h>
#include <iterator>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace {

constexpr unsigned int longest = 5;               // s per input
constexpr rlim_t most_memory = 2ULL << 30U;       // bytes of address space
constexpr std::size_t largest_mutated = 1 << 18;  // bytes; larger seeds are decoded as they are

std::vector<std::string> seeds_of(const std::string& target, const char* manifest) {
    std::ifstream file(manifest);
    std::vector<std::string> seeds;
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string name, kind, longest_fuzzed;
        words >> name >> kind >> longest_fuzzed;
        if (name != target) continue;
        for (std::string pattern; words >> pattern;) {
            glob_t found{};
            if (glob(pattern.c_str(), 0, nullptr, &found) == 0) {
                for (std::size_t i = 0; i < found.gl_pathc; ++i) {
                    std::ifstream seed(found.gl_pathv[i], std::ios::binary);
                    seeds.emplace_back(std::istreambuf_iterator<char>(seed), std::istreambuf_iterator<char>());
                }
            }
            globfree(&found);
        }
    }
    return seeds;
}

void give_up(int) {
    constexpr char text[] = "an input takes longer than 5 s\n";
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(2);
    _exit(1);
}

/// What remains when a prefix, a piece repeated, or bytes of another seed take the place of some.
std::string spliced(const std::string& one, const std::string& other, std::mt19937& random) {
    const auto below = [&](std::size_t count) {
        return count == 0 ? 0 : std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    switch (below(3)) {
        case 0:
            return one.substr(0, below(one.size()));
        case 1: {
            const std::size_t at = below(one.size());
            return one.substr(0, at) + one.substr(at / 2, below(2000)) + one.substr(at);
        }
        default:
            return one.substr(0, below(one.size())) + other.substr(below(other.size()));
    }
}

int replay(const tests::FuzzTarget& target, const std::vector<std::string>& seeds, int mutations) {
    using Clock = std::chrono::steady_clock;
    double slowest = 0;
    const auto decode = [&](const std::string& bytes) {
        // A copy of exactly this length, so that reading beyond it is seen by tools.
        const std::vector<std::uint8_t> input(bytes.begin(), bytes.end());
        alarm(longest);
        const auto begin = Clock::now();
        target.decode(input.data(), input.size());
        slowest = std::max(slowest, std::chrono::duration<double>(Clock::now() - begin).count());
        alarm(0);
    };
    decode({});
    for (const std::string& seed : seeds) decode(seed);
    std::vector<std::string> small;
    std::ranges::copy_if(seeds, std::back_inserter(small),
                         [](const std::string& seed) { return !seed.empty() && seed.size() <= largest_mutated; });
    std::mt19937 random(1);
    const auto end = Clock::now() + std::chrono::seconds(10);
    int done = 0;
    for (; done < mutations && !small.empty() && (done < mutations / 10 || Clock::now() < end); ++done) {
        const std::string& seed = small[random() % small.size()];
        decode(done % 3 != 0 ? tests::damaged(seed, random) : spliced(seed, small[random() % small.size()], random));
    }
    std::printf("%s: %zu seeds, %d mutations, slowest %.3f s\n", target.name.c_str(), seeds.size(), done, slowest);
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: fuzz_replay TARGET MANIFEST MUTATIONS\n");
        return 2;
    }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they reserve more by themselves
    const rlimit memory{most_memory, most_memory};
    setrlimit(RLIMIT_AS, &memory);
#endif
    std::signal(SIGALRM, &give_up);
    const auto& targets = tests::fuzz_targets();
    const auto found = std::ranges::find(targets, argv[1], &tests::FuzzTarget::name);
    if (found == targets.end()) {
        std::fprintf(stderr, "no target %s\n", argv[1]);
        return 2;
    }
    const std::vector<std::string> seeds = seeds_of(argv[1], argv[2]);
    if (seeds.empty()) {
        std::fprintf(stderr, "%s has no seeds: add corpus/%s/ or SEEDS\n", argv[1], argv[1]);
        return 1;
    }
    return replay(*found, seeds, std::atoi(argv[3]));
}
