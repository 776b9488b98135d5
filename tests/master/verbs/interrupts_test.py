"""Ctrl-C once and twice, SIGTERM and SIGHUP, in every phase of a run, to the whole group as a terminal sends them and to one process
as others do; also where a unit does not listen. Rows are kept, nothing is left, the code is 130.

usage: interrupts_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]; TANDEM_LONG=1: more moments
"""
import os
import random
import signal
import time
import zipfile

from bad_conditions import LONG, main

ENDLESS = 20_000   # seconds of simulated time
KEPT = 501
PATIENCE = 4       # seconds between a signal and the end, on a busy machine


def send(process, way, group):
    try:
        os.killpg(process.pid, way) if group else os.kill(process.pid, way)
    except ProcessLookupError:
        pass


def begin(place, fault, where='step', when=0.5, stop=ENDLESS, form='csv', options=()):
    place.system(stop=stop)
    place.fault(fault, where, when)
    return place.start(place.run_command(*options, form=form))


def wait_until_said(place, process, text, seconds=10):
    """Until the unit has said on stderr what it is about to do."""
    until = time.monotonic() + seconds
    while time.monotonic() < until and process.poll() is None:
        if text in os.pread(place.said[1].fileno(), 1_000_000, 0).decode(errors='replace'):
            return True
        time.sleep(0.01)
    return place.check(False, f'the unit did not say {text!r}')


def ended(place, process, codes=(130,)):
    """In good time after the signal that was just sent, with a code that tells."""
    sent = time.monotonic()
    done = place.wait(process)
    place.check(done.code in codes, str(done))
    place.check(time.monotonic() - sent < PATIENCE, f'ended {time.monotonic() - sent:.1f} s after the signal')
    place.check('error[internal]' not in done.err, done.err[-300:])
    return done


def while_stepping(way, group, form='csv'):
    def work(place):
        process = begin(place, 'slow', form=form)
        wait_until_said(place, process, 'slow')
        time.sleep(0.3)
        send(process, way, group)
        ended(place, process)
        place.check_rows(form, least=KEPT)
        place.check_record(complete=False, code=130)
        place.check_clean()
    return work


def twice(fault, group):
    """The first waits for the step, which does not end; the second does not wait."""
    def work(place):
        process = begin(place, fault)
        wait_until_said(place, process, fault)
        time.sleep(0.2)
        send(process, signal.SIGINT, group)
        time.sleep(0.4)
        place.check(process.poll() is None, 'ended after the first Ctrl-C although the step was not finished')
        send(process, signal.SIGINT, group)
        ended(place, process)
        place.check_rows(exactly=KEPT)
        place.check_record(complete=False, code=130, reached=0.5)
        place.check_clean()
    return work


def once_with_timeout(place):
    """Asked to end, and the unit does not return: its time limit still holds."""
    process = begin(place, 'blocked', options=('--unit-timeout', '1'))
    wait_until_said(place, process, 'blocked')
    send(process, signal.SIGINT, True)
    ended(place, process, codes=(1, 130))
    place.check_rows(exactly=KEPT)
    place.check_record(complete=False)
    place.check_clean()


def own_handlers(place):
    """A unit that takes all signals for itself does not keep the user from ending the run."""
    process = begin(place, 'handlers', stop=ENDLESS)
    wait_until_said(place, process, 'handlers')
    time.sleep(0.2)
    send(process, signal.SIGINT, True)
    ended(place, process)
    place.check_rows(least=KEPT)
    place.check_record(complete=False, code=130)
    place.check_clean()


def phase(where, way, group):
    """While the unit takes its time in some phase; half a second later the run would go on."""
    def work(place):
        process = begin(place, 'pause', where, 0, stop=0.5)
        if where in ('load', 'unload'):
            time.sleep(0.4)
        else:
            wait_until_said(place, process, 'pause')
            time.sleep(0.1)
        send(process, way, group)
        late = where in ('terminate', 'free', 'unload')
        done = ended(place, process, codes=(0, 130) if late else (130,))
        if late:
            place.check_rows(exactly=KEPT)
            place.check((place.out / 'run.json').exists() and (place.out / 'report.html').exists(),
                        'results, record and report were not written before')
        elif (place.out / 'results.csv').exists():
            place.check_rows()
            place.check_record(complete=False, code=done.code)
        place.check_clean()
    return work


def unpacking(group):
    """A large archive, stopped as soon as its folder is there."""
    def work(place):
        unit = place.folder / 'large.fmu'
        with zipfile.ZipFile(place.options.test_fmus / 'misbehaving_fmi2.fmu') as old, zipfile.ZipFile(unit, 'w') as new:
            for name in old.namelist():
                if not name.endswith('/'):
                    new.writestr(name, old.read(name))
            with new.open('resources/large', 'w') as entry:
                for _ in range(200):
                    entry.write(bytes(1 << 20))
        process = place.start(place.run_command(system=unit))
        until = time.monotonic() + 10
        while not any(place.temporary.iterdir()) and process.poll() is None and time.monotonic() < until:
            time.sleep(0.001)
        send(process, signal.SIGINT, group)
        ended(place, process)
        place.check(not (place.out / 'results.csv').exists(), 'it went on to a result')
        place.check_clean()
    return work


