"""Compiles a model with rumoca and closes the gaps in what it writes.

Its C code evaluates outputs before what they are computed from, knows parameters that are computed from others by their
first values only, forgets the start values of Booleans, and does not tell of states that an event changed; its model
description lists variables of its own, does not say which state a derivative belongs to nor what an output depends on,
forgets outputs that are states or discrete, and gives start values to what is calculated. The co-simulation half is left out, as it never sees events.
"""
import ast
import pathlib
import re
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree as ElementTree
import zipfile

from modelica_source import BuildError, Source

PINNED = "0.9.13"  # later wheels come without FMI
STEP = "0.001"
TOLERANCE = "1e-5"
# Calls of fmax and sqrt become single instructions: a third of the unit's cost.
FLAGS = ["-shared", "-fPIC", "-O2", "-fno-math-errno", "-ffinite-math-only", "-fno-signed-zeros"]
UNSUPPORTED = "rumoca cannot translate this; OpenModelica can (--compiler omc)"


def compile_model(source, model, folder):
    """The compiler's own view of the flat model; its files are in `folder` then."""
    try:
        import rumoca
    except ImportError:
        raise BuildError(f"the Modelica compiler is missing; install it with: pip install rumoca=={PINNED}")
    texts = folder / "texts"
    texts.mkdir()
    for path in source.path.parent.glob("*.mo"):  # the compiler reads every .mo beside the one it is given
        shutil.copy(path, texts)
    copy = texts / source.path.name
    copy.write_text(source.compiled)
    try:
        compiled = rumoca.Session().load(str(copy), model=model)
        flat = compiled.to_dict()
        compiled.codegen("fmi2").save_all(str(folder / "unit"))
    except rumoca.RumocaError as error:
        text = str(error).split("\nRelated failures")[0].replace(str(copy), str(source.path))
        word = re.search(r"'([A-Za-z_]\w*)(?:\.\w+)*'", text)
        raise BuildError(f"{source.find(word.group(1)) if word else source.path}: {text}")
    return flat


class Flat:
    """The variables of the flat model by name, with their places in the text."""

    def __init__(self, flat, source):
        self.source = source
        self.variables = {name: entry for kind in "xyuwpzm" for name, entry in flat[kind].items()}
        self.flat = flat

    def entry(self, name):
        return self.variables.get(name) or self.variables.get(re.sub(r"\[[\d,]*\]$", "", name))

    def is_own(self, name):
        """Whether the user wrote the variable."""
        entry = self.entry(name)
        return entry is not None and entry["origin"] == "source"

    def is_output(self, name):
        entry = self.entry(name)
        return entry is not None and entry["causality"] == "output" and "." not in name

    def where(self, name):
        return self.source.where(self.entry(name)["source_span"])

    def refuse_what_would_be_lost(self):
        for kind in ("initial_equations", "initial_structured_equations"):
            for equation in self.flat[kind]:
                if equation["origin"].startswith("fixed start"):  # the start value, which is kept
                    continue
                raise BuildError(f"{self.source.where(equation['span'])}: an initial equation, which the compiler drops; "
                                 f"give the state a start value. {UNSUPPORTED}")
        for schedule in self.flat["schedules"]:
            raise BuildError(f"{self.source.where(schedule['source_span'])}: "
                             f"'{self.source.words(schedule['source_span'])}' makes a time event. {UNSUPPORTED}")
        for name, entry in self.variables.items():
            literal = ((entry.get("start") or {}).get("Literal") or {}).get("value")
            if isinstance(literal, dict) and "String" in literal:
                raise BuildError(f"{self.where(name)}: '{name}' is a String. {UNSUPPORTED}")
            if literal is None or entry["origin"] != "source" or entry["start_span"] in (None, entry["source_span"]):
                continue
            written = self.source.words(entry["start_span"])
            if re.search(r"[A-Za-z_]\w*", re.sub(r"\d[\d.]*[eE]|\btrue\b|\bfalse\b|\"[^\"]*\"", "", written)):
                raise BuildError(f"{self.source.where(entry['start_span'])}: '{name}' is computed from '{written}', which "
                                 "the compiler folds into a number where all its numbers are whole; write them with a "
                                 "decimal point")


