"""Compares Tandem with what others published of their FMUs and systems.

usage: published.py TANDEM FOLDER... [--only TEXT] [--limit SECONDS] [--json FILE] [--markdown FILE]
                    [--library-path DIR]

The folders hold collections as their authors publish them (the FMI cross-check, test suites of other masters). Compared
are, each in a process with a time limit:
 - every FMU and system with `x_ref.csv` beside it (collection.py), with that result;
 - the systems in published.json, with the values that their test suites state or the results they ship; those that a
   suite puts together by a program are put together here from the list of components and connections;
 - every other system, with a plain Jacobi loop over FMPy's calls (plain_jacobi.py): constant hold, the same step.
The difference is that of README.md: the 95 % quantile of |ours - theirs| over the range of theirs (of the plain loop
the largest); of a single value relative to it. Ends with 1 if one is above 2 % and published.json gives no cause
outside of Tandem.
"""
import argparse
import csv
import fnmatch
import json
import os
import pathlib
import sys
import tempfile
import zipfile
from xml.sax.saxutils import quoteattr

import numpy as np

from collection import Table, difference, error_of, find_cases, read_table
from runners import ending, limited, plan_of, run_tandem

HERE = pathlib.Path(__file__).resolve().parent
LARGEST = 0.02
TOLERANCE = 1e-6  # of units with a solver; that of the plain loop
NOT_COMPARABLE = 3  # exit code of the plain loop
# What a system lacks that cannot be run here; the message says it all.
ABSENT = ("no binary for this platform", "is an FMI 1.0 unit", "the system has no components", "error[missing-file]",
          "the loader says")
HEADINGS = ("case", "compared with", "difference", "signal", "remark")


def main():
    settings = arguments()
    listed = json.loads((HERE / "published.json").read_text())
    rows = []
    for row in judged(settings, listed["cases"]):
        row["cause"] = next((known["cause"] for known in listed["causes"] if fits(known, row)), "")
        rows.append(row)
        print(plain_line(row), flush=True)
    if not rows:
        sys.exit(f"nothing to compare in {', '.join(settings.folders)}")
    print(summary(rows))
    if settings.json:
        pathlib.Path(settings.json).write_text(json.dumps(rows, indent=1))
    if settings.markdown:
        lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
        lines += ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells(row)) + " |" for row in rows]
        pathlib.Path(settings.markdown).write_text("\n".join(lines) + f"\n\n{summary(rows)}\n")
    sys.exit(1 if any(wrong(row) and not row["cause"] for row in rows) else 0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tandem")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--only", help="cases whose name contains this text")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one run")
    parser.add_argument("--json", help="write all rows to this file")
    parser.add_argument("--markdown", help="write the table to this file")
    parser.add_argument("--library-path", help="folder with shared libraries that old FMUs need")
    settings = parser.parse_args()
    settings.tandem = os.path.abspath(settings.tandem)
    settings.environment = dict(os.environ)
    if settings.library_path:
        settings.environment["LD_LIBRARY_PATH"] = settings.library_path
    return settings


def fits(known, row):
    return wrong(row) and fnmatch.fnmatch(row["case"], known["case"])


def wrong(row):
    return row["failed"] or (row["difference"] is not None and not row["difference"] <= LARGEST)


def row_of(case, against, difference=None, signal="", remark="", failed=False):
    return {"case": case, "against": against, "difference": difference, "signal": signal, "remark": remark,
            "failed": failed}


def judged(settings, listed):
    collections = [pathlib.Path(folder).resolve() for folder in settings.folders]
    wanted = lambda name: not settings.only or settings.only in name
    taken = set()
    for entry in listed:
        files = find_files(entry, collections)
        if files is None:
            continue
        taken |= set(files.values())
        if wanted(entry["name"]):
            yield compare_listed(entry, files, settings)
    for collection in collections:
        for case in find_cases(collection):
            name = f"{collection.name}/{case.path.relative_to(collection)} {case.kind}"
            if not wanted(name):
                continue
            if case.reference:
                yield compare_reference(name, case, settings)
            elif case.kind == "system" and case.path not in taken and case.path.parent not in taken:
                yield compare_plain(name, case.path, settings)


