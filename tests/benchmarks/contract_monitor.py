"""Instructions to watch a signal with a range and a rate in a step, counted by valgrind as the difference of a long and a
short run.

usage: contract_monitor.py BENCHMARK_CONTRACT
"""
import re
import subprocess
import sys

MOST_INSTRUCTIONS = 20  # per watched scalar and step
SIGNALS, SHORT, LONG = 200, 100, 1100


def instructions(program, steps):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program, str(SIGNALS), str(steps)],
                          capture_output=True, text=True)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(done.stdout + done.stderr)
    return int(found.group(1))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    per_signal = (instructions(sys.argv[1], LONG) - instructions(sys.argv[1], SHORT)) / (LONG - SHORT) / SIGNALS
    print(f'{per_signal:.1f} instructions per watched scalar and step, at most {MOST_INSTRUCTIONS}')
    sys.exit('too many' if per_signal > MOST_INSTRUCTIONS else 0)


main()
