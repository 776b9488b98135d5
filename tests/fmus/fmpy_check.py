"""Judges every built FMU with FMPy: validate_fmu, the standards' XSDs, and simulation against closed forms.

usage: fmpy_check.py FOLDER; TANDEM_LONG=1 adds validate_fmu for units with very many variables.
"""
import os
import pathlib
import sys
import tempfile
import warnings
import zipfile

import fmpy
import numpy as np
from fmpy import read_model_description, simulate_fmu
from fmpy.validation import validate_fmu
from lxml import etree

warnings.filterwarnings("ignore")
SCHEMAS = pathlib.Path(fmpy.__file__).parent / "schema"
PI = np.pi


def decay(r):
    return r["x"] - np.exp(-r["time"])


def oscillation(r):
    """x'' = -20 pi^2 x, x(0) = 1, the other end at rest."""
    return r["x"] - np.cos(np.sqrt(20) * PI * r["time"])


def left_mass(r):
    return r["x"] - np.cos(2 * PI * r["time"])


def room(r):
    """Cools from 288.15 K to 278.15 K with C / G = 1200 s."""
    return r["T"] - (278.15 + 10 * np.exp(-r["time"] / 1200))


def flight(r):
    """The ball up to its second impact."""
    t, fall = r["time"], np.sqrt(2 / 9.81)
    since = t - fall
    h = np.where(since < 0, 1 - 9.81 / 2 * t**2, 0.7 * 9.81 * fall * since - 9.81 / 2 * since**2)
    away_from_events = (np.abs(since) > 1e-6) & (t < 2.4 * fall)
    return (r["h"] - h)[away_from_events]


def growth(r):
    """x' = x + u with u = (1, 2, 3): y = x + u = u e^t."""
    names = [n for n in r.dtype.names if n != "time"]
    y = r["y"] if "y" in names else np.stack([r[n] for n in names], axis=1)
    return y - np.outer(np.exp(r["time"]), [1, 2, 3])


def limit_cycle(r):
    """mu = 1, x(0) = (2, 0), t = 2: DOP853 at tolerance 1e-13."""
    return np.array([r["x0"][-1] - 0.3233166669, r["x1"][-1] + 1.8329745678])


HANDED_ON = {
    "Float32_continuous": 0.5,
    "Float32_discrete": -0.25,
    "Float64_continuous": 1 / 3,
    "Float64_discrete": 1e300,
    "Int8": -128,
    "UInt8": 255,
    "Int16": -32768,
    "UInt16": 65535,
    "Int32": -(2**31),
    "UInt32": 2**31 - 1,
    "Int64": -(2**31),
    "UInt64": 2**31 - 1,
    "Boolean": True,
    "Enumeration": 2,
}


def handed_on(r):
    return np.array([np.max(np.abs(r[f"{name}_output"] - float(value))) for name, value in HANDED_ON.items()])


def seconds(r):
    """Counts the second at its beginning; model exchange records just before the event."""
    return np.where(np.abs(r["time"] - np.round(r["time"])) < 1e-6, 0, r["counter"] - 1 - np.floor(r["time"]))


def filling(r):
    return r["level"] - r["time"]


def wheel(r):
    """Comes to rest where tyre and suspension balance: (15000 + 150000) z = 15000."""
    return r["z_w"][-1:] - 15e3 / 165e3


def poses(r):
    """15 m along a ring of 30 m; the encoder of the tool."""
    return np.concatenate([r["joint.travel"] - 0.5, r["travel.length"] - 15, r["rotate.angle"] - 0.3])


def ideal_boom(r):
    """Full command from the middle of the stroke, 0.088 m/s with a lag of 0.0255 s."""
    t, lag = r["time"], 0.0255
    return r["boom.position"] - (0.25 + 0.088 * (t - lag * (1 - np.exp(-t / lag))))


def held_boom(r):
    """Closed valves without leakage hold their force."""
    return r["boom.force"] / 9e4 - 1


def switched_off(r):
    """A controller that is not enabled keeps every valve closed."""
    return np.concatenate([r["boom.command"], r["travel.command"], r["status"]])


def waiting(r):
    """Without `start` the targets are the measured positions and nothing is enabled."""
    return np.concatenate([r["travel.target"][2:] - 1.5, r["bite"], r["phase"], r["progress"]])


TIGHT_HOLD = {"boom.initial_force": 9e4, "boom.position": 0.2, "oil.internal_leak": 0.0, "oil.external_leak": 0.0}


