#include "interfaces/canopen/files/eds_reader.hpp"
#include "interfaces/canopen/files/eds_writer.hpp"
#include "interfaces/canopen/sensors/excavator.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace interfaces::canopen;

namespace {

const std::filesystem::path config = std::filesystem::path(TANDEM_TEST_DATA).parent_path() / "config/can";

std::string content(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string sheet_of(const SensorKind& kind) {
    const Entry* name = kind.dictionary.find({0x1008, 0});
    return eds_text(kind.dictionary, {.file_name = kind.name + ".eds",
                                      .description = name->initial_text,
                                      .vendor_name = "Tandem",
                                      .product_name = kind.name,
                                      .created_by = "Tandem"});
}

/// The smallest data sheet, with more lines behind it.
std::string small(const std::string& more) {
    return "[MandatoryObjects]\nSupportedObjects=1\n1=0x1000\n[1000]\nParameterName=Device "
           "type\nDataType=7\nAccessType=ro\nDefaultValue=0x194\n" +
           more;
}

std::string error_of(const std::string& text) {
    try {
        (void)parse_data_sheet(text, "x.eds");
    } catch (const FileError& error) {
        return error.what();
    }
    return "none";
}

Entry entry_of(const std::string& text, Key key) {
    const DataSheet sheet = parse_data_sheet(text, "x.eds");
    const Entry* entry = sheet.dictionary.find(key);
    REQUIRE(entry != nullptr);
    return *entry;
}

}  // namespace

TEST_CASE("the data sheets in config/can are what the object tables say; TANDEM_UPDATE=1 writes them") {
    for (const SensorKind& kind : sensor_kinds()) {
        const std::filesystem::path path = config / (kind.name + ".eds");
        const std::string wanted = sheet_of(kind);
        if (std::getenv("TANDEM_UPDATE") != nullptr) {
            std::filesystem::create_directories(config);
            std::ofstream(path, std::ios::binary) << wanted;
        }
        INFO(path << " differs from the table in interfaces/canopen/sensors");
        CHECK((content(path) == wanted));
    }
}

TEST_CASE("a data sheet that is read back has the same objects") {
    for (const SensorKind& kind : sensor_kinds()) {
        const DataSheet sheet = parse_data_sheet(sheet_of(kind), "x.eds");
        CHECK(sheet.notes.empty());
        CHECK(sheet.vendor_name == "Tandem");
        REQUIRE(sheet.dictionary.entries().size() == kind.dictionary.entries().size());
        CHECK(sheet.dictionary.factory(9) == kind.dictionary.factory(9));
        for (const Entry& entry : kind.dictionary.entries()) {
            const Entry* read = sheet.dictionary.find(entry.key);
            INFO(shown(entry.key));
            REQUIRE(read != nullptr);
            CHECK(read->name == entry.name);
            CHECK(read->type == entry.type);
            CHECK(read->access == entry.access);
            CHECK(read->mappable == entry.mappable);
            CHECK(read->adds_node_id == entry.adds_node_id);
            CHECK(read->low == entry.low);
            CHECK(read->high == entry.high);
        }
    }
}

TEST_CASE("numbers are decimal, hexadecimal, negative, relative to the node-id, or real") {
    const auto initial = [](const char* type, const char* value) {
        return entry_of(
            small("[2000]\nDataType=" + std::string(type) + "\nAccessType=rw\nDefaultValue=" + value + "\n"),
            {0x2000, 0});
    };
    CHECK(initial("6", "12").initial == 12);
    CHECK(initial("6", "0xff ; comment").initial == 255);
    CHECK(initial("3", "-2").initial == 0xFFFE);
    CHECK(initial("3", "0xFFFE").initial == 0xFFFE);
    CHECK(initial("7", "").initial == 0);
    CHECK(initial("7", "$NODEID+0x180").initial == 0x180);
    CHECK(initial("7", "0x180 + $NodeID").adds_node_id);
    CHECK(initial("7", "$NODEID").adds_node_id);
    CHECK(initial("8", "1.5").initial == 0x3FC00000);
    CHECK(initial("8", "0x3FC00000").initial == 0x3FC00000);
    CHECK(initial("9", "a text; with a semicolon").initial_text == "a text; with a semicolon");
}

TEST_CASE("sub-entries are hexadecimal, and compact ones are written out") {
    const std::string text = small(
        "[2000]\nObjectType=8\nSubNumber=2\n[2000sub0]\nDataType=5\nAccessType=ro\nDefaultValue=16\n"
        "[2000sub10]\nParameterName=sixteen\nDataType=0x0007\nAccessType=rw\n"
        "[2001]\nParameterName=many\nObjectType=0x8\nDataType=6\nAccessType=rw\nDefaultValue=4\nCompactSubObj=3\n"
        "[2001Name]\nNrOfEntries=1\n2=second\n[2001Value]\nNrOfEntries=1\n3=7\n");
    const DataSheet sheet = parse_data_sheet(text, "x.eds");
    CHECK(sheet.notes.empty());
    CHECK(sheet.dictionary.find({0x2000, 0x10})->name == "sixteen");
    CHECK(sheet.dictionary.find({0x2001, 0})->initial == 3);
    CHECK(sheet.dictionary.find({0x2001, 1})->name == "many1");
    CHECK(sheet.dictionary.find({0x2001, 2})->name == "second");
    CHECK(sheet.dictionary.find({0x2001, 2})->initial == 4);
    CHECK(sheet.dictionary.find({0x2001, 3})->initial == 7);
}

TEST_CASE("a DCF says where the device is and which values it has") {
    const DataSheet sheet = parse_data_sheet(
        small(
            "[DeviceComissioning]\nNodeID=0x10\nBaudrate=500\nLSS_SerialNumber=77\n[2000]\nDataType=6\nAccessType=rw\n"
            "DefaultValue=1\nParameterValue=2\n"),
        "x.dcf");
    CHECK(sheet.node_id == 0x10);
    CHECK(sheet.bit_rate == 500000u);
    CHECK(sheet.serial == 77u);
    CHECK(sheet.dictionary.find({0x2000, 0})->initial == 2);
}

TEST_CASE("what vendors get wrong is noted with its place and does not stop the rest") {
    const DataSheet sheet = parse_data_sheet(
        small(
            "[2000]\nDataType=5\nAccessType=maybe\nHighLimit=0xFFFFFFFF\n[2001]\nDataType=0x17\nAccessType=ro\n"
            "[2002]\nAccessType=ro\n[2003]\nObjectType=5\n[2004]\nDataType=5\nAccessType=rw\nLowLimit=9\nHighLimit=3\n"
            "[2005]\nObjectType=9\nSubNumber=3\n[2005sub0]\nDataType=5\nAccessType=ro\n[2000]\nDataType=6\n"
            "[OptionalObjects]\nSupportedObjects=1\n1=0x2999\n"),
        "x.eds");
    REQUIRE(sheet.notes.size() == 8);
    CHECK(sheet.notes[0] == "x.eds:9: 0x2000:00: AccessType 'maybe' taken as ro");
    CHECK(sheet.notes[1] == "x.eds:12: 0x2000:00: highlimit '0xFFFFFFFF' left out");
    CHECK(sheet.notes[2] == "x.eds:13: 0x2001:00: data type 23 is unknown; taken as a domain");
    CHECK(sheet.notes[3] == "x.eds:16: 0x2002:00 has no DataType; left out");
    CHECK(sheet.notes[4] == "x.eds:18: object of type 5 left out");
    CHECK(sheet.notes[6] == "x.eds:25: SubNumber is 3, found 1 entries");
    CHECK(sheet.notes[7] == "x.eds:35: lists 0x2999, but there is no section [2999]");
    CHECK(sheet.dictionary.find({0x2000, 0})->type == Type::unsigned8);
}

TEST_CASE("a PDO with an object that is not there is noted") {
    const auto mapped = [](const char* object, const char* count) {
        return parse_data_sheet(small(std::string("[2000]\nDataType=5\nAccessType=ro\nPDOMapping=1\n"
                                                  "[1A00]\nObjectType=9\nSubNumber=2\n"
                                                  "[1A00sub0]\nDataType=5\nAccessType=rw\nDefaultValue=") +
                                      count + "\n[1A00sub1]\nDataType=7\nAccessType=rw\nDefaultValue=" + object + "\n"),
                                "x.eds")
            .notes;
    };
    CHECK(mapped("0x20000008", "1").empty());
    CHECK(mapped("0x00050008", "1").empty());  // bits that nobody uses
    CHECK(mapped("0x20010008", "0").empty());
    CHECK(mapped("0x20010008", "1") ==
          std::vector<std::string>{"x.eds:20: 0x1A00:01 maps 0x2001:00, which is not there: its bits are sent as 0"});
    CHECK(mapped("0x20000010", "1") ==
          std::vector<std::string>{"x.eds:20: 0x1A00:01 maps 16 bits of 0x2000:00, which has 8"});
}

TEST_CASE("a PDO with an identifier that is not for PDOs is noted") {
    const auto notes = [](const std::string& identifier) {
        return parse_data_sheet(
                   small("[1800]\nObjectType=9\nSubNumber=2\n[1800sub0]\nDataType=5\nAccessType=ro\nDefaultValue=1\n"
                         "[1800sub1]\nDataType=7\nAccessType=rw\nDefaultValue=" +
                         identifier + "\n"),
                   "x.eds")
            .notes;
    };
    CHECK(notes("$NODEID+0x180").empty());
    CHECK(notes("0x80000000").empty());  // switched off
    CHECK(notes("$NODEID+0x40000180").empty());
    REQUIRE(notes("$NODEID+0x601").size() == 1);
    CHECK(notes("$NODEID+0x601")[0].find("0x1800:01: the identifier $NODEID+0x601 belongs to another service") !=
          std::string::npos);
    CHECK(notes("0x0").size() == 1);
}

TEST_CASE("a file that cannot be meant is refused with its line") {
    CHECK(error_of("") == "x.eds:1: no object: expected sections such as [1000]");
    CHECK(error_of("[FileInfo]\nnonsense\n") == "x.eds:2: expected [section] or key=value, found 'nonsense'");
    CHECK(error_of(std::string("\0[1000]\nmore", 12)) ==
          "x.eds:1: expected [section] or key=value, found '\\x00[1000]'");
    CHECK(error_of("a=1\n") == "x.eds:1: a value before the first [section]");
    CHECK(error_of("[1000\n") == "x.eds:1: a section without ']'");
    CHECK(error_of(small("[2000]\nDataType=5\nAccessType=rw\nDefaultValue=256\n")) ==
          "x.eds:12: 0x2000:00 is '256', expected a number of 8 bits");
    CHECK(error_of(small("[2000]\nDataType=five\n")) == "x.eds:10: datatype is 'five', expected a number");
    CHECK(error_of(small("[OptionalObjects]\nSupportedObjects=1\n1=first\n")) ==
          "x.eds:11: 'first', expected the index of an object");
    CHECK(error_of(small("[2000]\nObjectType=9\n[2000subX]\nDataType=5\n")) ==
          "x.eds:11: section [2000subx]: expected a sub-index 0 to FF");
    CHECK(error_of(small("[DeviceComissioning]\nNodeID=128\n")) == "x.eds:10: NodeID is 128, expected 1 to 127");
    CHECK(error_of("[1000]\n" + std::string(5000, 'x') + "=1\n") == "x.eds:2: a line of 5002 characters; at most 4096");
    CHECK(error_of(std::string(5u << 20, '\n')).find("x.eds:1: has 5242880 bytes") == 0);
}
