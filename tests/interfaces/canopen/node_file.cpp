#include "interfaces/canopen/files/node_file.hpp"

#include "interfaces/canopen/master/master.hpp"
#include "interfaces/canopen/sensors/excavator.hpp"
#include "tests/interfaces/canopen/bench.hpp"

#include <catch2/catch.hpp>

using namespace interfaces::canopen;
namespace can = interfaces::can;

namespace {

const std::string vendor_sheet =
    "[DeviceInfo]\nVendorName=Some vendor\n[DeviceComissioning]\nNodeID=33\n"
    "[1000]\nDataType=7\nAccessType=ro\nDefaultValue=0x191\n"
    "[1018]\nObjectType=9\n[1018sub0]\nDataType=5\nAccessType=ro\nDefaultValue=1\n"
    "[1018sub1]\nDataType=7\nAccessType=ro\nDefaultValue=0x99\n"
    "[1008]\nDataType=9\nAccessType=const\nDefaultValue=name\n"
    "[1400]\nObjectType=9\n[1400sub1]\nDataType=7\nAccessType=rw\nDefaultValue=$NODEID+0x200\n"
    "[1400sub2]\nDataType=5\nAccessType=rw\nDefaultValue=255\n"
    "[1600]\nObjectType=9\n[1600sub0]\nDataType=5\nAccessType=rw\nDefaultValue=1\n"
    "[1600sub1]\nDataType=7\nAccessType=rw\nDefaultValue=0x21000008\n"
    "[1800]\nObjectType=9\n[1800sub1]\nDataType=7\nAccessType=rw\nDefaultValue=$NODEID+0x180\n"
    "[1800sub2]\nDataType=5\nAccessType=rw\nDefaultValue=1\n"
    "[1A00]\nObjectType=9\n[1A00sub0]\nDataType=5\nAccessType=rw\nDefaultValue=1\n"
    "[1A00sub1]\nDataType=7\nAccessType=rw\nDefaultValue=0x20000010\n"
    "[2000]\nParameterName=Temperature\nDataType=3\nAccessType=ro\nPDOMapping=1\n"
    "[2100]\nParameterName=Lamp\nDataType=5\nAccessType=rww\nPDOMapping=1\n";

NodeFile parse(const std::string& nodes) {
    return parse_node_file("<CanOpen xmlns=\"urn:tandem:can:1\">\n" + nodes + "\n</CanOpen>", "nodes.xml",
                           [](const std::string& name) {
                               if (name != "vendor.dcf") throw std::runtime_error("cannot be read: no such file");
                               return vendor_sheet;
                           });
}

std::string error_of_nodes(const std::string& nodes) {
    try {
        (void)parse(nodes);
    } catch (const FileError& error) {
        return error.what();
    }
    return "none";
}

std::string node_with(const std::string& signal) {
    return "<Node name=\"a\" sheet=\"vendor.dcf\">" + signal + "</Node>";
}

}  // namespace

TEST_CASE("a vendor's data sheet and a mapping make a node without code, and a master understands it") {
    const NodeFile file =
        parse(node_with("<Signal name=\"t\" object=\"0x2000:0\" gain=\"0.1\" offset=\"273.15\"/>"
                        "<Signal name=\"lamp\" object=\"0x2100\" gain=\"2\" direction=\"receive\"/>"));
    REQUIRE(file.nodes.size() == 1);
    const Node& node = file.nodes[0];
    CHECK(node.commissioning.node_id == 33);
    const MasterPlan plan = make_plan(file.nodes, {.heartbeat_period = Time{}, .sync_period = 10ms});
    Master master(plan);
    Slave slave(node.device, node.commissioning);
    Master::Events events;
    for (Time now{}; now < 300ms; now += 1ms) {
        Frames frames;
        measure(slave, node.signals, std::vector{300.0, 99.0}, now);
        slave.advance(now, frames);
        master.advance(now, frames, events);
        for (std::size_t i = 0; i < frames.size(); ++i) {
            const can::Frame frame = frames[i];
            slave.receive(frame, now, frames);
            master.receive(frame, now, frames, events);
        }
    }
    REQUIRE(events.size() == 1);
    CHECK(text(events[0], plan) == "node 33 (a): started");
    CHECK(master.state.values[0] == Approx(300.0).margin(0.06));  // half a step
    Frames ignored;
    slave.receive(frame(0x221, {7}), 300ms, ignored);
    CHECK(received(slave, node.signals[1]) == 14);
}

