"""Streams and disks that fail: full, closed, read-only, too small, in use, or with files in them that are not ours. One message with
the true cause, exit code 1 (2 where the run is refused before it begins), whole rows, files that open.

usage: output_faults_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]
"""
import itertools
import os
import re
import shlex
import signal
import stat
import subprocess
import time

from bad_conditions import FILES, Skip, main

ALL = 1001
FORMS = ('csv', 'hdf5', 'mat')
MANY = 500            # seconds of simulated time: 500 000 rows, more than any limit below
FULL = r'no space|full'


def complete(place, form='csv', exactly=ALL):
    place.check_rows(form, exactly=exactly)
    place.check_record(complete=True)
    place.check_clean()


# Streams

def full_stdout(form):
    def work(place):
        place.system()
        with open('/dev/full', 'w') as full:
            done = place.run(form=form, stdout=full)
        place.check_error(done, r'stdout|standard output', FULL)
        complete(place, form)
    return work


def full_stderr(place):
    """What cannot be said is not said; the code tells."""
    place.system()
    with open('/dev/full', 'w') as full:
        done = place.run(stderr=full)
        place.check(done.code == 0, f'healthy: {done}')
        complete(place)
        place.fault('error')
        done = place.run(stderr=full)
    place.check(done.code == 1, f'failed: {done}')
    place.check_rows(exactly=501)
    place.check_record(complete=False, code=1)
    place.check_clean()


def full_both(place):
    place.system()
    with open('/dev/full', 'w') as full:
        done = place.run(stdout=full, stderr=full)
    place.check(done.code == 1, str(done))
    complete(place)


def closed(missing, form='csv'):
    """A unit that writes to stdout must not write into the file that got the free number."""
    def work(place):
        place.system()
        place.fault('garbage')
        redirections = ' '.join(f'{number}{"<" if number == 0 else ">"}&-' for number in missing)
        command = ['sh', '-c', f'exec "$@" {redirections}', 'sh', *place.run_command(form=form)]
        done = place.wait(place.start(command))
        place.check(done.code == 0 and not done.errors, str(done))
        complete(place, form)
    return work


def closed_and_failing(place):
    """An error without a stderr goes nowhere, but not into a result."""
    place.system()
    place.fault('error')
    done = place.wait(place.start(['sh', '-c', 'exec "$@" <&- >&- 2>&-', 'sh', *place.run_command()]))
    place.check(done.code == 1, str(done))
    place.check_rows(exactly=501)
    place.check_record(complete=False, code=1)
    place.check_clean()


def ended_pipe(which, form='csv'):
    def work(place):
        place.system()
        reader, writer = os.pipe()
        os.close(reader)
        done = place.run(form=form, **{which: writer})
        os.close(writer)
        if which == 'stdout':
            place.check_error(done, r'stdout|standard output', r'pipe')
        else:
            place.check(done.code == 0, f'nothing was to be said: {done}')
        complete(place, form)
    return work


def head(place):
    place.system()
    command = ' '.join(shlex.quote(part) for part in place.run_command())
    done = place.wait(place.start(['bash', '-c', f'set -o pipefail; {command} | head -1']))
    place.check(done.code in (0, 1), str(done))  # 0 where all was written before head ended
    place.check(len(done.errors) == done.code, f'{done.errors}')
    place.check(done.out == 'zoo: complete\n', f'{done.out!r}')
    complete(place)


def full_log(place):
    place.system()
    place.fault('message')
    done = place.run('--log', '/dev/full')
    place.check_error(done, '/dev/full', FULL)
    place.check_rows(exactly=ALL)
    place.check_clean()


# Disks

