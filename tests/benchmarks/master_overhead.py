"""The master's own cost per unit and step, against a bare C loop over the same shared object in the same run.

N nearly empty units (hand-written C) in a ring, steps of 1 ms, nothing recorded, otherwise default options. Instructions
are counted by valgrind as the difference of a long and a short run, so that set-up drops out; they are repeatable and
decide. CPU times are reported, and decide only as ratios within one run.

usage: master_overhead.py TANDEM BARE_LOOP TEST_FMUS [--quick]
"""
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

MOST_INSTRUCTIONS = 150  # per unit and step beyond the bare loop, N >= 10
MOST_RATIO = 2.0         # CPU time, master / bare loop
MOST_MEMORY = 4.0        # MB from N = 1 to N = 100
MOST_SETUP = 0.025       # s of CPU from N = 1 to N = 100
SETUP_TIMES = (8, 12)    # set-up by instructions, N = 1000 / N = 100
MOST_SLOWER = 1.1        # wall time, default threads / one thread
MOST_FOR_SUPERVISOR = 10  # instructions per unit and step, beyond --in-process
MOST_FOR_SHADOW = 1.01   # instructions of the run itself, with its shadow / without
REPEATS = 7
QUOTED = 0.05            # relative; counts in the README, which another compiler changes a little
GROWTH = 2.5             # factor; of figures that the README calls about
README = pathlib.Path(__file__).resolve().parents[2] / 'README.md'


def steps_of(count):
    return (200, 1200) if count <= 10 else (100, 300) if count <= 100 else (60, 100)


def ring(folder, fmu, count):
    path = os.path.join(folder, f'ring{count}.ssd')
    with open(path, 'w') as file:
        file.write('<ssd:SystemStructureDescription '
                   'xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
                   'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" version="1.0" name="ring">\n'
                   '<ssd:System name="ring"><ssd:Elements>\n')
        for i in range(count):
            file.write(f'<ssd:Component name="u{i}" source="{fmu}"><ssd:Connectors>'
                       '<ssd:Connector name="u" kind="input"><ssc:Real/></ssd:Connector>'
                       '<ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector>'
                       '</ssd:Connectors></ssd:Component>\n')
        file.write('</ssd:Elements><ssd:Connections>\n')
        for i in range(count if count > 1 else 0):
            file.write(f'<ssd:Connection startElement="u{i}" startConnector="y" '
                       f'endElement="u{(i + 1) % count}" endConnector="u"/>\n')
        file.write('</ssd:Connections></ssd:System></ssd:SystemStructureDescription>\n')
    return path


def quoted(version, count):
    """What the README says of the master and of the bare loop; None where it has no such row."""
    row = re.search(rf'^\| {count} \| (\d+), (\d+), .*?\| (\d+), (\d+), ', README.read_text(), re.M)
    return [int(number) for number in row.groups()[2 * version - 4:2 * version - 2]] if row else None


def quoted_growth():
    """Megabytes and seconds from 1 to 100 instances, as the README says."""
    said = re.search(r'memory\s+grows\s+by\s+([\d.]+)\s+MB\s+and\s+set-up\s+by\s+about\s+([\d.]+)\s+ms', README.read_text())
    return float(said.group(1)), 1e-3 * float(said.group(2))


