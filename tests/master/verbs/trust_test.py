"""Opening somebody's file runs and writes nothing that the user did not ask for.

usage: trust_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import csv
import json
import os
import re
import shutil
import socket
import subprocess
import time
import unittest
import zipfile
from xml.etree import ElementTree

from command_line import CommandLine, TANDEM, TEST_FMUS, component, main, system

PROBE = os.path.join(os.path.dirname(TANDEM), 'tandem-probe')
INTRUDER = os.path.join(TEST_FMUS, 'intruder_fmi2.fmu')


def strace_works():
    if shutil.which('strace') is None:
        return False
    return subprocess.run(['strace', '-o', '/dev/null', 'true'], capture_output=True).returncode == 0


class Static(CommandLine):
    """`inspect` and `check` read files."""

    def setUp(self):
        super().setUp()
        self.mark = os.path.join(self.folder, 'loaded')
        self.fmu('intruder_fmi2.fmu', TEST_FMUS)
        self.fmu('wants_python.fmu', TEST_FMUS)
        self.write('SystemStructure.ssd', system(component('a', 'intruder_fmi2.fmu')))
        self.environment = dict(os.environ, TANDEM_INTRUDER_MARK=self.mark,
                                XDG_CACHE_HOME=os.path.join(self.folder, 'cache'))

    def commands(self):
        for unit in ('resources/intruder_fmi2.fmu', 'resources/wants_python.fmu'):
            yield ('inspect', unit)
            yield ('inspect', unit, '--json')
        yield ('inspect', 'resources/intruder_fmi2.fmu', '--ssv')
        yield from (('inspect', '.'), ('check', '.'), ('check', 'resources/intruder_fmi2.fmu'), ('graph', '.'))

    def test_nothing_of_an_fmu_is_loaded(self):
        for command in self.commands():
            done = self.tandem(*command, env=self.environment)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertFalse(os.path.exists(self.mark), command)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'cache')))
        # The mark is one that a unit really makes.
        self.assertEqual(self.tandem('run', '.', env=self.environment).returncode, 0)
        self.assertTrue(os.path.exists(self.mark))

    @unittest.skipUnless(strace_works(), 'strace is not here or may not trace')
    def test_no_file_of_an_fmu_is_mapped_for_execution_and_no_program_is_started(self):
        for command in self.commands():
            trace = os.path.join(self.folder, 'trace')
            subprocess.run(['strace', '-f', '-y', '-o', trace, '-e', 'trace=execve,mmap,fork,vfork,clone,clone3', TANDEM,
                            *command], cwd=self.folder, env=self.environment, check=True, capture_output=True)
            with open(trace) as file:
                lines = file.read().splitlines()
            self.assertEqual(sum('execve(' in line for line in lines), 1, command)
            self.assertFalse([line for line in lines if re.search(r'\b(v?fork|clone3?)\(', line)], command)
            executable = [line for line in lines if 'PROT_EXEC' in line and '<' in line]
            self.assertTrue(executable)  # the program's own libraries, so that the pattern is known to match
            own = [line for line in executable if '/tandem-' in line.split('<')[1] or 'python' in line]
            self.assertEqual(own, [], command)

    def test_what_the_files_tell(self):
        text = self.tandem('inspect', 'resources/intruder_fmi2.fmu').stdout
        self.assertIn('from its files; --try runs it', text)
        self.assertIn('its binary and the libraries it needs are here', text)
        found = json.loads(self.tandem('inspect', 'resources/intruder_fmi2.fmu', '--json').stdout)
        self.assertIsNone(found['runs'])
        self.assertFalse(found['tried'])

    def test_try_says_that_it_runs_the_unit_before_it_does(self):
        done = self.tandem('inspect', 'resources/intruder_fmi2.fmu', '--try')
        self.assertIn('note: --try runs the code of resources/intruder_fmi2.fmu, confined', done.stderr)
        self.assertIn('co-simulation: runs here', done.stdout)

    def test_python_imports_nothing_from_where_the_user_stands(self):
        mark = os.path.join(self.folder, 'imported')
        self.write('sysconfig.py', f'open({mark!r}, "w").close()\n')
        os.mkdir(os.path.join(self.folder, 'path'))
        shutil.copy(os.path.join(self.folder, 'sysconfig.py'), os.path.join(self.folder, 'path/sitecustomize.py'))
        environment = dict(self.environment, PYTHONPATH=os.path.join(self.folder, 'path'))
        self.tandem('run', 'resources/wants_python.fmu', env=environment)
        self.assertFalse(os.path.exists(mark))


class Trial(CommandLine):
    """What `inspect --try` lets foreign code do."""

    def attempt(self, order, *options, code=0, **more):
        done = self.tandem('inspect', INTRUDER, *(options or ('--try',)), '--json', env=dict(
            os.environ, TANDEM_INTRUDER=order, XDG_CACHE_HOME=os.path.join(self.folder, 'cache')), **more)
        self.assertEqual(done.returncode, code, done.stderr)
        trial = json.loads(done.stdout)['trials'][0]
        return trial.get('why', ''), trial

    def refused(self, order, **more):  # pylint: disable=arguments-differ
        why, _ = self.attempt(order, **more)
        self.assertIn(f'{order.split()[0]} refused', why)

    def test_nothing_outside_its_folder_is_written(self):
        kept = self.write('kept', 'precious')
        for order in (f'write {kept}', f'truncate {kept}', f'open-truncate {kept}', f'unlink {kept}', f'chmod {kept}',
                      f'write {self.folder}/new', f'mkdir {self.folder}/new'):
            self.refused(order)
        with open(kept) as file:
            self.assertEqual(file.read(), 'precious')
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o644)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'new')))

    def test_in_its_folder_it_may_write(self):
        self.assertIn('write done', self.attempt('write here')[0])

    def test_no_network_not_even_on_this_machine(self):
        with socket.create_server(('127.0.0.1', 0)) as server:
            self.refused(f'connect {server.getsockname()[1]}')

    def test_no_other_process_is_started_or_ended(self):
        self.refused(f'fork {self.folder}/forked')
        self.refused('system true')
        other = subprocess.Popen(['sleep', '60'])
        try:
            self.refused(f'kill {other.pid}')
            self.assertIsNone(other.poll())
        finally:
            other.kill()
            other.wait()

    def test_memory_and_files_are_bounded(self):
        self.refused(f'allocate {9 << 30}')
        self.refused('fill large')

    def test_no_descriptor_is_inherited(self):
        with open(self.write('secret', 'secret')) as secret:
            os.set_inheritable(secret.fileno(), True)
            self.refused('descriptors', pass_fds=(secret.fileno(),))

    def test_one_deadline_for_everything(self):
        begin = time.monotonic()
        why, trial = self.attempt('chatter', '--try=1', code=1)
        self.assertLess(time.monotonic() - begin, 10)
        self.assertIn('no end of it within 1 s', why)
        self.assertIs(trial['runs'], False)

    def test_its_answers_prove_nothing_but_themselves(self):
        for order in ('exit 0', 'answer save works', 'answer instantiate perhaps'):
            why, trial = self.attempt(order, code=1)
            self.assertIs(trial['runs'], False, order)
            self.assertIn('before a unit was made', why)

    def test_a_unit_that_dies_is_an_error_that_names_the_call(self):
        unit = os.path.join(TEST_FMUS, 'faulty_fmi2.fmu')
        for fault, place, told in (('segfault', 'instantiate', r'died of Segmentation fault in fmi2Instantiate'),
                                   ('abort', 'initialise', r'died of Aborted in fmi2ExitInitializationMode'),
                                   ('segfault', 'step', r'died of Segmentation fault in fmi2DoStep'),
                                   ('exit', 'step', r'its code ended the process in fmi2DoStep')):
            environment = dict(os.environ, TANDEM_TEST_FAULT=f'{fault} {place} 0')
            for options in ((), ('--json',)):
                done = self.tandem('inspect', unit, '--try', *options, env=environment)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertRegex(done.stderr, r'error\[fmu-crash\]: \S*faulty_fmi2\.fmu: co-simulation: .*' + told)
                self.assertEqual(done.stderr.count('error['), 1, done.stderr)
                self.assertRegex(done.stdout, told)  # what was found is still told
                if options:
                    self.assertIs(json.loads(done.stdout)['trials'][0]['runs'], False)
        self.assertEqual(self.tandem('inspect', unit, '--try').returncode, 0)

    def test_what_it_says_is_not_passed_on(self):
        _, trial = self.attempt('answer cache everything\x1b[31m', code=1)
        self.assertNotIn('cache', json.dumps(trial))
        _, trial = self.attempt('answer save \x1b[31mworks\u202e', code=1)
        self.assertEqual(trial['abilities']['save and restore the state'], '\\u001b[31mworks\\u202e')

    def probe(self, order, without, folder):
        """The helper itself, as on a kernel that lacks something."""
        with subprocess.Popen([PROBE, '1', 'try', folder, '10', without], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, env=dict(os.environ, TANDEM_INTRUDER=order)) as helper:
            return helper.communicate(f'library {self.library()}\nversion 2\ntoken tandem-test\n')[0]

    def library(self):
        folder = os.path.join(self.folder, 'unit')
        if not os.path.exists(folder):
            shutil.unpack_archive(INTRUDER, folder, 'zip')
        return os.path.join(folder, 'binaries/linux64/intruder_fmi2.so')

    def test_a_kernel_whose_landlock_does_not_know_truncation(self):
        own = os.path.join(self.folder, 'own')
        os.mkdir(own)
        kept = self.write('kept', 'precious')
        for verb in ('truncate', 'open-truncate', 'write', 'unlink'):
            self.assertIn(f'{verb} refused (EACCES)', self.probe(f'{verb} {kept}', 'truncate', own))
        self.assertIn('write done', self.probe('write here', 'truncate', own))
        with open(kept) as file:
            self.assertEqual(file.read(), 'precious')

    def test_a_kernel_without_landlock(self):
        own = os.path.join(self.folder, 'own')
        os.mkdir(own)
        kept = self.write('kept', 'precious')
        for verb in ('truncate', 'open-truncate', 'write', 'unlink', 'mkdir'):
            said = self.probe(f'{verb} {kept}', 'landlock', own)
            self.assertIn(f'{verb} refused (EACCES)', said)
            self.assertIn('withheld-not nothing may be written, also not in its own folder (no Landlock)', said)
        self.assertIn('write refused', self.probe('write here', 'landlock', own))
        with open(kept) as file:
            self.assertEqual(file.read(), 'precious')

    def test_a_kernel_without_both_is_said(self):
        own = os.path.join(self.folder, 'own')
        os.mkdir(own)
        said = self.probe('write here', 'landlock,seccomp', own)
        self.assertIn('it may write anywhere (no Landlock)', said)
        self.assertIn('network, new processes and signals to others are not withheld (no seccomp)', said)
        self.assertIn('write done', said)


class Cache(CommandLine):
    """The list of libraries that were opened before belongs to its owner alone."""

    def run_unit(self, cache):
        done = self.tandem('run', os.path.join(TEST_FMUS, 'empty_fmi2.fmu'), '--stop', '0.1', '--out', 'o',
                           env=dict(os.environ, XDG_CACHE_HOME=cache))
        self.assertEqual(done.returncode, 0, done.stderr)

    def seen(self, cache):
        folder = os.path.join(cache, 'tandem/libraries')
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def test_it_is_made_for_the_user_alone(self):
        cache = os.path.join(self.folder, 'cache')
        self.run_unit(cache)
        self.assertEqual(len(self.seen(cache)), 1)
        for folder in ('tandem', 'tandem/libraries'):
            self.assertEqual(os.stat(os.path.join(cache, folder)).st_mode & 0o777, 0o700)

    def test_a_link_in_it_is_neither_believed_nor_followed(self):
        cache = os.path.join(self.folder, 'cache')
        self.run_unit(cache)
        mark = os.path.join(cache, 'tandem/libraries', self.seen(cache)[0])
        kept = self.write('kept', 'precious')
        os.remove(mark)
        os.symlink(kept, mark)
        self.run_unit(cache)
        with open(kept) as file:
            self.assertEqual(file.read(), 'precious')
        os.remove(mark)
        os.symlink(os.path.join(self.folder, 'made'), mark)
        self.run_unit(cache)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'made')))

    def test_one_that_others_may_write_or_that_is_a_link_is_not_used(self):
        cache = os.path.join(self.folder, 'cache')
        os.makedirs(os.path.join(cache, 'tandem/libraries'))
        os.chmod(os.path.join(cache, 'tandem/libraries'), 0o777)
        self.run_unit(cache)
        self.assertEqual(self.seen(cache), [])
        other = os.path.join(self.folder, 'other')
        os.makedirs(os.path.join(self.folder, 'elsewhere/libraries'))
        os.mkdir(other)
        os.symlink(os.path.join(self.folder, 'elsewhere'), os.path.join(other, 'tandem'))
        self.run_unit(other)
        self.assertEqual(self.seen(other), [])


class Repeat(CommandLine):
    """A run.json may come from somebody else."""

    def setUp(self):
        super().setUp()
        self.fmu('dahlquist.fmu')
        done = self.tandem('run', 'resources/dahlquist.fmu', '--out', 'one', '--stop', '0.1', '--log', 'log.txt',
                           '--trace', 'trace.json')
        self.assertEqual(done.returncode, 0, done.stderr)

    def change(self, change):
        path = os.path.join(self.folder, 'one/run.json')
        with open(path) as file:
            record = json.load(file)
        change(record)
        with open(path, 'w') as file:
            json.dump(record, file)

    def test_what_it_reads_and_writes_is_said_before(self):
        done = self.tandem('run', '--repeat', 'one/run.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'note: reads .*/resources/dahlquist\.fmu\n')
        self.assertRegex(done.stderr, r'note: writes only into the new folder .*/one/repeat\n')

    def test_it_writes_only_into_a_new_folder(self):
        for name in ('log.txt', 'trace.json'):
            self.write(name, 'precious')
        done = self.tandem('run', '--repeat', 'one/run.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ('log.txt', 'trace.json'):
            with open(os.path.join(self.folder, name)) as file:
                self.assertEqual(file.read(), 'precious')
            self.assertTrue(os.path.exists(os.path.join(self.folder, 'one/repeat', name)))
        before = os.stat(os.path.join(self.folder, 'one/repeat/results.csv')).st_mtime_ns
        self.assertEqual(self.tandem('run', '--repeat', 'one/run.json').returncode, 0)
        self.assertTrue(os.path.exists(os.path.join(self.folder, 'one/repeat-2/results.csv')))
        self.assertEqual(os.stat(os.path.join(self.folder, 'one/repeat/results.csv')).st_mtime_ns, before)
        os.mkdir(os.path.join(self.folder, 'there'))
        self.refused('there: is there already; --repeat writes only into a new folder', 'run', '--repeat',
                     'one/run.json', '--out', 'there')

    def test_an_fmu_of_another_content_is_not_run(self):
        mark = os.path.join(self.folder, 'loaded')
        shutil.copy(INTRUDER, os.path.join(self.folder, 'resources/dahlquist.fmu'))
        done = self.tandem('run', '--repeat', 'one/run.json', env=dict(os.environ, TANDEM_INTRUDER_MARK=mark))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r'error\[bad-record\]: .*dahlquist\.fmu: .*not one that the recorded run used')
        self.assertFalse(os.path.exists(mark))

    def test_a_record_that_names_another_fmu_in_its_command_line(self):
        shutil.copy(INTRUDER, os.path.join(self.folder, 'resources/other.fmu'))
        self.change(lambda record: record.update(arguments=['run', 'resources/other.fmu']))
        self.refused('not one that the recorded run used', 'run', '--repeat', 'one/run.json')

    def test_records_that_cannot_be_used(self):
        for change, text in ((lambda record: record.update(folder='/nowhere'), "its folder '/nowhere' cannot be used"),
                             (lambda record: record['results'][0].update(path='../../x'), 'a name without a folder'),
                             (lambda record: record.update(arguments=['pack', 'x']), "expected 'run'"),
                             (lambda record: record.update(arguments=['run', '--repeat', 'x']), 'command line')):
            with self.subTest(text):
                self.setUp()
                self.change(change)
                self.refused(r'error\[bad-record\].*' + text, 'run', '--repeat', 'one/run.json')


class Pack(CommandLine):
    def test_no_link_out_of_the_folder_is_followed(self):
        secret = self.write('secret', 'secret')
        system_folder = self.two_mass()
        for target in (secret, '../../secret', '/etc'):
            link = os.path.join(system_folder, 'resources/notes.txt')
            os.symlink(target, link)
            self.refused('a link', 'pack', system_folder, '-o', 'x.ssp')
            self.assertFalse([name for name in os.listdir(self.folder) if 'x.ssp' in name])
            os.remove(link)
        os.symlink('../SystemStructure.ssd', os.path.join(system_folder, 'resources/copy.ssd'))
        self.assertEqual(self.tandem('pack', system_folder, '-o', 'x.ssp').returncode, 0)


class Drafts(CommandLine):
    """Files that are not complete yet have names that nobody can guess, and are new."""

    @unittest.skipUnless(strace_works(), 'strace is not here or may not trace')
    def test_names_and_flags(self):
        names = []
        for number in range(2):
            trace = os.path.join(self.folder, 'trace')
            subprocess.run(['strace', '-f', '-o', trace, '-e', 'trace=openat,rename,renameat,renameat2', TANDEM, 'run',
                            os.path.join(TEST_FMUS, 'empty_fmi2.fmu'), '--out', f'o{number}'],
                           cwd=self.folder, capture_output=True)
            with open(trace) as file:
                text = file.read()
            drafts = set(re.findall(r'rename\w*\([^"]*"([^"]*run\.json[^"]*)",', text))
            self.assertTrue(drafts, text)
            for draft in drafts:
                opened = re.findall(r'openat\([^"]*"' + re.escape(draft) + r'", (\S+),', text)
                self.assertTrue(opened)
                for flags in opened:
                    self.assertIn('O_EXCL', flags)
                    self.assertIn('O_NOFOLLOW', flags)
            names.append({os.path.basename(draft) for draft in drafts})
        self.assertFalse(names[0] & names[1])
        self.assertTrue(all(re.search('[0-9a-f]{16}', name) for name in names[0]))


NAMES = ('\u202egnp.exe', 'csi\x9b31m', 'del\x7f', 'quote"<&>\'', 'back\\slash', 'tab&#9;new&#10;line')


class Names(CommandLine):
    """Names that would steer a terminal are spelt out, and files stay what they are."""

    def setUp(self):
        super().setUp()
        escape = lambda name: name if '&#' in name else name.replace('&', '&amp;').replace('<', '&lt;').replace('"', '&quot;')
        with zipfile.ZipFile(os.path.join(TEST_FMUS, 'empty_fmi2.fmu')) as old, \
                zipfile.ZipFile(os.path.join(self.folder, 'resources/names.fmu'), 'w') as new:
            for name in old.namelist():
                data = old.read(name)
                if name == 'modelDescription.xml':
                    more = ''.join(f'<ScalarVariable name="{escape(n)}" valueReference="{i + 10}" causality="parameter" '
                                   f'variability="fixed" description="\u202e{escape(n)}"><Real start="1"/></ScalarVariable>'
                                   for i, n in enumerate(NAMES))
                    data = data.decode().replace('</ModelVariables>', more + '</ModelVariables>').encode()
                new.writestr(name, data)
        self.unit = 'resources/names.fmu'

    def is_harmless(self, text):
        self.assertFalse(re.search('[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', text), repr(text[:2000]))

    def test_every_verb_on_stdout_and_stderr(self):
        self.write('SystemStructure.ssd', system(component('a\u202e\x9b', 'names.fmu')))
        for command in (('inspect', self.unit), ('inspect', self.unit, '--json'), ('inspect', self.unit, '--ssv'),
                        ('inspect', self.unit, '--dependencies'), ('inspect', '.'), ('inspect', '.', '--json'),
                        ('check', '.'), ('graph', '.'), ('run', '.', '--out', 'o', '--stats'),
                        ('run', self.unit, '--set', 'x\u202e=1'), ('converge', '.'), ('check', 'no\u202efile.ssd')):
            done = self.tandem(*command, env=dict(os.environ, TANDEM_SHADOW='off'))
            self.assertGreater(len(done.stdout + done.stderr), 10)
            self.is_harmless(done.stdout + done.stderr)

    def test_machine_formats_keep_the_names(self):
        wanted = {name.replace('&#9;', ' ').replace('&#10;', ' ') for name in NAMES}
        found = json.loads(self.tandem('inspect', self.unit, '--json').stdout)
        blanks = lambda name: name.replace('\t', ' ').replace('\n', ' ')
        self.assertLessEqual(wanted, {blanks(variable['name']) for variable in found['variables']})
        root = ElementTree.fromstring(self.tandem('inspect', self.unit, '--ssv').stdout)
        self.assertLessEqual(wanted, {blanks(node.get('name')) for node in root.iter() if node.get('name')})

    def test_bytes_that_are_no_utf_8_are_not_passed_on(self):
        with zipfile.ZipFile(os.path.join(TEST_FMUS, 'empty_fmi2.fmu')) as old, \
                zipfile.ZipFile(os.path.join(self.folder, 'resources/bytes.fmu'), 'w') as new:
            for name in old.namelist():
                new.writestr(name, old.read(name).replace(b'name="y"', b'name="y\xff\xfe"'))
        done = self.tandem('run', 'resources/bytes.fmu', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ('results.csv', 'run.json', 'report.html'):
            with open(os.path.join(self.folder, 'o', name), 'rb') as file:
                self.assertIn('y\ufffd\ufffd', file.read().decode('utf-8'))

    def test_files_are_valid_with_any_name(self):
        self.write('SystemStructure.ssd', system(component('a\u202e<&>"', 'names.fmu').replace('<&>"', '&lt;&amp;&gt;&quot;')))
        done = self.tandem('run', '.', '--out', 'o', env=dict(os.environ, TANDEM_SHADOW='off'))
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, 'o/run.json'), encoding='utf-8') as file:
            json.load(file)
        with open(os.path.join(self.folder, 'o/report.html'), encoding='utf-8') as file:
            page = file.read()
        for picture in re.findall(r'<svg.*?</svg>', page, re.S):
            ElementTree.fromstring(picture)
        self.assertNotIn('a\u202e<&>', page)
        with open(os.path.join(self.folder, 'o/results.csv'), encoding='utf-8', newline='') as file:
            rows = list(csv.reader(file))
        self.assertEqual(len({len(row) for row in rows}), 1)


class Limits(CommandLine):
    def test_times_that_the_ticks_cannot_count(self):
        self.fmu('dahlquist.fmu')
        unit = 'resources/dahlquist.fmu'
        for option, value, text in (('--stop', '1e10', 'found a stop time of 1e\\+?10 s, expected at most 4.61e\\+09 s'),
                                    ('--stop', '1e18', 'stop time'), ('--start', '-1e11', 'start time'),
                                    ('--stop', '1e30', 'at most 18 digits'), ('--stop', 'inf', 'at most 18 digits'),
                                    ('--step', '1e10', 'a step of')):
            self.refused(text, 'run', unit, option, value, *(('--stop', '1') if option != '--stop' else ()))
        self.write('far.ssd', system(component('a', 'dahlquist.fmu')).replace('stopTime="0.1"', 'stopTime="1e12"'))
        self.refused('found a stop time', 'run', 'far.ssd')
        self.refused('found a stop time', 'check', 'far.ssd')
        done = self.tandem('run', unit, '--stop', '4e9', '--step', '1e9', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(self.rows('o/results.csv')), 5)

    def test_steps_that_meet_too_late(self):
        self.fmu('dahlquist.fmu')
        rate = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim"><t:Component xmlns:t="urn:tandem:cosim:1">'
                '<t:Rate step="{}"/></t:Component></ssc:Annotation></ssd:Annotations>')
        self.write('s.ssd', system(component('a', 'dahlquist.fmu', rate.format('999999.999999937')) +
                                   component('b', 'dahlquist.fmu', rate.format('999999.999999929'))))
        self.refused('expected steps with a common multiple', 'check', 's.ssd')

    def test_a_long_run_is_asked_for(self):
        self.fmu('dahlquist.fmu')
        done = self.refused(r'1e\+10 points from 0 s to 1000 s at a step of 1e-07 s are more than 10\^9; --long', 'run',
                            'resources/dahlquist.fmu', '--stop', '1000', '--step', '1e-7', '--record', 'none')
        self.assertEqual(done.stderr.count('error['), 1)

    def test_more_bytes_than_the_disk_has(self):
        self.fmu('mechanics.fmu')  # with hundreds of values in a row
        earlier = self.write('results.csv', 'kept')
        done = self.tandem('run', 'resources/mechanics.fmu', '--stop', '900', '--step', '1e-6', '--out', '.', '--overwrite', '--record', '*')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r'error\[size\]: \.: about \S+ GB will be written, and the disk has \S+ GB free; .*--long')
        with open(earlier) as file:
            self.assertEqual(file.read(), 'kept')


if __name__ == '__main__':
    main()
