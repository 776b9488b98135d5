"""The plainest master there is, to compare with: reads a system, steps all units side by side with constant inputs, one
FMI call a variable through FMPy. It shares no line with Tandem and knows no holds, no orders, no events.

usage: plain_jacobi.py SYSTEM STEP START STOP RESULT.csv [--set NAME=VALUE]...

SYSTEM is an .ssd, or a folder or .ssp with SystemStructure.ssd. Units are for co-simulation, FMI 2.0 or 3.0, or tables
(.csv). Ends with exit code 3 and a reason for what it cannot do.
"""
import csv
import fractions
import pathlib
import shutil
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

import numpy as np

TRUE = ("true", "1")
TOLERANCE = 1e-6
DIMENSIONS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


class Unable(Exception):
    """The system is none for this master."""


class FmuUnit:
    """An FMU for co-simulation: set, step and get by name."""

    def __init__(self, name, path, scratch):
        import fmpy
        from fmpy.fmi2 import FMU2Slave
        from fmpy.fmi3 import FMU3Slave
        if path.is_dir():
            folder = str(path)
        else:
            folder = fmpy.extract(str(path), unzipdir=tempfile.mkdtemp(dir=scratch))
        description = fmpy.read_model_description(folder, validate=False)
        if description.coSimulation is None:
            raise Unable(f"'{name}' is for model exchange only")
        self.fmi3 = description.fmiVersion.startswith("3")
        if not self.fmi3 and not description.fmiVersion.startswith("2"):
            raise Unable(f"'{name}' is FMI {description.fmiVersion}")
        self.variables = {variable.name: variable for variable in description.modelVariables}
        self.units = {unit.name: unit.baseUnit for unit in description.unitDefinitions}
        self.outputs = [v.name for v in description.modelVariables
                        if v.causality == "output" and not v.dimensions and v.type not in ("String", "Binary", "Clock")]
        kind = FMU3Slave if self.fmi3 else FMU2Slave
        self.fmu = kind(guid=description.guid, unzipDirectory=folder, instanceName=name,
                        modelIdentifier=description.coSimulation.modelIdentifier)
        self.fmu.instantiate()

    def enter(self, start, values):
        if self.fmi3:
            self.set_all(values)
            self.fmu.enterInitializationMode(tolerance=TOLERANCE, startTime=start)
            return
        self.fmu.setupExperiment(tolerance=TOLERANCE, startTime=start)
        self.set_all(values)
        self.fmu.enterInitializationMode()

    def set_all(self, values):
        for name, value in values.items():
            self.set(name, value)

    def exit(self):
        self.fmu.exitInitializationMode()

    def type_of(self, name):
        kind = self.variables[name].type
        return {"Enumeration": "Int64" if self.fmi3 else "Integer"}.get(kind, kind)

    def set(self, name, value):
        kind = self.type_of(name)
        if kind == "String":
            value = str(value)
        elif kind == "Boolean":
            value = value.lower() in TRUE if isinstance(value, str) else bool(value)
        elif kind in ("Real", "Float64", "Float32"):
            value = float(value)
        else:
            value = int(float(value))
        try:
            getattr(self.fmu, f"set{kind}")([self.variables[name].valueReference], [value])
        except Exception as problem:
            raise RuntimeError(f"set {name} = {value}: {problem}")

    def get(self, name, _=None):
        kind = self.type_of(name)
        value = getattr(self.fmu, f"get{kind}")([self.variables[name].valueReference])[0]
        return value if kind == "String" else float(value)

    def step(self, t, h):
        self.fmu.doStep(currentCommunicationPoint=t, communicationStepSize=h)

    def base_unit(self, name):
        """Factor, offset and dimension of a variable's unit; None where the unit is not defined."""
        variable = self.variables[name]
        unit = variable.unit or (variable.declaredType.unit if variable.declaredType else None)
        base = self.units.get(unit)
        if base is None:
            return None
        return base.factor, base.offset, tuple(getattr(base, part) for part in DIMENSIONS)


class TableUnit:
    """A .csv with time in its first column, linear between rows; of two rows of one time the later counts."""

    def __init__(self, path):
        with open(path, newline="", encoding="utf-8-sig") as file:
            rows = list(csv.reader(file))
        names = [name.strip().strip('"') for name in rows[0]]
        data = np.array([[float(cell) for cell in row] for row in rows[1:] if row])
        self.time, self.columns = data[:, 0], dict(zip(names[1:], data[:, 1:].T))
        self.outputs = []

    def get(self, name, t):
        i = int(np.searchsorted(self.time, t, "right")) - 1
        values = self.columns[name]
        if i < 0 or i + 1 >= len(values):
            return values[max(i, 0)]
        part = (t - self.time[i]) / (self.time[i + 1] - self.time[i])
        return values[i] + part * (values[i + 1] - values[i])

    def enter(self, start, values):
        pass

    def exit(self):
        pass

    def step(self, t, h):
        pass


