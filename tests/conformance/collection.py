"""Finds the cases of a collection: FMUs and systems, with the options and results published beside them.

An FMU `x.fmu` may have beside it `x_ref.csv` (published result), `x_in.csv` (input) and `x_ref.opt` (options, one
`Name, value` a line: StartTime, StopTime, StepSize, RelTol, OutputIntervalLength; `Set, name=value` may be repeated).
A system is an .ssp, a bare .ssd, or a folder with SystemStructure.ssd; `x_ref.csv` and `x_ref.opt` lie beside it.
A folder `cs` or `me` on the way to an FMU chooses the interface; otherwise each that the FMU has is a case.
"""
import csv
import dataclasses
import fractions
import pathlib
import re
import zipfile

import numpy as np

MAIN_DESCRIPTION = "SystemStructure.ssd"
POINTS = 500


@dataclasses.dataclass
class Case:
    path: pathlib.Path
    kind: str  # cs, me or system
    exporter: str = "?"
    version: str = ""
    fmi: str = ""
    options: dict = dataclasses.field(default_factory=dict)
    settings: list = dataclasses.field(default_factory=list)
    reference: pathlib.Path = None
    inputs: pathlib.Path = None

    @property
    def name(self):
        if self.path.name == MAIN_DESCRIPTION:
            return self.path.parent.name
        return self.path.stem if self.path.suffix else self.path.name


def find_cases(folder):
    folder = pathlib.Path(folder)
    systems = sorted(path for path in folder.rglob("*") if path.suffix in (".ssp", ".ssd") and path.is_file())
    roots = {path.parent for path in systems if path.suffix == ".ssd"}
    for path in sorted(folder.rglob("*.fmu")):
        if any(parent in roots for parent in path.parents) or "systems" in path.relative_to(folder).parts:
            continue
        yield from fmu_cases(path, folder)
    for path in systems:
        case = Case(path, "system", exporter=system_exporter(path))
        beside = path.parent.parent if path.name == MAIN_DESCRIPTION else path.parent
        add_published(case, beside)
        yield case


def fmu_cases(path, folder):
    text = model_description(path)
    parts = path.relative_to(folder).parts
    found = re.search(r'fmiVersion\s*=\s*["\']([^"\']*)', text)
    tool = re.search(r'generationTool\s*=\s*["\']([^"\']*)', text)
    kinds = [kind for kind in ("cs", "me") if kind in parts]
    if not kinds:
        names = {"cs": "<CoSimulation", "me": "<ModelExchange"}
        kinds = [kind for kind in names if names[kind] in text] or ["cs"]
    for kind in kinds:
        case = Case(path, kind, exporter=tool.group(1) if tool else "?", fmi=found.group(1) if found else "?")
        if kind in parts and len(parts) >= parts.index(kind) + 5:
            case.exporter, case.version = parts[parts.index(kind) + 1:parts.index(kind) + 3]
        add_published(case, path.parent)
        yield case


def model_description(path):
    """Good enough to name the exporter; what is wrong with a file is for the programs under test to say."""
    try:
        with zipfile.ZipFile(path) as archive:
            data = archive.read("modelDescription.xml")
    except (OSError, KeyError, zipfile.BadZipFile):
        return ""
    return data.decode("utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8", "replace")


def system_exporter(path):
    if path.suffix == ".ssp":
        try:
            with zipfile.ZipFile(path) as archive:
                text = archive.read(MAIN_DESCRIPTION).decode("utf-8", "replace")
        except (OSError, KeyError, zipfile.BadZipFile):
            return "?"
    else:
        text = path.read_text("utf-8", "replace")
    tool = re.search(r'generationTool\s*=\s*["\']([^"\']*)', text)
    if tool:
        return tool.group(1)
    for mark, name in (("openmodelica", "OMSimulator"), ("opensimulationplatform", "libcosim")):
        if mark in text.lower():
            return name
    return "?"


def add_published(case, folder):
    reference, inputs = folder / f"{case.name}_ref.csv", folder / f"{case.name}_in.csv"
    case.reference = reference if reference.exists() else None
    case.inputs = inputs if inputs.exists() else None
    options = folder / f"{case.name}_ref.opt"
    if not options.exists():
        return
    for line in options.read_text("utf-8", "replace").splitlines():
        name, _, value = line.partition(",")
        if name.strip() == "Set":
            case.settings.append(value.strip())
            continue
        try:
            case.options[name.strip()] = fractions.Fraction(value.strip())
        except ValueError:
            continue


@dataclasses.dataclass
class Table:
    time: np.ndarray
    columns: dict

    def at(self, name, times):
        """Linear between rows; of rows with one time the last counts at that time."""
        return np.interp(times, self.time, self.columns[name])

    def beside(self, name, instant, before):
        """The value that the two rows before (or after) an instant lead to: what a jump in between comes from."""
        values = self.columns[name]
        if before:
            near = np.searchsorted(self.time, instant, "left") - 1
            near, far = max(near, 0), max(near - 1, 0)
        else:
            near = min(np.searchsorted(self.time, instant, "right"), len(values) - 1)
            far = min(near + 1, len(values) - 1)
        distance = self.time[near] - self.time[far]
        slope = (values[near] - values[far]) / distance if distance else 0.0
        return values[near] + slope * (instant - self.time[near])


def difference(published, ours, name):
    """|ours - published| at the published times. Where the published result has two rows of one time, it jumps: either
    row is compared with what our rows on its side lead to."""
    inside = (published.time >= ours.time[0]) & (published.time <= ours.time[-1] * (1 + 1e-12))
    times, values = published.time[inside], published.columns[name][inside]
    found = ours.at(name, times)
    for i in np.flatnonzero(np.diff(times) == 0):
        if values[i] != values[i + 1]:
            found[i], found[i + 1] = ours.beside(name, times[i], True), ours.beside(name, times[i], False)
    return np.abs(found - values)


def read_table(path):
    with open(path, newline="", encoding="utf-8-sig", errors="replace") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    names = [name.strip().strip('"').strip() for name in rows[0]]
    columns = {name: np.array([number(row[i]) for row in rows[1:] if len(row) >= len(names)])
               for i, name in enumerate(names) if name}
    time = columns.pop(names[0])
    return Table(time, columns)


def number(text):
    text = text.strip()
    named = {"true": 1.0, "false": 0.0}
    if text.lower() in named:
        return named[text.lower()]
    try:
        return float(text)
    except ValueError:
        return float("nan")


def error_of(published, ours):
    """The worst signal: the 95 % quantile over the published times of |ours - published| / range of the published one."""
    worst, name_of_worst = None, ""
    if not ((published.time >= ours.time[0]) & (published.time <= ours.time[-1] * (1 + 1e-12))).any():
        return None, "no published time was reached"
    for name, values in published.columns.items():
        if name not in ours.columns or not np.isfinite(values).all():
            continue
        relative = difference(published, ours, name) / (np.ptp(values) or max(abs(values[0]), 1.0))
        error = float(np.quantile(np.where(np.isfinite(relative), relative, np.inf), 0.95))
        if worst is None or error > worst:
            worst, name_of_worst = error, name
    return worst, name_of_worst
