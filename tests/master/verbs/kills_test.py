"""kill -9 of the process that watches, of the one that simulates, of both, at moments drawn by chance from a fixed seed, in every
format: what is there opens and is right, the next start in that folder finds it, and cleans up.

usage: kills_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]; TANDEM_LONG=1: 100 moments
"""
import os
import random
import signal
import subprocess
import time

import bad_conditions
from bad_conditions import FILES, LONG, main, read_hdf5

LONG_STOP = 20_000   # seconds of simulated time: far from its end when it is killed
SHORT_STOP = 4       # may be killed while it writes its report
MOST_SECONDS = 10    # until a survivor has ended
BEGUN = 4096         # bytes; a smaller file was killed while it was being made


def kill(process):
    try:
        os.kill(process, signal.SIGKILL)
    except ProcessLookupError:
        pass


def kill_at_once(processes):
    """None of them sees the others die."""
    for way in (signal.SIGSTOP, signal.SIGKILL):
        for process in processes:
            try:
                os.kill(process, way)
            except ProcessLookupError:
                pass


def others(place, process, seconds=2):
    """Processes of the run beside the one that was started; waits for the first."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        found = [one for one in place.processes() if one != process.pid]
        if found:
            return found
        time.sleep(0.002)
    return []


def wait_for_all(place):
    until = time.monotonic() + MOST_SECONDS
    while place.processes() and time.monotonic() < until:
        time.sleep(0.01)
    place.check(not place.processes(), f'a survivor still runs after {MOST_SECONDS} s')


def found_result(place, form):
    """Under its name, or under the one it has while it grows."""
    for name in (FILES[form], FILES[form].replace('results.', 'results.partial.')):
        if (place.out / name).exists():
            return place.out / name
    return None


def check_readable(place, form, path, swmr=False):
    """By others' readers and by ours."""
    try:
        try:
            table = read_hdf5(path, swmr=True) if swmr else bad_conditions.READERS[form](path)
        except OSError as problem:
            if 'not already open for SWMR writing' not in str(problem):
                raise
            table = read_hdf5(path)  # closed, and killed before it got its name
    except Exception as problem:
        place.check(False, f'{path.name} cannot be read: {type(problem).__name__}: {problem}')
        return
    place.check_rows(form, table=table)
    if len(table['time']) == 0:  # killed before the first rows were written: nothing to compare
        return
    done = subprocess.run([place.options.tandem, 'compare', str(path), str(path)], capture_output=True, text=True,
                          timeout=60, env=place.environment, cwd=place.folder)
    place.check(done.returncode == 0, f'our own compare: code {done.returncode}, {(done.stdout + done.stderr)[-300:]!r}')


def next_start(place, form):
    """Cleans up after the dead, and is a run like any other."""
    place.system(stop=0.1)
    place.fault('none')
    done = place.run(form=form)
    place.check(done.code == 0, f'the next start: {done}')
    place.check_rows(form, exactly=101)
    place.check_record(complete=True, code=0)
    place.check_clean()
    if place.out.is_dir():
        for name in sorted(os.listdir(place.out)):
            for kind, usual in FILES.items():
                if name.startswith('results') and name.endswith(os.path.splitext(usual)[1]) and name != FILES[form]:
                    check_readable(place, kind, place.out / name)


def case(form, target, seed):
    def work(place):
        chance = random.Random(seed)
        stop = SHORT_STOP if LONG and seed % 3 == 0 else LONG_STOP
        moment = chance.uniform(0.0, 0.6)
        place.system(stop=stop)
        place.fault('slow')
        process = place.start(place.run_command(form=form))
        time.sleep(moment)
        children = others(place, process)
        if process.poll() is not None and stop == SHORT_STOP:
            done = place.wait(process)
            place.check(done.code == 0, f'ended before it was killed: {done}')
            return next_start(place, form)
        if not place.check(children, 'no second process: nothing is watched') and target == 'child':
            return
        victims = {'child': children, 'parent': [process.pid], 'both': children + [process.pid]}[target]
        chance.shuffle(victims)
        for victim in victims:
            kill(victim)
        done = place.wait(process)
        wait_for_all(place)
        path = found_result(place, form)
        if target == 'child' and children:
            if done.code == 0 and stop == SHORT_STOP:  # it had just ended
                place.check_rows(form, exactly=4001)
                return next_start(place, form)
            place.check_error(done, r'kill')
            if path is not None:
                place.check(path.name == FILES[form], f'left as {path.name}')
                check_readable(place, form, path)
                place.check_record(complete=False, code=1)
            place.check_clean()
        if target == 'parent' and path is not None:
            check_readable(place, form, path)
        begun = path is not None and path.stat().st_size >= BEGUN
        if target == 'both' and begun and form != 'mat':  # which is written anew by the next start
            check_readable(place, form, path, swmr=form == 'hdf5' and 'partial' in path.name)
        record = place.out / 'run.json'
        if target != 'child' and record.exists() and stop != SHORT_STOP:
            place.check_record(complete=False)
        next_start(place, form)
    return work


def beside_a_hang(place):
    """A run whose unit does not come back, and nobody who watches it any more: it ends, and the next start finds what is there."""
    place.system(stop=LONG_STOP)
    place.fault('sleep', 'step', 0.5)
    process = place.start(place.run_command('--unit-timeout', '2'))
    place.check(others(place, process), 'no second process')
    time.sleep(1)
    kill(process.pid)
    place.wait(process)
    wait_for_all(place)
    next_start(place, 'csv')