def kids(element, name):
    return [kid for kid in element if isinstance(kid.tag, str) and kid.tag.rpartition("}")[2] == name]


def kid(element, name):
    found = kids(element, name)
    return found[0] if found else None


def inside(element, *names):
    """The elements at the end of a path of names."""
    found = [element]
    for name in names:
        found = [inner for outer in found for inner in kids(outer, name)]
    return found


def transformation(element):
    found = kid(element, "LinearTransformation")
    if found is None:
        if any(kid(element, name) is not None for name in ("BooleanMappingTransformation", "IntegerMappingTransformation",
                                                           "EnumerationMappingTransformation")):
            raise Unable("a mapping transformation")
        return 1.0, 0.0
    return float(found.get("factor", 1)), float(found.get("offset", 0))


def linear(value, factor, offset):
    """Texts pass as they are where nothing is to be changed."""
    return value if (factor, offset) == (1.0, 0.0) else factor * float(value) + offset


def base_units(root):
    """Factor and offset of the units that a file defines."""
    return {unit.get("name"): (float(base.get("factor", 1)), float(base.get("offset", 0)))
            for unit in inside(root, "Units", "Unit") for base in kids(unit, "BaseUnit")}


class System:
    """Connectors are named by their full path, `component.variable` or `nested.component.variable`."""

    def __init__(self, path):
        self.folder = path.parent
        self.components = {}  # full name -> path of the unit
        self.values = {}      # connector -> value, and factor and offset of its unit or None
        self.connections = []  # start, end, factor, offset, whether units are converted
        root = ElementTree.parse(path).getroot()
        self.defined = base_units(root)
        self.read_system(kid(root, "System"), "")

    def read_system(self, system, prefix):
        for element in inside(system, "Elements", "System"):
            self.read_system(element, f"{prefix}{element.get('name')}.")
        for element in inside(system, "Elements", "Component"):
            name = prefix + element.get("name")
            if element.get("implementation") == "ModelExchange":
                raise Unable(f"'{name}' is to run as model exchange")
            if not element.get("source"):
                raise Unable(f"'{name}' has no source")
            # libcosim writes proxyfmu://HOST?file=PATH for a unit in another process.
            self.components[name] = self.folder / element.get("source").rpartition("?file=")[2]
            self.read_bindings(element, f"{name}.")
        if inside(system, "Elements", "SignalDictionaryReference"):
            raise Unable("a signal dictionary")
        for connection in inside(system, "Connections", "Connection"):
            start, end = (".".join(part for part in (prefix[:-1], connection.get(f"{which}Element"),
                                                     connection.get(f"{which}Connector")) if part)
                          for which in ("start", "end"))
            converted = connection.get("suppressUnitConversion", "false") not in TRUE
            self.connections.append((start, end, *transformation(connection), converted))
        self.read_bindings(system, prefix)

    def read_bindings(self, element, prefix):
        """What is read later, further up, wins."""
        for binding in inside(element, "ParameterBindings", "ParameterBinding"):
            source = binding.get("source")
            sets = [ElementTree.parse(self.folder / source).getroot()] if source else inside(
                binding, "ParameterValues", "ParameterSet")
            mapping = self.mapping_of(binding)
            for one in sets:
                defined = {**self.defined, **base_units(one)}
                for parameter in inside(one, "Parameters", "Parameter"):
                    typed = next(kid for kid in parameter if kid.get("value") is not None)
                    name = binding.get("prefix", "") + parameter.get("name")
                    for target, *line in mapping.get(name, []) if mapping is not None else [(name, 1.0, 0.0)]:
                        self.values[prefix + target] = linear(typed.get("value"), *line), defined.get(typed.get("unit"))

    def mapping_of(self, binding):
        found = kid(binding, "ParameterMapping")
        if found is None:
            return None
        source = found.get("source")
        root = ElementTree.parse(self.folder / source).getroot() if source else kid(found, "ParameterMapping")
        mapping = {}
        for entry in kids(root, "MappingEntry"):
            mapping.setdefault(entry.get("source"), []).append((entry.get("target"), *transformation(entry)))
        return mapping

    def owner(self, connector):
        """The component of a connector and the variable's name, or None for a connector of a system."""
        parts = connector.split(".")
        for count in range(len(parts) - 1, 0, -1):
            name = ".".join(parts[:count])
            if name in self.components:
                return name, connector[len(name) + 1:]
        return None


