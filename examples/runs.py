"""What the examples that compare runs share: starts `tandem run` and reads what it recorded."""
import csv
import math
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent


def find_tandem():
    """The program given as first argument, else the one that ./run builds, else one that is installed."""
    if len(sys.argv) > 1:
        if shutil.which(sys.argv[1]) is None:
            sys.exit(f"error: '{sys.argv[1]}' is no program\n\n{sys.modules['__main__'].__doc__}")
        return sys.argv[1]
    built = REPOSITORY / 'build' / 'release' / 'tandem'
    found = built if built.exists() else shutil.which('tandem')
    if found is None:
        sys.exit(f'error: there is no {built}; ./run builds it')
    return str(found)


class Run:
    """A finished run: signals by name, the CPU time it took, its summary, and for a run that failed its last message."""

    def __init__(self, signals, seconds, text, failure):
        self.signals, self.seconds, self.text, self.failure = signals, seconds, text, failure
        self.time = signals['time']

    def __getitem__(self, name):
        return self.signals[name]

    def at(self, name, time):
        """The recorded value next to a time."""
        index = min(range(len(self.time)), key=lambda i: abs(self.time[i] - time))
        return self.signals[name][index]


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(tandem, system, *options, may_fail=False):
    """Runs a system. A run that fails ends the program, unless it may: then what it recorded is returned."""
    with tempfile.TemporaryDirectory() as folder:
        begin = cpu_seconds()
        done = subprocess.run([str(tandem), 'run', str(system), '--shadow', 'off', '--out', folder, *map(str, options)],
                              capture_output=True, text=True)
        seconds = cpu_seconds() - begin
        results = pathlib.Path(folder) / 'results.csv'
        failure = done.stderr.strip().splitlines()[-1] if done.returncode != 0 else ''
        if failure and not (may_fail and results.exists()):
            sys.exit(f'tandem run {system} {" ".join(map(str, options))}: {done.stderr.strip()}')
        return Run(read_table(results), seconds, done.stdout, failure)


def number(text):
    """What a cell says; text is no number."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def read_table(path):
    with open(path, newline='') as file:
        rows = csv.reader(file)
        names = next(rows)
        columns = list(zip(*([number(value) for value in row] for row in rows)))
    return dict(zip(names, columns))


def build_modelica(unit, source=None):
    """Compiles the hydraulics from Modelica; what is missing for it, as text, or nothing."""
    python = REPOSITORY / '.venv' / 'bin' / 'python'
    command = [str(python) if python.exists() else sys.executable, str(REPOSITORY / 'config' / 'modelica' / 'build.py'),
               '--output', str(unit)]
    if source is not None:
        command += ['--source', str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    return '' if done.returncode == 0 else done.stderr.strip().removeprefix('error: ')
