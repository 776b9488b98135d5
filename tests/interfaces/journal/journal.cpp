#include "interfaces/journal/journal.hpp"

#include "tests/support/scratch.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>

using interfaces::journal::Reader;
using interfaces::journal::Writer;

namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes taken(Reader& reader, std::int64_t point) {
    const auto entry = reader.next(point);
    REQUIRE(entry.has_value());
    return {entry->begin(), entry->end()};
}

std::string some_journal(const std::string& path) {
    Writer writer(path, "test");
    writer.add(-5, Bytes{1, 2, 3});
    writer.add(10, Bytes{});
    writer.finish_point();
    writer.add(10, Bytes{4});
    writer.finish_point();
    return path;
}

}  // namespace

TEST_CASE("a journal plays each entry at the point at which it entered") {
    const tests::Scratch scratch;
    Reader reader(some_journal((scratch.folder() / "j").string()), "test");
    CHECK_FALSE(reader.next(-6).has_value());
    CHECK(taken(reader, -5) == Bytes{1, 2, 3});
    CHECK_FALSE(reader.next(9).has_value());
    CHECK(taken(reader, 10).empty());
    CHECK(taken(reader, 11) == Bytes{4});
    CHECK_FALSE(reader.next(1'000'000).has_value());
}

TEST_CASE("what is no journal, one of another kind, or a damaged one is refused") {
    const tests::Scratch scratch;
    const std::string path = some_journal((scratch.folder() / "j").string());
    CHECK_THROWS_WITH(Reader(path, "other"), Catch::Matchers::Contains("expected 'tandem journal other'"));
    CHECK_THROWS_WITH(Reader((scratch.folder() / "none").string(), "test"), Catch::Matchers::Contains("cannot read"));
    CHECK_THROWS_WITH(Writer((scratch.folder() / "no/folder").string(), "test"),
                      Catch::Matchers::Contains("cannot write"));
    std::ifstream in(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    const std::size_t head = whole.find('\n') + 1;
    for (std::size_t size = 0; size < whole.size(); ++size) {
        const std::string cut = (scratch.folder() / "cut").string();
        std::ofstream(cut, std::ios::binary) << whole.substr(0, size);
        // Between entries a journal may end.
        const std::size_t entries = size - head;
        const bool whole_entries = size >= head && (entries == 0 || entries == 15 || entries == 27);
        const auto play = [&] {
            Reader reader(cut, "test");
            while (reader.next(100)) {
            }
        };
        if (whole_entries)
            CHECK_NOTHROW(play());
        else
            CHECK_THROWS_AS(play(), std::runtime_error);
    }
    std::string huge = whole;
    huge[head + 11] = '\x7f';  // the uppermost byte of a size
    std::ofstream(path, std::ios::binary) << huge;
    CHECK_THROWS_WITH(Reader(path, "test"), Catch::Matchers::Contains("damaged"));
}
