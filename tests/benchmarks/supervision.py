"""What the supervisor costs a step: instructions per unit and step of the process that simulates, against the same run without a
supervisor (--in-process), with nothing recorded and with a table. Instructions are counted by valgrind as the difference of a long and
a short run, so that set-up drops out. Where strace is installed, system calls are counted too: a step makes none.

usage: supervision.py TANDEM TEST_FMUS
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from master_overhead import ring

MOST_INSTRUCTIONS = 10  # per unit and step
MOST_CALLS = 0.02       # per step, beside those of a table
# Two writes, since a row across two pages is written alone, each after a look whether the file is still the one that was opened.
CALLS_PER_PAGE = 4
PAGE = 4096
UNITS = 10
STEPS = (200, 2200)
# What the one who watches does while it waits depends on time, not on steps.
WAITING = ('wait4', 'waitid', 'poll', 'ppoll', 'epoll_wait', 'epoll_pwait', 'select', 'pselect6', 'nanosleep', 'clock_nanosleep',
           'futex', 'restart_syscall', 'rt_sigtimedwait', 'read')


class Bench:
    def __init__(self, tandem, fmu, folder):
        self.tandem, self.folder = tandem, pathlib.Path(folder)
        self.system = ring(folder, fmu, UNITS)

    def command(self, steps, *options):
        return [self.tandem, 'run', self.system, '--step', '0.001', '--stop', f'{steps}/1000', '--quiet', '--threads', '1',
                '--shadow', 'off', '--out', str(self.folder / 'out'), *options]

    def logs(self, tool, steps, *options):
        """What the tool wrote of each process. Each run has a new folder: what an earlier one left there is read first."""
        shutil.rmtree(self.folder / 'out', ignore_errors=True)
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            done = subprocess.run([*tool(folder), *self.command(steps, *options)], capture_output=True, text=True)
            if done.returncode != 0:
                sys.exit(f'{options}: {done.stderr[-1000:]}')
            return [log.read_text() for log in pathlib.Path(folder).iterdir()]

    def instructions(self, steps, *options):
        """Of the process that has most of them: the one that simulates."""
        logs = self.logs(lambda folder: ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
                                         '--trace-children=yes', f'--log-file={folder}/%p'], steps, *options)
        return max(int(count) for log in logs for count in re.findall(r'Collected : (\d+)', log))

    def calls(self, steps, *options):
        """System calls of all processes, without those that wait."""
        logs = self.logs(lambda folder: ['strace', '-ff', '-o', f'{folder}/trace'], steps, *options)
        names = [name for log in logs for name in re.findall(r'^(\w+)\(', log, re.M)]
        return sum(name not in WAITING for name in names)

    def pages(self, steps, *options):
        """Of the table that is written."""
        subprocess.run(self.command(steps, *options), check=True, capture_output=True)
        return sum(file.stat().st_size for file in (self.folder / 'out').glob('results.csv')) / PAGE

    def growth(self, count, *options):
        """Per step, from a short run to a long one."""
        short, long = (count(steps, *options) for steps in STEPS)
        return (long - short) / (STEPS[1] - STEPS[0])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    tandem, fmus = (os.path.abspath(path) for path in sys.argv[1:])
    failures = []
    with tempfile.TemporaryDirectory(prefix='tandem-supervision-') as folder:
        for version in (2, 3):
            (pathlib.Path(folder) / str(version)).mkdir()
            bench = Bench(tandem, os.path.join(fmus, f'empty_fmi{version}.fmu'), os.path.join(folder, str(version)))
            subprocess.run(bench.command(1), check=True, capture_output=True)  # the library is tried out once
            for what, options in (('nothing recorded', ('--record', 'none')), ('a CSV table', ()))[:4 - version]:
                watched, alone = (bench.growth(bench.instructions, *options, *extra) / UNITS
                                  for extra in ((), ('--in-process',)))
                print(f'FMI {version}, {what}: {watched:.1f} instructions per unit and step, {alone:.1f} without a supervisor',
                      flush=True)
                if watched - alone > MOST_INSTRUCTIONS:
                    failures.append(f'FMI {version}, {what}: the supervisor costs {watched - alone:.1f} instructions per '
                                    f'unit and step, at most {MOST_INSTRUCTIONS}')
                if shutil.which('strace') is None:
                    continue
                calls = bench.growth(bench.calls, *options)
                print(f'FMI {version}, {what}: {calls:.3f} system calls per step', flush=True)
                most = MOST_CALLS + (0 if '--record' in options else CALLS_PER_PAGE * bench.growth(bench.pages, *options))
                if calls > most:
                    failures.append(f'FMI {version}, {what}: {calls:.3f} system calls per step, at most {most:.3f}')
    for failure in failures:
        print('FAILED:', failure)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