def in_own_mounts(place, prepare, command):
    """Runs the command with mounts that only it sees; what is in the output folder is copied out of them afterwards."""
    place.out.mkdir(exist_ok=True)
    kept = place.folder / 'kept'
    script = (f'set -e; {prepare}; set +e; "$@"; code=$?; '
              f'cp -r {place.out} {kept}; ls -A {place.temporary} >{place.folder}/left; exit $code')
    if subprocess.run(['unshare', '-m', 'mount', '-t', 'tmpfs', 'none', place.out], capture_output=True).returncode != 0:
        raise Skip('mounts of its own (unshare -m) are not permitted here')
    done = place.wait(place.start(['unshare', '-m', '--propagation', 'private', 'bash', '-c', script, 'bash', *command]),
                      timeout=60)
    left = (place.folder / 'left').read_text().split()
    place.check(not left, f'left in TMPDIR: {left}')
    place.out = kept
    return done


def asked_for(place, form):
    """The command of a run that is too long for the disk; --long where the program has it and therefore asks for it."""
    known = subprocess.run([place.options.tandem, 'run', '--help'], capture_output=True, text=True).stdout
    return place.run_command(*(['--long'] if '--long' in known else []), form=form)


def torn(place, done, form, pattern, least=1000):
    place.check_error(done, pattern, r'results|/o\b')
    count = place.check_rows(form, least=least)
    place.check(count < 1000 * MANY, 'all rows fit: the test shows nothing')
    if (place.out / 'run.json').exists() and (place.out / 'run.json').stat().st_size:  # there may be no room for it
        place.check_record(complete=False, code=1)
    place.check_clean()


def small_disk(form):
    def work(place):
        place.system(stop=MANY)
        done = in_own_mounts(place, f'mount -t tmpfs -o size=3m none {place.out}', asked_for(place, form))
        torn(place, done, form, FULL)
    return work


def size_limit(form):
    def work(place):
        place.system(stop=MANY)
        command = asked_for(place, form)
        done = place.wait(place.start(['bash', '-c', 'ulimit -f 2000; exec "$@"', 'bash', *command]), timeout=60)
        torn(place, done, form, r'too large|limit')
    return work


def tight_size_limit(kilobytes, least):
    """Room for little more than what an HDF5 file needs before its first row."""
    def work(place):
        place.system(stop=MANY)
        command = asked_for(place, 'hdf5')
        done = place.wait(place.start(['bash', '-c', f'ulimit -f {kilobytes}; exec "$@"', 'bash', *command]), timeout=60)
        torn(place, done, 'hdf5', r'too large|limit', least)
        if (place.out / 'results.h5').exists():
            place.check((place.out / 'results.h5').stat().st_size <= 1024 * kilobytes, 'more than the limit')
    return work


def small_temporary(place):
    """Nothing can be unpacked."""
    place.system()
    done = in_own_mounts(place, f'mount -t tmpfs -o size=16k none {place.temporary}', place.run_command())
    place.check_error(done, FULL)


def no_temporary(place):
    place.system()
    place.environment['TMPDIR'] = str(place.folder / 'absent')
    done = place.run()
    place.check_error(done, 'TMPDIR|absent')


def read_only(form):
    def work(place):
        place.system(stop=MANY)
        if os.geteuid() == 0:
            done = in_own_mounts(place, f'mount -t tmpfs none {place.out}; mount -o remount,ro {place.out}',
                                 asked_for(place, form))
        else:
            place.out.mkdir(mode=0o500)
            done = place.run(form=form)
        place.check_error(done, r'read-only|permission denied', r'/o\b')
        place.check(done.seconds < 5, f'found only after {done.seconds:.1f} s')
    return work


def out_is_a_file(place):
    place.system()
    place.out.write_text('a file\n')
    done = place.run()
    place.check_error(done, r'/o\b', codes=(1, 2))
    place.check(place.out.read_text() == 'a file\n', 'it was changed')
    place.check_clean()


# Folders with something in them

