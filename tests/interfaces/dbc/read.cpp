#include "interfaces/dbc/read.hpp"

#include "tests/interfaces/dbc/fuzz_dbc.hpp"
#include "tests/support/mutations.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::dbc;

namespace {

const std::string sample = R"(VERSION "1.0"

NS_ :
    CM_
    BA_DEF_
    SG_MUL_VAL_

BS_:

BU_: Computer Ecu

VAL_TABLE_ OnOff 1 "on" 0 "off" ;

BO_ 256 Targets: 8 Computer
 SG_ Boom : 7|16@0- (0.001,0) [-10|10] "m" Ecu
 SG_ Temperature : 16|8@1+ (1,-40) [-40|215] ")"
                           "\xC2\xB0"
                           R"(C" Ecu,Other
 SG_ Counter : 24|4@1+ (1,0) [0|15] "" Vector__XXX
 SG_ Share : 32|32@1- (1,0) [0|0] "" Ecu

BO_ 2566844926 Switched: 8 Vector__XXX
 SG_ Page M : 0|4@1+ (1,0) [0|0] "" Ecu
 SG_ First m0 : 8|16@1+ (1,0) [0|0] "" Ecu
 SG_ Second m1M : 8|8@1+ (1,0) [0|0] "" Ecu
 SG_ Third m3 : 16|8@1+ (1,0) [0|0] "" Ecu

BO_TX_BU_ 2566844926 : Computer,Ecu;

CM_ "a network";
CM_ BU_ Ecu "the controller";
CM_ BO_ 256 "where to go,
over two lines; with a sign";
CM_ SG_ 256 Boom "says \"boom\"";
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ SG_ "GenSigStartValue" FLOAT 0 100;
BA_DEF_ BO_ "VFrameFormat" ENUM "StandardCAN","ExtendedCAN","reserved","J1939PG";
BA_DEF_ "Rate" INT 0 1000000;
BA_DEF_DEF_ "GenMsgCycleTime" 100;
BA_DEF_DEF_ "GenSigStartValue" 0;
BA_DEF_DEF_ "VFrameFormat" "StandardCAN";
BA_ "Rate" 250000;
BA_ "GenMsgCycleTime" BO_ 256 20;
BA_ "GenSigStartValue" SG_ 256 Counter 3;
BA_ "VFrameFormat" BO_ 2566844926 3;
VAL_ 256 Counter 0 "none" 15 "all" ;
SIG_VALTYPE_ 256 Share : 1;
SG_MUL_VAL_ 2566844926 Third Second 3-3, 7-9;
)";

std::string failure(const std::string& text) {
    try {
        static_cast<void>(read(text, "x.dbc"));
    } catch (const Error& error) {
        return error.what();
    }
    return "read";
}

std::string with_signal(const std::string& line) { return "BU_: A\nBO_ 1 M: 8 A\n " + line + "\n"; }

}  // namespace

TEST_CASE("a DBC file becomes messages with signals, attributes and comments") {
    const Database database = read(sample, "x.dbc");
    for (const Remark& remark : database.remarks) UNSCOPED_INFO(remark.line << " " << remark.text);
    CHECK(database.remarks.empty());
    CHECK(database.version == "1.0");
    CHECK(database.comment == "a network");
    CHECK(find(database.attributes, "Rate")->number == 250000);
    REQUIRE(database.nodes.size() == 2);
    CHECK(database.nodes[1].comment == "the controller");
    CHECK(database.value_tables.at(0).values.at(1).name == "off");

    const Message& targets = database.messages.at(0);
    CHECK(targets.id == 256);
    CHECK_FALSE(targets.extended);
    CHECK(targets.cycle_time == 0.02);
    CHECK(targets.comment == "where to go,\nover two lines; with a sign");
    CHECK(targets.signals.at(0).order == ByteOrder::big);
    CHECK(targets.signals[0].kind == ValueKind::signed_integer);
    CHECK(targets.signals[0].comment == "says \"boom\"");
    CHECK(targets.signals[1].unit ==
          "\xC2\xB0"
          "C");
    CHECK(targets.signals[1].receivers == std::vector<std::string>{"Ecu", "Other"});
    CHECK(targets.signals[2].initial == 3);
    CHECK(targets.signals[2].values.at(1).name == "all");
    CHECK(targets.signals[2].receivers.empty());
    CHECK(targets.signals[3].kind == ValueKind::float32);

    const Message& switched = database.messages.at(1);
    CHECK(switched.id == 0x18FEF1FE);
    CHECK(switched.extended);
    CHECK(switched.j1939);
    CHECK(switched.sender.empty());
    CHECK(switched.further_senders == std::vector<std::string>{"Computer", "Ecu"});
    CHECK(switched.cycle_time == 0.1);
    CHECK(switched.signals[1].selector == 0u);
    CHECK(switched.signals[3].selector == 2u);
    CHECK(switched.signals[3].selected_by.size() == 2);
}

TEST_CASE("code page 1252 is read where a file is no UTF-8") {
    const Database database = read(with_signal("SG_ T : 0|8@1+ (1,0) [0|0] \"\xB0"
                                               "C \x80\" A"),
                                   "x.dbc");
    CHECK(database.messages[0].signals[0].unit ==
          "\xC2\xB0"
          "C \xE2\x82\xAC");
    CHECK(is_utf8("a\xC2\xB0"));
    CHECK_FALSE(is_utf8("a\xC2"));
    CHECK_FALSE(is_utf8("\xB0"));
}