def compare_reference(name, case, settings):
    published = read_table(case.reference)
    outcome = run_tandem(case, plan_of(case, published), published, settings)
    failed = not outcome.ran and not any(text in outcome.cause for text in ABSENT)
    return row_of(name, "published result", outcome.error, outcome.worst_signal, outcome.cause, failed)


def find_files(entry, collections):
    """Where the parts of a listed case are; None if one is missing."""
    wanted = dict(entry.get("components", {}))
    wanted.update((key, entry[key]) for key in ("system", "fmu", "result", "input") if key in entry)
    found = {}
    for key, path in wanted.items():
        places = [place for collection in collections for place in collection.glob(f"**/{path}")]
        if not places:
            return None
        found[key] = places[0]
    return found


def compare_listed(entry, files, settings):
    against = f"{'shipped result' if 'result' in entry else 'stated values'}: {entry['source']}"
    if entry.get("plain"):
        against = "plain Jacobi loop"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        if "components" in entry:
            path = compose(entry, files, folder)
        else:
            path = packed(files.get("system") or files["fmu"], folder)
        if entry.get("plain"):
            return compare_plain(entry["name"], path, settings, entry.get("options", []))
        names = entry.get("signals") or {name: name for name in entry["values"]}
        command = ["run", str(path), "--out", str(folder / "out"), *entry.get("options", [])]
        if "input" in entry:
            command += ["--input", str(files["input"])]
        for name in names:
            command += ["--record", name]
        code, _, err, _ = limited([settings.tandem, *command], settings.limit, settings.environment)
        if code != 0:
            return refused(entry["name"], against, code, err, settings)
        ours = read_table(folder / "out" / "results.csv")
        missing = sorted(set(names) - set(ours.columns))
        if missing:
            return row_of(entry["name"], against, remark=f"not recorded: {', '.join(missing)}", failed=True)
        if "result" in entry:
            theirs = read_result(files["result"], names, entry.get("span"))
            return row_of(entry["name"], against, *error_of(theirs, ours))
        return row_of(entry["name"], against, *worst_value(entry["values"], ours))


def worst_value(stated, ours):
    """Values at the end, or [time, value]."""
    worst, signal = -1.0, ""
    for name, value in stated.items():
        t, value = value if isinstance(value, list) else (ours.time[-1], value)
        difference = abs(float(ours.at(name, t)) - value) / (abs(value) or 1.0)
        if not difference <= worst:
            worst, signal = difference, name
    return worst, signal


def compose(entry, files, folder):
    """The system that a suite puts together by a program, as a description: written out with {NAME} for the units, or made
    from the lists of components and connections."""
    path = folder / f'{entry["name"].split()[-1]}.ssd'
    if "description" in entry:
        text = "\n".join(entry["description"])
        for name in entry["components"]:
            text = text.replace(f"{{{name}}}", str(packed(files[name], folder)))
        path.write_text(text)
        return path
    parts = []
    for name in entry["components"]:
        unit = files[name]
        kind = ' type="text/csv"' if unit.suffix == ".csv" else ""
        parts.append(f'<Component name={quoteattr(name)} source={quoteattr(str(packed(unit, folder)))}{kind}'
                     f'{implementation(entry, name)}/>')
    wires = []
    for connection in entry["connections"]:
        (a, x), (b, y) = (end.split(".", 1) for end in connection.split(" -> "))
        wires.append(f'<Connection startElement={quoteattr(a)} startConnector={quoteattr(x)} '
                     f'endElement={quoteattr(b)} endConnector={quoteattr(y)}{entry.get("connection_attributes", "")}/>')
    path.write_text('<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" '
                    f'version="1.0" name="composed"><System name="composed"><Elements>{"".join(parts)}</Elements>'
                    f'<Connections>{"".join(wires)}</Connections></System></SystemStructureDescription>\n')
    return path


def implementation(entry, name):
    return f' implementation={quoteattr(entry["implementation"])}' if "implementation" in entry else ""


def packed(path, folder):
    """Some suites keep their FMUs unpacked."""
    if not (path / "modelDescription.xml").exists():
        return path
    file = folder / f"{path.name}.fmu"
    if not file.exists():
        with zipfile.ZipFile(file, "w") as archive:
            for part in path.rglob("*"):
                if part.is_file():
                    archive.write(part, part.relative_to(path))
    return file


