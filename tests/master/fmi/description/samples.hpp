#pragma once

#include "master/fmi/description/model_description.hpp"

#include <stdexcept>
#include <string>
#include <string_view>

namespace tests {

/// A valid FMI 2 description that uses most of what there is.
inline constexpr std::string_view fmi2_sample = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="2.0" modelName="Boom" guid="{a-b}" generationTool="Tool 1" numberOfEventIndicators="2">
  <ModelExchange modelIdentifier="boom_me" completedIntegratorStepNotNeeded="true"/>
  <CoSimulation modelIdentifier="boom" canHandleVariableCommunicationStepSize="true" canInterpolateInputs="true"
      maxOutputDerivativeOrder="1" canGetAndSetFMUstate="true" canBeInstantiatedOnlyOncePerProcess="false">
    <SourceFiles><File name="boom.c"/><File name="solver.c"/></SourceFiles>
  </CoSimulation>
  <UnitDefinitions>
    <Unit name="degC"><BaseUnit K="1" offset="273.15"/></Unit>
    <Unit name="bar"><BaseUnit kg="1" m="-1" s="-2" factor="1e5"/><DisplayUnit name="psi" factor="14.5"/></Unit>
    <Unit name="m"><BaseUnit m="1"/></Unit>
  </UnitDefinitions>
  <TypeDefinitions>
    <SimpleType name="Pressure"><Real unit="bar" min="0" max="400" nominal="100" relativeQuantity="true"/></SimpleType>
    <SimpleType name="Mode"><Enumeration><Item name="off" value="0"/><Item name="on" value="3"/></Enumeration></SimpleType>
  </TypeDefinitions>
  <LogCategories><Category name="logEvents"/><Category name="logAll"/></LogCategories>
  <DefaultExperiment startTime="0" stopTime="10" tolerance="1e-6" stepSize="0.0333333"/>
  <ModelVariables>
    <ScalarVariable name="x" valueReference="1" initial="exact" description="height &quot;h&quot;"><Real start="1.5" unit="m"/></ScalarVariable>
    <ScalarVariable name="der(x)" valueReference="2"><Real derivative="1"/></ScalarVariable>
    <ScalarVariable name="supply" valueReference="3" causality="input"><Real declaredType="Pressure" start="210" max="350"/></ScalarVariable>
    <ScalarVariable name="y" valueReference="1" causality="output"><Real unit="m"/><Annotations><Tool name="t"/></Annotations></ScalarVariable>
    <ScalarVariable name="mode" valueReference="1" causality="parameter" variability="tunable"><Enumeration declaredType="Mode" start="3"/></ScalarVariable>
    <ScalarVariable name="a[1,2]" valueReference="9" causality="parameter" variability="fixed"><Integer start="-7"/></ScalarVariable>
    <ScalarVariable name="Größe 'q'" valueReference="4" causality="input" variability="discrete"><Boolean start="true"/></ScalarVariable>
    <ScalarVariable name="file" valueReference="5" causality="parameter" variability="fixed"><String start="a &amp; b"/></ScalarVariable>
    <ScalarVariable name="time" valueReference="6" causality="independent" variability="continuous"><Real/></ScalarVariable>
    <ScalarVariable name="z" valueReference="7" causality="output"><Real/></ScalarVariable>
  </ModelVariables>
  <ModelStructure>
    <Outputs><Unknown index="4" dependencies="1 3" dependenciesKind="constant dependent"/><Unknown index="10" dependencies=""/></Outputs>
    <Derivatives><Unknown index="2"/></Derivatives>
    <InitialUnknowns><Unknown index="4" dependencies="1"/><Unknown index="2"/><Unknown index="10"/></InitialUnknowns>
  </ModelStructure>
</fmiModelDescription>
)xml";

