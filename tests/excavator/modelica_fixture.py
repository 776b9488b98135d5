"""Compiles the hydraulics from Modelica for the tests of the excavator: the plant, and the boom alone.

usage: modelica_fixture.py BUILD_SCRIPT PLANT_UNIT BOOM_UNIT

Where there is no compiler nothing is made, and the tests that need the units say that they are skipped.
"""
import importlib.util
import pathlib
import subprocess
import sys

script, plant, boom = map(pathlib.Path, sys.argv[1:4])
for unit in (plant, boom):
    unit.unlink(missing_ok=True)
if importlib.util.find_spec('rumoca') is None:
    print('the Modelica compiler is not here')
    sys.exit(0)
for model, unit in (('Hydraulics.Plant', plant), ('Hydraulics.BoomPlant', boom)):
    subprocess.run([sys.executable, script, '--model', model, '--output', unit], check=True)
