"""Faulty units: whatever one does, and wherever, the user gets one message that names it, the right exit code, every row of finished
steps, a run.json that is honest about it, and nothing is left behind.

usage: zoo_test.py TANDEM FMUS TEST_FMUS EXAMPLES [-k PART ...] [--list] [--keep]
"""
import re
import shutil
import signal
import subprocess

from bad_conditions import Skip, main

WHEN = 0.5
KEPT = 501         # rows 0 ... 0.5
ALL = 1001
TIMEOUT = ('--unit-timeout', '1')
ANNOUNCED = r'about to do it'  # the last message of the unit

CAUSES = {
    'segfault': r'segmentation fault|SIGSEGV', 'bus': r'bus error|SIGBUS', 'abort': r'abort', 'exit': r'\bexit',
    '_exit': r'exit', 'pthread_exit': r'pthread_exit|its thread|the thread', 'recursion': r'stack|segmentation fault',
    'heap': r'abort|heap|memory', 'memory': r'memory', 'division': r'divi|arithmetic|floating.point|SIGFPE',
    'kill': r'kill', 'throw': r'exception|thrown|terminate|abort', 'terminate': r'terminate|abort',
    'own_handler': r'exit|segmentation fault', 'exec': r'exit', 'quick_exit': r'exit', 'alarm': r'alarm'}
HANGS = r'return|timeout|time-out|time limit|waited'
STATUSES = {'error': r'error', 'fatal': r'fatal', 'invalid': r'77|status'}
CALLS = {('fmi2', 'step'): 'fmi2DoStep', ('fmi3', 'step'): 'fmi3DoStep', ('me', 'step'): 'fmi2GetDerivatives',
         ('fmi2', 'thread'): 'fmi2DoStep', ('fmi3', 'thread'): 'fmi3DoStep',
         ('me', 'completed'): 'fmi2CompletedIntegratorStep',
         ('fmi2', 'get'): r'fmi2(GetReal|DoStep)', ('fmi3', 'get'): r'fmi3(GetFloat64|DoStep)',
         ('fmi2', 'instantiate'): 'fmi2Instantiate', ('fmi3', 'instantiate'): 'fmi3InstantiateCoSimulation',
         ('fmi2', 'initialise'): 'fmi2ExitInitializationMode', ('fmi3', 'initialise'): 'fmi3ExitInitializationMode',
         ('fmi2', 'terminate'): 'fmi2Terminate', ('fmi3', 'terminate'): 'fmi3Terminate',
         ('fmi2', 'free'): 'fmi2FreeInstance', ('fmi3', 'free'): 'fmi3FreeInstance'}


LOCALE = ('comment_char %\nescape_char /\nLC_NUMERIC\ndecimal_point "<U002C>"\nthousands_sep ""\ngrouping -1\nEND LC_NUMERIC\n'
          + ''.join(f'{name}\ncopy "POSIX"\nEND {name}\n' for name in (
              'LC_CTYPE', 'LC_COLLATE', 'LC_MONETARY', 'LC_TIME', 'LC_MESSAGES', 'LC_PAPER', 'LC_NAME', 'LC_ADDRESS',
              'LC_TELEPHONE', 'LC_MEASUREMENT', 'LC_IDENTIFICATION')))


def faulty(place, interface, fault, where, form, *options):
    place.system(interface)
    place.fault(fault, where, WHEN if where in ('step', 'thread', 'get', 'completed') else 0)
    return place.run(*options, form=form)


def dies(interface, fault, where='step', form='csv', hangs=False, options=()):
    """In a step: an error with unit, time, call, cause and last message; every row before that step is there."""
    def work(place):
        done = faulty(place, interface, fault, where, form, *(TIMEOUT if hangs else ()), *options)
        cause = HANGS if hangs else CAUSES[fault]
        said = [] if fault == 'memory' else [ANNOUNCED]  # which a unit out of memory may be unable to say
        place.check_error(done, "'a'", cause, CALLS[interface, where], *said, when=WHEN,
                          delta=2e-3 if interface == 'me' or where == 'get' else 1e-9)
        if interface == 'me' or where == 'get':  # called on the way to the row at 0.5, or behind it
            count = place.check_rows(form, least=KEPT - 1, exchange=interface == 'me')
            place.check(count <= KEPT, f'{count} rows')
        else:
            place.check_rows(form, exactly=KEPT)
        place.check_record(complete=False, code=1, reached=WHEN)
        place.check_clean()
        place.check(done.seconds < 10, f'took {done.seconds:.1f} s')
    return work


