"""What the excavator's task costs: instructions per step of 1 ms while it demolishes, the share of each unit, real-time
factors.

Instructions are counted by valgrind between two moments of the automated demolition, with the default recording; they
are repeatable and decide. Times are reported only.

usage: task.py TANDEM FMUS REPOSITORY [--quick]

--quick counts instructions only.
"""
import pathlib
import sys
import tempfile

from measure import Bench, staged

MOST_INSTRUCTIONS = {'SystemStructure': 480_000, 'simple': 290_000}
# s; it approaches (from 1.3 s), lowers the open tool (from 3.2 s) and closes it on the wall (from 5.1 s).
SPAN = (2.8, 5.8)
TIMED = 60                   # s, some bites
SMALLEST_SHARE = 0.003       # that is worth a name


def report(system, counts):
    """Prints what each object takes and returns the sum."""
    whole = sum(counts.values())
    print(f'{system}: {whole:,.0f} instructions per step of 1 ms, at most {MOST_INSTRUCTIONS[system]:,}')
    rest = whole
    for name, count in sorted(counts.items(), key=lambda item: -item[1]):
        if count < SMALLEST_SHARE * whole:
            break
        print(f'  {name:<24} {count:>10,.0f} {100 * count / whole:5.1f} %')
        rest -= count
    print(f'  {"others":<24} {rest:>10,.0f} {100 * rest / whole:5.1f} %', flush=True)
    return whole


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    quick = '--quick' in sys.argv
    tandem, fmus, repository = (pathlib.Path(argument).resolve() for argument in sys.argv[1:] if argument != '--quick')
    failures = []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bench = Bench(tandem, staged(repository, fmus, folder), folder)
        for system, most in MOST_INSTRUCTIONS.items():
            whole = report(system, bench.per_step(system, SPAN))
            if whole > most:
                failures.append(f'{system}: {whole:,.0f} instructions per step > {most:,}')
        if not quick:
            for system in (*MOST_INSTRUCTIONS, 'kinematic'):
                _, seconds = bench.run(system, TIMED)
                shares = ', '.join(f'{unit} {each} ({share} %)' for unit, each, share in bench.shares(system, TIMED))
                print(f'{system}: {TIMED / seconds:.1f} x real time of one core; wall time per step {shares}', flush=True)
    for failure in failures:
        print('FAILED:', failure)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