def names_in(expression):
    return set(re.findall(r"[A-Za-z_]\w*", expression))


def function(code, name):
    begin = code.index(f"static void {name}(ModelInstance* m) {{")
    return begin, code.index("\n}\n", begin)


class Assignment:
    def __init__(self, match):
        self.text = match.group()
        self.alias, self.expression, self.kind, self.index, self.name = match.groups()


ASSIGNMENT = re.compile(r"\n\s+(\w+) = ([^;\n]*);\n\s+m->([ywp])\[(\d+)\] = \1;  /\* (\S+) \*/")


def assignments_of(code, name):
    begin, end = function(code, name)
    return [Assignment(match) for match in ASSIGNMENT.finditer(code, begin, end)]


def in_order(assignments, flat):
    """Every value is computed before it is used."""
    by_alias = {assignment.alias: assignment for assignment in assignments}
    done, way, ordered = set(), [], []

    def visit(assignment):
        if assignment.alias in done:
            return
        if assignment in way:
            ring = [a.name for a in way[way.index(assignment):] if flat.is_own(a.name)]
            places = ", ".join(f"'{name}' ({flat.where(name)})" for name in ring)
            raise BuildError(f"{flat.where(ring[0])}: these are computed from each other, and the compiler solves no "
                             f"such equations: {places}. {UNSUPPORTED}")
        way.append(assignment)
        for used in sorted(names_in(assignment.expression) & by_alias.keys()):
            visit(by_alias[used])
        way.pop()
        done.add(assignment.alias)
        ordered.append(assignment)

    for assignment in assignments:
        visit(assignment)
    return ordered


def refuse_lost_equations(code, flat):
    lost = re.search(r"/\* WARNING: no equation found for (\S+) \*/", code)
    if lost:
        name = next((n for n in flat.variables if n == lost.group(1) or n.replace(".", "_") == lost.group(1)), None)
        place = f"{flat.where(name)}: no equation for '{name}' was found" if name else f"{flat.source.path}: an equation is lost"
        raise BuildError(f"{place}; an equation with 'if' around it must be written as {name or 'x'} = if ... then ... "
                         f"else .... {UNSUPPORTED}")


def sorted_code(code, flat):
    """The assignments of outputs and of what they are computed from, in one order."""
    ordered = in_order(assignments_of(code, "compute_algebraics"), flat)
    begin, end = function(code, "compute_algebraics")
    body = ASSIGNMENT.sub("", code[begin:end])
    code = code[:begin] + body + "".join(a.text for a in ordered) + code[end:]
    if not any(name.startswith("der_") for a in ordered for name in names_in(a.expression)):
        # It evaluates everything again after the derivatives, for equations that use them.
        code = re.sub(r"/\* Re-compute algebraics after derivatives.*?\*/\s+compute_algebraics\(m\);", "", code, count=1)
    return code, ordered


class Computed:
    """Parameters and start values that are computed from parameters."""

    def __init__(self, code, flat):
        every = [a for a in assignments_of(code, "initialize_defaults") if a.kind == "p"]
        self.aliases = {a.alias for a in every}
        self.free = [a for a in every if not names_in(a.expression) & self.aliases]
        self.parameters = in_order([a for a in every if a not in self.free and flat.is_own(a.name)], flat)
        begin, end = function(code, "initialize_defaults")
        self.starts = [(index, expression, name) for index, expression, name in
                       re.findall(r"\n\s+m->x\[(\d+)\] = ([^;\n]*);  /\* (\S+) \*/", code[begin:end])
                       if names_in(expression) & self.aliases]
        self.names = {a.name for a in self.parameters} | {name for _, _, name in self.starts}

    def text(self):
        lines = [f"    const double {a.alias} = m->p[{a.index}];" for a in self.free]
        lines += [f"    const double {a.alias} = {a.expression};\n    m->p[{a.index}] = {a.alias};" for a in self.parameters]
        lines += [f"    m->x[{index}] = {expression};" for index, expression, _ in self.starts]
        return "\n".join(lines)


