"""Result files that somebody replaces while they grow, and disks with room for little more than the rows: nothing is vouched for that
was not written, nothing of somebody else is completed or named, and no row is lost to what is kept free for the record.

usage: replaced_results_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]
"""
import json
import os
import shutil
import subprocess
import time

from bad_conditions import Skip, main

NAMES = {'csv': 'results.csv', 'hdf5': 'results.h5', 'mat': 'results.mat', 'mcap': 'results.mcap'}
STOP = 12  # seconds of simulated time: the slow unit needs more than one for them


def new(file):
    file.unlink()
    file.write_text('hello\n')


def edited(file):
    """As `sed -i` and most editors do: what is there already, in another file."""
    copy = file.with_name('copy')
    shutil.copyfile(file, copy)
    copy.rename(file)


def linked(file):
    kept = file.with_name('kept')
    file.rename(kept)
    file.symlink_to(kept.name)


def folder(file):
    file.unlink()
    file.mkdir()


def removed(file):
    file.unlink()


def replaced(form, act):
    def work(place):
        place.system(stop=STOP)
        place.fault('slow')
        process = place.start(place.run_command(form=form))
        name = NAMES[form]
        partial = place.out / name.replace('results.', 'results.partial.')
        until = time.monotonic() + 10
        while not (partial.exists() and partial.stat().st_size > 0) and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.3)
        act(partial)
        before = partial.read_bytes() if partial.is_file() else None
        place.check(process.poll() is None, 'the run was over: the test shows nothing')
        done = place.wait(process, 60)
        place.check_error(done, r'results\.partial', 'changed while it was written')
        place.check('filesystem error' not in done.err + done.out, f'a raw message: {done.err[-400:]!r}')
        place.check(not os.path.lexists(place.out / name), f'{name} is there, and is not what was written')
        if act is not linked:
            place.check((partial.read_bytes() if partial.is_file() else None) == before, 'what is not ours was changed')
        record = json.loads((place.out / 'run.json').read_text())
        place.check(record['outcome']['exit'] == 1, f"run.json: exit {record['outcome']['exit']}")
        place.check(not record['outcome']['ended'].startswith('complete'), f"run.json: {record['outcome']['ended']}")
        place.check(not any(result['sha256'] for result in record['results']), f"run.json vouches for {record['results']}")
        place.check((place.out / 'report.html').exists(), 'there is no report')
        if act is folder:
            return
        # The next run takes nothing of it for its own.
        place.fault('none')
        place.system()
        done = place.run(form=form)
        place.check(done.code == 0, f'the next run: {done}')
        place.check_clean()
    return work


def little_room(kilobytes):
    """Rows of 6 kB in all: most of the disk is free for them."""
    def work(place):
        place.system(stop=0.3)
        place.out.mkdir()
        if subprocess.run(['unshare', '-m', 'mount', '-t', 'tmpfs', 'none', place.out], capture_output=True).returncode != 0:
            raise Skip('mounts of its own (unshare -m) are not permitted here')
        kept = place.folder / 'kept'
        script = (f'mount -t tmpfs -o size={kilobytes}k none {place.out} || exit 9; "$@"; code=$?; cp -r {place.out} {kept}; '
                  'exit $code')
        done = place.wait(place.start(['unshare', '-m', '--propagation', 'private', 'bash', '-c', script, 'bash',
                                       *place.run_command('--long')]))
        place.check(done.code == 0, str(done))  # there is no room for the report, which is a warning
        place.check('filesystem error' not in done.err + done.out, f'a raw message: {done.err[-400:]!r}')
        place.out = kept
        place.check_rows(exactly=301)
        place.check_record(complete=True)
        place.check_clean()
    return work


def cases():
    rows = [(f'{act.__name__}-{form}', replaced(form, act)) for form in NAMES for act in (new, edited, linked)]
    rows += [(f'{act.__name__}-{form}', replaced(form, act)) for form in ('csv', 'mat') for act in (folder, removed)]
    rows += [(f'little-room-{kilobytes}', little_room(kilobytes)) for kilobytes in (76, 80)]
    return rows


if __name__ == '__main__':
    main(cases())
