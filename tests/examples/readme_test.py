"""Every command in README.md and in the texts of the examples runs as it is written there.

usage: readme_test.py TANDEM REPOSITORY; TANDEM_LONG=1 adds those that compute for long.

They run in a copy of what a user sees, with the program and the units of this build: `./run` itself, but without
installing and compiling anything.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import readme

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
TEXTS = [REPOSITORY / 'README.md', *sorted(REPOSITORY.glob('examples/*/README.md'))]
LONG = 'TANDEM_LONG' in os.environ
TIME_LIMIT = 3600 if LONG else 300

# The whole task and studies of many runs. Shorter, they are part of the excavator's tests.
DEAR = {'./run', 'examples/fidelities/compare.py', 'examples/fidelities/task.py', 'examples/boom_coupling/study.py',
        'examples/swap_hydraulics/swap.py', 'examples/teleoperation/budget.py',
        './run run config/excavator/can.ssd --set bus2.error_share=0.01'}
# The same, by a part of a command: half of a machine is exchanged in master/verbs/swap, a bad link is that of fmus/work/teleoperation.
DEAR_PARTS = ('foreign_hydraulics.fmu', '--link ')
# What this test is a part of.
WHOLE = {'./test', './test --full', './test --full asan tidy'}
# What stays until Ctrl-C; the view and the station have tests of their own.
STAYS = {'./run --view', './run --view manual', 'tandem tele config/excavator/station.xml',
         './run tele config/excavator/station.xml'}
# What needs a measurement of one's own; master/verbs/measurement does the same with one.
OWN = {line for line in readme.commands((REPOSITORY / 'README.md').read_text()) if re.search(r'drive\.(mf4|csv)', line)}
# What stands for the words in capitals; a mentioned command with another one is only shown.
STAND_INS = {'FILE.fmu': 'examples/two_mass/resources/mass_left.fmu', 'FILE': 'examples/two_mass/resources/mass_left.fmu',
             'UNIT.fmu': 'kinematics.fmu', 'FILE.urdf': 'crane.urdf', 'X.fmu': 'other.fmu', 'SYSTEM': 'examples/two_mass',
             'FOLDER': 'examples/two_mass', 'NAME': 'sample', 'A': 'examples/two_mass/first.csv',
             'B': 'examples/two_mass/second.csv', 'COMPONENT': 'left', 'FMU': 'examples/two_mass/resources/oscillator.fmu', 'VERB': 'inspect', 'LOG': 'traffic.log', 'MY_COLLECTION': 'collection'}
# What keeps to the clock: such commands wait while others compute, one after the other only where they are of one system.
WAITS = re.compile(r' --(realtime|time) ')
PLACEHOLDER = re.compile(r'(?<![\w=./-])(?:[A-Z][A-Z_]*(?:\.\w+)?|\.\.\.)(?![\w=])')


class Readme(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory(prefix='tandem-readme-')
        cls.tree = tree = pathlib.Path(cls.scratch.name) / 'tree'
        tree.mkdir()
        for name in ('config', 'examples', 'tests/conformance', 'tests/benchmarks', 'master/verbs/completion'):
            shutil.copytree(REPOSITORY / name, tree / name, ignore=shutil.ignore_patterns('*_modelica.fmu', '__pycache__'))
        for name in ('run', 'CMakeLists.txt', 'fmus/CMakeLists.txt', 'models/CMakeLists.txt'):
            (tree / name).parent.mkdir(exist_ok=True)
            shutil.copy(REPOSITORY / name, tree / name)
        (tree / '.ci').mkdir()
        (tree / '.ci/setup.sh').write_text('need_packages() { :; }\nbuild() { :; }\n')
        (tree / '.ci/packages.txt').write_text('')
        (tree / 'traffic.log').write_text('(0.000000) can0 100#0011223344556677\n(0.020000) can0 100#0111223344556677\n')
        (tree / 'build').mkdir()
        (tree / 'build/release').symlink_to(TANDEM.parent)
        (tree / 'bin').mkdir()
        (tree / 'bin/tandem').symlink_to(TANDEM)
        if (REPOSITORY / '.venv').exists():
            (tree / '.venv').symlink_to(REPOSITORY / '.venv')
        cls.environment = dict(os.environ, PATH=f'{tree / "bin"}:{os.environ["PATH"]}')
        cls.printed = {}
        cls.bring_what_the_text_assumes()
        cls.start_what_waits()

    @classmethod
    def tearDownClass(cls):
        cls.waiting.shutdown()
        cls.scratch.cleanup()

    @classmethod
    def start_what_waits(cls):
        groups = {}
        for line in (line for text in TEXTS for line in cls.lines_to_run(text) if WAITS.search(line)):
            groups.setdefault(cls.system_of(line), []).append(line)
        cls.waiting = concurrent.futures.ThreadPoolExecutor(len(groups))
        cls.under_way = {system: cls.waiting.submit(lambda lines: {line: cls.execute(line) for line in lines}, lines)
                         for system, lines in groups.items()}

    @staticmethod
    def system_of(line):
        """What a command is about, after which its results are named."""
        found = re.search(r'\b(?:config|examples)/[\w/]+', line)
        return found.group() if found else line

    @classmethod
    def lines_to_run(cls, text):
        """The commands of the blocks of a text, as they are run."""
        for line in readme.commands(text.read_text()):
            dear = line in DEAR or (DEAR - {'./run'}) & set(line.split()) or any(part in line for part in DEAR_PARTS)
            if line not in WHOLE | STAYS | OWN and (LONG or not dear):
                yield cls.filled(line) or line

    @classmethod
    def bring_what_the_text_assumes(cls):
        first = re.search(r'```xml\n(<SystemStructureDescription.*?)```', TEXTS[0].read_text(), re.S).group(1)
        (cls.tree / 'first.ssd').write_text(first)
        shutil.copy(cls.tree / 'config/machines/excavator.urdf', cls.tree / 'crane.urdf')
        shutil.copy(TANDEM.parent / 'fmus/kinematics.fmu', cls.tree)
        for name in ('first', 'second'):
            (cls.tree / f'examples/two_mass/{name}.csv').write_text('time,left.x\n0,1\n1,1\n')
        (cls.tree / 'collection').mkdir()
        shutil.copy(TANDEM.parent / 'fmus/dahlquist_fmi2.fmu', cls.tree / 'collection')
        (cls.tree / 'collection/dahlquist_fmi2_ref.csv').write_text('time,x\n0,1\n1,0.36787944\n')

    @classmethod
    def execute(cls, line):
        begin = time.monotonic()
        done = subprocess.run(['bash', '-c', line], cwd=cls.tree, env=cls.environment, capture_output=True, text=True,
                              timeout=TIME_LIMIT)
        print(f'{time.monotonic() - begin:6.1f} s  {line}', flush=True)
        return done

    def run_line(self, line):
        """What a command prints; one that ran before is not run again."""
        if line in self.printed:
            return self.printed[line]
        before = self.under_way.get(self.system_of(line))
        done = before.result().get(line) if before else None
        done = done or self.execute(line)
        self.assertEqual(done.returncode, 0, f'{line}\n{done.stdout}\n{done.stderr}')
        self.printed[line] = done.stdout
        return done.stdout

    @staticmethod
    def filled(line):
        """The command with stand-ins for its words in capitals; None where one is not known."""
        words = set(PLACEHOLDER.findall(line)) - {'...'}
        if words - set(STAND_INS):
            return None
        return PLACEHOLDER.sub(lambda found: STAND_INS.get(found.group(), ''), line).strip()

    def test_the_blocks_run_as_written(self):
        for text in TEXTS:
            self.assertGreater(len(readme.commands(text.read_text())), 0, f'{text} has no command')
            for line in self.lines_to_run(text):
                with self.subTest(text=text.relative_to(REPOSITORY), line=line):
                    self.run_line(line)

    def test_the_mentioned_commands_run(self):
        mentioned = {line for text in TEXTS for line in readme.mentioned(text.read_text())}
        self.assertGreater(len(mentioned), 3)
        for line in sorted(mentioned - WHOLE - STAYS):
            command = self.filled(line)
            if command is None:
                print(f'    not run: {line}')
                continue
            if line == './run VERB ...':
                command = './run check examples/two_mass'
            if command.endswith(' --view'):
                command += '=0 --view-exit'
            with self.subTest(line):
                self.run_line(command)

    def test_the_table_of_verbs_is_that_of_the_program_and_every_row_runs(self):
        rows = [row[0] for row in readme.table(TEXTS[0].read_text(), '| verb |')]
        spans = [span for row in rows for span in re.findall('`([^`]+)`', row)]
        verbs = {span.split()[0] for span in spans}
        known = set(re.findall(r'^  (\w+)  ', self.run_line('tandem --help'), re.M))
        self.assertEqual(verbs, known)
        for span in spans:
            if span.startswith(('view ', 'tele ')):  # stays until Ctrl-C, too
                continue
            with self.subTest(span):
                command = self.filled(f'tandem {span}')
                self.assertIsNotNone(command, 'give its words in capitals a stand-in')
                self.run_line(command if not span.startswith('new') else f'{command}_of_the_table')

    def test_the_systems_of_the_excavator_run(self):
        rows = readme.table(TEXTS[0].read_text(), '| system |')
        systems = [name for row in rows for name in re.findall('`([^`]+)`', row[0])]
        shipped = {path.name for path in (self.tree / 'config/excavator').glob('*.ssd')} - {'hydraulics_interface.ssd'}
        self.assertLessEqual(set(systems), shipped)
        self.run_line(next(line for line in readme.commands(TEXTS[0].read_text()) if 'config/modelica/build.py' in line))
        for name in systems:
            with self.subTest(name):
                self.run_line(f'./run run config/excavator/{name} --stop 0.1 --record none')

    def test_every_option_that_is_named_exists(self):
        verbs = re.findall(r'^  (\w+)  ', self.run_line('tandem --help'), re.M)
        known = ' '.join(self.run_line(f'tandem {verb} --help') for verb in [*verbs, 'new spec'])
        scripts = ' '.join(path.read_text() for folder in ('config/modelica', 'tests/conformance', 'examples')
                           for path in (REPOSITORY / folder).rglob('*.py')).replace("'", '"')
        for text in TEXTS:
            for option in re.findall(r'(?<=[`\s=])--[a-z][a-z-]+', text.read_text()):
                with self.subTest(text=text.relative_to(REPOSITORY), option=option):
                    self.assertTrue(re.search(rf'{option}\b', known) or f'"{option}"' in scripts
                                    or option in (REPOSITORY / 'test').read_text() or option == '--help')

    def test_every_file_that_is_named_exists(self):
        for text in TEXTS:
            for name in re.findall(r'[`(]((?:[\w.-]+/)+[\w.-]*[\w])[`)]', text.read_text()):
                # Written by a run or a build, inside of a system, a media type, or with a word in capitals.
                outside = name.split('/')[0] in ('results', 'build', 'resources', 'extra', 'text')
                if outside or re.search('[A-Z]{3,}', name.replace('README', '')):
                    continue
                with self.subTest(text=text.relative_to(REPOSITORY), name=name):
                    self.assertTrue((REPOSITORY / name).exists() or (text.parent / name).exists())


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