def dies_early(interface, fault, where, hangs=False):
    """Before the first step: an error with unit, call and cause; no result to be taken for one."""
    def work(place):
        if where == 'load-unknown':
            place.environment['XDG_CACHE_HOME'] = str(place.folder / 'cache')
        done = faulty(place, interface, fault, 'load' if where.startswith('load') else where, 'csv',
                      *(TIMEOUT if hangs else ()))
        cause = HANGS if hangs else CAUSES.get(fault, STATUSES.get(fault))
        if where.startswith('load'):
            place.check_error(done, r"'a'|faulty_", cause, codes=(1, 2))
        elif where == 'instantiate' and fault in STATUSES:
            place.check_error(done, "'a'", CALLS[interface, where], codes=(1, 2))
        else:
            place.check_error(done, "'a'", cause, CALLS[interface, where], ANNOUNCED)
        if done.code == 1:  # a run that was begun, and failed before its first row
            record = place.check_record(complete=False, code=1, reached=0.0)
            said = place.check(record is not None and record['outcome']['points'] == 0, 'points in run.json') and \
                record['outcome']['ended']
            place.check(re.search(cause or '', str(said), re.I), f'no /{cause}/ in run.json: {said!r}')
        if (place.out / 'results.csv').exists():
            place.check_rows()
        place.check_clean()
        place.check(done.seconds < 10, f'took {done.seconds:.1f} s')
    return work


def dies_late(interface, fault, where, form='csv', hangs=False, code=None):
    """After the last step nothing can be lost: all is written before, and the message says so."""
    def work(place):
        done = faulty(place, interface, fault, where, form, *(TIMEOUT if hangs else ()))
        lines = [line for line in done.err.splitlines() if line.startswith(('error', 'warning'))]
        told = [line for line in lines if "'a'" in line and re.search('complete|kept|written|lost', line)]
        place.check(len(told) == 1, f"no line about 'a' and that all is written: {done.err[-400:]!r}")
        expected = 1 if told and told[0].startswith('error') else 0
        place.check(done.code == (expected if code is None else code), f'code {done.code} with {told}')
        place.check_rows(form, exactly=ALL)
        place.check_record(complete=True, reached=1.0)
        place.check((place.out / 'report.html').exists(), 'no report')
        place.check_clean()
        place.check(done.seconds < 10, f'took {done.seconds:.1f} s')
    return work


def warned_at_the_end(place):
    """A status Warning of the last call is told, counts with --strict, and run.json has the exit code of the program."""
    for options, code in (((), 0), (('--strict',), 3)):
        done = faulty(place, 'fmi2', 'warning', 'terminate', 'csv', *options, '--overwrite')
        place.check(done.code == code and 'fmi2Terminate returned warning' in done.err, str(done))
        place.check_record(complete=True, code=code, reached=1.0)


def harmless(interface, fault, where='step', form='csv', also=None, processes=True):
    """The run goes on as if nothing had happened."""
    def work(place):
        if fault == 'locale':
            place.environment['LOCPATH'] = decimal_commas(place)
        done = faulty(place, interface, fault, where, form)
        place.check(done.code == 0 and not done.errors, str(done))
        place.check_rows(form, exactly=ALL)
        place.check_record(complete=True, code=0, reached=1.0)
        place.check((place.out / 'report.html').exists(), 'no report')
        if also:
            also(place, done)
        place.check_clean(processes=processes)
        place.check(done.seconds < 10, f'took {done.seconds:.1f} s')
    return work


def report_is_readable(place, _done):
    place.check((place.out / 'report.html').stat().st_mode & 0o444 != 0, 'nobody may read the report')


def blames(interface, fault, call):
    """What a unit handed over by pointer cannot be read."""
    def work(place):
        done = faulty(place, interface, fault, 'step', 'csv')
        place.check_error(done, "'a'", 'segmentation fault', call)
        place.check_rows(least=KEPT - 1)
        place.check_clean()
    return work