def standing(r):
    """The forces' start values hold the machine in its start pose."""
    return np.concatenate([r[name] - r[name][0] for name in r.dtype.names if name.endswith(".position")])


# name: error of a result, options of the simulation
CASES = {
    "affine": (lambda r: r["y"] - 7, dict(start_values={"a": 2.0, "b": 1.0, "u": 3.0})),
    "automation": (waiting, dict(start_values={"travel.length": 1.5}, stop_time=1.0)),
    "bouncing_ball": (flight, dict(stop_time=1.0)),
    # Driven by clocks, which FMPy does not do: validated and loaded only.
    "can_bridge": None,
    "can_bus": None,
    "can_control": None,
    "can_gateway": None,
    "can_master": None,
    "can_player": None,
    "can_recorder": None,
    "can_sensors": None,
    "clocks": None,
    "dahlquist": (decay, {}),
    "dahlquist_coupled": (lambda r: r["x"] - (2 - np.exp(-r["time"])), dict(start_values={"u": 2.0})),
    "ecu": (switched_off, dict(stop_time=1.0)),
    "feedthrough": (handed_on, dict(start_values={f"{name}_input": value for name, value in HANDED_ON.items()})),
    "foreign_axis": (lambda r: r["y1"][:1] + 90, dict(start_values={"p1": -90.0, "u1": 200.0})),
    "foreign_hydraulics": (lambda r: r["Z1_Kraft"][:1] + 90, dict(start_values={"Z1_Kraft0": -90.0, "Z1_Weg": 200.0})),
    "heater_room": (room, {}),
    "kinematics": (poses, dict(start_values={"travel.position": 15.0, "rotate.position": 0.3})),
    "hydraulics": (held_boom, dict(start_values=TIGHT_HOLD, stop_time=1.0)),
    "hydraulics_boom": (held_boom, dict(start_values=TIGHT_HOLD, stop_time=1.0)),
    "hydraulics_excavator": (held_boom, dict(start_values=TIGHT_HOLD, stop_time=1.0)),
    "hydraulics_simple": (held_boom, dict(start_values={"boom.initial_force": 9e4, "boom.position": 0.2})),
    "lidar": (lambda r: np.diff(r["points.sequence"]) - 1, dict(output_interval=0.01)),
    "livox_client": (lambda r: r["points.count"], {}),
    "lvx_player": (lambda r: r["points.count"], {}),
    "perception": (lambda r: r["edge.sequence"], {}),
    "scripted_operator": (lambda r: r["finished"], {}),
    "teleop": (lambda r: r["boom.command"], {}),
    "wall": (lambda r: r["volume"] - 12 * 0.18 * 3, {}),
    "loop_a": (lambda r: r["a"] - 0.8, dict(start_values={"c": 1.0})),
    "loop_b": (lambda r: r["c"] - np.sqrt(3), dict(start_values={"a": 1.0, "b": 1.0})),
    "mass_left": (left_mass, {}),
    "mass_right": (oscillation, dict(start_values={"x0": 1.0})),
    "motion": (ideal_boom, dict(start_values={"boom.command": 1.0}, stop_time=1.0)),
    "mechanics": (standing, dict(step_size=1e-3)),
    "mechanics_boom": (standing, dict(step_size=1e-3)),
    "mechanics_excavator": (standing, dict(step_size=1e-3)),
    "oscillator": (oscillation, dict(start_values={"x0": 1.0})),
    "quarter_car_chassis": (lambda r: r["z_c"] + r["time"] ** 2 / 2, dict(start_values={"F": 400.0}, stop_time=1.0)),
    "quarter_car_wheel": (wheel, dict(stop_time=4.0)),
    "resource": (lambda r: r["y"] - 97, {}),
    "stair": (seconds, dict(stop_time=8.9)),
    "state_space": (growth, dict(stop_time=1.0)),
    "sum": (lambda r: r["y"] - 7, dict(start_values={"u1": 3.0, "k1": 2.0, "u8": -2.0, "offset": 3.0})),
    "tank": (filling, {}),
    "tank_controller": (lambda r: r["valve"][1:] - 1.0, dict(start_values={"level": 2.5})),
    "thermostat": (lambda r: r["P"] - 2, dict(start_values={"T": 15.0})),
    "van_der_pol": (limit_cycle, dict(stop_time=2.0)),
}