/// The same for FMI 3.
inline constexpr std::string_view fmi3_sample = R"xml(<?xml version="1.0" encoding="UTF-8"?>
<fmiModelDescription fmiVersion="3.0.1" modelName="Arm" instantiationToken="{t}" generationTool="Tool 3">
  <ModelExchange modelIdentifier="arm" needsCompletedIntegratorStep="true"/>
  <CoSimulation modelIdentifier="arm" hasEventMode="true" mightReturnEarlyFromDoStep="true" fixedInternalStepSize="0.01"
      providesIntermediateUpdate="true" canGetAndSetFMUState="true" canSerializeFMUState="true" providesDirectionalDerivatives="true"/>
  <ScheduledExecution modelIdentifier="arm"/>
  <UnitDefinitions><Unit name="rad"><BaseUnit rad="1"/></Unit></UnitDefinitions>
  <TypeDefinitions>
    <Float64Type name="Angle" unit="rad" min="-3.2" max="3.2"/>
    <EnumerationType name="Gear"><Item name="first" value="1"/><Item name="second" value="2"/></EnumerationType>
    <ClockType name="Ten" intervalVariability="constant" intervalCounter="10" resolution="1000" shiftCounter="5"/>
  </TypeDefinitions>
  <DefaultExperiment stepSize="1e-3"/>
  <ModelVariables>
    <Float64 name="time" valueReference="0" causality="independent" variability="continuous"/>
    <UInt64 name="n" valueReference="1" causality="structuralParameter" variability="fixed" start="2"/>
    <UInt64 name="m" valueReference="2" causality="structuralParameter" start="3"/>
    <Float64 name="A" valueReference="3" causality="parameter" variability="tunable" start="1 2 3 4 5 6">
      <Dimension valueReference="1"/><Dimension valueReference="2"/>
    </Float64>
    <Float64 name="u" valueReference="4" causality="input" declaredType="Angle" start="0.5" intermediateUpdate="true">
      <Dimension start="4"/><Alias name="u_alias" description="other"/>
    </Float64>
    <Float32 name="f" valueReference="5" causality="output" clocks="20 21"/>
    <Int8 name="i8" valueReference="6" causality="input" start="-128"/>
    <UInt16 name="u16" valueReference="7" causality="input" start="65535"/>
    <Int64 name="i64" valueReference="8" causality="input" start="-9223372036854775808"/>
    <UInt64 name="u64" valueReference="9" causality="input" start="18446744073709551615"/>
    <Boolean name="b" valueReference="10" causality="input" start="true 0"><Dimension start="2"/></Boolean>
    <String name="s" valueReference="11" causality="parameter"><Dimension start="2"/><Start value="a b"/><Start value="&lt;c&gt;"/></String>
    <Binary name="frame" valueReference="12" causality="input" mimeType="application/x-can" maxSize="64"><Start value="00fFa1"/></Binary>
    <Enumeration name="gear" valueReference="13" causality="parameter" declaredType="Gear" start="2"/>
    <Float64 name="q" valueReference="14" initial="exact" start="0"/>
    <Float64 name="der(q)" valueReference="15" derivative="14"/>
    <Float64 name="indicator" valueReference="16"><Dimension valueReference="1"/></Float64>
    <Clock name="ten" valueReference="20" causality="input" declaredType="Ten" intervalVariability="constant"/>
    <Clock name="third" valueReference="21" causality="input" intervalVariability="fixed" intervalDecimal="0.0333333"/>
    <Clock name="out" valueReference="22" causality="output" intervalVariability="triggered"/>
    <Float64 name="w" valueReference="23" causality="output"/>
    <Int32 name="held" valueReference="24" clocks="20" previous="25"/>
    <Int32 name="previous" valueReference="25" clocks="20"/>
  </ModelVariables>
  <ModelStructure>
    <Output valueReference="5" dependencies=""/>
    <Output valueReference="22"/>
    <Output valueReference="23" dependencies="14 4" dependenciesKind="dependent constant"/>
    <ContinuousStateDerivative valueReference="15" dependencies="4"/>
    <ClockedState valueReference="24"/>
    <InitialUnknown valueReference="5"/>
    <InitialUnknown valueReference="15"/>
    <InitialUnknown valueReference="23" dependencies="4"/>
    <EventIndicator valueReference="16"/>
  </ModelStructure>
</fmiModelDescription>
)xml";

/// `text` with the first `from` replaced; the caller must know that it is there.
inline std::string with(std::string_view text, std::string_view from, std::string_view to) {
    std::string changed(text);
    const std::size_t at = changed.find(from);
    if (at == std::string::npos) throw std::logic_error("the sample has no '" + std::string(from) + "'");
    return changed.replace(at, from.size(), to);
}

/// The variable of that name; the caller must know that it is there.
inline const master::core::Variable& variable(const master::fmi::ModelDescription& description, std::string_view name) {
    for (const master::core::Variable& each : description.info.variables)
        if (each.name == name) return each;
    throw std::logic_error("the description has no variable '" + std::string(name) + "'");
}

/// The text of the finding with that code and severity, with its place before it; empty without one.
inline std::string finding(const master::base::Diagnostics& diagnostics, master::base::Severity severity,
                           std::string_view code) {
    for (const master::base::Finding& finding : diagnostics.findings()) {
        if (finding.severity == severity && finding.code == code) return finding.where + ": " + finding.text;
    }
    return {};
}

}  // namespace tests