TEST_CASE("the shipped file and the shipped data sheets make the excavator's sensors") {
    const NodeFile file =
        read_node_file(std::filesystem::path(TANDEM_TEST_DATA).parent_path() / "config/can/sensors.xml");
    const std::vector<Node> wanted = excavator_sensors();
    CHECK(file.notes.empty());
    CHECK(file.bit_rate == 250000);
    REQUIRE(file.nodes.size() == wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const Node& node = file.nodes[i];
        CHECK(node.name == wanted[i].name);
        CHECK(node.commissioning.node_id == wanted[i].commissioning.node_id);
        CHECK(node.commissioning.serial == wanted[i].commissioning.serial);
        CHECK(node.device.dictionary.factory(3) == wanted[i].device.dictionary.factory(3));
        REQUIRE(node.signals.size() == wanted[i].signals.size());
        for (std::size_t j = 0; j < node.signals.size(); ++j) {
            CHECK(node.signals[j].name == wanted[i].signals[j].name);
            CHECK(node.signals[j].entry.key == wanted[i].signals[j].entry.key);
            CHECK(node.signals[j].channel == wanted[i].signals[j].channel);
        }
    }
}

TEST_CASE("a node file that cannot be meant is refused with its line") {
    CHECK(error_of_nodes("").find("nodes.xml:1: there is no <Node>") == 0);
    CHECK(error_of_nodes("<Nod/>") == "nodes.xml:2: <Nod>, expected <Node>");
    CHECK(error_of_nodes("<Node sheet=\"vendor.dcf\"/>") == "nodes.xml:2: <Node> has no 'name'");
    CHECK(error_of_nodes("<Node name=\"a\" sheet=\"x.eds\"/>") ==
          "nodes.xml:2: data sheet 'x.eds' cannot be read: no such file");
    CHECK(error_of_nodes("<Node name=\"a\" shet=\"x.eds\"/>") ==
          "nodes.xml:2: <Node> has no attribute 'shet'; did you mean 'sheet'?");
    CHECK(error_of_nodes("<Node name=\"a\" id=\"128\" sheet=\"vendor.dcf\"/>") ==
          "nodes.xml:2: id is '128', expected a number from 1 to 127");
    CHECK(error_of_nodes(
              "<Node name=\"a\" id=\"3\" sheet=\"vendor.dcf\"/>\n<Node name=\"b\" id=\"3\" sheet=\"vendor.dcf\"/>") ==
          "nodes.xml:3: id 3 of 'b' is that of 'a'");
    CHECK(error_of_nodes(node_with("") + "\n" + node_with("")) == "nodes.xml:3: id 33 of 'a' is that of 'a'");
    CHECK(error_of_nodes(node_with("<Signal name=\"t\" object=\"0x2001:0\"/>")) ==
          "nodes.xml:2: 'vendor.dcf' has no object 0x2001:00");
    CHECK(error_of_nodes(node_with("<Signal name=\"t\" object=\"0x1008:0\"/>")) ==
          "nodes.xml:2: 0x1008:00 of 'vendor.dcf' is no number");
    CHECK(error_of_nodes(node_with("<Signal name=\"t\" object=\"here\"/>")) ==
          "nodes.xml:2: object is 'here', expected index:sub-index such as 0x6010:0");
    CHECK(error_of_nodes(node_with("<Signal name=\"t\" object=\"0x2000:0\" gain=\"0\"/>")) == "nodes.xml:2: gain is 0");
    CHECK(error_of_nodes(node_with("<Signal name=\"t\" object=\"0x2000:0\" gain=\"nan\"/>")) ==
          "nodes.xml:2: gain is 'nan', expected a finite number");
    CHECK(
        error_of_nodes(node_with("<Signal name=\"t\" object=\"0x2000:0\"/><Signal name=\"t\" object=\"0x2000:0\"/>")) ==
        "nodes.xml:2: signal 't' is there twice");
    CHECK(error_of_nodes(node_with("<Signal name=\"t\" object=\"0x2000:0\" direction=\"up\"/>")) ==
          "nodes.xml:2: direction is 'up', expected 'transmit' or 'receive'");
    CHECK(error_of_nodes("<Node").find("nodes.xml:") == 0);
    CHECK_THROWS_AS(read_node_file("/nowhere/nodes.xml"), FileError);
    CHECK_THROWS_AS(parse_node_file("<Other/>", "x", {}), FileError);
}

TEST_CASE("an id of none is a device as it is delivered") {
    const NodeFile file = parse("<Node name=\"a\" id=\"none\" sheet=\"vendor.dcf\" serial=\"0x12\"/>");
    CHECK(file.nodes[0].commissioning.node_id == unconfigured_node_id);
    CHECK(file.nodes[0].commissioning.serial == 0x12u);
}
