#!/usr/bin/env python3
"""Compiles a Modelica model into an FMI 2.0 unit for model exchange.

usage: build.py [--source FILE.mo] [--model NAME] [--output FILE.fmu] [--compiler omc|rumoca]

The default is the hydraulic plant beside this script, put where the systems in config/excavator look for it. Where OpenModelica (`omc`) is on the path it compiles, otherwise
the Python package `rumoca` with the C compiler; what the two make has the same interface. rumoca 0.9.13 takes a part of
Modelica and leaves gaps in what it writes. Gaps are closed in rumoca_unit.py; what it cannot translate is refused with
file and line.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
PLANT_SOURCE, PLANT = HERE / "Hydraulics.mo", "Hydraulics.Plant"
PLANT_UNIT = HERE.parent / "excavator" / "resources" / "hydraulics_modelica.fmu"
sys.path.insert(0, str(HERE))
from modelica_source import BuildError  # noqa: E402


def build_with_omc(source, model, output):
    """OpenModelica writes and compiles the whole unit; it reads every file beside the source, as rumoca does."""
    prefix = model.replace(".", "_")
    beside = [path for path in sorted(source.parent.glob("*.mo")) if path != source]
    with tempfile.TemporaryDirectory() as name:
        script = pathlib.Path(name) / "build.mos"
        loads = "".join(f'loadFile("{path.resolve()}"); getErrorString();\n' for path in (source, *beside))
        script.write_text(f'{loads}buildModelFMU({model}, version="2.0", fmuType="me", fileNamePrefix="{prefix}");\n'
                          "getErrorString();\n")
        done = subprocess.run(["omc", script.name], cwd=name, capture_output=True, text=True)
        unit = pathlib.Path(name) / f"{prefix}.fmu"
        if done.returncode != 0 or not unit.exists():
            raise BuildError(f"{source}: OpenModelica made no unit of {model}:\n{(done.stdout + done.stderr).strip()}")
        shutil.copy(unit, output)


def build_with_rumoca(source, model, output):
    import rumoca_unit
    rumoca_unit.build(source, model, output)


COMPILERS = {"omc": build_with_omc, "rumoca": build_with_rumoca}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--source", type=pathlib.Path, default=PLANT_SOURCE)
    parser.add_argument("--model", default=PLANT)
    parser.add_argument("--output", type=pathlib.Path, help="for the plant: where the systems in config/excavator look")
    parser.add_argument("--compiler", choices=COMPILERS, default="omc" if shutil.which("omc") else "rumoca",
                        help="default: omc where it is on the path")
    options = parser.parse_args()
    if options.output is None:
        if options.source != PLANT_SOURCE or options.model != PLANT:
            parser.error("another model than the plant needs --output FILE.fmu")
        options.output = PLANT_UNIT
    try:
        if not options.source.is_file():
            raise BuildError(f"{options.source}: no such file")
        options.output.parent.mkdir(parents=True, exist_ok=True)
        COMPILERS[options.compiler](options.source, options.model, options.output)
    except BuildError as error:
        sys.exit(f"error: {error}")
    print(options.output)


if __name__ == "__main__":
    main()
