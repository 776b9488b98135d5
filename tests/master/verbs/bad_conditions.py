"""What the tests of runs under bad conditions share: faulty units, kills, full disks, signals.

A script lists its cases; each runs the program in a folder of its own, with a TMPDIR of its own, and says everything that was wrong, not
only the first. All failures stand in one table at the end. Arguments of each script:
    TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep] [--jobs N]
-k runs only cases whose name contains one of the parts; --keep leaves their folders. Needs h5py and scipy. TANDEM_LONG=1 adds what takes
long.
"""
import argparse
import concurrent.futures
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import h5py
import numpy
import scipy.io

LONG = 'TANDEM_LONG' in os.environ
STEP = 1e-3
FILES = {'csv': 'results.csv', 'hdf5': 'results.h5', 'mat': 'results.mat'}


class Skip(Exception):
    """This machine does not let the case be tried; the text says why."""


class Done:
    def __init__(self, code, out, err, seconds):
        self.code, self.out, self.err, self.seconds = code, out, err, seconds
        # A unit that cuts the files of its process leaves a hole of zeros before the next line.
        self.errors = [line for line in err.replace('\0', '\n').splitlines() if line.startswith('error[')]

    def __str__(self):
        return f'code {self.code} after {self.seconds:.1f} s, stderr: {self.err[-600:]!r}'


