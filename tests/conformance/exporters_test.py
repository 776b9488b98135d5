"""FMUs that other people's exporters build here, and our FMUs in other people's masters: the same numbers.

usage: exporters_test.py TANDEM FMUS CASE    (FMUS: the folder with our built FMUs)
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import warnings
import zipfile

import numpy as np

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parent.parent
BIN = pathlib.Path(sys.executable).parent
# Units written in Python start or embed the `python3` that is first on the PATH.
os.environ["PATH"] = f"{BIN}:{os.environ['PATH']}"
STEP, STOP = 0.01, 2.0
SAME = 1e-12  # rounding of the last digits: some masters add their steps up
SOLVERS = 1e-6  # two runs of CVODE at tolerance 1e-9

LAG = """
class {name}({base}):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.x, self.u, self.count, self.high = 1.0, 0.5, 0, True
        {time}
        self.register_variable({real}("u", causality={causality}.input, start=0.5))
        self.register_variable({real}("x", causality={causality}.output))
        self.register_variable({integer}("count", causality={causality}.output))
        self.register_variable(Boolean("high", causality={causality}.output))

    def do_step(self, t, h):
        self.x += h * (self.u - self.x)
        self.count += 1
        self.high = self.x > 0.8
        return True
"""

FILLING = """
model Filling
  input Real u(start = 1.0);
  output Real y;
  parameter Real upper = 0.7;
  Real x(start = 0.0, fixed = true);
  Boolean full(start = false, fixed = true);
equation
  full = x > upper;
  der(x) = if full then 0.2 * u else u;
  y = if time > 0.255 then x else 0.0;
end Filling;
"""
# The unit does not say that an impact changed its states.
BALL = """
model Ball
  Real h(start = 1.0, fixed = true);
  Real v(start = 0.0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.7 * pre(v));
  end when;
