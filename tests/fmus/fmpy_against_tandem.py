"""Simulates every built FMU with FMPy and with tandem: the same numbers.

Co-simulation to 1e-9 at the same step; model exchange, both at tolerance 1e-8, to 1e-5 away from events.

usage: fmpy_against_tandem.py TANDEM FOLDER
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import warnings

import numpy as np
from fmpy import read_model_description, simulate_fmu

warnings.filterwarnings("ignore")
if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
CO_SIMULATION, MODEL_EXCHANGE = 1e-9, 1e-5
STOP = {"heater_room": 600, "thermostat": 600, "stair": 5, "van_der_pol": 5, "bouncing_ball": 1.4, "tank": 4}
# FMPy does not drive clocks in co-simulation.
NOT_SIMULATED = {"can_bus", "can_control", "can_gateway", "can_player", "can_recorder", "clocks"}
# Events: values are compared where both runs are farther from the jump than this.
EVENT_MARGIN = 1e-3
EVENTS = {"bouncing_ball": (0.451523641, 1.083656738), "stair": range(1, 6)}


def ours(fmu, kind, step, stop, folder):
    command = [TANDEM, "run", str(fmu), "--implementation", kind, "--step", step, "--stop", str(stop), "--out",
               str(folder), "--quiet", "--hold", "constant"]
    if kind == "me":
        command += ["--tolerance", "1e-8"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr)
    with open(folder / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    number = {"true": 1.0, "false": 0.0}
    return {name: np.array([number.get(row[name], row[name]) for row in rows]) for name in rows[0]}


def theirs(fmu, kind, step, stop):
    options = {"fmi_type": "CoSimulation" if kind == "cs" else "ModelExchange", "stop_time": stop,
               "output_interval": step}
    if kind == "cs":
        options["step_size"] = step
    else:
        options.update(solver="CVode", relative_tolerance=1e-8)
    return simulate_fmu(str(fmu), **options)


def flattened(result):
    """Columns by name; arrays as name[i] and name[i,j], counted from 1."""
    for name in result.dtype.names:
        values = result[name]
        if values.ndim == 1:
            yield name, values
            continue
        for index in np.ndindex(values.shape[1:]):
            yield f"{name}[{','.join(str(i + 1) for i in index)}]", values[(slice(None), *index)]


def compare(fmu, kind, folder):
    stem = fmu.stem.removesuffix("_fmi2")
    stop = STOP.get(stem, 2)
    step = "10" if stop > 100 else "0.01"
    mine = ours(fmu, kind, step, stop, folder)
    other = theirs(fmu, kind, float(step), stop)
    time = mine["time"].astype(float)
    their_time = other["time"]
    tolerance = CO_SIMULATION if kind == "cs" else MODEL_EXCHANGE
    away = np.ones(len(time), bool)
    for event in EVENTS.get(stem, ()):
        away &= np.abs(time - event) > EVENT_MARGIN
    worst, compared = 0.0, 0
    for name, values in flattened(other):
        if name == "time" or name not in mine or values.dtype.kind not in "fiub":
            continue
        # FMPy repeats a time at an event; the later row counts.
        last = np.searchsorted(their_time, time + 1e-9, side="right") - 1
        aligned = np.abs(their_time[last] - time) < 1e-9
        use = away & aligned
        difference = np.abs(mine[name].astype(float) - values[last].astype(float))[use]
        size = max(1.0, np.max(np.abs(values.astype(float))))
        worst = max(worst, float(np.max(difference)) / size)
        compared += 1
    return worst, compared, tolerance


def main():
    failures = 0
    fmus = sorted(FOLDER.glob("*.fmu"))
    for fmu in fmus:
        if fmu.stem.removesuffix("_fmi2").removesuffix("_triggered") in NOT_SIMULATED:
            continue
        description = read_model_description(str(fmu))
        for kind, offered in (("cs", description.coSimulation), ("me", description.modelExchange)):
            if not offered:
                continue
            with tempfile.TemporaryDirectory() as folder:
                try:
                    worst, compared, tolerance = compare(fmu, kind, pathlib.Path(folder))
                    good = worst <= tolerance and (compared > 0 or fmu.stem.startswith("resource"))
                    text = f"{compared} signals, worst {worst:.2e}"
                except Exception as error:
                    good, text = False, f"{type(error).__name__}: {error}"
            failures += not good
            print(f"{'ok    ' if good else 'FAILED'} {fmu.name:<32} {kind} {text}", flush=True)
    print(f"{len(fmus)} FMUs, {failures} failures")
    sys.exit(1 if failures or not fmus else 0)


if __name__ == "__main__":
    main()