def rows_are_repaired(form):
    """Both killed after a while: the next start renames what is there, before anything else that it does."""
    def work(place):
        place.system(stop=LONG_STOP)
        place.fault('slow')
        process = place.start(place.run_command(form=form))
        until = time.monotonic() + 10
        while time.monotonic() < until and process.poll() is None:
            path = found_result(place, form)
            if path is not None and path.stat().st_size > 200_000:
                break
            time.sleep(0.05)
        kill_at_once([process.pid, *others(place, process)])
        place.wait(process)
        wait_for_all(place)
        if not place.check(found_result(place, form) is not None, 'no result'):
            return
        # Refused by its own unit before its first step: what the dead run left must be there, whole, under its name.
        place.fault('error', 'initialise', 0)
        done = place.run(form=form)
        place.check(done.code == 1, f'the next start: {done}')
        half = [name for name in os.listdir(place.out) if 'partial' in name]
        place.check(not half, f'left as {half}')
        names = [name for name in os.listdir(place.out) if name.endswith(os.path.splitext(FILES[form])[1])]
        if place.check(names, f'the next start lost the rows: {os.listdir(place.out)}'):
            check_readable(place, form, place.out / names[0])
            table = bad_conditions.READERS[form](place.out / names[0])
            place.check(len(table['time']) > 1000, f'{len(table["time"])} rows')
        place.check_record(complete=False)
        place.check_clean()
    return work


def growing(form):
    """While it is written it has another name, and can be read; MAT files need their end first."""
    def work(place):
        place.system(stop=LONG_STOP)
        place.fault('slow')
        process = place.start(place.run_command(form=form))
        path = place.out / FILES[form].replace('results.', 'results.partial.')
        until = time.monotonic() + 5
        while not path.exists() and time.monotonic() < until and process.poll() is None:
            time.sleep(0.01)
        time.sleep(0.5)
        if place.check(path.exists(), f'no {path.name} in {os.listdir(place.out) if place.out.is_dir() else "no folder"}'):
            place.check(not (place.out / FILES[form]).exists(), f'{FILES[form]} is there before the run has ended')
            if form != 'mat':
                os.killpg(process.pid, signal.SIGSTOP)  # it is read several times, and must not grow in between
                check_readable(place, form, path, swmr=form == 'hdf5')
                os.killpg(process.pid, signal.SIGCONT)
        process.send_signal(signal.SIGINT)
        done = place.wait(process)
        place.check(done.code == 130, str(done))
        place.check_rows(form, least=100)
        place.check_clean()
    return work


def owners(place):
    """A start removes what the dead left in TMPDIR, and nothing of the living, nor of anybody else."""
    place.system(stop=LONG_STOP)
    place.fault('slow')
    dead = place.start(place.run_command())
    others(place, dead)
    time.sleep(0.4)
    kill_at_once([dead.pid, *others(place, dead, 0.1)])
    place.wait(dead)
    wait_for_all(place)
    left = set(os.listdir(place.temporary))
    place.check(left, 'the dead left nothing: the test shows nothing')
    precious = place.folder / 'precious'
    for folder in (place.temporary / 'tandem-notes', place.temporary / 'tandem-AbCd12', precious):
        folder.mkdir()
        (folder / 'notes.txt').write_text('mine')
    (place.temporary / 'tandem-XyZw34').symlink_to(precious)
    (place.temporary / 'tandem-QrSt56').write_text('a file')
    foreign = {'tandem-notes', 'tandem-AbCd12', 'tandem-XyZw34', 'tandem-QrSt56'}

    place.out = place.folder / 'living'
    living = place.start(place.run_command())
    said, began = place.said, place.began
    others(place, living)
    time.sleep(0.4)
    now = set(os.listdir(place.temporary))
    place.check(not left & now, f'left by the dead: {sorted(left & now)}')
    its_own = now - left - foreign
    place.check(its_own, 'the living has nothing in TMPDIR: the test shows nothing')
    place.out = place.folder / 'third'
    place.system(stop=0.1)
    place.fault('none')
    done = place.run()
    place.check(done.code == 0, f'beside a living run: {done}')
    now = set(os.listdir(place.temporary))
    place.check(its_own <= now, f'taken from a living run: {sorted(its_own - now)}')

    living.send_signal(signal.SIGINT)
    place.said, place.began, place.out = said, began, place.folder / 'living'
    done = place.wait(living)
    place.check(done.code == 130, str(done))
    place.check_rows(least=100)
    now = set(os.listdir(place.temporary))
    place.check(now == foreign, f'in TMPDIR: {sorted(now)}, expected only what is not ours')
    for folder in (place.temporary / 'tandem-notes', place.temporary / 'tandem-AbCd12', precious):
        place.check((folder / 'notes.txt').exists(), f'{folder.name}: notes.txt is gone')


def cases():
    combinations = [(form, target) for target in ('child', 'parent', 'both') for form in ('csv', 'hdf5', 'mat')]
    rows = []
    for seed in range(100 if LONG else 9):
        form, target = combinations[seed % 9]
        rows.append((f'{target}-{form}-{seed}', case(form, target, seed)))
    for form in ('csv', 'hdf5', 'mat'):
        rows.append((f'repair-{form}', rows_are_repaired(form)))
        rows.append((f'growing-{form}', growing(form)))
    rows.append(('parent-hang', beside_a_hang))
    rows.append(('owners', owners))
    return rows


def warm_up(place):
    place.system()
    done = place.run()
    place.check(done.code == 0, str(done))
    place.check_rows(exactly=1001)


if __name__ == '__main__':
    main(cases(), before=warm_up)
