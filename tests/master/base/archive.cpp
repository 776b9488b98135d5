#include "master/base/archive.hpp"

#include "master/base/error.hpp"
#include "tests/support/damage.hpp"
#include "tests/support/zip_writer.hpp"

#include <catch2/catch.hpp>
#include <optional>
#include <sys/stat.h>
#include <zip.h>

using master::base::Archive;
using master::base::ArchiveCache;
using master::base::ArchiveLimits;
using tests::content_of;
using tests::write_file;
using tests::zip_of;
using tests::ZipEntry;

namespace {

/// What the user reads when the archive is refused; empty when it is accepted.
std::string refusal(const std::string& bytes, const ArchiveLimits& limits = {}) {
    const master::base::TemporaryFolder folder("tandem-test-");
    const std::filesystem::path file = folder.path() / "a.fmu";
    write_file(file, bytes);
    try {
        const Archive archive(file, limits);
    } catch (const master::base::Error& error) {
        CHECK(error.code() == "bad-archive");
        CHECK(error.where() == file.string());
        CHECK(error.exit() == master::base::Exit::bad_input);
        return error.what();
    }
    return {};
}

/// An archive whose one entry is really deflated.
std::string deflated(const std::string& content) {
    const master::base::TemporaryFolder folder("tandem-test-");
    const std::string file = (folder.path() / "deflated.zip").string();
    zip_t* zip = zip_open(file.c_str(), ZIP_CREATE, nullptr);
    zip_source_t* source = zip_source_buffer(zip, content.data(), content.size(), 0);
    zip_file_add(zip, "content", source, ZIP_FL_ENC_UTF_8);
    zip_close(zip);
    return content_of(file);
}

}  // namespace

TEST_CASE("an archive is unpacked into a private folder that goes with it") {
    const master::base::TemporaryFolder folder("tandem-test-");
    const std::filesystem::path file = folder.path() / "Bagger mit Greifarm ä.fmu";
    write_file(file, zip_of({{"modelDescription.xml", "<x/>"},
                             {"resources/", ""},
                             {"resources/Kennfeld Öl.csv", "1;2"},
                             {"binaries\\win64\\m.dll", "dll"},
                             {"./documentation//index.html", "html"},
                             {"resources/tool", "#!", S_IFREG | 0755},
                             {"empty/", "", S_IFDIR | 0755}}));
    std::filesystem::path unpacked;
    {
        const Archive archive(file);
        unpacked = archive.folder();
        CHECK(content_of(unpacked / "modelDescription.xml") == "<x/>");
        CHECK(content_of(unpacked / "resources" / "Kennfeld Öl.csv") == "1;2");
        CHECK(content_of(unpacked / "binaries" / "win64" / "m.dll") == "dll");
        CHECK(content_of(unpacked / "documentation" / "index.html") == "html");
        CHECK(std::filesystem::is_directory(unpacked / "empty"));
        CHECK(archive.sha256() == master::base::sha256_of(file));
        struct stat status {};
        REQUIRE(stat(unpacked.c_str(), &status) == 0);
        CHECK((status.st_mode & 0777) == 0700);
        REQUIRE(stat((unpacked / "resources" / "tool").c_str(), &status) == 0);
        CHECK((status.st_mode & S_IXUSR) != 0);
    }
    CHECK_FALSE(std::filesystem::exists(unpacked));
}

TEST_CASE("moving an archive moves the duty to remove its folder") {
    const master::base::TemporaryFolder folder("tandem-test-");
    write_file(folder.path() / "a.fmu", zip_of({{"a", "1"}}));
    std::optional<Archive> first(std::in_place, folder.path() / "a.fmu");
    const std::filesystem::path unpacked = first->folder();
    std::optional<Archive> second(std::in_place, folder.path() / "a.fmu");
    const std::filesystem::path replaced = second->folder();
    *second = std::move(*first);
    CHECK_FALSE(std::filesystem::exists(replaced));
    first.reset();
    CHECK(content_of(unpacked / "a") == "1");
    second.reset();
    CHECK_FALSE(std::filesystem::exists(unpacked));
}

TEST_CASE("names that lead out of the archive are refused") {
    CHECK(refusal(zip_of({{"../evil", "x"}})).find("'..'") != std::string::npos);
    CHECK(refusal(zip_of({{"a/../../evil", "x"}})).find("'..'") != std::string::npos);
    CHECK(refusal(zip_of({{"a\\..\\..\\evil", "x"}})).find("'..'") != std::string::npos);
    CHECK(refusal(zip_of({{"..", "x"}})).find("'..'") != std::string::npos);
    CHECK(refusal(zip_of({{"/etc/evil", "x"}})).find("absolute") != std::string::npos);
    CHECK(refusal(zip_of({{"\\\\server\\evil", "x"}})).find("absolute") != std::string::npos);
    CHECK(refusal(zip_of({{"C:\\evil", "x"}})).find("drive letter") != std::string::npos);
    CHECK(refusal(zip_of({{"a\nb", "x"}})).find("control character") != std::string::npos);
    CHECK(refusal(zip_of({{"..a/b..c", "fine"}})).empty());
}