def says_what_is_gone(fault, form, pattern):
    """A unit cut the file that its process writes to, or took its name: nobody has those rows any more."""
    def work(place):
        done = faulty(place, 'fmi2', fault, 'step', form)
        place.check_error(done, 'results', pattern)
        place.check(not (place.out / 'results.csv').exists() or fault == 'cut', 'a result')
        place.check_clean(partial=True)
    return work


def honest(interface, fault, where='step', form='csv', codes=(0, 1), least=KEPT):
    """Either nothing was lost, or the run says that it failed; rows are right up to there."""
    def work(place):
        done = faulty(place, interface, fault, where, form)
        place.check(done.code in codes, str(done))
        if done.code == 0:
            place.check(not done.errors, f'an error and code 0: {done.errors}')
            place.check_rows(form, exactly=ALL)
        else:
            place.check(done.code == 130 or len(done.errors) == 1, f'{len(done.errors)} errors: {done.err[-400:]!r}')
            place.check_rows(form, least=least)
        place.check_record(complete=done.code == 0, code=done.code)
        place.check_clean()
    return work


def refuses(interface, fault, where='step'):
    """A status that says it: error, fatal, or none at all that is known."""
    def work(place):
        done = faulty(place, interface, fault, where, 'csv')
        place.check_error(done, "'a'", STATUSES[fault], CALLS[interface, where], when=WHEN)
        place.check_rows(exactly=KEPT)
        place.check_record(complete=False, code=1, reached=WHEN)
        place.check_clean()
    return work


def bad_value(interface, fault, pattern):
    def work(place):
        done = faulty(place, interface, fault, 'step', 'csv')
        place.check_error(done, r"'a'|a\.y|'y' of 'a'", r"\by\b", pattern, when=WHEN, delta=1.5e-3)
        place.check(not any("'counter'" in line for line in done.errors), f'blamed on its receiver: {done.errors}')
        place.check_rows(exactly=KEPT)
        place.check_record(complete=False, code=1, reached=WHEN)
        place.check_clean()
    return work


def warned(interface, fault, pattern, where='step', counted=None, options=()):
    """The run goes on, and says once what was odd: when it happens, and in the summary. --strict makes it exit code 3."""
    def work(place):
        done = faulty(place, interface, fault, where, 'csv', *options)
        place.check(done.code == 0 and not done.errors, str(done))
        place.check_rows(exactly=ALL, exchange=interface == 'me')
        told = [line for line in done.err.splitlines() if re.match(r'(fmu )?warning: ', line) and re.search(pattern, line)]
        place.check(len(told) == 1, f'{len(told)} warnings with /{pattern}/: {done.err[-500:]!r}')
        when = re.search(r"'a' at t = ([\d.]+): ", told[0] if told else '')  # a solver looks ahead of the point
        place.check(when and abs(float(when[1]) - WHEN) < 1.5e-3, f'unit and time in {told}')
        summary = [line for line in done.out.splitlines() if line.startswith('  warning ') and
                   re.search(counted or pattern, line)]
        place.check(len(summary) == 1, f'/{counted or pattern}/ in the summary: {done.out[-600:]!r}')
        record = place.check_record(complete=True, code=0, reached=1.0) or {}
        place.check(any(re.search(counted or pattern, finding['text']) for finding in record.get('findings', [])),
                    'not in run.json')
        place.check_clean()
        strict = place.run('--strict', '--quiet', *options)
        place.check(strict.code == 3 and strict.errors, f'--strict: {strict}')
        place.check_rows(exactly=ALL, exchange=interface == 'me')
    return work


def refuses_to_be_read(interface):
    """A local that a unit does not give is left out of --record '*', by name; everything else is there."""
    def work(place):
        done = faulty(place, interface, 'none', 'step', 'csv', '--record', '*')
        place.check(done.code == 0, str(done))
        told = [line for line in done.err.splitlines() if line.startswith('warning: ') and "'secret'" in line]
        place.check(len(told) == 1 and "unit 'a'" in told[0], f'{told} in {done.err[-500:]!r}')
        place.check_rows(exactly=ALL)
        columns = set(place.table())
        place.check({'a.y', 'a.mode'} <= columns and 'a.secret' not in columns, f'columns {sorted(columns)}')
        place.check_clean()
    return work


