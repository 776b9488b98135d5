"""Runs one case with Tandem or FMPy, each in a process of its own with a time limit."""
import dataclasses
import fractions
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile

from collection import POINTS, error_of, read_table

HERE = pathlib.Path(__file__).parent


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
        plan.start, plan.stop = (fractions.Fraction(repr(float(t))) for t in (published.time[0], published.time[-1]))
    names = ("StepSize", "OutputIntervalLength") if case.kind == "cs" else ("OutputIntervalLength", "StepSize")
    plan.step = next((options[name] for name in names if options.get(name)), None)
    if plan.stop is None or case.kind == "system":
        return plan
    span = plan.stop - (plan.start or 0)
    if plan.step is None:
        plan.step = stated_step(case) if case.kind == "cs" else None
    if plan.step is None or plan.step > span:
        plan.step = span / POINTS
    plan.stop = (plan.start or 0) + span // plan.step * plan.step
    return plan


def stated_step(case):
    from fmpy import read_model_description
    try:
        experiment = read_model_description(str(case.path), validate=False).defaultExperiment
        return fractions.Fraction(experiment.stepSize) if experiment and experiment.stepSize else None
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
        for name in published.columns if published else ():
            command += ["--record", name]
        code, out, err, cpu = limited(command, settings.limit, settings.environment)
        outcome = Outcome(ran=code == 0, cpu=cpu, notes=notes_of(err), statistics=statistics_of(out))
        if code != 0:
            errors = [line for line in err.splitlines() if line.startswith("error")]
            outcome.cause = errors[0] if errors else ending(code, settings.limit)
            return outcome
        return judged(outcome, published, pathlib.Path(folder) / "results.csv")


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


def run_fmpy(case, plan, published, settings):
    with tempfile.TemporaryDirectory() as folder:
        result = pathlib.Path(folder) / "result.csv"
        task = {"file": str(case.path), "kind": case.kind, "result": str(result),
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
