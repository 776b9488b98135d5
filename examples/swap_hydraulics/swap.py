#!/usr/bin/env python3
"""Changes the Modelica text of the hydraulics, compiles it, and shows what the machine does differently.

usage: swap.py [TANDEM [CHANGE...]]     CHANGE: PARAMETER=VALUE or PARAMETER*FACTOR, e.g. dead_zone=0.2 dead_volume*3

The parameters are those of `model Axis` in config/modelica/Hydraulics.mo, and a change is one of all axes. By default
the chambers get three times the dead volume, as with long hoses between valve and cylinder. The same is then done
without the compiler, by --set on the unit of the unchanged text.
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
    """The text with the change in `model Axis` and in every axis that has a value of its own; and the value of each
    axis, by the name of its parameter in the unit."""
    model = text[text.index('model Axis'):text.index('end Axis;')]
    defaults = dict(re.findall(r'parameter Real (\w+) = ([^ ;]+)', model))
    wanted = re.fullmatch(r'(\w+)([=*])([-+.\deE]+)', change)
    if not wanted or wanted.group(1) not in defaults:
        sys.exit(f'error: \'{change}\' changes no parameter of the axes; there are: {", ".join(defaults)}; '
                 'expected NAME=VALUE or NAME*FACTOR')
    name, sign, number = wanted.groups()

    def changed(value):
        return number if sign == '=' else repr(float(value) * float(number))

    edited = re.sub(rf'(parameter Real {name} = )([^ ;]+)', lambda m: m.group(1) + changed(m.group(2)), model)
    text = text.replace(model, edited)
    plant = text[text.index('model Plant'):text.index('end Plant;')]
    values = {}

    def axis(match):
        own = re.search(rf'(\b{name} = )([^ ,)]+)', match.group(2))
        values[f'{match.group(1)}.{name}'] = changed(own.group(2) if own else defaults[name])
        return re.sub(rf'(\b{name} = )([^ ,)]+)', lambda m: m.group(1) + changed(m.group(2)), match.group())

    text = text.replace(plant, re.sub(r'Axis (\w+_axis)\(([^)]*)\)', axis, plant))
    return text, values


def simulate(tandem, unit, settings=()):
    """The working cycle with this unit in the place of the hydraulics. It starts at rest, so that two units are compared
    and not their start values."""
    system = SYSTEMS / 'manual_modelica.ssd'
    text = system.read_text().replace('resources/hydraulics_modelica.fmu', str(unit))
    text = text.replace('source="resources/', f'source="{SYSTEMS}/resources/')
    copy = unit.with_suffix('.ssd')
    copy.write_text(text)
    return run(tandem, copy, '--settle=2', '--scenario', SYSTEMS / 'working_cycle.xml', '--record-interval', '0.02',
               *(f'--record={pattern}' for pattern in PATTERNS), *(f'--set={setting}' for setting in settings))


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
    tandem, changes = find_tandem(), sys.argv[2:] or ['dead_volume*3']
    text = (REPOSITORY / 'config' / 'modelica' / 'Hydraulics.mo').read_text()
    edited, values, results = text, {}, []
    for change in changes:
        edited, changed = edit(edited, change)
        values |= changed
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
        settings = [f'hydraulics.{name}={value}' for name, value in values.items()]
        by_set = simulate(tandem, pathlib.Path(scratch) / 'before' / 'hydraulics.fmu', settings)
    print(f'Working cycle with {", ".join(changes)} in the Modelica text:')
    show(*results)
    apart = max(abs(one - other) for axis in AXES for name in [f'mechanics.{axis}.position']
                for one, other in zip(results[1][name], by_set[name]))
    print(f'The same by --set {settings[0]} and so on, on the unit of the unchanged text: positions within '
          f'{1e6 * apart:.3g} um.')


if __name__ == '__main__':
    main()
