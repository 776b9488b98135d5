#!/usr/bin/env python3
"""The working cycle of the excavator in four fidelities: how far apart they are, and what each costs.

usage: compare.py [TANDEM]
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from runs import REPOSITORY, build_modelica, find_tandem, run  # noqa: E402

AXES = ('boom', 'adjust', 'arm', 'coupler', 'slew', 'rotate', 'jaw', 'travel')
SYSTEMS = REPOSITORY / 'config' / 'excavator'
FIDELITIES = {'full': 'manual', 'modelica': 'manual_modelica', 'simple': 'manual_simple', 'kinematic': 'manual_kinematic'}


def positions(tandem, fidelity):
    """The positions of the axes over time, and the run."""
    mover = 'motion' if fidelity == 'kinematic' else 'mechanics'
    result = run(tandem, SYSTEMS / f'{FIDELITIES[fidelity]}.ssd', '--scenario', SYSTEMS / 'working_cycle.xml', '--record',
                 f'{mover}.*.position', '--record-interval', '0.02')
    return {axis: result[f'{mover}.{axis}.position'] for axis in AXES}, result


def main():
    tandem = find_tandem()
    names = list(FIDELITIES)
    problem = build_modelica(SYSTEMS / 'resources' / 'hydraulics_modelica.fmu')
    if problem:
        print(f'Without Modelica: {problem}\n')
        names.remove('modelica')
    moved, cost = {}, {}
    for name in names:
        moved[name], cost[name] = positions(tandem, name)
    others = names[1:]
    print('Difference from full in mm (rotate: mrad): largest on the way, and at the end')
    print(f'{"axis":>10}{"moves over":>12}' + ''.join(f'{name:>20}' for name in others))
    for axis in AXES:
        full = moved['full'][axis]
        line = f'{axis:>10}{1e3 * (max(full) - min(full)):>12.0f}'
        for name in others:
            difference = [a - b for a, b in zip(moved[name][axis], full)]
            largest = max(difference, key=abs)
            line += f'{1e3 * largest:>12.3f}{1e3 * difference[-1]:>8.3f}'
        print(line)
    print(f'\n{"":>10}{"CPU s":>12}{"x real time":>14}')
    for name in names:
        print(f'{name:>10}{cost[name].seconds:>12.2f}{cost[name].time[-1] / cost[name].seconds:>14.1f}')


if __name__ == '__main__':
    main()
