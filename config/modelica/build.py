#!/usr/bin/env python3
"""Compiles a Modelica model into an FMI 2.0 unit for model exchange, with the compiler `rumoca` and the C compiler.

usage: build.py [--source FILE.mo] [--model NAME] [--output FILE.fmu]

The default is the hydraulic plant beside this script, put where the systems in config/excavator look for it.

rumoca 0.9.13 leaves gaps in what it writes, which are closed here: its model description does not say which state a derivative belongs to nor what an output depends on, and gives
start values to variables that are calculated. Initial equations and parameters computed from others do not work: a
model must do without them, and this script says so. The co-simulation half is left out, as it never sees events.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

PINNED = "0.9.13"  # later wheels come without FMI
HERE = pathlib.Path(__file__).resolve().parent
PLANT_SOURCE, PLANT = HERE / "Hydraulics.mo", "Hydraulics.Plant"
PLANT_UNIT = HERE.parent / "excavator" / "resources" / "hydraulics_modelica.fmu"
STEP = "0.001"
TOLERANCE = "1e-5"
# Calls of fmax and sqrt become single instructions: a third of the unit's cost.
FLAGS = ["-shared", "-fPIC", "-O2", "-fno-math-errno", "-ffinite-math-only", "-fno-signed-zeros"]


class BuildError(Exception):
    pass


def load_compiler():
    try:
        import rumoca
    except ImportError:
        raise BuildError(f"the Modelica compiler is missing; install it with: pip install rumoca=={PINNED}")
    return rumoca


def generate(source, model, folder):
    """Writes modelDescription.xml and one C file; returns both paths."""
    rumoca = load_compiler()
    try:
        result = rumoca.Session().load(str(source), model=model).codegen("fmi2")
    except rumoca.RumocaError as error:
        raise BuildError(f"{source}: {error}")
    result.save_all(str(folder))
    (code,) = folder.glob("sources/*.c")
    return folder / "modelDescription.xml", code


def statements(code, function):
    """The assignments `name = expression; m->y[i] = name;` of a generated function, in their order."""
    body = code[code.index(f"static void {function}(ModelInstance* m) {{"):]
    body = body[:body.index("\n}\n")]
    return re.findall(r"\n\s+(\w+) = ([^;\n]*);\n\s+m->y\[\d+\] = \1;", body)


def names_in(expression):
    return set(re.findall(r"[A-Za-z_]\w*", expression))


def check_order(assignments):
    """Every value must be computed before it is used, or the unit would work with values of its last evaluation."""
    later = [name for name, _ in assignments]
    for name, expression in assignments:
        late = names_in(expression) & set(later)
        if late:
            raise BuildError(f"the compiler computes '{name}' before '{sorted(late)[0]}', which it needs; "
                             "write the equations of the model in the order of their use")
        later.remove(name)


def inputs_behind(code, assignments):
    """For each variable of the C code the indices of the inputs that it depends on."""
    behind = {name: {int(index)} for name, index in re.findall(r"const double (\w+) = m->u\[(\d+)\];", code)}
    for name, expression in assignments:
        behind[name] = set().union(*(behind.get(used, set()) for used in names_in(expression)))
    return behind


def output_sources(code):
    """The C variable behind each output."""
    body = code[code.index("static void compute_outputs(ModelInstance* m) {"):]
    return {name: names_in(expression) for expression, name in re.findall(r"m->w\[\d+\] = ([^;]*);  /\* (\S+) \*/", body)}


def complete_description(path, code):
    tree = ElementTree.parse(path)
    root = tree.getroot()
    variables = root.find("ModelVariables").findall("ScalarVariable")
    index = {variable.get("name"): i + 1 for i, variable in enumerate(variables)}
    inputs = [index[v.get("name")] for v in variables if v.get("causality") == "input"]
    states = []
    for variable in variables:
        name, real = variable.get("name"), variable.find("Real")
        if real is None:
            continue
        state = re.fullmatch(r"der\((.*)\)", name)
        if state:
            real.set("derivative", str(index[state.group(1)]))
            states.append(index[state.group(1)])
        if variable.get("initial") == "calculated":
            real.attrib.pop("start", None)
        start = real.get("start")
        if start is not None and not is_number(start):
            raise BuildError(f"parameter '{name}' is computed from '{start}'; rumoca keeps only numbers, so write one")
    for child in root.findall("CoSimulation"):
        root.remove(child)
    position = list(root).index(root.find("ModelVariables"))
    root.insert(position, ElementTree.Element("DefaultExperiment", {"stepSize": STEP, "tolerance": TOLERANCE}))

    assignments = statements(code, "compute_algebraics")
    check_order(assignments)
    behind, sources = inputs_behind(code, assignments), output_sources(code)
    structure = root.find("ModelStructure")
    for unknown in structure.find("Outputs"):
        name = variables[int(unknown.get("index")) - 1].get("name")
        used = set().union(*(behind.get(source, set()) for source in sources[name]))
        known = sorted(states + [inputs[i] for i in used])
        unknown.set("dependencies", " ".join(str(i) for i in known))
    initial = structure.find("InitialUnknowns")
    listed = {unknown.get("index") for unknown in initial}
    for unknown in structure.find("Outputs"):
        if unknown.get("index") not in listed:
            initial.append(ElementTree.Element("Unknown", {"index": unknown.get("index")}))
    initial[:] = sorted(initial, key=lambda unknown: int(unknown.get("index")))
    tree.write(path, encoding="UTF-8", xml_declaration=True)
    return root.find("ModelExchange").get("modelIdentifier")


def is_number(text):
    try:
        float(text)
    except ValueError:
        return False
    return True


def without_repetition(code, assignments):
    """The compiler evaluates all algebraic equations again after the derivatives, for equations that use derivatives.
    Without such equations this only doubles the cost."""
    if any(name.startswith("der_") for _, expression in assignments for name in names_in(expression)):
        return code
    return re.sub(r"/\* Re-compute algebraics after derivatives.*?\*/\s+compute_algebraics\(m\);", "", code, count=1)


def compile_library(code, library):
    library.parent.mkdir(parents=True)
    command = ["cc", *FLAGS, "-o", str(library), str(code), "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise BuildError("there is no C compiler; install gcc")
    if done.returncode != 0:
        raise BuildError(f"the C compiler refuses the generated code:\n{done.stderr}")


def build(source, model, output):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        description, code = generate(source, model, folder)
        text = code.read_text()
        identifier = complete_description(description, text)
        code.write_text(without_repetition(text, statements(text, "compute_algebraics")))
        compile_library(code, folder / "binaries" / "linux64" / f"{identifier}.so")
        output.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and path.name != "build.sh":
                    archive.write(path, path.relative_to(folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=pathlib.Path, default=PLANT_SOURCE)
    parser.add_argument("--model", default=PLANT)
    parser.add_argument("--output", type=pathlib.Path, help="for the plant: where the systems in config/excavator look")
    options = parser.parse_args()
    if options.output is None:
        if options.source != PLANT_SOURCE or options.model != PLANT:
            parser.error("another model than the plant needs --output FILE.fmu")
        options.output = PLANT_UNIT
    try:
        build(options.source, options.model, options.output)
    except BuildError as error:
        sys.exit(f"error: {error}")
    print(options.output)


if __name__ == "__main__":
    main()