TOLERANCE = {"CoSimulation": 1e-9, "ModelExchange": 1e-5}


def check_schema(archive, member, schema):
    document = etree.fromstring(archive.read(member))
    etree.XMLSchema(etree.parse(str(schema))).assertValid(document)


# The time of validate_fmu grows as the square of the variables, which FMI 2 counts element by element: the wall
# with 3,044 takes seven seconds. The FMI 3 twin of a unit, with the same declarations as arrays, is always validated.
MOST_VARIABLES = 100


def check_files(path):
    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
        variables = archive.read("modelDescription.xml").count(b"<ScalarVariable ")
        if variables <= MOST_VARIABLES or os.environ.get("TANDEM_LONG"):
            problems = validate_fmu(str(path))
            assert not problems, problems
        version = "fmi2" if path.stem.endswith("_fmi2") else "fmi3"
        check_schema(archive, "modelDescription.xml", SCHEMAS / version / f"{version}ModelDescription.xsd")
        for member in members:
            if member.endswith("terminalsAndIcons.xml"):
                check_schema(archive, member, SCHEMAS / "fmi3" / "fmi3TerminalsAndIcons.xsd")
            if member == "extra/org.fmi-standard.fmi-ls-bus/fmi-ls-manifest.xml":
                check_bus_manifest(archive.read(member), path.stem.removesuffix("_triggered"))
            elif member.endswith("fmi-ls-manifest.xml"):
                check_schema(archive, member, SCHEMAS / "fmi3" / "fmi3LayeredStandardManifest.xsd")


def check_bus_manifest(text, unit):
    """FMI-LS-BUS has a schema of its own: an element without a namespace, a fixed name and description."""
    root = etree.fromstring(text)
    assert root.tag == "fmiLayeredStandardManifest" and len(root) == 0, root.tag
    common = "{http://fmi-standard.org/fmi-ls-manifest}fmi-ls-"
    assert dict(root.attrib) == {
        f"{common}name": "org.fmi-standard.fmi-ls-bus",
        f"{common}version": "1.0.0",
        f"{common}description": "Layered Standard for the simulation of bus communication on a Physical Signal Abstraction "
                                "or Network Abstraction based level.",
        "isBusSimulationFMU": "true" if unit in ("can_bus", "can_bridge") else "false",
    }, root.attrib


def simulate(path, kind, error_of, options):
    options = {"stop_time": 1.0, "output_interval": 0.01, "relative_tolerance": 1e-8, **options}
    result = simulate_fmu(str(path), fmi_type=kind, **options)
    assert len(result) > 50, "the result is too short"
    error = np.max(np.abs(error_of(result)))
    assert error < TOLERANCE[kind], f"{kind}: error {error}"
    return error


def impacts(path):
    """Event mode and early return: the ball's impacts to 1e-6."""
    result = simulate_fmu(str(path), stop_time=1.6, output_interval=0.01, use_event_mode=True, early_return_allowed=True)
    rising = np.flatnonzero((result["v"][:-1] < 0) & (result["v"][1:] > 0))
    found = result["time"][rising + 1]
    assert np.allclose(found, [0.451523641, 1.083656738, 1.526149907], atol=1e-6), found


def load_only(path):
    description = read_model_description(str(path))
    with tempfile.TemporaryDirectory() as folder:
        fmpy.extract(str(path), folder)
        fmpy.instantiate_fmu(folder, description, "CoSimulation", event_mode_used=True).freeInstance()


def check(path):
    check_files(path)
    name = path.stem.removesuffix("_fmi2").removesuffix("_triggered")
    case = CASES[name]
    if case is None:
        load_only(path)
        return "loaded"
    if path.stem == "bouncing_ball":
        impacts(path)
    description = read_model_description(str(path))
    kinds = ["CoSimulation"] + (["ModelExchange"] if description.modelExchange else [])
    return ", ".join(f"{kind} {simulate(path, kind, *case):.1e}" for kind in kinds)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    paths = sorted(pathlib.Path(sys.argv[1]).glob("*.fmu"))
    missing = set(CASES) - {p.stem for p in paths}
    failures = [f"{name}.fmu was not built" for name in sorted(missing)]
    for path in paths:
        try:
            print(f"{path.name}: {check(path)}")
        except Exception as problem:
            failures.append(f"{path.name}: {type(problem).__name__}: {problem}")
    for failure in failures:
        print("FAILED", failure)
    sys.exit(1 if failures else 0)


main()