TEST_CASE("symbolic links and other special files are refused") {
    CHECK(refusal(zip_of({{"link", "/etc/passwd", S_IFLNK | 0777}})).find("symbolic link") != std::string::npos);
    CHECK(refusal(zip_of({{"pipe", "", S_IFIFO | 0777}})).find("neither") != std::string::npos);
}

TEST_CASE("a file that is there twice is accepted with equal content only, and told") {
    const master::base::TemporaryFolder folder("tandem-test-");
    write_file(folder.path() / "twice.fmu", zip_of({{"a", "same"}, {"x/b", "1"}, {"a", "same"}}));
    const Archive archive(folder.path() / "twice.fmu");
    CHECK(archive.repeated() == std::vector<std::string>{"a"});
    std::size_t files = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(archive.folder()))
        files += entry.is_regular_file() ? 1 : 0;
    CHECK(files == 2);
}

TEST_CASE("an entry that is there twice with different content, or is file and folder at once, is refused") {
    CHECK(refusal(zip_of({{"a", "1"}, {"a", "2"}})).find("twice") != std::string::npos);
    CHECK(refusal(zip_of({{"x/a", "1"}, {"x\\a", "2"}})).find("twice") != std::string::npos);
    CHECK(refusal(zip_of({{"a", "1"}, {"a/b", "2"}})).find("folder at once") != std::string::npos);
}

TEST_CASE("absurd sizes and counts are refused before anything is written") {
    const std::string three = zip_of({{"a", "12345"}, {"b", "12345"}, {"c", "12345"}});
    CHECK(refusal(three, {.files = 2}).find("3 entries") != std::string::npos);
    CHECK(refusal(three, {.total_bytes = 14}).find("more than 14 bytes") != std::string::npos);
    CHECK(refusal(three, {.total_bytes = 15}).empty());
    const ZipEntry bomb{"bomb", "x", 0, 100LL << 20};
    CHECK(refusal(zip_of({bomb})).find("times as many") != std::string::npos);
}

TEST_CASE("a directory that lies about sizes is found out while unpacking") {
    const ZipEntry shorter{"a", "0123456789", 0, 4};
    CHECK_FALSE(refusal(zip_of({shorter})).empty());
    const ZipEntry longer{"a", "0123456789", 0, 40};
    CHECK_FALSE(refusal(zip_of({longer})).empty());

    std::string bytes = deflated(std::string(1U << 20U, 'a'));
    const std::size_t directory = bytes.rfind("PK\1\2");
    REQUIRE(directory != std::string::npos);
    bytes.replace(directory + 24, 4, std::string("\x10\0\0\0", 4));  // size after unpacking: 16 bytes
    CHECK_FALSE(refusal(bytes).empty());
}

TEST_CASE("what is no archive is refused with the reason") {
    CHECK(refusal("this is text") == "is not a zip archive");
    CHECK(refusal("") == "is not a zip archive");
    const std::string whole = zip_of({{"a", std::string(1000, 'x')}});
    CHECK(refusal(whole.substr(0, 700)).find("truncated") != std::string::npos);
    std::string damaged = whole;
    damaged[500] = 'y';
    CHECK(refusal(damaged).find("damaged") != std::string::npos);

    const master::base::TemporaryFolder folder("tandem-test-");
    write_file(folder.path() / "excavator.fmu", whole);
    CHECK_THROWS_WITH(Archive(folder.path() / "excavater.fmu"), "no such file, closest match 'excavator.fmu'");
    CHECK_THROWS_WITH(Archive(folder.path()), Catch::Matchers::Contains("is not a file"));
}

TEST_CASE("a refused archive leaves no folder behind") {
    const master::base::TemporaryFolder folder("tandem-test-");
    write_file(folder.path() / "a.fmu", zip_of({{"a", "1"}, {"b", "0123456789", 0, 4}}));
    const master::base::TemporaryFolder elsewhere("tandem-test-");
    const tests::TemporaryFoldersIn redirected(elsewhere.path());
    CHECK_THROWS_AS(Archive(folder.path() / "a.fmu"), master::base::Error);
    CHECK(std::filesystem::is_empty(elsewhere.path()));
}