class Place:
    """The folder of one case, runs in it, and what they left behind."""

    def __init__(self, name, options):
        self.name, self.options, self.wrong = name, options, []
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-bad-', dir=options.scratch))
        self.temporary = self.folder / 'tmp'
        self.temporary.mkdir()
        self.out = self.folder / 'o'
        self.environment = {key: value for key, value in os.environ.items() if not key.startswith('TANDEM_')} | {
            'TMPDIR': str(self.temporary), 'HOME': str(self.folder), 'XDG_CACHE_HOME': str(options.cache),
            'TANDEM_SHADOW': 'off', 'TANDEM_TEST_CASE': str(self.folder)}

    def check(self, right, text):
        if not right:
            self.wrong.append(text)
        return right

    # Systems

    def fault(self, fault, place='step', when=0.5):
        self.environment['TANDEM_TEST_FAULT'] = f'{fault} {place} {when}'

    def system(self, interface='fmi2', stop=1):
        """The faulty unit 'a' beside a healthy one that counts its steps; a row k has time k h, and k in both columns."""
        kind = ' implementation="ModelExchange"' if interface == 'me' else ''
        fmu = self.options.test_fmus / f'faulty_{"fmi2" if interface == "me" else interface}.fmu'
        path = self.folder / 'zoo.ssd'
        path.write_text(
            '<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" '
            f'name="zoo"><System name="zoo"><Elements>\n<Component name="a" source="{fmu}"{kind}/>\n'
            f'<Component name="counter" source="{self.options.test_fmus}/misbehaving_fmi2.fmu"/>\n</Elements>'
            '<Connections><Connection startElement="a" startConnector="y" endElement="counter" endConnector="u"/>'
            f'</Connections></System>\n<DefaultExperiment startTime="0" stopTime="{stop}"/>'
            '</SystemStructureDescription>\n')
        return path

    # Processes

    def run_command(self, *extra, form='csv', system=None):
        return [self.options.tandem, 'run', str(system or self.folder / 'zoo.ssd'), '--step', str(STEP), '--out',
                str(self.out), *(['--format', form] if form != 'csv' else []), *map(str, extra)]

    def start(self, command, **streams):
        """In a session of its own, so that a signal to its group reaches it and its children alone."""
        self.said = [tempfile.TemporaryFile(dir=self.folder) for _ in range(2)]
        streams.setdefault('stdin', subprocess.DEVNULL)
        streams.setdefault('stdout', self.said[0])
        streams.setdefault('stderr', self.said[1])
        self.began = time.monotonic()
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, start_new_session=True, **streams)

    def wait(self, process, timeout=20):
        try:
            code = process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.check(False, f'did not end within {timeout} s')
            end_all(self.processes())
            code = process.wait()
        seconds = time.monotonic() - self.began
        texts = []
        for stream in self.said:
            stream.seek(0)
            texts.append(stream.read().decode(errors='replace'))
            stream.close()
        return Done(code, *texts, seconds)

    def run(self, *extra, timeout=20, form='csv', system=None, **streams):
        return self.wait(self.start(self.run_command(*extra, form=form, system=system), **streams), timeout)

    def processes(self):
        """Everything alive that this case started, by its environment."""
        mark = f'TANDEM_TEST_CASE={self.folder}'.encode()
        found = []
        for entry in os.listdir('/proc'):
            if not entry.isdigit():
                continue
            try:
                with open(f'/proc/{entry}/environ', 'rb') as file:
                    if mark in file.read().split(b'\0'):
                        found.append(int(entry))
            except OSError:
                pass  # not ours, or gone
        return found

    # What a run left

    def table(self, form='csv', partial=False, folder=None):
        path = (folder or self.out) / (FILES[form].replace('results.', 'results.partial.') if partial else FILES[form])
        return READERS[form](path)

    def check_rows(self, form='csv', exactly=None, least=0, exchange=False, folder=None, table=None):
        """Whole rows that are right, as many as were finished. Returns their number, -1 where nothing could be read."""
        try:
            table = table or self.table(form, folder=folder)
        except (OSError, ValueError, KeyError, StopIteration) as problem:
            self.check(False, f'{form}: cannot be read: {type(problem).__name__}: {problem}')
            return -1
        if not self.check({'time', 'a.y', 'counter.y'} <= set(table), f'{form}: only the columns {sorted(table)}'):
            return -1
        times = table['time']
        count = len(times)
        if exactly is not None:
            self.check(count == exactly, f'{form}: {count} rows, not {exactly}')
        self.check(count >= least, f'{form}: {count} rows, not at least {least}')
        counted = numpy.arange(count)
        self.check(numpy.array_equal(times, counted * 1.0 / 1000), f'{form}: times are not k / 1000')
        self.check(numpy.array_equal(table['counter.y'], counted), f'{form}: counter.y is not the number of steps')
        right = numpy.allclose(table['a.y'], times, rtol=0, atol=1e-6) if exchange \
            else numpy.array_equal(table['a.y'], counted)
        self.check(right, f'{form}: a.y is wrong')
        return count

    def check_record(self, complete, code=None, reached=None, folder=None):
        path = (folder or self.out) / 'run.json'
        try:
            record = json.loads(path.read_text())
        except (OSError, ValueError) as problem:
            return self.check(False, f'run.json: {problem}')
        outcome = record.get('outcome')
        if not self.check(isinstance(outcome, dict) and 'ended' in outcome, f'run.json: outcome is {outcome}'):
            return None
        claims = str(outcome['ended']).startswith('complete')
        self.check(claims == complete, f"run.json: ended is '{outcome['ended']}'")
        if code is not None:
            self.check(outcome.get('exit') == code, f"run.json: exit {outcome.get('exit')}, not {code}")
        if reached is not None:
            said = outcome.get('reached')
            self.check(isinstance(said, float) and abs(said - reached) < 1.5 * STEP,
                       f'run.json: reached {said}, not {reached}')
        for result in record.get('results', []):
            file = path.parent / result['path']
            if outcome.get('exit') is None and not result['sha256']:  # the run did not end, or not as far as its record
                continue
            if self.check(file.exists(), f'run.json: names {result["path"]}, which is not there'):
                digest = hashlib.sha256(file.read_bytes()).hexdigest()
                self.check(digest == result['sha256'], f'run.json: another hash than that of {result["path"]}')
        return record

    def check_error(self, done, *patterns, codes=(1,), when=None, delta=1e-9):
        """One line that begins with error[, and in it everything a user needs."""
        self.check(done.code in codes, f'code {done.code}, not {"or".join(map(str, codes))}')
        if not self.check(len(done.errors) == 1, f'{len(done.errors)} lines of error[: {done.err[-500:]!r}'):
            return
        line = done.errors[0]
        self.check('error[internal]' not in line, f'an internal error: {line!r}')
        for pattern in patterns:
            self.check(re.search(pattern, line, re.I), f'no /{pattern}/ in {line[:400]!r}')
        if when is not None:
            times = [float(text) for text in re.findall(r'\bt = ([-+]?[\d.]+(?:e[-+]?\d+)?)', line)]
            self.check(any(abs(t - when) <= delta for t in times), f'no t = {when} in {line[:400]!r}')

    def check_clean(self, partial=False, processes=True):
        """Nothing unpacked is left, no half file under its working name, nobody lives on."""
        left = sorted(os.listdir(self.temporary))
        self.check(not left, f'left in TMPDIR: {left}')
        if self.out.is_dir() and not partial:
            half = [name for name in os.listdir(self.out) if 'partial' in name]
            self.check(not half, f'left in the output folder: {half}')
        if processes:
            alive = self.processes()
            for _ in range(20):
                if not alive:
                    break
                time.sleep(0.05)
                alive = self.processes()
            self.check(not alive, f'processes live on: {alive}')