def read_result(path, names, span):
    """The signals by our names, from a .mat of OpenModelica or OMSimulator, a table with tabs and units in its headings,
    or one of the cross-check."""
    if path.suffix == ".mat":
        table = read_mat(path)
    elif "\t" not in path.read_text():
        table = read_table(path)
    else:
        rows = [row for row in csv.reader(path.read_text().splitlines(), delimiter="\t")]
        headings = [heading.partition("[")[0].strip() for heading in rows[0]]
        data = np.array([[float(cell) for cell in row] for row in rows[1:] if row])
        table = Table(data[:, 0], dict(zip(headings[1:], data[:, 1:].T)))
    keep = table.time <= (span if span is not None else np.inf)
    return Table(table.time[keep], {ours: table.columns[theirs][keep] for ours, theirs in names.items()})


def read_mat(path):
    from scipy.io import loadmat
    content = loadmat(path, chars_as_strings=False)
    columns, time = {}, None
    for letters, (block, index, *_) in zip(content["name"].T, content["dataInfo"].T):
        name = "".join(letters).strip("\0 ")
        data = content[f"data_{block or 2}"][abs(index) - 1] * np.sign(index)  # time belongs to every block
        if time is None:
            time = data
        elif len(data) == len(time):
            columns[name] = data
    return Table(time, columns)


def compare_plain(name, system, settings, options=()):
    against = "plain Jacobi loop"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        run = [settings.tandem, "run", str(system), "--algorithm", "jacobi", "--hold", "constant",
               "--tolerance", str(TOLERANCE), "--out", str(folder / "out"), *options]
        code, _, err, _ = limited(run, settings.limit, settings.environment)
        if code != 0:
            return refused(name, against, code, err, settings)
        asked = json.loads((folder / "out" / "run.json").read_text())["options"]
        result = folder / "plain.csv"
        command = [sys.executable, str(HERE / "plain_jacobi.py"), str(system), str(asked["step"]), str(asked["start"]),
                   str(asked["stop"]), str(result)]
        for option, value in zip(options, options[1:]):
            command += [option, value] if option == "--set" else []
        code, _, err, _ = limited(command, settings.limit, settings.environment)
        if code == NOT_COMPARABLE:
            return row_of(name, against, remark=err.strip().splitlines()[-1])
        if code != 0:
            said = err.strip().splitlines() or [ending(code, settings.limit)]
            return row_of(name, against, remark=f"the plain loop: {said[-1]}")
        theirs, ours = read_table(result), read_table(folder / "out" / "results.csv")
        shared = {signal: values for signal, values in theirs.columns.items() if signal in ours.columns}
        return row_of(name, against, *largest(Table(theirs.time, shared), ours), f"{len(shared)} signals")


def largest(theirs, ours):
    """The same arithmetic in the same order: here no row may differ, the first least of all."""
    worst, signal = None, ""
    for name, values in theirs.columns.items():
        found = difference(theirs, ours, name).max() / (np.ptp(values) or max(abs(values[0]), 1.0))
        if worst is None or not found <= worst:
            worst, signal = float(found), name
    return worst, signal


def refused(name, against, code, err, settings):
    errors = [line for line in err.splitlines() if line.startswith("error")]
    remark = errors[0] if errors else ending(code, settings.limit)
    return row_of(name, against, remark=remark, failed=not any(text in remark for text in ABSENT))


def cells(row):
    difference = "-" if row["difference"] is None else f"{row['difference']:.2g}"
    remark = "; ".join(text for text in (row["remark"], row["cause"] and f"cause: {row['cause']}") if text)
    return row["case"], row["against"], difference, row["signal"], remark


def plain_line(row):
    mark = "  " if not wrong(row) else "? " if row["cause"] else "! "
    return mark + "  ".join(cell.ljust(width) for cell, width in zip(cells(row), (60, 40, 8, 20, 0)))


def summary(rows):
    compared = [row for row in rows if row["difference"] is not None]
    beyond = [row for row in rows if wrong(row)]
    return (f"{len(rows)} cases, {len(compared)} compared, {len(compared) - sum(map(wrong, compared))} within "
            f"{LARGEST:.0%}; {sum(bool(row['cause']) for row in beyond)} with a cause outside of Tandem, "
            f"{sum(not row['cause'] for row in beyond)} without")


if __name__ == "__main__":
    main()