def two_runs(form):
    def work(place):
        place.system(stop=MANY)
        place.fault('slow')
        first = place.start(place.run_command(form=form))
        said, began = place.said, place.began
        until = time.monotonic() + 5
        while not (place.out.is_dir() and any('results' in name for name in os.listdir(place.out))):
            if not place.check(time.monotonic() < until, 'no result after 5 s'):
                break
            time.sleep(0.01)
        time.sleep(0.1)
        place.fault('none')
        second = place.run(form=form)
        place.check_error(second, r'/o\b', r'another|other|lock|in use|running|already', codes=(1, 2))
        place.check(first.poll() is None, 'the first run ended')
        first.send_signal(signal.SIGINT)
        place.said, place.began = said, began
        done = place.wait(first)
        place.check(done.code == 130, f'the first run: {done}')
        place.check_rows(form, least=100)
        place.check_record(complete=False, code=130)
        place.check_clean()
    return work


def input_inside(place):
    """A former result drives the next run; it must not be replaced while it is read, nor after."""
    unit = place.options.test_fmus / 'misbehaving_fmi2.fmu'
    done = place.run(system=unit)  # the folder's record names results.csv
    place.check(done.code == 0, str(done))
    for name in ('results.csv', 'measured.csv'):
        (place.out / name).write_text('time,u\n0,0\n1,1\n')
    for extra in ((), ('--overwrite',)):
        done = place.run('--input', place.out / 'results.csv', *extra, system=unit)
        place.check_error(done, r'results\.csv', codes=(1, 2))
        place.check((place.out / 'results.csv').read_text() == 'time,u\n0,0\n1,1\n', f'{extra}: the input was overwritten')
    done = place.run('--input', place.out / 'measured.csv', system=unit)
    place.check((place.out / 'measured.csv').read_text() == 'time,u\n0,0\n1,1\n', 'measured.csv was changed')
    place.check_clean()


def named_outputs(place):
    """What an option names to be written is never something that is read, nor a file of the run itself."""
    place.system()
    unit = place.folder / 'unit.fmu'
    unit.write_bytes((place.options.test_fmus / 'misbehaving_fmi2.fmu').read_bytes())
    table = place.folder / 'table.csv'
    table.write_text('time,u\n0,0\n1,1\n')
    kept = {path: path.read_bytes() for path in (place.folder / 'zoo.ssd', unit, table)}
    tandem = place.options.tandem
    for option in ('--log', '--can-log', '--trace'):
        for path in kept:
            place.check_error(place.run(option, path), re.escape(path.name), codes=(2,))
    for command in (['check', unit, '--against', unit, '--junit', unit], ['compare', table, table, '--html', table],
                    ['pack', unit, '--machine', table, '-o', table]):
        place.check_error(place.wait(place.start([tandem, *command]), 20), 'unit.fmu|table.csv', codes=(2,))
    for option, name in (('--log', 'results.csv'), ('--can-log', 'results.csv'), ('--trace', 'report.html')):
        place.check_error(place.run(option, place.out / name), re.escape(name), codes=(2,))
    for path, content in kept.items():
        place.check(path.read_bytes() == content, f'{path.name} was changed')
    place.check_clean()


BEGINNINGS = {'compare': b'<!doctype html>', 'check': b'<?xml', 'pack': b'PK'}  # of what these verbs write


def writer_of_files(place):
    """A call of a verb that writes the file it is told."""
    table = place.folder / 'table.csv'
    table.write_text('time,u\n0,0\n1,1\n')
    unit = place.options.test_fmus / 'misbehaving_fmi2.fmu'
    packed = place.folder / 'packed'
    packed.mkdir()
    (packed / 'unit.fmu').write_bytes(unit.read_bytes())
    (packed / 'SystemStructure.ssd').write_text(
        '<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="p">'
        '<System name="p"><Elements><Component name="a" source="unit.fmu"/></Elements></System></SystemStructureDescription>\n')
    commands = {'compare': ['compare', table, table, '--html'], 'check': ['check', unit, '--against', unit, '--junit'],
                'pack': ['pack', packed, '-o']}
    return lambda verb, target: place.wait(place.start([place.options.tandem, *commands[verb], target]))