def end_all(processes):
    for process in processes:
        try:
            os.kill(process, signal.SIGKILL)
        except ProcessLookupError:
            pass


def read_csv(path):
    """Every row whole: the file ends behind a row, and no row is short or long."""
    text = pathlib.Path(path).read_text()
    if not text.endswith('\n'):
        raise ValueError(f'{path.name} ends within a row: {text[-80:]!r}')
    rows = list(csv.reader(io.StringIO(text)))
    names = rows[0]
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(names):
            raise ValueError(f'{path.name}:{number} has {len(row)} of {len(names)} fields')
    columns = {name: [row[i] for row in rows[1:]] for i, name in enumerate(names)}
    return {name: numpy.array(column, dtype=float) for name, column in columns.items() if not name.endswith('.text')}


def read_hdf5(path, swmr=False):
    with h5py.File(path, 'r', libver='latest', swmr=True) if swmr else h5py.File(path, 'r') as file:
        names = [name.decode() for name in file['signals/names'][:]]
        values = file['signals/values'][:]
    return {name: values[:, i] for i, name in enumerate(names)}


def read_mat(path):
    content = scipy.io.loadmat(str(path))
    letters = content['name']
    names = [''.join(row[i] for row in letters).rstrip('\0 ') for i in range(len(letters[0]))]
    info = content['dataInfo']
    moving = content['data_2']
    return {name: moving[abs(int(info[1, i])) - 1] for i, name in enumerate(names) if int(info[0, i]) in (0, 2)}


READERS = {'csv': read_csv, 'hdf5': read_hdf5, 'mat': read_mat}


def main(cases, before=None, still_open=None):
    """cases: a list of (name, function of a Place); `before` is one that always runs, alone and first. `still_open` names cases
    that are known to fail, and why: they are shown and do not count."""
    still_open = still_open or {}
    parser = argparse.ArgumentParser(description=sys.modules['__main__'].__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ('tandem', 'fmus', 'test_fmus', 'examples'):
        parser.add_argument(name, type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument('-k', action='append', default=[], metavar='PART')
    parser.add_argument('--list', action='store_true')
    parser.add_argument('--keep', action='store_true')
    parser.add_argument('--jobs', type=int, default=4)  # most of them wait, for signals and limits of time
    options = parser.parse_args()
    options.tandem = str(options.tandem)
    chosen = [case for case in cases if not options.k or any(part in case[0] for part in options.k)]
    if options.list:
        print('\n'.join(name for name, _ in chosen))
        return
    options.scratch = pathlib.Path(tempfile.mkdtemp(prefix='tandem-bad-conditions-'))
    options.cache = options.scratch / 'cache'
    options.cache.mkdir()
    lock = threading.Lock()
    failed, skipped, known = [], [], []

    def attempt(case):
        name, work = case
        place = Place(name, options)
        began = time.monotonic()
        try:
            work(place)
        except Skip as reason:
            skipped.append((name, str(reason)))
        except Exception as problem:  # a case that breaks must not hide the others
            place.check(False, f'{type(problem).__name__}: {problem}')
        end_all(place.processes())
        with lock:
            word = 'ok  ' if not place.wrong else 'open' if name in still_open else 'FAIL'
            print(f'{word} {name} ({time.monotonic() - began:.1f} s)', flush=True)
        if place.wrong:
            (known if name in still_open else failed).append((name, place.wrong))
        if not options.keep:
            for path, folders, _ in os.walk(place.folder):
                os.chmod(path, 0o700)
            shutil.rmtree(place.folder, ignore_errors=True)

    try:
        if before is not None:
            attempt(('healthy', before))
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            list(pool.map(attempt, chosen))
    finally:
        if not options.keep:
            shutil.rmtree(options.scratch, ignore_errors=True)
    print(f'\n{len(chosen)} cases, {len(failed)} failed, {len(known)} still open, {len(skipped)} skipped' +
          (f'; folders are in {options.scratch}' if options.keep else ''))
    for name, reason in skipped:
        print(f'skipped {name}: {reason}')
    for name, _ in sorted(known):
        print(f'open {name}: {still_open[name]}')
    for name, wrong in sorted(failed):
        print(f'{name}')
        for text in wrong:
            print(f'    {text}')
    sys.exit(1 if failed or not chosen else 0)
