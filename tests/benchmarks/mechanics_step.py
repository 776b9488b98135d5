"""Instructions of one 1 ms step of the mechanics, counted by valgrind as the difference of a long and a short run.

usage: mechanics_step.py BENCHMARK_MECHANICS MACHINE.urdf
"""
import re
import subprocess
import sys

MOST_INSTRUCTIONS = 125000  # half of what mechanics and hydraulics may take together
SHORT, LONG = 200, 2200    # the long run reverses every axis


def instructions(program, machine, steps):
    done = subprocess.run(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', program, machine, str(steps)],
                          capture_output=True, text=True)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(done.stderr)
    return int(found.group(1))


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, machine = sys.argv[1:]
    per_step = (instructions(program, machine, LONG) - instructions(program, machine, SHORT)) / (LONG - SHORT)
    print(f'mechanics: {per_step:.0f} instructions per step of 1 ms, at most {MOST_INSTRUCTIONS}')
    if per_step > MOST_INSTRUCTIONS:
        sys.exit('too many')


main()