def pipes(place):
    """A pipe in the name that an option gives is written, and stays one."""
    call = writer_of_files(place)
    for verb, beginning in BEGINNINGS.items():
        pipe = place.folder / f'{verb}.pipe'
        os.mkfifo(pipe)
        with open(place.folder / f'{verb}.read', 'wb') as read:
            reader = subprocess.Popen(['cat', pipe], stdout=read)
        done = call(verb, pipe)
        place.check(done.code == 0, f'{verb} into a pipe: {done}')
        if place.check(stat.S_ISFIFO(pipe.lstat().st_mode), f'{verb} replaced the pipe') and done.code == 0:
            reader.wait()
        reader.kill()
        reader.wait()
        read = (place.folder / f'{verb}.read').read_bytes()
        place.check(read.startswith(beginning), f'{verb} into a pipe: {read[:40]}')
        left = [name for name in os.listdir(place.folder) if name.startswith('.')]
        place.check(not left, f'{verb} left {left}')
        folder = place.folder / f'{verb}.folder'
        folder.mkdir()
        place.check_error(call(verb, folder), 'folder', 'directory')
    place.check_clean()


def devices(place):
    place.system()
    call = writer_of_files(place)
    for verb in BEGINNINGS:
        null, full = device(place, f'{verb}.null', NULL), device(place, f'{verb}.full', FULL_DEVICE)
        place.check(call(verb, null).code == 0, f'{verb} into a device')
        place.check_error(call(verb, full), FULL)
        for path in (null, full):
            place.check(stat.S_ISCHR(path.lstat().st_mode), f'{verb} replaced the device {path.name}')
    null = device(place, 'both.null', NULL)
    done = place.run('--log', null, '--trace', null)
    place.check(done.code == 0, f'a device for two outputs: {done}')
    place.check_clean()


NULL, FULL_DEVICE = (1, 3), (1, 7)  # numbers of devices under Linux


def device(place, name, number):
    path = place.folder / name
    try:
        os.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(*number))
        path.open('wb').close()
    except OSError as problem:
        raise Skip(f'devices of its own are not permitted here: {problem}') from None
    return path


def no_regular_result(place):
    """What has the name of a result and is no file is neither read nor removed."""
    place.system()
    place.out.mkdir()
    for name in ('results.csv', 'results.partial.csv', 'run.json', 'report.html'):
        for make, kind in ((os.mkfifo, stat.S_ISFIFO), (os.mkdir, stat.S_ISDIR)):
            path = place.out / name
            make(path)
            for extra in ((), ('--overwrite',)):
                done = place.run(*extra)
                place.check_error(done, re.escape(name), 'no regular file', codes=(2,))
            if place.check(path.exists() and kind(path.lstat().st_mode), f'{name} was removed'):
                os.rmdir(path) if kind is stat.S_ISDIR else path.unlink()
    place.check_clean()


def one_file_for_two(place):
    """Two options that name one file, by whatever name."""
    place.system()
    (place.folder / 'there').write_text('kept\n')
    os.link(place.folder / 'there', place.folder / 'hard')
    (place.folder / 'soft').symlink_to('there')
    (place.folder / 'ahead').symlink_to('new')
    pairs = [('there', 'there'), ('there', 'hard'), ('soft', 'there'), ('new', 'new'), ('new', './new'), ('ahead', 'new')]
    for one, other in pairs:
        for first, second in itertools.permutations(('--log', '--trace', '--can-log'), 2):
            done = place.run(first, place.folder / one, second, place.folder / other)
            place.check_error(done, first, second, 'both write', codes=(2,))
    place.check_error(place.run('--can-log', place.folder / 'a.asc', '--log', place.folder / 'a.partial.asc'), 'both write', codes=(2,))
    # A file that is read, under a name that does not tell.
    os.link(place.folder / 'zoo.ssd', place.folder / 'zoo.txt')
    before = (place.folder / 'zoo.ssd').read_bytes()
    place.check_error(place.run('--log', place.folder / 'zoo.txt'), 'zoo.txt', 'reads', codes=(2,))
    place.check((place.folder / 'zoo.ssd').read_bytes() == before, 'the system was overwritten')
    place.check((place.folder / 'there').read_text() == 'kept\n', 'it was written')
    place.check(not (place.folder / 'new').exists(), 'a file was made')
    place.check_clean()


