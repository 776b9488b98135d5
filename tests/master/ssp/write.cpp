#include "master/ssp/write.hpp"

#include "master/base/error.hpp"
#include "tests/master/ssp/support.hpp"
#include "tests/support/scratch.hpp"

#include <zip.h>

using namespace tests::ssp;
using master::base::Diagnostics;
using master::base::Error;

namespace {

void write_zip(const std::filesystem::path& file, const std::vector<std::pair<std::string, std::string>>& entries) {
    zip_t* zip = zip_open(file.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    REQUIRE(zip);
    for (const auto& [name, text] : entries)
        REQUIRE(zip_file_add(zip, name.c_str(), zip_source_buffer(zip, text.data(), text.size(), 0), 0) >= 0);
    REQUIRE(zip_close(zip) == 0);
}

std::string names_in(const std::filesystem::path& file) {
    zip_t* zip = zip_open(file.c_str(), ZIP_RDONLY, nullptr);
    REQUIRE(zip);
    std::string names;
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); ++i)
        names += std::string(zip_get_name(zip, static_cast<zip_uint64_t>(i), 0)) + " ";
    zip_discard(zip);
    return names;
}

const std::string one = "<ssd:Elements>" + component("a") + "</ssd:Elements>";

}  // namespace

TEST_CASE("a packed folder reads back, with the description first and equal bytes each time") {
    Folder folder;
    folder.fmus({"a"}).write("SystemStructure.ssd", ssd(one)).write("Another.ssd", ssd("")).write(".git/x", "hidden");
    Diagnostics diagnostics;
    master::ssp::pack(folder.path(), folder.path("x.ssp"), diagnostics);
    const std::string first = tests::content_of(folder.path("x.ssp"));
    master::ssp::pack(folder.path(), folder.path("x.ssp"), diagnostics);
    CHECK(first == tests::content_of(folder.path("x.ssp")));
    CHECK(names_in(folder.path("x.ssp")) == "SystemStructure.ssd Another.ssd resources/a.fmu ");
    const auto description = master::ssp::read(folder.path("x.ssp"), {}, diagnostics);
    CHECK_FALSE(diagnostics.has_errors());
    REQUIRE(description.components.size() == 1);
    CHECK(tests::content_of(description.components[0].source) == "fmu");
    CHECK(contains(description.components[0].where, "x.ssp/SystemStructure.ssd:"));
}

TEST_CASE("a linked FMU is packed as a file, where the link stays inside the folder") {
    Folder folder;
    folder.write("system/units/a.fmu", "fmu")
        .write("system/resources/readme.txt", "")
        .write("system/SystemStructure.ssd", ssd(one));
    std::filesystem::create_symlink(folder.path("system/units/a.fmu"), folder.path("system/resources/a.fmu"));
    Diagnostics diagnostics;
    master::ssp::pack(folder.path("system"), folder.path("x.ssp"), diagnostics);
    const auto description = master::ssp::read(folder.path("x.ssp"), {}, diagnostics);
    CHECK(tests::content_of(description.components.at(0).source) == "fmu");
    folder.write("built/b.fmu", "fmu");
    std::filesystem::create_symlink(folder.path("built/b.fmu"), folder.path("system/resources/b.fmu"));
    CHECK_THROWS_AS(master::ssp::pack(folder.path("system"), folder.path("y.ssp"), diagnostics), Error);
    CHECK_FALSE(std::filesystem::exists(folder.path("y.ssp")));
}

TEST_CASE("a folder that needs files outside, or has none of its own, is not packed and nothing is left behind") {
    Folder folder;
    folder.write("other/a.fmu", "fmu")
        .write("system/SystemStructure.ssd",
               ssd("<ssd:Elements><ssd:Component name=\"a\" source=\"../other/a.fmu\"/></ssd:Elements>"));
    Diagnostics diagnostics;
    CHECK_THROWS_AS(master::ssp::pack(folder.path("system"), folder.path("out/x.ssp"), diagnostics), Error);
    CHECK(find(diagnostics, "outside-archive"));
    CHECK_THROWS_AS(master::ssp::pack(folder.path("other"), folder.path("x.ssp"), diagnostics), Error);
    CHECK_THROWS_AS(master::ssp::pack(folder.path("nowhere"), folder.path("x.ssp"), diagnostics), Error);
    CHECK_FALSE(std::filesystem::exists(folder.path("x.ssp")));
    CHECK_FALSE(std::filesystem::exists(folder.path("out")));
}

TEST_CASE("a source inside an archive may not leave it") {
    Folder folder;
    folder.write("secret.fmu", "fmu");
    for (const std::string& source : {std::string("../secret.fmu"), folder.path("secret.fmu").string(),
                                      "file://" + folder.path("secret.fmu").string(), std::string("%2e%2e/secret.fmu"),
                                      std::string("resources/../../secret.fmu")}) {
        write_zip(folder.path("x.ssp"),
                  {{"SystemStructure.ssd",
                    ssd("<ssd:Elements><ssd:Component name=\"a\" source=\"" + source + "\"/></ssd:Elements>")}});
        Diagnostics diagnostics;
        (void)master::ssp::read(folder.path("x.ssp"), {}, diagnostics);
        INFO(source);
        CHECK(find(diagnostics, "outside-archive"));
    }
}

