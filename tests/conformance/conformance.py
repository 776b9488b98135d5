"""Runs every FMU and system of a folder with Tandem and FMPy and compares with the published results.

usage: conformance.py TANDEM FOLDER [--only TEXT] [--limit SECONDS] [--json FILE] [--markdown FILE]
                      [--library-path DIR] [--no-fmpy]

Prints one line a case and a summary; ends with 0 if every FMU that FMPy runs also runs in Tandem, with an error of
at most 1.5 times FMPy's or 0.01. What the folder looks like is described in collection.py.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import sys

from collection import find_cases, read_table
from runners import Outcome, plan_of, run_fmpy, run_tandem

ACCEPTED_FACTOR, ACCEPTED_ERROR = 1.5, 0.01
HEADINGS = ("exporter", "version", "kind", "model", "noted", "error", "FMPy's error", "CPU s", "FMPy's CPU s",
            "steps", "events", "remark")


def main():
    settings = arguments()
    cases = [case for case in find_cases(settings.folder) if not settings.only or settings.only in str(case.path)]
    if not cases:
        sys.exit(f"no .fmu, .ssp or .ssd in {settings.folder}")
    rows = []
    for case in cases:
        row = judge(case, settings)
        rows.append(row)
        print(plain_line(row), flush=True)
    print(summary(rows))
    if settings.json:
        pathlib.Path(settings.json).write_text(json.dumps(rows, indent=1))
    if settings.markdown:
        pathlib.Path(settings.markdown).write_text(markdown(rows))
    sys.exit(1 if any(row["verdict"] == "worse" for row in rows) else 0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tandem")
    parser.add_argument("folder")
    parser.add_argument("--only", help="cases whose path contains this text")
    parser.add_argument("--limit", type=float, default=60, help="seconds for one run")
    parser.add_argument("--json", help="write all rows to this file")
    parser.add_argument("--markdown", help="write the table to this file")
    parser.add_argument("--library-path", help="folder with shared libraries that old FMUs need")
    parser.add_argument("--no-fmpy", action="store_true")
    settings = parser.parse_args()
    settings.environment = dict(os.environ)
    if settings.library_path:
        settings.environment["LD_LIBRARY_PATH"] = settings.library_path
    return settings


def judge(case, settings):
    published, theirs = None, Outcome(cause="not asked")
    try:
        published = read_table(case.reference) if case.reference else None
    except Exception as problem:
        return row_of(case, Outcome(cause=f"published result: {problem}"), theirs)
    plan = plan_of(case, published)
    ours = run_tandem(case, plan, published, settings)
    if not settings.no_fmpy:
        theirs = run_fmpy(case, plan, published, settings)
    return row_of(case, ours, theirs)


def row_of(case, ours, theirs):
    judgement = "refused" if case.fmi.startswith("1") else verdict(ours, theirs)
    return {"path": str(case.path), "exporter": case.exporter, "version": case.version, "fmi": case.fmi,
            "kind": case.kind, "model": case.name, "tandem": dataclasses.asdict(ours),
            "fmpy": dataclasses.asdict(theirs), "verdict": judgement}


def verdict(ours, theirs):
    if not ours.ran:
        return "worse" if theirs.ran else "neither"
    if not theirs.ran:
        return "only tandem"
    if ours.error is None or theirs.error is None:
        return "both"
    return "both" if ours.error <= max(ACCEPTED_FACTOR * theirs.error, ACCEPTED_ERROR) else "worse"


def cells(row):
    ours, theirs = row["tandem"], row["fmpy"]
    events = sum(ours["statistics"].get(name, 0) for name in ("state events", "time events", "step events"))
    remark = "" if ours["ran"] else ours["cause"]
    if ours["ran"] and not theirs["ran"] and theirs["cause"] != "not asked":
        remark = f"FMPy: {theirs['cause']}"
    if ours["ran"] and ours["error"] and ours["error"] > ACCEPTED_ERROR:
        remark = f"worst signal {ours['worst_signal']}. {remark}".strip()
    kind = row["kind"] if row["kind"] == "system" else f"FMI {row['fmi']} {row['kind']}"
    return (row["exporter"], row["version"], kind, row["model"], str(len(ours["notes"])), figure(ours["error"], ours["ran"]),
            figure(theirs["error"], theirs["ran"]), seconds(ours["cpu"]), seconds(theirs["cpu"]),
            str(ours["statistics"].get("solver steps", "")), str(events) if ours["statistics"] else "", remark)


def figure(error, ran):
    if error is not None:
        return f"{error:.2g}"
    return "ran" if ran else "-"


def seconds(value):
    return "" if value is None else f"{value:.2f}"


def plain_line(row):
    widths = (22, 14, 11, 24, 3, 8, 8, 7, 7, 6, 6, 0)
    return " ".join(str(cell)[:max(width, 400 if not width else width)].ljust(width)
                    for cell, width in zip(cells(row), widths))


def summary(rows):
    count = lambda test: sum(1 for row in rows if test(row))
    return (f"{len(rows)} cases; ran in Tandem {count(lambda r: r['tandem']['ran'])}, in FMPy "
            f"{count(lambda r: r['fmpy']['ran'])}, only in Tandem {count(lambda r: r['verdict'] == 'only tandem')}, "
            f"in neither {count(lambda r: r['verdict'] == 'neither')}, FMI 1.0 and refused "
            f"{count(lambda r: r['verdict'] == 'refused')}, worse than FMPy {count(lambda r: r['verdict'] == 'worse')}")


def markdown(rows):
    lines = ["| " + " | ".join(HEADINGS) + " |", "|" + "---|" * len(HEADINGS)]
    for row in rows:
        lines.append("| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells(row)) + " |")
    return "\n".join(lines) + f"\n\n{summary(rows)}\n"


if __name__ == "__main__":
    main()
