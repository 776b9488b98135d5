"""Compiles the hydraulics from Modelica for the tests of the excavator: the plant, and the boom alone.

usage: modelica_fixture.py BUILD_SCRIPT PLANT_UNIT BOOM_UNIT

The compiler belongs to tests/requirements.txt: without it the tests fail, and say what is missing.
"""
import pathlib
import subprocess
import sys

if len(sys.argv) < 4:
    sys.exit(__doc__)
script, plant, boom = map(pathlib.Path, sys.argv[1:4])
for unit in (plant, boom):
    unit.unlink(missing_ok=True)
for model, unit in (('Hydraulics.Plant', plant), ('Hydraulics.BoomPlant', boom)):
    subprocess.run([sys.executable, script, '--model', model, '--output', unit], check=True)