class Master:
    def __init__(self, system, scratch):
        self.system = system
        self.units = {}
        for name, path in system.components.items():
            table = path.suffix == ".csv"
            self.units[name] = TableUnit(path) if table else FmuUnit(name, path, scratch)
        self.start_values = {name: {} for name in self.units}
        self.neighbours = {}  # connector -> connections from there; against their direction only what is unchanged
        for start, end, factor, offset, converted in system.connections:
            self.neighbours.setdefault(end, []).insert(0, (start, factor, offset, converted))
            if (factor, offset) == (1.0, 0.0):
                self.neighbours.setdefault(start, []).append((end, factor, offset, converted))
        for connector, (value, unit) in system.values.items():
            self.give(connector, value, unit)
        self.wires = []
        for connector in self.neighbours:
            if system.owner(connector) and not self.is_output(connector):
                self.trace(connector)

    def give(self, connector, value, unit):
        name, variable = self.system.owner(connector) or (None, None)
        if name is None or not isinstance(self.units[name], FmuUnit) or variable not in self.units[name].variables:
            return
        wanted = self.units[name].base_unit(variable)
        if unit and wanted:
            value = (unit[0] * float(value) + unit[1] - wanted[1]) / wanted[0]
        self.start_values[name][variable] = value

    def trace(self, end):
        """Follows an input back to the output or the connector of a system that drives it, through connectors of systems.
        Some tools write connections from the input to the output."""
        found = self.source_of(end, {end})
        if found is None:
            return
        source, factor, offset, converted = found
        owner = self.system.owner(source)
        if owner is None:
            value, unit = self.system.values[source]
            self.give(end, linear(value, factor, offset), unit if converted else None)
            return
        to = self.system.owner(end)
        if converted and all(isinstance(self.units[name], FmuUnit) for name in (owner[0], to[0])):
            there, here = self.units[owner[0]].base_unit(owner[1]), self.units[to[0]].base_unit(to[1])
            if there and here and there[2] == here[2]:
                # value in base units: there[0] v + there[1]
                factor, offset = factor * there[0] / here[0], (factor * there[1] + offset - here[1]) / here[0]
        self.wires.append((*owner, *to, factor, offset))

    def source_of(self, connector, seen):
        for source, factor, offset, converted in self.neighbours.get(connector, []):
            if source in seen:
                continue
            seen.add(source)
            if self.system.owner(source):
                if self.is_output(source):
                    return source, factor, offset, converted
                continue
            further = self.source_of(source, seen)
            if further is None and source in self.system.values:
                further = source, 1.0, 0.0, True
            if further:
                return further[0], factor * further[1], factor * further[2] + offset, converted and further[3]
        return None

    def is_output(self, connector):
        name, variable = self.system.owner(connector)
        unit = self.units[name]
        return isinstance(unit, TableUnit) or unit.variables[variable].causality in ("output", "calculatedParameter")

    def exchange(self, t):
        """All are read before any is set."""
        read = [(wire, self.units[wire[0]].get(wire[1], t)) for wire in self.wires]
        for (_, _, name, variable, factor, offset), value in read:
            self.units[name].set(variable, value if isinstance(value, str) else factor * value + offset)

    def run(self, start, stop, step):
        begin = float(start)
        for name, unit in self.units.items():
            unit.enter(begin, self.start_values[name])
        for _ in range(len(self.units) + 1):  # through the longest chain of feedthroughs
            self.exchange(begin)
        for unit in self.units.values():
            unit.exit()
        columns = [(name, output) for name, unit in self.units.items() for output in unit.outputs]
        yield ["time", *(f"{name}.{output}" for name, output in columns)]
        yield [begin, *(self.units[name].get(output) for name, output in columns)]
        for i in range(int((stop - start) / step)):
            t = float(start + i * step)
            self.exchange(t)
            for unit in self.units.values():
                unit.step(t, float(step))
            yield [float(start + (i + 1) * step), *(self.units[name].get(output) for name, output in columns)]


def description_of(path, scratch):
    if path.suffix == ".ssp":
        folder = pathlib.Path(scratch) / "unpacked"
        with zipfile.ZipFile(path) as archive:
            archive.extractall(folder)
        path = folder
    return path / "SystemStructure.ssd" if path.is_dir() else path


def main():
    if len(sys.argv) < 6:
        sys.exit(__doc__)
    scratch = tempfile.mkdtemp(prefix="plain-jacobi-")
    try:
        system = System(description_of(pathlib.Path(sys.argv[1]), scratch))
        for setting in sys.argv[7::2]:
            name, _, value = setting.partition("=")
            system.values[name] = value, None
        step, start, stop = (fractions.Fraction(text) for text in sys.argv[2:5])
        with open(sys.argv[5], "w", newline="") as file:
            csv.writer(file).writerows(Master(system, scratch).run(start, stop, step))
    except Unable as reason:
        print(f"not for the plain loop: {reason}", file=sys.stderr)
        sys.exit(3)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main()
