"""Instructions per simulated millisecond of a CAN bus at 250 kbit/s that is never idle, counted by valgrind as the difference
of a long and a short run: the bus alone, which has a limit, and the unit through FMI with four nodes, which is reported.

usage: can_bus.py BENCHMARK_CAN_BUS
"""
import re
import subprocess
import sys

MOST_INSTRUCTIONS = 20000
SHORT, LONG = 100, 600


def instructions(program, milliseconds, kind):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program, str(milliseconds), kind],
                          capture_output=True, text=True)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(done.stderr)
    return int(found.group(1)), int(re.match(r'(\d+) frames', done.stdout).group(1))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for kind in 'model', 'fmi':
        (long, frames), (short, fewer) = (instructions(sys.argv[1], time, kind) for time in (LONG, SHORT))
        cost = (long - short) / (LONG - SHORT)
        limit = f', at most {MOST_INSTRUCTIONS}' if kind == 'model' else ''
        print(f'CAN bus, {kind}: {cost:.0f} instructions per ms of a full bus ({(frames - fewer) / (LONG - SHORT):.2f} '
              f'frames){limit}')
        if kind == 'model' and cost > MOST_INSTRUCTIONS:
            sys.exit('too many')


main()