def foreign(name):
    """A file that no run.json of that folder names."""
    def work(place):
        place.system()
        place.out.mkdir()
        (place.out / name).write_text('of somebody else\n')
        done = place.run()
        place.check_error(done, name.replace('.', r'\.'), '--overwrite', codes=(1, 2))
        place.check((place.out / name).exists() and (place.out / name).read_text() == 'of somebody else\n',
                    'it was replaced')
        done = place.run('--overwrite')
        place.check(done.code == 0, f'--overwrite: {done}')
        complete(place)
        place.check((place.out / name).exists() and (place.out / name).read_text() != 'of somebody else\n',
                    '--overwrite did not replace it')
    return work


def own_files(place):
    """What an earlier run wrote is replaced without a question, in whatever format; what is not ours and not in the way
    stays."""
    place.system()
    place.out.mkdir()
    (place.out / 'notes.txt').write_text('mine\n')
    for form in FORMS:
        done = place.run(form=form)
        place.check(done.code == 0, f'{form}: {done}')
        complete(place, form)
        stale = [FILES[other] for other in FORMS if other != form and (place.out / FILES[other]).exists()]
        place.check(not stale, f'{form}: left of an earlier run: {stale}')
    place.check((place.out / 'notes.txt').read_text() == 'mine\n', 'notes.txt was changed')


def linked(place):
    """A link in the place of a result leads nobody's file into the run."""
    place.system()
    place.out.mkdir()
    precious = place.folder / 'precious'
    precious.write_text('precious\n')
    for name in ('results.csv', 'results.partial.csv', 'run.json', 'report.html'):
        (place.out / name).symlink_to(precious)
    for extra in ((), ('--overwrite',)):
        place.run(*extra)
        place.check(precious.read_text() == 'precious\n', f'{extra}: written through a link')
    place.check(not place.processes(), 'processes live on')


def cases():
    rows = [(f'full-stdout-{form}', full_stdout(form)) for form in FORMS]
    rows += [('full-stderr', full_stderr), ('full-both', full_both), ('full-log', full_log), ('head', head),
             ('closed-and-failing', closed_and_failing)]
    for count in (1, 2, 3):
        for missing in itertools.combinations(range(3), count):
            rows.append((f'closed-{"".join(map(str, missing))}', closed(missing)))
    rows += [(f'closed-012-{form}', closed((0, 1, 2), form)) for form in FORMS[1:]]
    rows += [(f'pipe-stdout-{form}', ended_pipe('stdout', form)) for form in FORMS]
    rows += [('pipe-stderr', ended_pipe('stderr'))]
    for name, make in (('disk', small_disk), ('size-limit', size_limit), ('read-only', read_only), ('two-runs', two_runs)):
        rows += [(f'{name}-{form}', make(form)) for form in FORMS]
    # Rows of 32 bytes and 8 for an exact integer, in chunks of 1024; a text needs 80 kB for its first value.
    rows += [(f'tight-size-limit-{kilobytes}', tight_size_limit(kilobytes, least))
             for kilobytes, least in ((200, 1024), (300, 3072), (400, 5120))]
    rows += [('small-temporary', small_temporary), ('no-temporary', no_temporary), ('out-is-a-file', out_is_a_file),
             ('input-inside', input_inside), ('named-outputs', named_outputs), ('own-files', own_files), ('linked', linked),
             ('pipes', pipes), ('devices', devices), ('no-regular-result', no_regular_result), ('one-file-for-two', one_file_for_two)]
    rows += [(f'foreign-{name}', foreign(name)) for name in ('results.csv', 'run.json', 'report.html')]
    return rows


def warm_up(place):
    place.system()
    done = place.run()
    place.check(done.code == 0, str(done))
    complete(place)


if __name__ == '__main__':
    main(cases(), before=warm_up)