def with_preparation(code, computed, variables, flat):
    """Before the run starts: parameters that follow from others, start values of discrete variables, and the conditions
    of `if` and `when` as they are then, so that no `when` fires for what was so from the beginning."""
    own = [int(v.get("valueReference")) for v in variables if flat.is_own(v.get("name"))]
    starts = [(int(v.get("valueReference")), v.find("Real").get("start")) for v in variables
              if v.get("variability") == "discrete" and flat.is_own(v.get("name"))]
    default = "".join(f"    if ({reference} >= VR_M) m->m[{reference} - VR_M] = {value};\n" for reference, value in starts)
    begin, end = function(code, "initialize_defaults")
    code = code[:end] + "\n" + default.rstrip() + code[end:]
    own_text = ", ".join(map(str, own)) or "-1"
    preparation = f"""
static void prepare(ModelInstance* m) {{
    const long own[] = {{{own_text}}};
{computed.text()}
    const ModelInstance before = *m;
    compute_algebraics(m);
    compute_discrete_updates(m);
    memcpy(m->x, before.x, sizeof(m->x));
    memcpy(m->z, before.z, sizeof(m->z));
    for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
        if (own[i] >= VR_M && own[i] < VR_M + N_DISCRETE_VAL) m->m[own[i] - VR_M] = before.m[own[i] - VR_M];
    snapshot_pre_parameters(m);
}}

FMI2_EXPORT fmi2Status fmi2EnterInitializationMode("""
    code = code.replace("\nFMI2_EXPORT fmi2Status fmi2EnterInitializationMode(", preparation, 1)
    code = code.replace("    /* Compute initial derivatives and outputs */\n", "    prepare(m);\n", 1)
    code = code.replace("    if (m->dirty_values) {\n        compute_derivatives(m);",
                        "    if (m->dirty_values) {\n        if (m->state == modelInstantiated || m->state == "
                        "modelInitializationMode) prepare(m);\n        compute_derivatives(m);", 1)
    code = code.replace("\nFMI2_EXPORT fmi2Status fmi2GetReal(",
                        "\nstatic void prepare(ModelInstance* m);\nFMI2_EXPORT fmi2Status fmi2GetReal(", 1)
    # An event that changes a state says so.
    code = code.replace("    compute_event_discrete_updates(m);\n    m->root_event_pending",
                        "    const ModelInstance before = *m;\n    compute_event_discrete_updates(m);\n"
                        "    m->root_event_pending", 1)
    return code.replace("eventInfo->valuesOfContinuousStatesChanged = 0;",
                        "eventInfo->valuesOfContinuousStatesChanged = memcmp(before.x, m->x, sizeof(m->x)) != 0;", 1)


def inputs_behind(code, assignments):
    """For each variable of the C code the indices of the inputs that it depends on."""
    behind = {name: {int(index)} for name, index in re.findall(r"const double (\w+) = m->u\[(\d+)\];", code)}
    for assignment in assignments:
        behind[assignment.alias] = set().union(*(behind.get(used, set()) for used in names_in(assignment.expression)))
    return behind


def plain_start(text, name):
    """The number of a start value; for an element of an array its own."""
    if text.startswith("["):
        indices = [int(i) - 1 for i in re.search(r"\[([\d,]+)\]$", name).group(1).split(",")]
        value = ast.literal_eval(text)
        for index in indices:
            value = value[index] if isinstance(value, list) else value
        return repr(float(value))
    return text