def any_moment(seed):
    """Between the start of the program and its end: before there is anything to keep, and after all is kept."""
    def work(place):
        chance = random.Random(seed)
        process = begin(place, 'slow', stop=1.5)
        moment = chance.uniform(0, 0.5)
        time.sleep(moment)
        way = chance.choice((signal.SIGINT, signal.SIGTERM, signal.SIGHUP))
        send(process, way, chance.random() < 0.5)
        done = place.wait(process)
        # Before the program listens the signal itself ends it; nothing may have begun then but to make the folder.
        early = done.code == -way and not (place.out.exists() and any(place.out.glob('[!.]*')))
        place.check(done.code in (0, 130) or early, f'at {moment:.3f} s: {done}')
        if (place.out / 'results.csv').exists():
            count = place.check_rows()
            place.check(done.code != 0 or count == 1501, f'code 0 and {count} rows')
            place.check((place.out / 'run.json').exists(), 'rows without a record')
        place.check_clean()
    return work


def ignored(way):
    """What was ignored at the start stays ignored: nohup, and jobs that a shell has put into the background."""
    def work(place):
        place.system(stop=3)
        place.fault('slow')
        name = way.name.removeprefix('SIG')
        process = place.start(['sh', '-c', f"trap '' {name}; exec \"$@\"", 'sh', *place.run_command()])
        wait_until_said(place, process, 'slow')
        send(process, way, True)
        done = place.wait(process)
        place.check(done.code == 0, str(done))
        place.check_rows(exactly=3001)
        place.check_clean()
    return work


def stopped_and_continued(place):
    """Ctrl-Z and fg: the time in between is nobody's fault."""
    process = begin(place, 'slow', stop=3, options=('--unit-timeout', '1'))
    wait_until_said(place, process, 'slow')
    send(process, signal.SIGSTOP, True)
    time.sleep(1.5)
    send(process, signal.SIGCONT, True)
    done = place.wait(process)
    place.check(done.code == 0, str(done))
    place.check_rows(exactly=3001)
    place.check_clean()


def waiting_is_said(place):
    """Without a time limit the run says after a minute whom it waits for, and goes on."""
    process = begin(place, 'sleep')
    wait_until_said(place, process, 'sleep')
    wait_until_said(place, process, "fmi2DoStep", 70)
    place.check(process.poll() is None, 'it did not wait')
    for _ in range(2):
        send(process, signal.SIGINT, True)
        time.sleep(0.2)
    done = ended(place, process)
    said = [line for line in done.err.splitlines() if "'a'" in line and 'fmi2DoStep' in line]
    place.check(said, f'nothing about the unit that it waits for: {done.err[-300:]!r}')
    place.check_rows(exactly=KEPT)
    place.check_clean()


def cases():
    rows = []
    for way in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        for group in (True, False):
            rows.append((f'step-{way.name}-{"group" if group else "one"}', while_stepping(way, group)))
    rows += [(f'step-SIGINT-group-{form}', while_stepping(signal.SIGINT, True, form)) for form in ('hdf5', 'mat')]
    for fault in ('sleep', 'loop', 'blocked'):
        for group in (True, False):
            rows.append((f'twice-{fault}-{"group" if group else "one"}', twice(fault, group)))
    rows += [('once-with-timeout', once_with_timeout), ('own-handlers', own_handlers)]
    for where in ('load', 'instantiate', 'initialise', 'terminate', 'free', 'unload'):
        rows.append((f'phase-{where}-group', phase(where, signal.SIGINT, True)))
    rows += [('phase-instantiate-SIGTERM', phase('instantiate', signal.SIGTERM, False)),
             ('phase-terminate-SIGTERM', phase('terminate', signal.SIGTERM, False))]
    rows += [('unpacking-group', unpacking(True)), ('unpacking-one', unpacking(False))]
    rows += [(f'moment-{seed}', any_moment(seed)) for seed in range(60 if LONG else 8)]
    rows += [('ignored-SIGHUP', ignored(signal.SIGHUP)), ('ignored-SIGINT', ignored(signal.SIGINT)),
             ('stopped-and-continued', stopped_and_continued)]
    if LONG:
        rows.append(('waiting-is-said', waiting_is_said))
    return rows


def warm_up(place):
    place.system()
    done = place.run()
    place.check(done.code == 0, str(done))
    place.check_rows(exactly=1001)


if __name__ == '__main__':
    main(cases(), before=warm_up)
