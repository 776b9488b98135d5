"""The latency budget of a bite by teleoperation: task time, overshoot and collisions against delay and loss.

usage: budget.py TANDEM [SEED] [--delays 0,100,200,400] [--losses 0,2]   (ms one way, %; from the repository's root)
"""
import argparse
import csv
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def bite(tandem, link, stop):
    """Task time (None where it was not done), overshoot in m, seconds of collision, volume taken."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([tandem, 'run', HERE, '--quiet', '--shadow', 'off', '--stop', str(stop), '--link', link,
                        '--record', 'person.*', 'kinematics.tool.pose', 'kinematics.collision.active', 'wall.removed',
                        '--out', f'{folder}/out'], check=True)
        with open(f'{folder}/out/results.csv', newline='') as file:
            rows = [{name: float(value) for name, value in row.items() if value.replace('.', '').replace('-', '').replace('e', '').isdigit()}
                    for row in csv.DictReader(file)]
    lowering = [row for row in rows if row['person.stage'] in (1, 2)]
    overshoot = max((row['person.view.target'] - row['kinematics.tool.pose[3]'] for row in lowering), default=0)
    collision = sum(b['time'] - a['time'] for a, b in zip(rows, rows[1:]) if b['kinematics.collision.active'])
    finished = rows[-1]['person.finished']
    return finished or None, max(0, overshoot), collision, rows[-1]['wall.removed']


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('tandem')
    parser.add_argument('seed', nargs='?', type=int, default=1)
    parser.add_argument('--delays', default='0,50,100,200,300,400')
    parser.add_argument('--losses', default='0,2,10')
    parser.add_argument('--stop', type=float, default=90)
    arguments = parser.parse_args()
    if shutil.which(arguments.tandem) is None:
        sys.exit(f"error: '{arguments.tandem}' is no program\n\n{__doc__}")
    print('| delay, one way | loss | task time | overshoot | in collision | taken |\n|---|---|---|---|---|---|')
    for delay in map(int, arguments.delays.split(',')):
        for loss in map(float, arguments.losses.split(',')):
            link = f'delay={delay}ms,jitter={delay // 4}ms,loss={loss:g}%,rate=100kbit/s,seed={arguments.seed}'
            time, overshoot, collision, taken = bite(arguments.tandem, link, arguments.stop)
            print(f'| {delay} ms | {loss:g} % | {f"{time:.1f} s" if time else "not done"} | {1000 * overshoot:.0f} mm | '
                  f'{collision:.1f} s | {1000 * taken:.0f} l |')
            sys.stdout.flush()


if __name__ == '__main__':
    main()
