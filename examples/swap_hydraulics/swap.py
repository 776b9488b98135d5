#!/usr/bin/env python3
"""Changes the Modelica text of the hydraulics, compiles it, and shows what the machine does differently.

usage: swap.py [TANDEM [PARAMETER=VALUE...]]     e.g. swap.py build/release/tandem dead_volume=3e-3

The parameters are those of `model Axis` in config/modelica/Hydraulics.mo. By default the chambers get three times the
dead volume, as with long hoses between valve and cylinder.
"""
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from runs import REPOSITORY, build_modelica, find_tandem, run  # noqa: E402

SYSTEMS = REPOSITORY / 'config' / 'excavator'
AXES = ('boom', 'adjust', 'arm', 'coupler', 'slew', 'jaw')
PATTERNS = ('mechanics.*.position', 'hydraulics.*.pressure_a', 'hydraulics.supply.*', 'hydraulics.energy.pump')


def edit(text, change):
    name, _, value = change.partition('=')
    edited, count = re.subn(rf'(parameter Real {re.escape(name)} = )[^ ;]+', rf'\g<1>{value}', text, count=1)
    if count == 0 or not value:
        known = re.findall(r'parameter Real (\w+) =', text[text.index('model Axis'):text.index('end Axis;')])
        sys.exit(f'error: \'{change}\' changes no parameter of the axes; there are: {", ".join(known)}')
    return edited


def simulate(tandem, unit):
    """The working cycle with this unit in the place of the hydraulics. It starts at rest, so that two units are compared
    and not their start values."""
    system = SYSTEMS / 'manual_modelica.ssd'
    text = system.read_text().replace('resources/hydraulics_modelica.fmu', str(unit))
    text = text.replace('source="resources/', f'source="{SYSTEMS}/resources/')
    copy = unit.with_suffix('.ssd')
    copy.write_text(text)
    return run(tandem, copy, '--settle=2', '--scenario', SYSTEMS / 'working_cycle.xml', '--record-interval', '0.02',
               *(f'--record={pattern}' for pattern in PATTERNS))


def row(name, one, other, unit, digits):
    print(f'{name:>26}{one:>12.{digits}f}{other:>12.{digits}f}{other - one:>+12.{digits}f} {unit}')


def show(before, after):
    print(f'{"":>26}{"before":>12}{"after":>12}{"difference":>12}')
    for axis in AXES:
        name = f'mechanics.{axis}.position'
        row(f'{axis} at the end', 1e3 * before[name][-1], 1e3 * after[name][-1], 'mm', 2)
    for axis in AXES:
        name = f'hydraulics.{axis}.pressure_a'
        row(f'{axis} peak pressure A', max(before[name]) / 1e6, max(after[name]) / 1e6, 'MPa', 3)
    row('peak supply pressure', max(before['hydraulics.supply.pressure']) / 1e6,
        max(after['hydraulics.supply.pressure']) / 1e6, 'MPa', 3)
    row('peak supply power', max(before['hydraulics.supply.power']) / 1e3,
        max(after['hydraulics.supply.power']) / 1e3, 'kW', 3)
    row('pump energy', before['hydraulics.energy.pump'][-1] / 1e3, after['hydraulics.energy.pump'][-1] / 1e3, 'kJ', 3)


def main():
    tandem, changes = find_tandem(), sys.argv[2:] or ['dead_volume=3e-3']
    text = (REPOSITORY / 'config' / 'modelica' / 'Hydraulics.mo').read_text()
    edited = text
    for change in changes:
        edited = edit(edited, change)
    results = []
    with tempfile.TemporaryDirectory() as scratch:
        for name, content in (('before', text), ('after', edited)):
            # Each in a folder of its own: the compiler reads every .mo beside the one it is given.
            source = pathlib.Path(scratch) / name / 'Hydraulics.mo'
            source.parent.mkdir()
            source.write_text(content)
            unit = source.parent / 'hydraulics.fmu'
            problem = build_modelica(unit, source)
            if problem:
                sys.exit(f'error: {problem}')
            results.append(simulate(tandem, unit))
    print(f'Working cycle with {", ".join(changes)} in the Modelica text:')
    show(*results)


if __name__ == '__main__':
    main()