def takes_an_item(place):
    """A unit without inputs: there is no transfer to them whose items could be mistaken for those of a parameter."""
    done = faulty(place, 'fmi3', 'none', 'step', 'csv', '--set', 'a.gear=3', '--record', 'a.*', 'counter.y')
    place.check(done.code == 0, str(done))
    place.check(set(place.table().get('a.gear', ())) == {3.0}, 'the parameter was not set')


def keeps_the_earlier_run(place):
    """A crash before the first step is not told of the results of another run that are still there."""
    place.system()
    place.check(place.run().code == 0, 'the first run')
    before = (place.out / 'run.json').read_bytes()
    place.fault('segfault', 'initialise', 0)
    done = place.run()
    place.check_error(done, "'a'", CAUSES['segfault'])
    place.check((place.out / 'run.json').read_bytes() == before, 'run.json of the first run was changed')
    place.check_rows(exactly=ALL)
    place.check_clean()


def discards(fault, *patterns):
    """A step that is refused: how far the unit got, as far as that can be."""
    def work(place):
        done = faulty(place, 'fmi2', fault, 'step', 'csv')
        place.check_error(done, "'a'", 'refused', *patterns, when=WHEN)
        place.check_rows(exactly=KEPT)
        place.check_record(complete=False, code=1, reached=WHEN)
        place.check_clean()
    return work


def steps_wrongly(fault, pattern):
    """A step that ended where no step can."""
    def work(place):
        done = faulty(place, 'fmi3', fault, 'step', 'csv')
        place.check_error(done, "'a'", 'fmi3DoStep', pattern, when=WHEN)
        place.check_rows(exactly=KEPT)
        place.check_record(complete=False, code=1, reached=WHEN)
        place.check_clean()
    return work


def late(fault, cause, form='csv'):
    """A thread that crashes at some moment, or a signal that comes at one: whose it is cannot be known, what it was and when can."""
    def work(place):
        done = faulty(place, 'fmi2', fault, 'step', form)
        place.check_error(done, CAUSES[cause], r'\bt = ')
        count = place.check_rows(form, least=KEPT)
        place.check(count < ALL, 'it did not come in time: the test shows nothing')
        place.check_record(complete=False, code=1)
        place.check_clean()
    return work


def converges(fault):
    """Another verb that runs the system, several times."""
    def work(place):
        system = place.system()
        place.fault(fault)
        done = place.wait(place.start([place.options.tandem, 'converge', str(system), '--step', '0.001']))
        place.check_error(done, "'a'", CAUSES[fault], 'fmi2DoStep', when=WHEN)
        place.check_clean()
    return work


def log_is_kept(place):
    """--log has every message up to the last, which is the one that matters."""
    done = faulty(place, 'fmi2', '_exit', 'step', 'csv', '--log', 'messages.txt')
    place.check_error(done, "'a'", CAUSES['_exit'])
    log = place.folder / 'messages.txt'
    place.check(log.exists() and 'about to do it' in log.read_text(), 'the last message is not in the log')
    place.check_clean()


def in_process(place):
    """For debuggers: the signal reaches whoever started the program. An exit in the middle is a failure, whatever its code."""
    done = faulty(place, 'fmi2', 'segfault', 'step', 'csv', '--in-process')
    place.check(done.code == -signal.SIGSEGV, str(done))
    for fault in ('exit', 'quick_exit'):
        done = faulty(place, 'fmi2', fault, 'step', 'csv', '--in-process', '--overwrite')
        place.check(done.code == 1 and 'ended the whole program by calling exit' in done.err, str(done))


def patient(place):
    """The time limit is for one call, not for the run; limits that are not reached change nothing."""
    place.system(stop=10)
    place.fault('slow')
    done = place.run('--unit-timeout', '0.5', '--memory-limit', '2000000000')
    place.check(done.code == 0, str(done))
    place.check(done.seconds > 0.5, 'too quick to show anything')
    place.check_rows(exactly=10_001)
    place.check_clean()


