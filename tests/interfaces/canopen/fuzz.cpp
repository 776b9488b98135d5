#include "tests/interfaces/canopen/fuzz.hpp"

#include "interfaces/canopen/files/eds_writer.hpp"
#include "interfaces/canopen/sensors/excavator.hpp"
#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

using namespace interfaces::canopen;

namespace {

/// Changes a few bytes of a good input: bits, values, lengths, repetitions.
template <class Input>
Input mutated(const Input& good, std::mt19937& random) {
    Input bad = good;
    const auto place = [&]() { return static_cast<std::ptrdiff_t>(random() % (bad.size() + 1)); };
    for (unsigned i = 0; i <= random() % 8; ++i) {
        switch (random() % 5) {
            case 0:
                if (!bad.empty()) bad[random() % bad.size()] ^= static_cast<char>(1u << random() % 8);
                break;
            case 1:
                if (!bad.empty()) bad[random() % bad.size()] = static_cast<char>(random());
                break;
            case 2:
                bad.insert(bad.begin() + place(), static_cast<char>(random()));
                break;
            case 3: {
                const std::ptrdiff_t a = place(),
                                     b = std::min<std::ptrdiff_t>(a + 16, static_cast<std::ptrdiff_t>(bad.size()));
                bad.erase(bad.begin() + a, bad.begin() + b);
                break;
            }
            default: {
                const std::ptrdiff_t a = place(),
                                     b = std::min<std::ptrdiff_t>(a + 16, static_cast<std::ptrdiff_t>(bad.size()));
                const Input piece(bad.begin() + a, bad.begin() + b);
                bad.insert(bad.begin() + place(), piece.begin(), piece.end());
            }
        }
    }
    return bad;
}

void append(Bytes& all, std::uint32_t id, const Bytes& bytes) {
    all.push_back(static_cast<std::uint8_t>(id));
    all.push_back(static_cast<std::uint8_t>(id >> 8));
    all.push_back(static_cast<std::uint8_t>(bytes.size()));
    all.insert(all.end(), bytes.begin(), bytes.end());
}

}  // namespace

TEST_CASE("a slave survives changed conversations") {
    Bytes good;
    append(good, 0x605, {0x40, 0x08, 0x10, 0x00, 0, 0, 0, 0});
    append(good, 0x605, {0x60, 0, 0, 0, 0, 0, 0, 0});
    append(good, 0x605, {0x23, 0x00, 0x18, 0x01, 0x85, 0x01, 0x00, 0x80});
    append(good, 0x605, {0x2F, 0x00, 0x1A, 0x00, 0, 0, 0, 0});
    append(good, 0x605, {0x23, 0x00, 0x1A, 0x01, 0x20, 0x00, 0x02, 0x20});
    append(good, 0x605, {0x2F, 0x00, 0x1A, 0x00, 1, 0, 0, 0});
    append(good, 0x605, {0x23, 0x00, 0x18, 0x01, 0x85, 0x01, 0x00, 0x00});
    append(good, 0x605, {0x21, 0x06, 0x20, 0x00, 9, 0, 0, 0});
    append(good, 0x605, {0x00, 'a', 'b', 'c', 'd', 'e', 'f', 'g'});
    append(good, 0x605, {0x1B, 'h', 'i', 0, 0, 0, 0, 0});
    append(good, 0x605, {0x23, 0x10, 0x10, 0x01, 's', 'a', 'v', 'e'});
    append(good, 0x000, {0x01, 0x05});
    append(good, 0x080, {});
    append(good, 0x205, {1, 2});
    append(good, 0x000, {0x81, 0x05});
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) fuzz_slave(mutated(good, random));
}

TEST_CASE("LSS survives changed requests") {
    Bytes good;
    for (const Bytes& request :
         {Bytes{0x51, 0, 0, 0, 0, 0x80, 0, 0}, Bytes{0x51, 0x11, 0, 0, 0, 0, 0, 1}, Bytes{0x51, 0x22, 0, 0, 0, 0, 1, 2},
          Bytes{0x51, 0x33, 0, 0, 0, 0, 2, 3}, Bytes{0x51, 77, 0, 0, 0, 0, 3, 0}, Bytes{0x11, 9, 0, 0, 0, 0, 0, 0},
          Bytes{0x13, 0, 3, 0, 0, 0, 0, 0}, Bytes{0x15, 10, 0, 0, 0, 0, 0, 0}, Bytes{0x17, 0, 0, 0, 0, 0, 0, 0},
          Bytes{0x5E, 0, 0, 0, 0, 0, 0, 0}, Bytes{0x04, 0, 0, 0, 0, 0, 0, 0}})
        good.insert(good.end(), request.begin(), request.end());
    std::mt19937 random(2);
    for (int i = 0; i < 30000; ++i) fuzz_lss(mutated(good, random));
}

TEST_CASE("a master survives changed answers") {
    Bytes good;
    append(good, 0x701, {0x00});
    append(good, 0x581, {0x43, 0x00, 0x10, 0x00, 0x9A, 0x01, 0x01, 0x00});
    append(good, 0x581, {0x43, 0x18, 0x10, 0x01, 0, 0, 0, 0});
    append(good, 0x581, {0x43, 0x18, 0x10, 0x02, 0x01, 0x10, 0x04, 0x00});
    append(good, 0x581, {0x43, 0x18, 0x10, 0x03, 0x00, 0x00, 0x01, 0x00});
    append(good, 0x581, {0x43, 0x18, 0x10, 0x04, 0xE9, 0x03, 0x00, 0x00});
    append(good, 0x581, {0x60, 0x17, 0x10, 0x00, 0, 0, 0, 0});
    append(good, 0x181, {1, 2});
    append(good, 0x701, {0x05});
    append(good, 0x081, {0x00, 0x50, 1, 0, 0, 0, 0, 0});
    append(good, 0x582, {0x41, 0x00, 0x10, 0x00, 4, 0, 0, 0});
    std::mt19937 random(3);
    for (int i = 0; i < 30000; ++i) fuzz_master(mutated(good, random));
}

TEST_CASE("changed data sheets are read or refused") {
    const std::vector<SensorKind> kinds = sensor_kinds();
    const std::string good = eds_text(kinds[1].dictionary, {.file_name = "x.eds"});
    std::mt19937 random(4);
    for (int i = 0; i < 300; ++i) fuzz_data_sheet(mutated(good, random));
    const std::string small =
        "[1000]\nDataType=7\nAccessType=ro\nDefaultValue=$NODEID+0x10196\n[2000]\nObjectType=8\nCompactSubObj=4\n"
        "DataType=0x11\nAccessType=rw\nLowLimit=-1e3\nHighLimit=7\n[2000Value]\n1=2.5\n[1800]\nObjectType=9\nSubNumber="
        "1\n"
        "[1800sub1]\nDataType=7\nAccessType=rw\nDefaultValue=0x185\n[1A00]\nObjectType=9\n[1A00sub0]\nDataType=5\n"
        "AccessType=rw\nDefaultValue=1\n[1A00sub1]\nDataType=7\nAccessType=rw\nDefaultValue=0x60040020\n[6004]"
        "\nDataType=7\n"
        "AccessType=ro\nPDOMapping=1\n[6001]\nDataType=7\nAccessType=rw\n";
    for (int i = 0; i < 20000; ++i) fuzz_data_sheet(mutated(small, random));
}
