#!/usr/bin/env python3
"""How the two halves of an excavator may be stepped: errors and stability by algorithm and step.

usage: study.py [TANDEM]
"""
import pathlib
import re
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from runs import find_tandem, run  # noqa: E402

FINE = '0.0001'      # s; sequential, the yardstick
DIVERGES = 10        # growth of the error in 1 s
SAMPLE = 0.02        # s between compared values
WINDOW = 0.2         # s in which the largest error counts


def error(values, fine, begin, end):
    """The largest difference of any pressure in [begin, end)."""
    names = [name for name in fine.signals if name.endswith('.pressure_a')]
    return max(abs(a - b) for name in names for t, a, b in zip(values.time, values[name], fine[name])
               if begin <= t < end)


def growth(values, fine):
    """How many times larger the error becomes in 1 s, from the first window to the last whole one."""
    last = int(values.time[-1] / WINDOW + 1e-9) * WINDOW - WINDOW
    if last <= 0:
        return float('inf')
    first, end = error(values, fine, 0, WINDOW), error(values, fine, last, last + WINDOW)
    return (end / first) ** (1 / last)


class Study:
    def __init__(self, tandem, system, *options):
        self.tandem, self.system, self.options = tandem, HERE / system, options
        self.fine = self.run('gauss-seidel', FINE)

    def run(self, algorithm, step):
        return run(self.tandem, self.system, '--algorithm', algorithm, '--hold', 'constant', '--step', step,
                   '--record', 'hydraulics.*.pressure_a', '--record-interval', SAMPLE, *self.options, may_fail=True)


def stairs(scenario, folder):
    """The scenario with its ramps in steps of 20 ms, so that every run sees the same command: a command is held from
    one communication point to the next, and with a coarse step that alone would be an error."""
    points = [(float(t), float(value)) for t, value in re.findall(r't="(.*?)" value="(.*?)"', scenario.read_text())]
    steps = ''
    for (t0, u0), (t1, u1) in zip(points, points[1:]):
        count = round((t1 - t0) / SAMPLE)
        steps += ''.join(f'<At t="{t0 + i * SAMPLE:.2f}" value="{u0 + (u1 - u0) * (i + 0.5) / count:.6g}"/>'
                         for i in range(count))
    path = pathlib.Path(folder) / 'stairs.xml'
    path.write_text('<Scenario xmlns="urn:tandem:scenario:1"><Signal name="boom.command" hold="constant">'
                    f'<At t="0" value="0"/>{steps}<At t="{points[-1][0]}" value="{points[-1][1]}"/></Signal></Scenario>')
    return path


def boom(tandem, folder):
    """Raising the boom alone: the largest error of the pressure under the piston, MPa."""
    study = Study(tandem, 'SystemStructure.ssd', '--scenario', stairs(HERE / 'raise.xml', folder))
    print('Boom alone, raised: largest error of pressure_a in MPa')
    print(f'{"step in ms":>12}' + ''.join(f'{1e3 * h:>10g}' for h in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02)))
    for name, algorithm in (('sequential', 'gauss-seidel'), ('parallel', 'jacobi')):
        cells = ''
        for step in ('0.0005', '0.001', '0.002', '0.005', '0.01', '0.02'):
            result = study.run(algorithm, step)
            worst = error(result, study.fine, 0, float('inf')) / 1e6
            # A pump that delivers at most 28 MPa cannot be wrong by more while the run means anything.
            cells += f'{"diverges":>10}' if result.failure or worst > 28 else f'{worst:>10.4f}'
        print(f'{name:>12}{cells}', flush=True)


def excavator(tandem):
    """Three axes at rest with closed valves and no friction: what is wrong at the start dies out or grows."""
    study = Study(tandem, 'excavator.ssd', '--set', 'mechanics.friction=false')
    print('\nThree axes at rest, no friction: growth of the error in 1 s')
    for name, algorithm, steps in (('sequential', 'gauss-seidel', ('0.001', '0.002', '0.005', '0.01')),
                                   ('parallel', 'jacobi', ('0.0001', '0.0002', '0.0005', '0.001'))):
        for step in steps:
            factor = growth(study.run(algorithm, step), study.fine)
            verdict = 'diverges' if factor > DIVERGES else 'stable'
            print(f'{name:>12}{1e3 * float(step):>8g} ms{min(factor, 1e9):>12.3g}  {verdict}', flush=True)


if __name__ == '__main__':
    program = find_tandem()
    with tempfile.TemporaryDirectory() as scratch:
        boom(program, scratch)
    excavator(program)