end Ball;
"""
FILLED = 0.7 + 0.2 * (2 - 0.7)  # x at t = 2 s


def tandem(file, folder, *options, stop=STOP):
    out = pathlib.Path(folder) / "ours"
    command = [TANDEM, "run", str(file), "--stop", str(stop), "--step", str(STEP), "--out", str(out), "--quiet",
               "--event-rows", "off", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    with open(out / "results.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    named = {"true": 1.0, "false": 0.0, "": np.nan}
    return {name: np.array([float(named.get(row[name], row[name])) for row in rows]) for name in rows[0]}


def fmpy(file, names, kind="CoSimulation", stop=STOP, **options):
    import fmpy as importer
    warnings.filterwarnings("ignore")
    if kind == "CoSimulation":
        options["step_size"] = STEP
    return importer.simulate_fmu(str(file), stop_time=stop, output_interval=STEP, fmi_type=kind, output=names,
                                 validate=False, record_events=False, **options)


def check_same(ours, theirs, names, tolerance=SAME):
    for name in names:
        expected = np.asarray(theirs[name], float)
        assert len(expected) == len(ours[name]), f"{name}: {len(ours[name])} rows, FMPy has {len(expected)}"
        difference = np.max(np.abs(ours[name] - expected))
        assert difference <= tolerance * max(1.0, np.max(np.abs(expected))), f"{name} differs by {difference}"
        print(f"{name}: {len(expected)} rows, largest difference {difference:.2g}")


def python_fmu(folder, package, **words):
    words["name"] = "Lag"
    (folder / "lag.py").write_text(f"from {package} import *\n" + LAG.format(**words))
    subprocess.run([sys.executable, "-m", package, "build", "-f", "lag.py", "-d", "."], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL)
    names = ["x", "count", "high"]
    ours, theirs = tandem(folder / "Lag.fmu", folder), fmpy(folder / "Lag.fmu", names)
    check_same(ours, theirs, names)
    assert theirs["count"][-1] == round(STOP / STEP)


def case_pythonfmu(folder):
    python_fmu(folder, "pythonfmu", base="Fmi2Slave", causality="Fmi2Causality", real="Real", integer="Integer",
               time="pass")


def case_pythonfmu3(folder):
    python_fmu(folder, "pythonfmu3", base="Fmi3Slave", causality="Fmi3Causality", real="Float64", integer="Int32",
               time='self.time = 0.0; self.register_variable(Float64("time", causality=Fmi3Causality.independent, '
                    'variability=Fmi3Variability.continuous))')


def case_unifmu(folder):
    subprocess.run([BIN / "unifmu", "generate", "python", folder / "adder"], check=True, stdout=subprocess.DEVNULL)
    file = folder / "adder.fmu"
    with zipfile.ZipFile(file, "w") as archive:
        for path in (folder / "adder").rglob("*"):
            archive.write(path, path.relative_to(folder / "adder"))
    (folder / "in.csv").write_text("time,real_a,real_b\n0,1,2\n1,2,4\n")
    ours = tandem(file, folder, "--input", str(folder / "in.csv"), "--hold", "constant", "--record", "real_c", stop=0.2)
    ramp = np.array([(0, 1, 2), (1, 2, 4)], dtype=[("time", float), ("real_a", float), ("real_b", float)])
    theirs = fmpy(folder / "adder", ["real_c"], stop=0.2, input=ramp)
    # The sum of the inputs appears with the step that follows; before the first, FMPy sets no input.
    check_same({"real_c": ours["real_c"][1:]}, {"real_c": theirs["real_c"][1:]}, ["real_c"])
    assert 3 < ours["real_c"][-1] < 4


def compile_modelica(folder, target, name="Filling", source=FILLING):
    import rumoca
    (folder / f"{name}.mo").write_text(source)
    model = rumoca.Session().load(str(folder / f"{name}.mo"), model=name)
    for file, text in model.codegen(target):
        path = folder / target / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace('"[0]"', '"0"') if path.suffix == ".xml" else text)  # a list as a start value
    subprocess.run(["sh", "build.sh"], cwd=folder / target, check=True, stdout=subprocess.DEVNULL)
    return folder / target / f"{name}.fmu"


def case_rumoca(folder):
    options = ("--implementation", "me", "--tolerance", "1e-9", "--record", "x", "--record", "y")
    fmi2, fmi3 = compile_modelica(folder, "fmi2"), compile_modelica(folder, "fmi3")
    ours = tandem(fmi2, folder, *options)
    check_same(ours, fmpy(fmi2, ["x", "y"], "ModelExchange", relative_tolerance=1e-9), ["x", "y"], SOLVERS)
    assert abs(ours["x"][-1] - FILLED) < SOLVERS and abs(ours["y"][-1] - FILLED) < SOLVERS, ours["x"][-1]
    check_same(tandem(fmi3, folder, *options), ours, ["x", "y"], SOLVERS)
    bouncing = tandem(compile_modelica(folder, "fmi2", "Ball", BALL), folder, *options[:4], "--record", "h")
    assert bouncing["h"].min() > -1e-6 and bouncing["h"][-1] < 0.5, bouncing["h"].min()
    try:
        fmpy(fmi3, ["x"], "ModelExchange")
    except AttributeError as missing:
        print("FMPy refuses the FMI 3 unit:", str(missing).split(":")[-1].strip())
    else:
        raise AssertionError("FMPy runs the FMI 3 unit now: compare with it")


def two_mass(folder):
    """Our two masses with FMI 2 units as an .ssp."""
    source = folder / "two_mass"
    (source / "resources").mkdir(parents=True)
    shutil.copy(ROOT / "examples/two_mass/force.ssd", source / "SystemStructure.ssd")
    for name in ("mass_left", "mass_right"):
        shutil.copy(FMUS / f"{name}_fmi2.fmu", source / "resources" / f"{name}.fmu")
    subprocess.run([TANDEM, "pack", source, "-o", folder / "two_mass.ssp"], check=True, stdout=subprocess.DEVNULL)
    return source, folder / "two_mass.ssp"


def case_container(folder):
    _, system = two_mass(folder)
    for version in ("2", "3"):
        subprocess.run([BIN / "fmucontainer", "-fmi", version, "-container", f"{system.name}:{STEP}"], cwd=folder,
                       check=True, capture_output=True)
        container = folder / f"container{version}.fmu"
        (folder / "two_mass.fmu").rename(container)
        names = ["mass_left.x", "mass_right.F"]  # what the container shows of the connected signals
        ours = tandem(container, folder, *(word for name in names for word in ("--record", name)))
        check_same(ours, fmpy(container, names), names)
        assert np.ptp(ours["mass_left.x"]) > 1, "nothing moved"


def as_jacobi(folder, system):
    return tandem(system, folder, "--algorithm", "jacobi", "--hold", "constant")


def references(file, *names):
    done = subprocess.run([TANDEM, "inspect", file, "--json"], check=True, capture_output=True, text=True)
    found = {variable["name"]: variable["reference"] for variable in json.loads(done.stdout)["variables"]}
    return [found[name] for name in names]


def case_libcosim(folder):
    from libcosimpy.CosimExecution import CosimExecution
    from libcosimpy.CosimObserver import CosimObserver
    source, system = two_mass(folder)
    expected = as_jacobi(folder, system)
    nanoseconds = 10**9
    execution = CosimExecution.from_ssp_file(str(source), round(STEP * nanoseconds))
    observer = CosimObserver.create_last_value()
    execution.add_observer(observer)
    execution.simulate_until(round(STOP * nanoseconds))
    for name in ("left", "right"):
        [reference] = references(source / "resources" / f"mass_{name}.fmu", "x")
        index = execution.slave_index_from_instance_name(name)
        [value] = observer.last_real_values(index, [reference])
        check_same({"x": expected[f"{name}.x"][-1:]}, {"x": [value]}, ["x"])


def case_ecos(folder):
    from ecospy import EcosSimulation, EcosSimulationStructure
    source, system = two_mass(folder)
    expected = as_jacobi(folder, system)
    with EcosSimulationStructure() as structure:
        for name in ("left", "right"):
            structure.add_model(name, str(source / "resources" / f"mass_{name}.fmu"))
        structure.make_real_connection("left::x", "right::x_left")
        structure.make_real_connection("right::F", "left::F")
        with EcosSimulation(structure=structure, step_size=STEP) as simulation:
            simulation.init()
            simulation.step(round(STOP / STEP))
            for name in ("left", "right"):
                value = simulation.get_real(f"{name}::x")
                check_same({"x": expected[f"{name}.x"][-1:]}, {"x": [value]}, ["x"])
            simulation.terminate()


def main():
    with tempfile.TemporaryDirectory() as folder:
        globals()[f"case_{sys.argv[3]}"](pathlib.Path(folder))
    sys.stdout.flush()
    os._exit(0)  # without the destructors of foreign libraries


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    TANDEM, FMUS = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
    main()