def complete_description(path, code, assignments, computed, flat):
    tree = ElementTree.parse(path)
    root = tree.getroot()
    listing = root.find("ModelVariables")
    every = listing.findall("ScalarVariable")
    is_shown = {v.get("name"): flat.is_own(re.sub(r"^der\((.*)\)$", r"\1", v.get("name"))) for v in every}
    new_index = {}
    for old, variable in enumerate(every, 1):
        if is_shown[variable.get("name")]:
            new_index[str(old)] = str(len(new_index) + 1)
        else:
            listing.remove(variable)
    variables = listing.findall("ScalarVariable")
    index = {variable.get("name"): i + 1 for i, variable in enumerate(variables)}
    inputs = [index[v.get("name")] for v in variables if v.get("causality") == "input"]
    states, kept = [], []  # kept: outputs with a value of their own, which the compiler takes for local variables
    for variable in variables:
        name, real = variable.get("name"), variable.find("Real")
        state = re.fullmatch(r"der\((.*)\)", name)
        if state:
            real.set("derivative", str(index[state.group(1)]))
            states.append(index[state.group(1)])
        if variable.get("causality") == "local" and flat.is_output(name):
            variable.set("causality", "output")
            kept.append(variable)
        if name in computed.names:
            variable.set("initial", "calculated")
            if variable.get("causality") == "parameter":
                variable.set("causality", "calculatedParameter")
        if variable.get("initial") == "calculated":
            real.attrib.pop("start", None)
        elif real.get("start") is not None:
            real.set("start", plain_start(real.get("start"), name))
    for child in root.findall("CoSimulation"):
        root.remove(child)
    position = list(root).index(listing)
    root.insert(position, ElementTree.Element("DefaultExperiment", {"stepSize": STEP, "tolerance": TOLERANCE}))

    structure = root.find("ModelStructure")
    for unknown in structure.iter("Unknown"):
        unknown.set("index", new_index[unknown.get("index")])
    behind = inputs_behind(code, assignments)
    by_name = {assignment.name: assignment.alias for assignment in assignments}
    initial = structure.find("InitialUnknowns")
    outputs = structure.find("Outputs")
    if outputs is None:
        outputs = ElementTree.Element("Outputs")
        structure.insert(0, outputs)
    for unknown in outputs:
        used = behind[by_name[variables[int(unknown.get("index")) - 1].get("name")]]
        known = sorted(states + [inputs[i] for i in used])
        unknown.set("dependencies", " ".join(str(i) for i in known))
    listed = {unknown.get("index") for unknown in initial}
    calculated = [str(index[name]) for name in sorted(computed.names)]
    found_at_start = [unknown.get("index") for unknown in outputs] + calculated
    for variable in kept:
        number = index[variable.get("name")]
        outputs.append(ElementTree.Element("Unknown", {"index": str(number)}))
        if number in states:
            outputs[-1].set("dependencies", str(number))
    outputs[:] = sorted(outputs, key=lambda unknown: int(unknown.get("index")))
    for number in found_at_start:
        if number not in listed:
            listed.add(number)
            initial.append(ElementTree.Element("Unknown", {"index": number}))
    initial[:] = sorted(initial, key=lambda unknown: int(unknown.get("index")))
    tree.write(path, encoding="UTF-8", xml_declaration=True)
    return root.find("ModelExchange").get("modelIdentifier")


def compile_library(code, library, flat):
    library.parent.mkdir(parents=True)
    command = ["cc", *FLAGS, "-o", str(library), str(code), "-lm"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise BuildError("there is no C compiler; install gcc")
    if done.returncode == 0:
        return
    lines = code.read_text().splitlines()
    for number in re.findall(r":(\d+):\d+: error:", done.stderr):
        for line in lines[int(number) - 1:int(number) + 1]:
            for name in re.findall(r"/\* (\S+) \*/", line) + re.findall(r"const double (\w+) = m->", line):
                own = next((n for n in flat.variables if flat.is_own(n) and name in (n, n.replace(".", "_"), n.split(".")[-1])),
                           None)
                if own:
                    raise BuildError(f"{flat.where(own)}: '{own}': {UNSUPPORTED}; another name may do")
    raise BuildError(f"{flat.source.path}: {UNSUPPORTED}")


def build(path, model, output):
    source = Source(path)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        flat = Flat(compile_model(source, model, folder), source)
        flat.refuse_what_would_be_lost()
        unit = folder / "unit"
        (file,) = unit.glob("sources/*.c")
        code = file.read_text()
        refuse_lost_equations(code, flat)
        computed = Computed(code, flat)
        code, assignments = sorted_code(code, flat)
        every = ElementTree.parse(unit / "modelDescription.xml").getroot().find("ModelVariables").findall("ScalarVariable")
        file.write_text(with_preparation(code, computed, every, flat))
        identifier = complete_description(unit / "modelDescription.xml", code, assignments, computed, flat)
        compile_library(file, unit / "binaries" / "linux64" / f"{identifier}.so", flat)
        with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
            for part in sorted(unit.rglob("*")):
                if part.is_file() and part.name != "build.sh":
                    archive.write(part, part.relative_to(unit))