def cpu_and_memory(command):
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status != 0:
        sys.exit(f'{command}: {errors.decode()}')
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def instructions(command, *options):
    """Of the process that does the work: a run is the child of its supervisor. Shadows do not count."""
    with tempfile.TemporaryDirectory() as folder:
        process = subprocess.Popen(['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null',
                                    f'--log-file={folder}/%p', *options, *command], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        _, errors = process.communicate()
        # The supervised process is the first that is forked; a shadow comes later.
        alone = command[1] != 'run' or '--in-process' in command
        logs = sorted(os.listdir(folder), key=lambda name: (int(name) < process.pid, int(name)))
        log = logs[0 if alone else 1] if process.returncode == 0 else None
        found = log and re.search(r'Collected : (\d+)', pathlib.Path(folder, log).read_text())
    if not found:
        sys.exit(f'{command}: {errors}')
    return int(found.group(1))


class Bench:
    def __init__(self, tandem, bare, fmus, folder):
        self.tandem, self.bare, self.folder = tandem, bare, folder
        self.fmus = {version: os.path.join(fmus, f'empty_fmi{version}.fmu') for version in (2, 3)}
        self.libraries = {}
        self.counted = {}
        for version, platform in ((2, 'linux64'), (3, 'x86_64-linux')):
            target = os.path.join(folder, f'fmi{version}')
            shutil.unpack_archive(self.fmus[version], target, 'zip')
            self.libraries[version] = os.path.join(target, 'binaries', platform, f'empty_fmi{version}.so')

    def master_command(self, version, count, steps, *extra):
        name = os.path.join(self.folder, f'v{version}')
        os.makedirs(name, exist_ok=True)
        path = ring(name, self.fmus[version], count)
        return [self.tandem, 'run', path, '--step', '0.001', '--stop', f'{steps}/1000', '--record', 'none', '--quiet',
                *extra]

    def bare_command(self, version, count, steps):
        return [self.bare, self.libraries[version], str(version), str(count), str(steps)]

    def shadow_instructions(self, version, count):
        """Of the run itself, from its first step to its last, with its shadow beside it and without."""
        steps = steps_of(count)[1]
        return [self.steps_only(version, count, steps, '--shadow', shadow) for shadow in ('on', 'off')]

    def steps_only(self, version, count, steps, *options):
        """Instructions of a run from its first step to its last; the same run is counted once. One thread: valgrind runs threads one
        after the other, and waiting would be counted as work."""
        run = (version, count, steps, *options)
        if run not in self.counted:
            self.counted[run] = instructions(self.master_command(version, count, steps, '--threads', '1', *options),
                                             '--toggle-collect=master::core::run(*')
        return self.counted[run]

    def own_instructions(self, version, count):
        """Per unit and step: of the master with its supervisor, and of the bare loop."""
        return (self.per_step(lambda steps: self.steps_only(version, count, steps, '--shadow', 'off'), count),
                self.per_step(lambda steps: instructions(self.bare_command(version, count, steps)), count))

    def in_process_instructions(self, version, count):
        """Per unit and step, of the master without its supervisor."""
        return self.per_step(lambda steps: self.steps_only(version, count, steps, '--shadow', 'off', '--in-process'), count)

    @staticmethod
    def per_step(counted, count):
        short, long = steps_of(count)
        return (counted(long) - counted(short)) / ((long - short) * count)

    def times(self, version, count, steps):
        """Nanoseconds per unit and step of the master and of the bare loop: each the quickest of alternating runs, as
        whatever else the machine does only adds. Set-up drops out as the difference of a long and a short run."""
        short = steps // 10
        long_runs, short_runs, bare_runs = [], [], []
        for _ in range(REPEATS):
            long_runs.append(cpu_and_memory(self.master_command(version, count, steps))[0])
            short_runs.append(cpu_and_memory(self.master_command(version, count, short))[0])
            bare_runs.append(float(subprocess.run(self.bare_command(version, count, steps - short),
                                                  capture_output=True, text=True, check=True).stdout.split()[0]))
        per = (steps - short) * count
        return (min(long_runs) - min(short_runs)) / per * 1e9, min(bare_runs) / per * 1e9

    def thread_ratio(self, fmu, count, steps):
        """Wall time with the default threads against one thread, the best of alternating runs."""
        path = ring(self.folder, fmu, count)
        command = [self.tandem, 'run', path, '--step', '0.001', '--stop', f'{steps}/1000', '--record', 'none', '--quiet']
        best = {'1': float('inf'), '0': float('inf')}
        for _ in range(7):
            for threads in best:
                begin = time.perf_counter()
                subprocess.run([*command, '--threads', threads], check=True, stdout=subprocess.DEVNULL)
                best[threads] = min(best[threads], time.perf_counter() - begin)
        return best['0'] / best['1']


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    quick = '--quick' in sys.argv
    tandem, bare, fmus = (os.path.abspath(path) for path in sys.argv[1:4])
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(tandem, bare, fmus, folder)
        print(f'{"FMI":>3} {"N":>5} {"instructions per unit and step":>43} {"":>8} {"CPU ns per unit and step":>26}')
        print(f'{"":>3} {"":>5} {"master":>10} {"in-process":>10} {"bare":>10} {"own cost":>11} {"":>8} {"master":>8} '
              f'{"bare":>8} {"ratio":>8}')
        for version in (2, 3):
            for count in (10,) if quick else (2, 10, 100, 1000):
                master, loop = bench.own_instructions(version, count)
                # The supervisor does not see which interface a unit has.
                alone = bench.in_process_instructions(version, count) if version == 2 or not quick else math.nan
                own = master - loop
                line = f'{version:>3} {count:>5} {master:>10.1f} {alone:>10.1f} {loop:>10.1f} {own:>11.1f}'
                if master - alone > MOST_FOR_SUPERVISOR:
                    failures.append(f'FMI {version}, N = {count}: the supervisor costs {master - alone:.1f} instructions '
                                    f'> {MOST_FOR_SUPERVISOR}')
                if count >= 10 and own > MOST_INSTRUCTIONS:
                    failures.append(f'FMI {version}, N = {count}: {own:.0f} instructions > {MOST_INSTRUCTIONS}')
                for name, found, said in zip(('master', 'bare loop'), (master, loop), quoted(version, count) or ()):
                    if abs(found / said - 1) > QUOTED:
                        failures.append(f'FMI {version}, N = {count}, {name}: {found:.0f} instructions, README: {said}')
                if not quick:
                    steps = max(10000, 5000000 // count)
                    master_time, bare_time = bench.times(version, count, steps)
                    ratio = master_time / bare_time
                    line += f' {"":>8} {master_time:>8.1f} {bare_time:>8.1f} {ratio:>8.2f}'
                    if count >= 10 and ratio > MOST_RATIO:
                        failures.append(f'FMI {version}, N = {count}: CPU ratio {ratio:.2f} > {MOST_RATIO}')
                print(line, flush=True)
        for version in (2, 3):
            for count in (10,) if quick else (10, 100, 1000):
                beside, alone = bench.shadow_instructions(version, count)
                ratio = beside / alone
                print(f'FMI {version}, N = {count}: {beside} instructions of a run with its shadow, {alone} without: '
                      f'{ratio:.4f}', flush=True)
                if ratio > MOST_FOR_SHADOW:
                    failures.append(f'FMI {version}, N = {count}: a shadow costs its run {ratio:.4f} > {MOST_FOR_SHADOW}')
        if not quick:
            for version in (2, 3):
                setup, memory = {}, {}
                for count in (1, 100, 1000):
                    runs = [cpu_and_memory(bench.master_command(version, count, 1)) for _ in range(5)]
                    setup[count] = min(run[0] for run in runs)
                    memory[count] = min(run[1] for run in runs)
                growth = memory[100] - memory[1]
                delay = setup[100] - setup[1]
                counts = {count: instructions(bench.master_command(version, count, 1, '--threads', '1'))
                          for count in setup}
                times = (counts[1000] - counts[1]) / (counts[100] - counts[1])
                print(f'FMI {version}: from N = 1 to 100 memory + {growth:.2f} MB, set-up + {1e3 * delay:.1f} ms CPU; '
                      f'N = 1000 costs {times:.1f} x N = 100 by instructions, '
                      f'{(setup[1000] - setup[1]) / delay:.1f} x by time')
                if not SETUP_TIMES[0] <= times <= SETUP_TIMES[1]:
                    failures.append(f'FMI {version}: set-up of N = 1000 costs {times:.1f} x N = 100, '
                                    f'expected {SETUP_TIMES[0]} to {SETUP_TIMES[1]}')
                for name, found, said in zip(('memory in MB', 'set-up in s'), (growth, delay), quoted_growth()):
                    if not said / GROWTH < found < said * GROWTH:
                        failures.append(f'FMI {version}: {name} grows by {found:.4g}, README: {said:g}')
                if growth > MOST_MEMORY:
                    failures.append(f'FMI {version}: memory grows by {growth:.2f} MB > {MOST_MEMORY} MB')
                if delay > MOST_SETUP:
                    failures.append(f'FMI {version}: set-up grows by {1e3 * delay:.1f} ms > {1e3 * MOST_SETUP:.0f} ms')
            costly = os.path.join(fmus, 'costly_fmi2.fmu')
            for what, fmu, count, steps in (('10 nearly empty units', bench.fmus[2], 10, 300000),
                                            ('100 nearly empty units', bench.fmus[3], 100, 30000),
                                            ('4 costly units', costly, 4, 1000)):
                ratio = bench.thread_ratio(fmu, count, steps)
                print(f'{what}: wall time with the default threads / with one thread: {ratio:.2f}')
                if ratio > MOST_SLOWER:
                    failures.append(f'{what}: {ratio:.2f} times slower with threads > {MOST_SLOWER}')
    for failure in failures:
        print('FAILED:', failure)
    sys.exit(1 if failures else 0)


if __name__ == '__main__':
    main()