TEST_CASE("a wrong DBC file is told by line, with what was expected") {
    CHECK(failure("VERSION \"\"\nBO 1 M: 8 A\n") == "x.dbc:2: unknown statement 'BO'; did you mean 'BO_'?");
    CHECK(failure(with_signal("SG_ S : 0|8@1+ (1;0) [0|0] \"\" A")) ==
          "x.dbc:3: found ';0)', expected ',' after the factor of a signal");
    CHECK(failure(with_signal("SG_ S : 60|8@1+ (1,0) [0|0] \"\" A")) ==
          "x.dbc:3: signal 'S' (start bit 60, 8 bits) ends outside of message 'M', which has 8 bytes");
    CHECK(failure("BO_ 1 M: 8 A\nCM_ \"no end") == "x.dbc:2: the quotes of a comment never end");
    CHECK(failure(with_signal("SG_ Speed : 0|32@1+ (1,0) [0|0] \"\" A\nSIG_VALTYPE_ 1 Sped : 1;")) ==
          "x.dbc:4: message 'M' has no signal 'Sped'; did you mean 'Speed'?");
    CHECK(failure(with_signal("SG_ S : 0|16@1+ (1,0) [0|0] \"\" A\nSIG_VALTYPE_ 1 S : 1;")) ==
          "x.dbc:4: signal 'S' of 16 bits has the type 1, expected 1 for 32 bits or 2 for 64");
    CHECK(failure(with_signal("SG_ S q : 0|16@1+ (1,0) [0|0] \"\" A")) ==
          "x.dbc:3: signal 'S' has the multiplexing 'q', expected M, m and a number, or both");
    CHECK(failure("BO_ 1 M: 8 A\nEV_ x: 0 [0|1] \"\" 0 2") == "x.dbc:2: a statement begins here that no ';' ends");
    CHECK(failure("BA_DEF_ \"a\" INTEGER 0 1;") ==
          "x.dbc:1: attribute 'a' has the type 'INTEGER'; known: INT HEX FLOAT STRING ENUM");
}

TEST_CASE("multiplexors that select each other are refused") {
    const std::string text =
        "BO_ 1 M: 8 A\n SG_ A m1M : 0|8@1+ (1,0) [0|0] \"\" X\n SG_ B m1M : 8|8@1+ (1,0) [0|0] \"\" X\n"
        "SG_MUL_VAL_ 1 A B 1-1;\nSG_MUL_VAL_ 1 B A 1-1;\n";
    CHECK(failure(text) == "x.dbc:2: more than 16 multiplexors in a row select signal 'A', or it selects itself");
}

TEST_CASE("signals that share bits are remarked, unless a multiplexor keeps them apart") {
    const auto remarks = [](const std::string& signals) { return read("BO_ 1 M: 8 A\n" + signals, "x.dbc").remarks; };
    const auto apart = remarks(
        " SG_ P M : 0|8@1+ (1,0) [0|0] \"\" A\n SG_ A m0 : 8|8@1+ (1,0) [0|0] \"\" A\n"
        " SG_ B m1 : 8|8@1+ (1,0) [0|0] \"\" A\n");
    CHECK(apart.empty());
    const auto together = remarks(
        " SG_ A : 0|12@1+ (1,0) [0|0] \"\" A\n SG_ B : 15|4@0+ (1,0) [0|0] \"\" A\n"
        " SG_ C : 11|4@0+ (1,0) [0|0] \"\" A\n");
    REQUIRE(together.size() == 1);
    CHECK(together[0].line == 4);
    CHECK(together[0].text == "signals 'A' and 'C' of message 'M' share bits");
}

TEST_CASE("a range that is none is remarked, and the one that tools write for none is not") {
    const auto remarks = [](const std::string& range) {
        return read(with_signal("SG_ S : 0|8@1+ (1,0) [" + range + "] \"\" A"), "x.dbc").remarks;
    };
    CHECK(remarks("0|0").empty());
    CHECK(remarks("-40|200").empty());
    for (const std::string range : {"200|-40", "5|5"}) {
        const auto said = remarks(range);
        REQUIRE(said.size() == 1);
        CHECK(said[0].line == 3);
        CHECK(said[0].text ==
              "signal 'S' has the range [" + range + "], expected the smaller end first: taken as none");
    }
}

TEST_CASE("names of values that cannot be told apart, or that nobody wrote down, are remarked") {
    const auto remarks = [](const std::string& more) {
        return read(with_signal("SG_ P M : 0|8@1+ (1,0) [0|0] \"\" A\n SG_ S m1 : 8|8@1+ (1,0) [0|0] \"\" A\n" + more),
                    "x.dbc")
            .remarks;
    };
    CHECK(remarks("VAL_ 1 S 0 \"off\" 2 \"reserved\" 3 \"reserved\" ;").empty());
    const auto twice = remarks("VAL_ 1 S 0 \"off\" 0 \"on\" ;");
    REQUIRE(twice.size() == 1);
    CHECK(twice[0].line == 5);
    CHECK(twice[0].text == "value 0 has a second name, 'on'");
    const auto table = remarks("VAL_ 1 S Switch ;");
    REQUIRE(table.size() == 1);
    CHECK(table[0].text == "the file has no table of values 'Switch'");
    const auto never = remarks("SG_MUL_VAL_ 1 S P 5-3;");
    REQUIRE(never.size() == 1);
    CHECK(never[0].text == "signal 'S' is selected by 5-3, expected the smaller value first: no value selects it");
}

TEST_CASE("no bytes make the reader of DBC files crash or hang") {
    const std::vector<tests::Bytes> samples{tests::bytes_of(sample),
                                            tests::bytes_of("BO_ 1 M: 8 A\n SG_ A : 0|12@1+ (1,0) [0|0] \"\" A\n")};
    tests::fuzz(samples, 10000, tests::fuzz_dbc);
}