TEST_CASE("documentation and sources are not unpacked to run an FMU") {
    const master::base::TemporaryFolder folder("tandem-test-");
    const std::filesystem::path file = folder.path() / "a.fmu";
    write_file(file, zip_of({{"documentation/index.html", "1"},
                             {"sources/all.c", "2"},
                             {"sources/buildDescription.xml", "3"},
                             {"resources/sources/table.csv", "4"}}));
    ArchiveCache cache;
    const std::filesystem::path& unpacked = cache.get(file).folder();
    CHECK_FALSE(std::filesystem::exists(unpacked / "documentation" / "index.html"));
    CHECK_FALSE(std::filesystem::exists(unpacked / "sources" / "all.c"));
    CHECK(content_of(unpacked / "sources" / "buildDescription.xml") == "3");
    CHECK(content_of(unpacked / "resources" / "sources" / "table.csv") == "4");
    CHECK(content_of(Archive(file).folder() / "sources" / "all.c") == "2");
}

TEST_CASE("a cache unpacks the same bytes once, whatever the file is called") {
    const master::base::TemporaryFolder folder("tandem-test-");
    write_file(folder.path() / "a.fmu", zip_of({{"a", "1"}}));
    write_file(folder.path() / "copy.fmu", zip_of({{"a", "1"}}));
    write_file(folder.path() / "other.fmu", zip_of({{"a", "2"}}));
    std::filesystem::path unpacked;
    {
        ArchiveCache cache;
        const Archive& first = cache.get(folder.path() / "a.fmu");
        CHECK(&cache.get(folder.path() / "copy.fmu") == &first);
        CHECK(&cache.get(folder.path() / "other.fmu") != &first);
        unpacked = first.folder();
        CHECK(content_of(unpacked / "a") == "1");
    }
    CHECK_FALSE(std::filesystem::exists(unpacked));
}

TEST_CASE("the whole archive has a ratio, a depth and names of a length") {
    const std::string zeros(300U << 20U, '\0');
    const std::string bomb = deflated(zeros);
    CHECK(bomb.size() < 1U << 20U);
    CHECK(refusal(bomb).find("more than 300 times as many") != std::string::npos);
    CHECK(refusal(bomb, {.total_ratio = 2000}).empty());

    std::string deep;
    for (int i = 0; i < 40; ++i) deep += "d/";
    CHECK(refusal(zip_of({{deep + "f", "1"}})).find("lies in more than 32 folders") != std::string::npos);
    CHECK(refusal(zip_of({{deep.substr(0, 40) + "f", "1"}})).empty());
    CHECK(refusal(zip_of({{std::string(300, 'n'), "1"}})).find("more than 255 bytes") != std::string::npos);
    CHECK(refusal(zip_of({{std::string(200, 'n'), "1"}})).empty());
    std::string longest;
    for (int i = 0; i < 6; ++i) longest += std::string(200, 'n') + "/";
    CHECK(refusal(zip_of({{longest + "f", "1"}})).find("at most 1024 are accepted") != std::string::npos);
}

TEST_CASE("entries that share their bytes are refused before anything is unpacked") {
    // Two directory entries for one local file: the classic way to a large result from a small archive.
    const std::string content(4000, 'x');
    tests::ZipWriter writer;
    writer.add({"a", content});
    writer.repeat_last("b");
    CHECK(refusal(writer.bytes()).find("overlaps others") != std::string::npos);
}

TEST_CASE("only the methods of FMI and SSP are unpacked") {
    std::string bytes = zip_of({{"a", "content"}});
    for (std::size_t at = bytes.find("PK\1\2"); at != std::string::npos; at = bytes.find("PK\1\2", at + 1))
        bytes[at + 10] = 14;
    bytes[8] = 14;  // LZMA
    CHECK(refusal(bytes).find("packed by method 14; expected deflate or none") != std::string::npos);
}

TEST_CASE("damaged archives are unpacked or refused, never worse") {
    constexpr int repetitions = 2000;
    const std::string whole =
        zip_of({{"modelDescription.xml", "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"m\" guid=\"g\"/>"},
                {"resources/data.csv", "1,2,3"},
                {"binaries/linux64/m.so", "ELF"}});
    // Thousands of folders on a busy disk take long; memory will do.
    const bool in_memory = std::filesystem::is_directory("/dev/shm");
    const tests::TemporaryFoldersIn redirected(in_memory ? "/dev/shm" : std::filesystem::temp_directory_path());
    const master::base::TemporaryFolder folder("tandem-test-");
    const std::filesystem::path file = folder.path() / "fuzz.fmu";
    std::mt19937 random(11);
    int accepted = 0;
    for (int i = 0; i < repetitions; ++i) {
        write_file(file, tests::damaged(whole, random));
        try {
            const master::base::Archive archive(file, {.total_bytes = 1U << 20U});
            ++accepted;
        } catch (const master::base::Error&) {
        }
    }
    CHECK(accepted > 0);
    CHECK(accepted < repetitions);
}
