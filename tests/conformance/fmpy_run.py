"""Simulates one FMU or system with FMPy as the JSON argument says; prints the CPU seconds of the simulation itself,
without the start of Python and the reading of packages.

usage: fmpy_run.py TASK     (JSON: file, kind, start, stop, step, tolerance, input, names, result)
"""
import json
import sys
import time
import warnings

import numpy as np
import fmpy
from fmpy.util import read_csv, write_csv

warnings.filterwarnings("ignore")


def simulate(task):
    options = {"start_time": task["start"], "stop_time": task["stop"]}
    if task["kind"] == "system":
        from fmpy.ssp.simulation import simulate_ssp
        if task["step"]:
            options["step_size"] = task["step"]
        return simulate_ssp(task["file"], **{name: value for name, value in options.items() if value is not None})
    options.update(validate=False, output_interval=task["step"], relative_tolerance=task["tolerance"],
                   fmi_type="CoSimulation" if task["kind"] == "cs" else "ModelExchange", record_events=True)
    if task["kind"] == "cs":
        options["step_size"] = task["step"]
    if task["input"]:
        options["input"] = read_csv(task["input"])
    if task["names"]:
        known = {v.name for v in fmpy.read_model_description(task["file"], validate=False).modelVariables}
        options["output"] = [name for name in task["names"] if name in known]
    return fmpy.simulate_fmu(task["file"], **options)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    task = json.loads(sys.argv[1])
    before = time.process_time()
    result = simulate(task)
    print("cpu", time.process_time() - before)
    for name in result.dtype.names:
        if result[name].dtype.kind == "f" and not np.isfinite(result[name]).all():
            raise RuntimeError(f"'{name}' is not a number at t = {result['time'][~np.isfinite(result[name])][0]}")
    write_csv(task["result"], result)


main()
