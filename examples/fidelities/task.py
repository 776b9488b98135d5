#!/usr/bin/env python3
"""The excavator's task, demolishing a wall segment by itself, in four fidelities: what each of them achieves and costs,
and how far the wall it leaves is from that of the full one.

usage: task.py [TANDEM] [STOP]

Without STOP every run lasts until the segment is gone, some minutes of computing in all.
"""
import math
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from runs import REPOSITORY, build_modelica, find_tandem, run  # noqa: E402

SYSTEMS = REPOSITORY / 'config' / 'excavator'
FIDELITIES = {'full': 'SystemStructure', 'modelica': 'modelica', 'simple': 'simple', 'kinematic': 'kinematic'}
# What the summary of a run says, by the words it begins with.
FACTS = {'removed': 'removed', 'bites': 'bites', 'pump energy': 'pump energy', 'edge error': 'edge error'}


def facts(text):
    """The lines of a summary that every run of the task may have; a fidelity without a pump tells no energy."""
    found = {}
    for name, begin in FACTS.items():
        line = re.search(rf'^ *{begin} +(.+)$', text, re.M)
        found[name] = line.group(1) if line else '-'
    return found


def left_standing(result):
    """The heights of the wall's top at the end."""
    return [values[-1] for name, values in result.signals.items() if name.startswith('wall.heights[')]


def main():
    tandem = find_tandem()
    stop = ('--stop', sys.argv[2]) if len(sys.argv) > 2 else ()
    names = list(FIDELITIES)
    problem = build_modelica(SYSTEMS / 'resources' / 'hydraulics_modelica.fmu')
    if problem:
        print(f'Without Modelica: {problem}\n')
        names.remove('modelica')
    print(f'{"":>10}{"time s":>9}{"removed":>13}{"bites":>7}{"pump energy":>13}{"x real time":>13}'
          f'{"wall against full, mm: rms, largest":>38}   edge error')
    full = None
    for name in names:
        result = run(tandem, SYSTEMS / f'{FIDELITIES[name]}.ssd', '--record', 'wall.heights', '--record-interval', '0.1',
                     *stop)
        wall, told = left_standing(result), facts(result.text)
        full = full or wall
        apart = [1e3 * (a - b) for a, b in zip(wall, full)]
        rms = math.sqrt(sum(difference ** 2 for difference in apart) / len(apart))
        print(f'{name:>10}{result.time[-1]:>9.1f}{told["removed"]:>13}{told["bites"]:>7}{told["pump energy"]:>13}'
              f'{result.time[-1] / result.seconds:>13.1f}{rms:>26.1f}{max(map(abs, apart)):>12.1f}   {told["edge error"]}',
              flush=True)


if __name__ == '__main__':
    main()
