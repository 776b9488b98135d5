"""Runs one case with Tandem or FMPy, each in a process of its own with a time limit."""
import dataclasses
import fractions
import json
import math
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import zipfile
from xml.sax.saxutils import escape

import numpy as np

from collection import MAIN_DESCRIPTION, POINTS, error_of, model_description, read_table

HERE = pathlib.Path(__file__).parent
MOST_STEPS = 1_000_000


@dataclasses.dataclass
class Outcome:
    ran: bool = False
    cause: str = ""
    notes: list = dataclasses.field(default_factory=list)
    cpu: float = None
    error: float = None
    worst_signal: str = ""
    statistics: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Plan:
    """What both programs are asked for; None where the system or FMU decides."""
    start: fractions.Fraction = None
    stop: fractions.Fraction = None
    step: fractions.Fraction = None
    tolerance: float = None


def plan_of(case, published):
    options = case.options
    plan = Plan(options.get("StartTime"), options.get("StopTime"))
    if options.get("RelTol"):
        plan.tolerance = float(options["RelTol"])
    if plan.stop is None and published is not None and case.kind != "system":
        plan.start, plan.stop = (fractions.Fraction(repr(round(float(t), 9))) for t in (published.time[0], published.time[-1]))
    names = ("StepSize", "OutputIntervalLength") if case.kind == "cs" else ("OutputIntervalLength", "StepSize")
    plan.step = next((options[name] for name in names if options.get(name)), None)
    if plan.stop is None or case.kind == "system":
        return plan
    span = plan.stop - (plan.start or 0)
    if plan.step is None and case.kind == "cs":
        plan.step = stated_step(case)
    if plan.step is None and published is not None:
        plan.step = even_spacing(published.time, span)
    if plan.step is None or plan.step > span or span / plan.step > MOST_STEPS:
        plan.step = span / POINTS
    plan.stop = (plan.start or 0) + span // plan.step * plan.step
    return plan


def even_spacing(time, span):
    """The distance of the published times where most are alike, or a whole part of it: nothing must be interpolated."""
    distances = np.diff(np.unique(np.round(time, 12)))
    if len(distances) < 10:
        return None
    usual = np.median(distances)
    count = round(float(span) / usual)
    alike = np.mean(np.abs(distances - usual) < 1e-3 * usual) > 0.8
    if not alike or count == 0 or count > MOST_STEPS or abs(float(span) / count - usual) > 1e-3 * usual:
        return None
    return span / (count * math.ceil(POINTS / count))


def stated_step(case):
    from fmpy import read_model_description
    try:
        experiment = read_model_description(str(case.path), validate=False).defaultExperiment
        return fractions.Fraction(experiment.stepSize).limit_denominator(10**9) if experiment.stepSize else None
    except Exception:  # What is wrong with the file is said by the programs under test.
        return None


def limited(command, limit, environment=None):
    """(exit code or None after the limit, standard output, standard error, CPU seconds)"""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment,
                                   start_new_session=True)
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            code = None
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return code, *texts, cpu


def ending(code, limit):
    if code is None:
        return f"no end after {limit:g} s"
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit {code}"


def run_tandem(case, plan, published, settings):
    with tempfile.TemporaryDirectory() as folder:
        command = [settings.tandem, "run", str(case.path), "--out", folder, "--stats"]
        if case.kind != "system":
            command += ["--implementation", case.kind]
        for option, value in (("--start", plan.start), ("--stop", plan.stop), ("--step", plan.step)):
            if value is not None:
                command += [option, str(value)]
        if plan.tolerance:
            command += ["--tolerance", repr(plan.tolerance)]
        if case.inputs:
            command += ["--input", str(case.inputs)]
        for setting in case.settings:
            command += ["--set", setting]
        for name in recorded_names(case, published):
            command += ["--record", name]
        code, out, err, cpu = limited(command, settings.limit, settings.environment)
        outcome = Outcome(ran=code == 0, cpu=cpu, notes=notes_of(err), statistics=statistics_of(out))
        if code != 0:
            errors = [line for line in err.splitlines() if line.startswith("error")]
            outcome.cause = errors[0] if errors else ending(code, settings.limit)
            return outcome
        return judged(outcome, published, pathlib.Path(folder) / "results.csv")


def recorded_names(case, published):
    """Those of the published columns that the FMU has; a system knows its own names."""
    if published is None:
        return []
    text = model_description(case.path) if case.kind != "system" else None
    return [name for name in published.columns
            if text is None or f'name="{escape(name, {chr(34): "&quot;"})}"' in text]


def judged(outcome, published, result):
    if published is None:
        return outcome
    try:
        outcome.error, outcome.worst_signal = error_of(published, read_table(result))
    except (OSError, IndexError) as problem:
        outcome.cause = f"the result cannot be read: {problem}"
    return outcome


def notes_of(err):
    return [line for line in err.splitlines() if line.startswith(("note", "warning"))]


def statistics_of(out):
    counted = ("solver steps", "state events", "time events", "step events")
    total = {}
    for line in out.splitlines():
        for name in counted:
            if line.strip().startswith(name) and line.split()[-1].isdigit():
                total[name] = total.get(name, 0) + int(line.split()[-1])
    return total


def packed(case, folder):
    """FMPy takes a system only as an .ssp."""
    if case.path.suffix != ".ssd":
        return case.path
    file = pathlib.Path(folder) / "system.ssp"
    with zipfile.ZipFile(file, "w") as archive:
        for path in case.path.parent.rglob("*"):
            if path.is_file() and path.suffix != ".ssd":
                archive.write(path, path.relative_to(case.path.parent))
        archive.write(case.path, MAIN_DESCRIPTION)
    return file


def run_fmpy(case, plan, published, settings):
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.csv"
        task = {"file": str(packed(case, folder)), "kind": case.kind, "result": str(result),
                "input": str(case.inputs) if case.inputs else None, "tolerance": plan.tolerance,
                "names": list(published.columns) if published else None}
        for name in ("start", "stop", "step"):
            value = getattr(plan, name)
            task[name] = None if value is None else float(value)
        code, out, err, _ = limited([sys.executable, str(HERE / "fmpy_run.py"), json.dumps(task)], settings.limit,
                                    settings.environment)
        outcome = Outcome(ran=code == 0)
        for line in out.splitlines():
            if line.startswith("cpu "):
                outcome.cpu = float(line.split()[1])
        if code != 0:
            lines = [line for line in err.splitlines() if line.strip()]
            outcome.cause = lines[-1] if lines and code is not None and code > 0 else ending(code, settings.limit)
            return outcome
        return judged(outcome, published, result)
