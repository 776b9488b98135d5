"""The excavator demolishes a wall segment by itself: what is asked of the result, in one or in every fidelity.

usage: task_test.py TANDEM FMUS PROJECT [...]; TANDEM_LONG=1 adds full and simple hydraulics, other seeds and a notched
wall, and prints one line for each.
"""
import csv
import os
import pathlib
import subprocess
import sys
import tempfile

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, PROJECT = sys.argv[1], pathlib.Path(sys.argv[3])
SEGMENT = 12 * 0.18 * 2      # m3 above the target line
LEAST_REMOVED = 0.95         # of it
MOST_BELOW = 0.05            # m below the target line
BASE = 1.0                   # m, height of the target line above the wall's base
DONE = '10'                  # phase
# Any collision, and more power than the pump has, ends the run with exit code 3.
LIMITS = {'kinematics.collision.active': 0.5}
POWER = {'hydraulics.supply.power': 46e3}  # W


def run(system, settings, folder):
    scenario = folder / 'limits.xml'
    limits = LIMITS | ({} if system == 'kinematic.ssd' else POWER)
    scenario.write_text('<Scenario xmlns="urn:tandem:scenario:1">' + ''.join(
        f'<Limit name="{name}" max="{most}" action="stop"/>' for name, most in limits.items()) + '</Scenario>')
    command = [TANDEM, 'run', str(PROJECT / 'config' / 'excavator' / system), '--out', str(folder / 'out'), '--quiet',
               '--scenario', str(scenario), '--record-interval', '1']
    for pattern in ('wall.heights', 'wall.volume', 'wall.removed', 'automation.*'):
        command += ['--record', pattern]
    for setting in settings:
        command += ['--set', setting]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f'exit code {done.returncode}: {done.stderr}')
    with open(folder / 'out' / 'results.csv', newline='') as file:
        rows = csv.reader(file)
        names = next(rows)
        first = dict(zip(names, next(rows)))
        last = first
        for row in rows:
            last = dict(zip(names, row))
    return first, last


def check(system, *settings):
    with tempfile.TemporaryDirectory() as folder:
        first, last = run(system, settings, pathlib.Path(folder))
    lowest = min(float(value) for name, value in last.items() if name.startswith('wall.heights[')) - BASE
    above = float(first['wall.volume']) - (12 * 0.18 * 3 - SEGMENT)  # what stands above the line at the start
    removed = float(last['wall.removed']) / above
    print(f'{system} {" ".join(settings)}: phase {last["automation.phase"]}, t = {last["time"]} s, '
          f'{last["automation.bite"]} bites, removed {100 * removed:.1f} %, lowest {1e3 * lowest:+.0f} mm', flush=True)
    assert last['automation.phase'] == DONE, f'ended in phase {last["automation.phase"]}'
    assert removed >= LEAST_REMOVED, f'only {removed} of the segment is gone'
    assert lowest >= -MOST_BELOW, f'cut {-lowest} m below the target'


def main():
    check('kinematic.ssd')
    if not os.environ.get('TANDEM_LONG'):
        return
    for system in ('SystemStructure.ssd', 'simple.ssd'):
        check(system)
    for seed in (2, 3):
        check('kinematic.ssd', f'lidar.beam.seed={seed}')
    check('kinematic.ssd', 'wall.notch.seed=4')
    for seed in (11, 21, 31):  # notches almost down to the target, with narrow ridges between them
        check('kinematic.ssd', 'wall.notch.depth=1.9', 'wall.notch.width=2', 'wall.notch.count=6',
              f'wall.notch.seed={seed}')
    check('SystemStructure.ssd', 'wall.notch.seed=5', 'lidar.beam.seed=6')


if __name__ == '__main__':
    main()
