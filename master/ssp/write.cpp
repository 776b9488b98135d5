#include "master/ssp/write.hpp"

#include "interfaces/text/text.hpp"
#include "master/base/archive_writer.hpp"
#include "master/base/error.hpp"
#include "master/ssp/read.hpp"

namespace master::ssp {
namespace fs = std::filesystem;

void pack(const fs::path& folder, const fs::path& target, base::Diagnostics& diagnostics) {
    std::error_code code;
    if (!fs::is_directory(folder, code)) throw base::Error("missing-file", folder.string(), "no such folder");
    (void)read(folder, {.variant = {}, .confined = true}, diagnostics);
    diagnostics.throw_if_errors();
    base::write_archive(folder, target);
}

std::string new_table() { return "time,command\n0,0\n0.2,0\n0.8,1\n1,1\n"; }

std::string new_system(const std::string& name) {
    const std::string quoted = interfaces::text::escaped(name);
    return R"(<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription name=")" +
           quoted + R"(" version="2.0"
    xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:t="urn:tandem:cosim:1">
  <ssd:System name=")" +
           quoted + R"(">
    <ssd:Elements>
      <!-- A table drives the system: each column is an output. -->
      <ssd:Component name="drive" type="text/csv" source=")" +
           std::string(new_table_name) + R"("/>
      <!-- Put FMUs into resources/ and name them here. Connectors may be left out: the FMU knows its variables.
      <ssd:Component name="load" source="resources/load.fmu"/>
      -->
    </ssd:Elements>
    <!-- Then connect them.
    <ssd:Connections>
      <ssd:Connection startElement="drive" startConnector="command" endElement="load" endConnector="u"/>
    </ssd:Connections>
    -->
  </ssd:System>
  <ssd:DefaultExperiment startTime="0" stopTime="1">
    <ssd:Annotations>
      <ssc:Annotation type="io.tandem.cosim">
        <!-- Seconds as an exact decimal or fraction; one component can have its own with t:Component and t:Rate. -->
        <t:Master algorithm="jacobi" step="0.001"/>
      </ssc:Annotation>
    </ssd:Annotations>
  </ssd:DefaultExperiment>
</ssd:SystemStructureDescription>
)";
}

}  // namespace master::ssp