TEST_CASE("what is no archive, is cut short, or writes outside is refused") {
    Folder folder;
    Diagnostics diagnostics;
    folder.write("x.ssp", "no zip at all");
    CHECK_THROWS_AS(master::ssp::read(folder.path("x.ssp"), {}, diagnostics), Error);
    write_zip(folder.path("x.ssp"), {{"SystemStructure.ssd", ssd("")}});
    const std::string whole = tests::content_of(folder.path("x.ssp"));
    folder.write("x.ssp", whole.substr(0, whole.size() / 2));
    CHECK_THROWS_AS(master::ssp::read(folder.path("x.ssp"), {}, diagnostics), Error);
    write_zip(folder.path("y.ssp"), {{"SystemStructure.ssd", ssd("")}, {"../evil.txt", "x"}});
    CHECK_THROWS_AS(master::ssp::read(folder.path("y.ssp"), {}, diagnostics), Error);
}

TEST_CASE("an archive may hold another one as a component, with a variant chosen by name") {
    Folder folder;
    const std::string inner = "<ssd:Connectors>" + connector("in", "input") + "</ssd:Connectors><ssd:Elements>" +
                              component("b") + "</ssd:Elements><ssd:Connections>" + connection("in", "b.u") +
                              "</ssd:Connections>";
    write_zip(folder.path("inner.ssp"),
              {{"SystemStructure.ssd", ssd("")}, {"Warm.ssd", ssd(inner)}, {"resources/b.fmu", "fmu"}});
    write_zip(
        folder.path("outer.ssp"),
        {{"SystemStructure.ssd",
          ssd("<ssd:Elements>" + component("a", "<ssd:Connectors>" + connector("y", "output") + "</ssd:Connectors>") +
              "<ssd:Component name=\"part\" type=\"application/x-ssp-package\" "
              "source=\"resources/inner.ssp#Warm.ssd\"/></ssd:Elements><ssd:Connections>" +
              connection("a.y", "part.in") + "</ssd:Connections>")},
         {"resources/a.fmu", "fmu"},
         {"resources/inner.ssp", tests::content_of(folder.path("inner.ssp"))}});
    Diagnostics diagnostics;
    const auto description = master::ssp::read(folder.path("outer.ssp"), {}, diagnostics);
    INFO(all(diagnostics));
    CHECK_FALSE(diagnostics.has_errors());
    REQUIRE(description.components.size() == 2);
    CHECK(description.components[1].name == "part.b");
    CHECK(std::filesystem::exists(description.components[1].source));
    CHECK(description.connections.size() == 1);
}

TEST_CASE("a parameter set can come from inside a component") {
    Folder folder;
    write_zip(
        folder.path("a.fmu"),
        {{"resources/default.ssv",
          "<ParameterSet xmlns=\"http://ssp-standard.org/SSP1/SystemStructureParameterValues\" version=\"1.0\" "
          "name=\"p\"><Parameters><Parameter name=\"k\"><Real value=\"3\"/></Parameter></Parameters></ParameterSet>"}});
    folder.write("SystemStructure.ssd",
                 ssd("<ssd:Elements><ssd:Component name=\"a\" "
                     "source=\"a.fmu\"><ssd:ParameterBindings><ssd:ParameterBinding source=\"resources/default.ssv\" "
                     "sourceBase=\"component\"/></ssd:ParameterBindings></ssd:Component></ssd:Elements>"));
    Diagnostics diagnostics;
    const auto description = read(folder, diagnostics);
    INFO(all(diagnostics));
    CHECK_FALSE(diagnostics.has_errors());
    REQUIRE(description.components.at(0).parameters.size() == 1);
    CHECK(contains(description.components[0].parameters[0].where, "default.ssv:1"));
}

TEST_CASE("a new system is left where the schemas are checked") {
    const std::filesystem::path folder = std::filesystem::path(TANDEM_BUILD_DIR) / "tests/written_ssp";
    std::filesystem::create_directories(folder / "resources");
    std::ofstream(folder / "SystemStructure.ssd") << master::ssp::new_system("pump");
    std::ofstream(folder / master::ssp::new_table_name) << master::ssp::new_table();
    Diagnostics diagnostics;
    master::ssp::pack(folder, folder / "pump.ssp", diagnostics);
    CHECK(names_in(folder / "pump.ssp") == "SystemStructure.ssd resources/drive.csv ");
}

TEST_CASE("a new system is read without a remark, whatever its name") {
    Folder folder;
    for (const std::string name : {"pump", "a & b <\"x\">"}) {
        folder.write("SystemStructure.ssd", master::ssp::new_system(name));
        folder.write(master::ssp::new_table_name, master::ssp::new_table());
        Diagnostics diagnostics;
        const auto description = read(folder, diagnostics);
        CHECK(diagnostics.findings().empty());
        CHECK(description.name == name);
        CHECK(description.step == master::base::Fraction{1, 1000});
    }
}