def decimal_commas(place):
    """A folder with a locale 'comma', in which half is 0,5."""
    if not shutil.which('localedef'):
        raise Skip('localedef is not installed')
    source = place.folder / 'comma'
    source.write_text(LOCALE)
    folder = place.folder / 'locales'
    folder.mkdir()
    subprocess.run(['localedef', '-c', '-i', source, '-f', 'UTF-8', folder / 'comma'], capture_output=True)
    if not (folder / 'comma' / 'LC_NUMERIC').exists():
        raise Skip('localedef makes no locale here')
    return str(folder)


def garbage_stays_out(place, done):
    place.check('zoo: complete' in done.out, f'no summary on stdout: {done.out[-300:]!r}')


def little_is_said(most, text):
    def also(place, done):
        place.check(len(done.err) < most, f'{len(done.err)} bytes on stderr')
        place.check(text in done.err, f'nothing of {text!r} on stderr')
    return also


def folder_is_free(place, done):
    """What the unit forked holds no lock of the run."""
    place.fault('none')
    again = place.run()
    place.check(again.code == 0, f'a second run: {again}')


def cases():
    rows = []

    def add(interface, where, fault, work, suffix=''):
        rows.append((f'{interface}-{where}-{fault}{suffix}', work))

    for fault in ('segfault', 'bus', 'abort', 'exit', '_exit', 'pthread_exit', 'recursion', 'heap', 'division', 'kill',
                  'throw', 'terminate', 'own_handler'):
        add('fmi2', 'step', fault, dies('fmi2', fault))
    add('fmi2', 'step', 'segfault', dies('fmi2', 'segfault', options=('--threads', '2', '--algorithm', 'jacobi')), '-threads')
    add('fmi2', 'step', 'segfault', dies('fmi2', 'segfault', options=('--algorithm', 'gauss-seidel')), '-gauss-seidel')
    add('fmi2', 'step', 'segfault', dies('fmi2', 'segfault', options=('--shadow', 'on')), '-shadow')
    add('fmi2', 'step', 'kill', dies('fmi2', 'kill', options=('--quiet',)), '-quiet')
    rows.extend([('converge-segfault', converges('segfault')), ('converge-exit', converges('exit')),
                 ('log-is-kept', log_is_kept), ('in-process', in_process), ('patient', patient)])
    add('fmi2', 'step', 'memory', dies('fmi2', 'memory', options=('--memory-limit', '400000000')))
    for fault in ('loop', 'sleep', 'blocked', 'stop', 'pending'):
        add('fmi2', 'step', fault, dies('fmi2', fault, hangs=True))
    for form in ('hdf5', 'mat'):
        for fault in ('segfault', '_exit', 'kill'):
            add('fmi2', 'step', fault, dies('fmi2', fault, form=form), f'-{form}')
        add('fmi2', 'step', 'sleep', dies('fmi2', 'sleep', form=form, hangs=True), f'-{form}')
    for fault in ('segfault', 'exit', 'throw', 'kill'):
        add('fmi3', 'step', fault, dies('fmi3', fault))
        add('me', 'step', fault, dies('me', fault))
    add('fmi3', 'step', 'sleep', dies('fmi3', 'sleep', hangs=True))
    add('me', 'step', 'sleep', dies('me', 'sleep', hangs=True))
    add('me', 'completed', 'segfault', dies('me', 'segfault', 'completed'))
    add('fmi2', 'get', 'segfault', dies('fmi2', 'segfault', 'get'))
    add('fmi3', 'get', 'exit', dies('fmi3', 'exit', 'get'))

    for fault in ('segfault', 'exit', 'recursion', 'throw'):
        add('fmi2', 'thread', fault, dies('fmi2', fault, 'thread'))
    add('fmi2', 'thread', 'sleep', dies('fmi2', 'sleep', 'thread', hangs=True))
    add('fmi2', 'thread', 'pthread_exit', harmless('fmi2', 'pthread_exit', 'thread'))
    add('fmi3', 'thread', 'segfault', dies('fmi3', 'segfault', 'thread'))
    add('fmi2', 'step', 'late', late('late', 'segfault'))
    for form in ('csv', 'hdf5'):
        add('fmi2', 'step', 'alarm', late('alarm', 'alarm', form), '-' + form)
        add('fmi2', 'step', 'exec', dies('fmi2', 'exec', form=form), '-' + form)
        add('fmi2', 'step', 'quick_exit', dies('fmi2', 'quick_exit', form=form), '-' + form)
        add('fmi2', 'step', 'seccomp', honest('fmi2', 'seccomp', form=form), '-' + form)
        add('fmi2', 'step', 'address_space', honest('fmi2', 'address_space', form=form), '-' + form)
        add('fmi2', 'step', 'unlink', says_what_is_gone('unlink', form, 'changed .*nothing of its name'), '-' + form)

    for fault in ('segfault', 'exit'):
        add('fmi2', 'load', fault, dies_early('fmi2', fault, 'load'))
        add('fmi2', 'load-unknown', fault, dies_early('fmi2', fault, 'load-unknown'))
    add('fmi2', 'load', 'sleep', dies_early('fmi2', 'sleep', 'load', hangs=True))
    for fault in ('segfault', '_exit', 'abort', 'throw', 'error'):
        add('fmi2', 'instantiate', fault, dies_early('fmi2', fault, 'instantiate'))
    add('fmi2', 'instantiate', 'sleep', dies_early('fmi2', 'sleep', 'instantiate', hangs=True))
    add('fmi3', 'instantiate', 'segfault', dies_early('fmi3', 'segfault', 'instantiate'))
    for fault in ('segfault', 'exit', 'pthread_exit', 'recursion', 'error', 'fatal'):
        add('fmi2', 'initialise', fault, dies_early('fmi2', fault, 'initialise'))
    add('fmi2', 'initialise', 'blocked', dies_early('fmi2', 'blocked', 'initialise', hangs=True))
    add('fmi3', 'initialise', 'kill', dies_early('fmi3', 'kill', 'initialise'))

    for fault in ('segfault', 'abort', 'exit', 'throw'):
        add('fmi2', 'terminate', fault, dies_late('fmi2', fault, 'terminate'))
    for fault in ('error', 'fatal', 'invalid'):
        add('fmi2', 'terminate', fault, dies_late('fmi2', fault, 'terminate', code=1))
    add('fmi3', 'terminate', 'error', dies_late('fmi3', 'error', 'terminate', code=1))
    add('fmi2', 'terminate', 'warning', warned_at_the_end)
    add('fmi2', 'terminate', 'sleep', dies_late('fmi2', 'sleep', 'terminate', hangs=True))
    add('fmi3', 'terminate', 'segfault', dies_late('fmi3', 'segfault', 'terminate', form='hdf5'))
    add('fmi2', 'free', 'segfault', dies_late('fmi2', 'segfault', 'free', form='mat'))
    add('fmi2', 'free', '_exit', dies_late('fmi2', '_exit', 'free'))
    for fault in ('segfault', 'exit', 'kill'):
        add('fmi2', 'unload', fault, dies_late('fmi2', fault, 'unload'))
    add('fmi2', 'unload', 'sleep', dies_late('fmi2', 'sleep', 'unload', hangs=True))
    add('fmi3', 'unload', 'segfault', dies_late('fmi3', 'segfault', 'unload'))

    for fault in ('error', 'fatal', 'invalid'):
        add('fmi2', 'step', fault, refuses('fmi2', fault))
        add('fmi3', 'step', fault, refuses('fmi3', fault))
    add('fmi2', 'step', 'nan', bad_value('fmi2', 'nan', 'not a number|nan'))
    add('fmi2', 'step', 'infinity', bad_value('fmi2', 'infinity', 'inf'))
    add('fmi3', 'step', 'infinity', bad_value('fmi3', 'infinity', 'inf'))

    for fault in ('directory', 'resources', 'unpacked', 'handlers', 'rounding', 'traps', 'flush', 'locale', 'outlives'):
        add('fmi2', 'step', fault, harmless('fmi2', fault))
    add('fmi2', 'instantiate', 'outlives', harmless('fmi2', 'outlives', 'instantiate'))
    add('fmi2', 'step', 'directory', harmless('fmi2', 'directory', form='mat'), '-mat')  # whose file is made at the end
    add('fmi2', 'step', 'locale', harmless('fmi2', 'locale', form='hdf5'), '-hdf5')
    add('fmi2', 'step', 'fork', harmless('fmi2', 'fork', also=folder_is_free, processes=False))
    add('fmi2', 'step', 'flood', harmless('fmi2', 'flood', also=little_is_said(2_000_000, 'fff')))
    add('fmi2', 'step', 'message', harmless('fmi2', 'message', also=little_is_said(200_000, 'mmm')))
    add('fmi2', 'step', 'garbage', harmless('fmi2', 'garbage', also=garbage_stays_out))
    for form in ('csv', 'hdf5', 'mat'):
        for fault in ('twice', 'copy', 'directory'):
            add('fmi2', 'step', fault, harmless('fmi2', fault, form=form), '-own-' + form)
    add('fmi2', 'step', 'umask', harmless('fmi2', 'umask', also=report_is_readable))
    add('fmi2', 'step', 'scrawl', harmless('fmi2', 'scrawl'))
    add('fmi2', 'step', 'scrawl', honest('fmi2', 'scrawl', form='hdf5'), '-hdf5')
    add('fmi2', 'step', 'cut', honest('fmi2', 'cut', form='hdf5'), '-hdf5')
    for form in ('csv', 'mat'):
        add('fmi2', 'step', 'cut', says_what_is_gone('cut', form, 'bytes at its end are gone'), '-' + form)
    for interface in ('fmi2', 'fmi3'):
        add(interface, 'step', 'enumeration', warned(interface, 'enumeration', r"'mode' is 9, which is no item of.*'Mode' \(1, 2, 3\)"))
        add(interface, 'step', 'null_text', warned(interface, 'null_text', r"'text' gave a null pointer"))
        add(interface, 'step', 'warning', warned(interface, 'warning', r'DoStep returned the status Warning',
                                                 counted=r'status Warning 500 times, first from fmi.DoStep at t = 0\.5'))
        add(interface, 'get', 'warning', warned(interface, 'warning', r'Get(Real|Float64) of .y. returned the status Warning', 'get',
                                                counted=r'status Warning \d+ times, first from fmi.Get(Real|Float64)'))
        add(interface, 'step', 'logged', warned(interface, 'outlives', r'about to do it', counted=r'logged a warning or an error once'))
        add(interface, 'init', 'secret', refuses_to_be_read(interface))
    add('me', 'step', 'warning', warned('me', 'warning', r'GetDerivatives returned the status Warning',
                                        counted=r'status Warning \d+ times, first from fmi2GetDerivatives'))
    add('fmi3', 'step', 'last_beyond', warned('fmi3', 'last_beyond', r'beyond the end of its step at t = 0\.501'))
    add('fmi3', 'step', 'last_before', steps_wrongly('last_before', r'went back: it returned at t = 0\.498'))
    add('fmi3', 'step', 'last_nowhere', steps_wrongly('last_nowhere', 'no number as lastSuccessfulTime'))
    add('fmi2', 'step', 'discard', discards('discard', r'got only to t = 0\.5005'))
    add('fmi2', 'step', 'discard_beyond', discards('discard_beyond', r'got only to t = 0\.501;'))
    add('fmi2', 'step', 'discard_nowhere', discards('discard_nowhere', r'got only to t = 0\.5;'))
    rows += [('keeps-the-earlier-run', keeps_the_earlier_run), ('takes-an-item', takes_an_item)]
    for fault in ('stdout', 'streams', 'descriptors', 'file_size'):
        add('fmi2', 'step', fault, honest('fmi2', fault))
    add('fmi2', 'step', 'descriptors', honest('fmi2', 'descriptors', form='hdf5'), '-hdf5')
    add('fmi2', 'step', 'file_size', honest('fmi2', 'file_size', form='hdf5'), '-hdf5')
    add('fmi2', 'step', 'wild_text', blames('fmi2', 'wild_text', 'fmi2GetString'))
    add('fmi2', 'step', 'sigterm', honest('fmi2', 'sigterm', codes=(1, 130)))
    return rows


def warm_up(place):
    """The units are known before their first fault, so that only the cases of an unknown library try them out."""
    for interface in ('fmi2', 'fmi3', 'me'):
        place.system(interface)
        done = place.run()
        place.check(done.code == 0, str(done))
        place.check_rows(exactly=ALL, exchange=interface == 'me')
        place.check_record(complete=True, code=0, reached=1.0)
    place.check_clean()


if __name__ == '__main__':
    main(cases(), before=warm_up)
