"""What a user meets on the command line: exit codes, messages, files that are kept. Needs only Python.

usage: cli_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

TANDEM, FMUS, TEST_FMUS, EXAMPLES = (os.path.abspath(argument) for argument in sys.argv[1:5])

HEAD = ('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
        'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" '
        'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="test">\n'
        '<ssd:System name="test">\n')
TAIL = '</ssd:System>\n<ssd:DefaultExperiment startTime="0" stopTime="0.1"/>\n</ssd:SystemStructureDescription>\n'


def component(name, fmu, extra=''):
    return f'<ssd:Component name="{name}" source="resources/{fmu}">{extra}</ssd:Component>\n'


def connector(name, kind, inner=''):
    return f'<ssd:Connector name="{name}" kind="{kind}">{inner}</ssd:Connector>'


def connection(start, end, extra=''):
    (a, x), (b, y) = start.split('.', 1), end.split('.', 1)
    return (f'<ssd:Connection startElement="{a}" startConnector="{x}" endElement="{b}" endConnector="{y}"'
            + (f'>{extra}</ssd:Connection>\n' if extra else '/>\n'))


def system(components, connections=''):
    return HEAD + '<ssd:Elements>\n' + components + '</ssd:Elements>\n<ssd:Connections>\n' + connections + \
        '</ssd:Connections>\n' + TAIL


class CommandLine(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tandem-cli-')
        os.mkdir(os.path.join(self.folder, 'resources'))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def fmu(self, name, folder=FMUS):
        shutil.copy(os.path.join(folder, name), os.path.join(self.folder, 'resources', name))

    def example(self, name):
        """An example with the units of this build."""
        folder = os.path.join(self.folder, name)
        if not os.path.exists(folder):
            shutil.copytree(os.path.join(EXAMPLES, name), folder, ignore=shutil.ignore_patterns('*.fmu'))
            os.makedirs(os.path.join(folder, 'resources'), exist_ok=True)
            with open(os.path.join(folder, 'SystemStructure.ssd'), encoding='utf-8') as file:
                for unit in re.findall(r'source="resources/(\w+\.fmu)"', file.read()):
                    shutil.copy(os.path.join(FMUS, unit), os.path.join(folder, 'resources', unit))
        return folder

    def two_mass(self):
        return self.example('two_mass')

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(content)
        return path

    def tandem(self, *arguments, **options):
        return subprocess.run([TANDEM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              **options)

    def refused(self, text, *arguments, code=2):
        """The command fails with one clear error line, and nothing is written."""
        done = self.tandem(*arguments)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        errors = [line for line in done.stderr.splitlines() if line.startswith('error[')]
        self.assertTrue(errors, done.stderr)
        self.assertRegex('\n'.join(errors), text)
        if code == 2:
            self.assertFalse(os.path.exists(os.path.join(self.folder, 'results')), 'something was written')
        return done

    def refused_system(self, text, content, *arguments):
        self.write('SystemStructure.ssd', content)
        return self.refused(text, 'run', '.', *arguments)

    def rows(self, path='results/SystemStructure/results.csv'):
        with open(os.path.join(self.folder, path), newline='') as file:
            return list(csv.DictReader(file))

    # ---- bad systems ----

    def test_malformed_xml(self):
        self.refused_system(r'SystemStructure\.ssd:\d+', HEAD + '<ssd:Elements><oops' + TAIL)

    def test_wrong_root(self):
        self.refused_system('SystemStructureDescription', '<?xml version="1.0"?><hello/>')

    def test_missing_system(self):
        self.refused('no such file', 'run', 'nowhere.ssp')

    def test_unknown_component_names_the_closest(self):
        self.fmu('oscillator.fmu')
        ports = '<ssd:Connectors>' + connector('x', 'output') + connector('x_other', 'input') + '</ssd:Connectors>'
        done = self.refused_system(r"SystemStructure\.ssd:\d+.*'lefft'.*closest match 'left'",
                                   system(component('left', 'oscillator.fmu', ports) +
                                          component('right', 'oscillator.fmu', ports),
                                          connection('lefft.x', 'right.x_other')))
        self.assertNotIn('Traceback', done.stderr)

    def test_unknown_connector_names_the_closest(self):
        self.fmu('oscillator.fmu')
        self.refused_system(r"SystemStructure\.ssd:\d+.*x_othr.*closest match 'x_other'",
                            system(component('left', 'oscillator.fmu') + component('right', 'oscillator.fmu'),
                                   connection('left.x', 'right.x_othr')))

    def test_type_mismatch(self):
        self.fmu('tank.fmu')
        self.fmu('oscillator.fmu')
        self.refused_system(r'SystemStructure\.ssd:\d+.*(Boolean|Float64)',
                            system(component('a', 'oscillator.fmu') + component('b', 'tank.fmu'),
                                   connection('a.x', 'b.valve')))

    def test_unit_dimension_mismatch(self):
        self.fmu('heater_room.fmu')
        self.fmu('oscillator.fmu')
        self.refused_system(r"SystemStructure\.ssd:\d+.*'K'.*'m'|SystemStructure\.ssd:\d+.*'m'.*'K'",
                            system(component('a', 'heater_room.fmu') + component('b', 'oscillator.fmu'),
                                   connection('a.T', 'b.x_other')))

    def test_output_to_output(self):
        self.fmu('oscillator.fmu')
        self.refused_system(r'SystemStructure\.ssd:\d+',
                            system(component('a', 'oscillator.fmu') + component('b', 'oscillator.fmu'),
                                   connection('a.x', 'b.x')))

    def test_connector_of_the_wrong_kind(self):
        self.fmu('oscillator.fmu')
        wrong = '<ssd:Connectors>\n' + connector('x', 'input') + '</ssd:Connectors>'
        text = r"SystemStructure\.ssd:5: connector 'a\.x' is declared as input, the variable is an output"
        self.refused_system(text, system(component('a', 'oscillator.fmu', wrong)))
        done = self.refused_system(text, system(component('a', 'oscillator.fmu', wrong) +
                                                component('b', 'oscillator.fmu'), connection('a.x', 'b.x_other')))
        self.assertEqual(done.stderr.count('error['), 1, done.stderr)

    def test_kinds_that_differ_but_do_not_contradict(self):
        self.fmu('dahlquist.fmu')
        ports = [connector('x', 'inout') + connector('k', 'input'), connector('x', 'calculatedParameter')]
        self.write('a.ssd', system(''.join(
            component(name, 'dahlquist.fmu', f'<ssd:Connectors>{inner}</ssd:Connectors>')
            for name, inner in zip('ab', ports))))
        done = self.tandem('check', 'a.ssd')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_connector_without_a_variable(self):
        self.fmu('oscillator.fmu')
        ports = '<ssd:Connectors>' + connector('xx', 'output') + '</ssd:Connectors>'
        self.write('a.ssd', system(component('a', 'oscillator.fmu', ports)))
        done = self.tandem('check', 'a.ssd')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: a\.ssd:4: connector 'a\.xx' has no variable behind it")
        self.refused(r"a\.ssd:4: connector 'a\.xx' has no variable", 'check', 'a.ssd', '--strict')

    def test_two_sources_for_one_input(self):
        self.fmu('oscillator.fmu')
        three = ''.join(component(name, 'oscillator.fmu') for name in 'abc')
        self.refused_system(r'SystemStructure\.ssd:\d+.*c\.x_other',
                            system(three, connection('a.x', 'c.x_other') + connection('b.x', 'c.x_other')))

    def test_array_sizes_that_differ(self):
        self.fmu('state_space.fmu')
        parameters = ('<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet '
                      'version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="m"><ssv:Integer value="2"/>'
                      '</ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>'
                      '</ssd:ParameterBinding></ssd:ParameterBindings>')
        self.refused_system(r'SystemStructure\.ssd:\d+',
                            system(component('a', 'state_space.fmu') + component('b', 'state_space.fmu', parameters),
                                   connection('a.y', 'b.u')))

    def test_step_that_does_not_divide(self):
        self.fmu('oscillator.fmu')
        self.refused_system('no multiple of the step', system(component('a', 'oscillator.fmu')), '--step', '0.03',
                            '--stop', '0.1')

    def test_step_that_is_no_number(self):
        self.fmu('oscillator.fmu')
        self.refused_system("'fast'", system(component('a', 'oscillator.fmu')), '--step', 'fast')

    def test_missing_fmu(self):
        self.refused_system(r'nowhere\.fmu', system(component('a', 'nowhere.fmu')))

    # ---- bad FMUs ----

    def test_not_a_zip(self):
        self.write('resources/a.fmu', 'this is no archive')
        self.refused_system(r'a\.fmu', system(component('a', 'a.fmu')))

    def test_truncated_zip(self):
        with open(os.path.join(FMUS, 'dahlquist.fmu'), 'rb') as whole:
            content = whole.read()
        with open(os.path.join(self.folder, 'resources', 'a.fmu'), 'wb') as part:
            part.write(content[:len(content) // 2])
        self.refused_system(r'a\.fmu', system(component('a', 'a.fmu')))

    def test_path_traversal(self):
        with zipfile.ZipFile(os.path.join(self.folder, 'resources', 'a.fmu'), 'w') as archive:
            archive.writestr('modelDescription.xml', '<x/>')
            archive.writestr('../../evil.txt', 'evil')
        self.refused_system(r'evil', system(component('a', 'a.fmu')))
        self.assertFalse(os.path.exists(os.path.join(self.folder, '..', 'evil.txt')))

    def test_no_binary_for_this_platform(self):
        self.fmu('windows_only.fmu', TEST_FMUS)
        text = r"win64.*; component 'a' at .*SystemStructure\.ssd:4"
        self.refused_system(text, system(component('a', 'windows_only.fmu')))
        self.refused(text, 'check', '.')

    def test_a_second_unit_of_a_once_per_process_fmu(self):
        self.fmu('once_per_process.fmu', TEST_FMUS)
        text = r"unit 'b': .*canBeInstantiatedOnlyOncePerProcess.*component 'b' at .*SystemStructure\.ssd:5"
        self.refused_system(text, system(component('a', 'once_per_process.fmu') +
                                         component('b', 'once_per_process.fmu')))
        self.refused(text, 'check', '.')

    def test_instantiate_fails(self):
        self.fmu('instantiate_fails.fmu', TEST_FMUS)
        done = self.tandem('run', 'resources/instantiate_fails.fmu')
        self.assertIn(done.returncode, (1, 2))
        self.assertRegex(done.stderr, r'error\[.*instantiate_fails.*licence')

    def test_a_unit_that_leaves_a_thread_behind(self):
        self.fmu('leaves_thread.fmu', TEST_FMUS)
        for _ in range(3):
            done = self.tandem('run', 'resources/leaves_thread.fmu', '--stop', '0.1', '--out', 'out')
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_wrong_implementation(self):
        self.fmu('tank_controller.fmu')
        self.refused('ModelExchange|me', 'run', 'resources/tank_controller.fmu', '--implementation', 'me')

    def test_unknown_parameter_names_the_closest(self):
        self.fmu('dahlquist.fmu')
        self.refused(r"closest match 'dahlquist\.k'|closest match 'k'", 'run', 'resources/dahlquist.fmu', '--set',
                     'dahlquist.kk=2')

    def test_misspelt_option_names_the_closest(self):
        self.refused("'--stpo', closest match '--stop'", 'run', 'x.ssd', '--stpo', '1')
        self.refused("'--jsn', closest match '--json'", 'inspect', 'x.fmu', '--jsn=1')

    def test_usage(self):
        self.refused('SYSTEM', 'run')
        self.refused("unknown verb 'frobnicate'", 'frobnicate')

    def test_a_number_that_is_none(self):
        self.refused("--threads: found 'many', expected a whole number", 'run', 'x.ssd', '--threads', 'many')
        self.refused("--tol: found 'small', expected a number", 'compare', 'a.csv', 'b.csv', '--tol', 'small')

    # ---- units that fail in the middle ----

    def fails_in_the_middle(self, behaviour, text):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        done = self.refused(text, 'run', 'resources/misbehaving_fmi2.fmu', '--step', '0.01', '--stop', '1', '--set',
                            f'misbehaving_fmi2.behaviour={behaviour}', '--set', 'misbehaving_fmi2.when=0.5', code=1)
        self.assertRegex(done.stderr, r"error\[[a-z-]+\]: unit 'misbehaving_fmi2' at t = 0\.(5|49|51)")
        rows = self.rows('results/misbehaving_fmi2/results.csv')
        self.assertGreaterEqual(len(rows), 49)
        self.assertLess(len(rows), 60)
        with open(os.path.join(self.folder, 'results/misbehaving_fmi2/run.json')) as file:
            self.assertEqual(json.load(file)['outcome']['exit'], 1)

    def test_error(self):
        self.fails_in_the_middle(1, 'fmi2DoStep')

    def test_discard(self):
        self.fails_in_the_middle(2, 'refused the step')

    def test_fatal(self):
        self.fails_in_the_middle(3, 'fmi2DoStep')

    def test_nan(self):
        self.fails_in_the_middle(4, "'y'.*not a number")

    # ---- runs ----

    def test_a_single_fmu(self):
        self.fmu('dahlquist.fmu')
        done = self.tandem('run', 'resources/dahlquist.fmu', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows('out/results.csv')
        self.assertEqual(list(rows[0])[0], 'time')
        self.assertAlmostEqual(float(rows[-1]['x']), 2.718281828 ** -float(rows[-1]['time']), delta=0.02)
        for name in ('results.csv', 'run.json', 'report.html'):
            self.assertTrue(os.path.exists(os.path.join(self.folder, 'out', name)), name)

    def test_two_runs_give_the_same_bits(self):
        for out in ('one', 'two', 'three'):
            threads = '1' if out != 'three' else '2'
            done = self.tandem('run', self.two_mass(), '--out', out, '--quiet', '--threads', threads)
            self.assertEqual(done.returncode, 0, done.stderr)
        contents = []
        for out in ('one', 'two', 'three'):
            with open(os.path.join(self.folder, out, 'results.csv'), 'rb') as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        self.assertEqual(contents[0], contents[2])

    def test_threads_give_the_same_bits(self):
        names = ['a', 'b', 'c', 'd']
        components = ''.join(
            f'<ssd:Component name="{name}" source="{TEST_FMUS}/costly_fmi2.fmu"><ssd:Connectors>'
            '<ssd:Connector name="u" kind="input"><ssc:Real/></ssd:Connector>'
            '<ssd:Connector name="y" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors></ssd:Component>'
            for name in names)
        connections = ''.join(
            f'<ssd:Connection startElement="{a}" startConnector="y" endElement="{b}" endConnector="u"/>'
            for a, b in zip(names, names[1:] + names[:1]))
        self.write('costly.ssd', '<ssd:SystemStructureDescription version="1.0" name="costly" '
                   'xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
                   'xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"><ssd:System name="costly">'
                   f'<ssd:Elements>{components}</ssd:Elements><ssd:Connections>{connections}</ssd:Connections>'
                   '</ssd:System></ssd:SystemStructureDescription>')
        contents = []
        for threads in ('1', '2'):
            done = self.tandem('run', 'costly.ssd', '--step', '0.001', '--stop', '0.4', '--out', threads, '--stats',
                               '--threads', threads)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.folder, threads, 'results.csv'), 'rb') as file:
                contents.append(file.read())
        self.assertRegex(done.stdout + done.stderr, r'on several threads +\d+')
        self.assertEqual(contents[0], contents[1])

    def test_repeat(self):
        system_folder = self.two_mass()
        self.assertEqual(self.tandem('run', system_folder, '--out', 'one', '--quiet', '--step', '0.01').returncode, 0)
        done = self.tandem('run', '--repeat', 'one/run.json', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertRegex(done.stdout + done.stderr, 'same bits')
        with open(os.path.join(self.folder, 'one/results.csv'), 'a') as file:
            file.write('99,1,1\n')
        done = self.tandem('run', '--repeat', 'one/run.json', '--out', 'three')
        self.assertEqual(done.returncode, 3, done.stderr + done.stdout)

    def test_archive_of_a_system_is_called_by_its_own_name(self):
        self.assertEqual(self.tandem('pack', self.two_mass(), '-o', 'two.ssp').returncode, 0)
        self.assertEqual(self.tandem('run', 'two.ssp', '--out', 'one', '--quiet').returncode, 0)
        with open(os.path.join(self.folder, 'one/run.json')) as file:
            self.assertNotIn(tempfile.gettempdir() + '/tandem-', file.read().replace(self.folder, ''))
        done = self.tandem('run', '--repeat', 'one/run.json', '--out', 'two')
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        self.assertNotIn('no longer there', done.stderr)
        with zipfile.ZipFile(os.path.join(self.folder, 'two.ssp')) as whole, \
                zipfile.ZipFile(os.path.join(self.folder, 'broken.ssp'), 'w') as broken:
            for name in whole.namelist():
                broken.writestr(name, b'PK' if name.endswith('.fmu') else whole.read(name))
        self.refused(r"error\[archive\]: broken\.ssp/resources/\w+\.fmu: .*; component '\w+' at "
                     r'broken\.ssp/SystemStructure\.ssd:\d+', 'run', 'broken.ssp')

    def test_fmu_without_model_description(self):
        with zipfile.ZipFile(os.path.join(self.folder, 'resources', 'a.fmu'), 'w') as archive:
            archive.writestr('binaries/readme', 'nothing')
        self.refused_system(r'resources/a\.fmu/modelDescription\.xml: there is no such file.*'
                            r"component 'a' at \S*SystemStructure\.ssd:\d+", system(component('a', 'a.fmu')))

    def test_unknown_algorithm_of_a_system(self):
        path = os.path.join(self.two_mass(), 'SystemStructure.ssd')
        with open(path, encoding='utf-8') as file:
            text = file.read()
        annotations = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim"><t:Master xmlns:t="urn:tandem:cosim:1" '
                       'algorithm="jacoby"/></ssc:Annotation></ssd:Annotations>')
        text = text.replace('</ssd:System>', annotations + '</ssd:System>')
        self.write('two_mass/SystemStructure.ssd', text)
        self.refused(r"SystemStructure\.ssd:\d+: unknown algorithm 'jacoby'.*closest match 'jacobi'", 'run', 'two_mass')

    def test_step_longer_than_the_run(self):
        self.refused(r'error\[step\]: --step: the step 10 s is longer than the run from 0 s to 1 s', 'run',
                     self.two_mass(), '--step', '10', '--stop', '1')

    def test_rounding_changed_late_is_put_back(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        done = self.tandem('run', 'resources/misbehaving_fmi2.fmu', '--step', '0.1', '--stop', '1', '--set',
                           'behaviour=8', '--set', 'when=0.5', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'warning: .*changed the floating-point environment before t = 0\.6')
        self.assertIn('step 0.1 s', done.stdout)

    def test_only_what_a_format_holds_is_counted(self):
        self.fmu('feedthrough.fmu')
        done = self.tandem('run', 'resources/feedthrough.fmu', '--record', '*', '--out', 'o')
        self.assertIn(f'recorded     {len(self.rows("o/results.csv")[0]) - 1} signals', done.stdout)

    def test_record_patterns(self):
        folder = self.two_mass()
        self.assertEqual(self.tandem('run', folder, '--out', 'o', '--quiet', '--record', 'left.*').returncode, 0)
        self.assertTrue(all(name == 'time' or name.startswith('left.') for name in self.rows('o/results.csv')[0]))
        self.refused("closest match 'left", 'run', folder, '--out', 'o2', '--record', 'leftt.x')
        self.assertEqual(self.tandem('run', folder, '--out', 'o3', '--quiet', '--record', 'none').returncode, 0)
        self.assertFalse(os.path.exists(os.path.join(self.folder, 'o3/results.csv')))

    def test_input_table(self):
        self.fmu('dahlquist_coupled.fmu')
        self.write('u.csv', 'time,"u"\n0,0\n1,0\n1,1\n3,1\n')
        done = self.tandem('run', 'resources/dahlquist_coupled.fmu', '--input', 'u.csv', '--stop', '3', '--step',
                           '0.01', '--out', 'o', '--set', 'x0=0', '--set', 'g=1')
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = self.rows('o/results.csv')
        last = rows[-1]
        self.assertAlmostEqual(float(last['x']), 1 - 2.718281828459045 ** -2, delta=1e-6)
        self.write('u.csv', 'time,v\n0,0\n1,0\n')
        self.refused(r"u\.csv:1.*'v'", 'run', 'resources/dahlquist_coupled.fmu', '--input', 'u.csv')
        self.write('u.csv', 'time,u\n0,0\n1,nan\n')
        self.refused(r"u\.csv:3: column 'u' is not a number", 'run', 'resources/dahlquist_coupled.fmu', '--input',
                     'u.csv')

    def test_input_table_of_a_system_with_an_order(self):
        folder = self.example('boom_coupling')
        with open(os.path.join(folder, 'SystemStructure.ssd'), encoding='utf-8') as file:
            self.assertIn('order="', file.read())
        self.write('u.csv', 'time,boom.command\n0,0\n1,0.1\n')
        done = self.tandem('run', folder, '--input', 'u.csv', '--stop', '0.1', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_scenario(self):
        self.fmu('dahlquist_coupled.fmu')
        scenario = ('<Scenario xmlns="urn:tandem:scenario:1"><Signal name="dahlquist_coupled.u" hold="constant">'
                    '<At t="0" value="0"/><At t="1" value="1"/></Signal>'
                    '<Limit name="dahlquist_coupled.x" max="{}" action="stop"/></Scenario>')
        self.write('s.xml', scenario.format(2))
        common = ['run', 'resources/dahlquist_coupled.fmu', '--scenario', 's.xml', '--stop', '3', '--step', '0.01',
                  '--set', 'x0=0', '--set', 'g=1']
        done = self.tandem(*common, '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(self.rows('o/results.csv')[-1]['x']), 1 - 2.718281828459045 ** -2, delta=1e-6)
        self.write('s.xml', scenario.format(0.5))
        done = self.tandem(*common, '--out', 'o2')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertRegex(done.stderr, r'error\[limit\]: s\.xml:\d+.*t = 1\.7,')
        rows = self.rows('o2/results.csv')
        self.assertGreater(len(rows), 160)
        self.assertGreater(float(rows[-1]['x']), 0.5, 'what broke the limit is recorded')
        self.write('s.xml', scenario.format(0.5).replace('"stop"', '"warn"'))
        done = self.tandem(*common, '--out', 'o3')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^warning: s\.xml:1: 'dahlquist_coupled\.x' is .* at t = 1\.7,")
        for right, wrong in (('coupled.u"', 'coupled.uu"'), ('coupled.x"', 'coupled.xx"')):
            self.write('s.xml', scenario.format(2).replace(right, wrong))
            self.refused(r'error\[scenario\]: s\.xml:1: .*closest match', *common)

    def test_interrupted_runs_keep_their_results(self):
        for way in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            with self.subTest(way=way.name):
                self.interrupted_by(way)

    def interrupted_by(self, way):
        process = subprocess.Popen([TANDEM, 'run', self.two_mass(), '--stop', '100000', '--out', 'o'],
                                   cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(200):
            time.sleep(0.05)
            if os.path.exists(os.path.join(self.folder, 'o/results.csv')):
                break
        time.sleep(0.5)
        process.send_signal(way)
        _, errors = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, errors)
        rows = self.rows('o/results.csv')
        self.assertGreater(len(rows), 10)
        self.assertNotIn(None, rows[-1].values())
        self.assertTrue(os.path.exists(os.path.join(self.folder, 'o/run.json')))
        shutil.rmtree(os.path.join(self.folder, 'o'))

    def test_formats_agree(self):
        folder = self.two_mass()
        for form in ('csv', 'hdf5', 'mat'):
            done = self.tandem('run', folder, '--out', form, '--format', form, '--quiet', '--stop', '1')
            self.assertEqual(done.returncode, 0, done.stderr)
        for other in ('hdf5/results.h5', 'mat/results.mat'):
            done = self.tandem('compare', other, 'csv/results.csv', '--tol', '0', '--absolute', '0')
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_compare(self):
        self.write('a.csv', 'time,x\n0,0\n1,1\n')
        self.write('b.csv', 'time,x\n0,0\n1,1.1\n')
        self.assertEqual(self.tandem('compare', 'a.csv', 'a.csv').returncode, 0)
        self.assertEqual(self.tandem('compare', 'a.csv', 'b.csv', '--tol', '0.01').returncode, 3)
        self.assertEqual(self.tandem('compare', 'a.csv', 'b.csv', '--tol', '0.2').returncode, 0)

    def test_set_reaches_connectors_of_the_system(self):
        self.fmu('dahlquist.fmu')
        text = system(component('unit', 'dahlquist.fmu'))
        text = text.replace('<ssd:Elements>', '<ssd:Connectors>' + connector('boom.rate', 'parameter', '<ssc:Real/>') +
                            '</ssd:Connectors><ssd:Elements>', 1)
        text = text.replace('</ssd:Connections>', '<ssd:Connection startConnector="boom.rate" endElement="unit" '
                            'endConnector="k"/></ssd:Connections>')
        self.refused_system(r"--set boom\.rat=0: 'boom\.rat' is neither .* closest match 'boom\.rate'", text, '--set',
                            'boom.rat=0')
        self.refused_system(r"closest match 'unit\.k'", text, '--set', 'unt.k=0')
        done = self.tandem('run', '.', '--step', '0.1', '--set', 'boom.rate=0', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual({row['unit.x'] for row in self.rows('o/results.csv')}, {'1'})

    def test_converge_shows_the_order(self):
        folder = self.two_mass()
        for hold, order in (('constant', 1), ('compensated', 2)):
            done = self.tandem('converge', folder, '--stop', '1', '--step', '0.005', '--hold', hold)
            self.assertEqual(done.returncode, 0, done.stderr)
            found = float(re.search(r'observed order ([\d.]+)', done.stdout).group(1))
            self.assertAlmostEqual(found, order, delta=0.15)

    def test_converge_takes_no_solver_noise_for_an_order(self):
        done = self.tandem('converge', self.example('bouncing_ball'))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no order: differences are at the level of the solver's tolerance", done.stdout)
        self.assertNotIn('observed order', done.stdout)
        done = self.tandem('converge', self.example('thermostat'))
        self.assertIn('no order: differences do not shrink regularly', done.stdout)

    def test_check_and_graph_and_inspect(self):
        folder = self.two_mass()
        self.assertRegex(self.tandem('check', folder).stdout, 'ok, 2 components, 2 connections')
        self.assertRegex(self.tandem('graph', folder).stdout, 'digraph')
        done = self.tandem('inspect', os.path.join(FMUS, 'dahlquist.fmu'), '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        json.loads(done.stdout)
        self.assertEqual(self.tandem('inspect', os.path.join(FMUS, 'dahlquist_fmi2.fmu')).returncode, 0)
        self.assertEqual(self.tandem('inspect', folder).returncode, 0)

    def test_inspect_shows_what_components_exchange(self):
        folder = self.two_mass()
        text = self.tandem('inspect', folder).stdout
        self.assertRegex(text, r'(?m)^    output +\w+ +Float64 +m$')
        self.assertRegex(text, r'(?m)^    \d+ parameters?: tandem inspect .*oscillator\.fmu$')
        document = json.loads(self.tandem('inspect', folder, '--json').stdout)
        left = document['components'][0]
        self.assertIn({'type': 'Float64', 'causality': 'output', 'unit': 'm'},
                      [{key: value for key, value in v.items() if key != 'name'} for v in left['variables']])
        self.assertEqual({v['causality'] for v in left['variables']}, {'input', 'output'})
        self.assertGreater(left['parameters'], 0)

    def test_inspect_and_graph_take_a_variant(self):
        self.fmu('dahlquist.fmu')
        self.write('SystemStructure.ssd', system(component('first', 'dahlquist.fmu')))
        self.write('other.ssd', system(component('second', 'dahlquist.fmu')))
        for verb in ('inspect', 'graph'):
            done = self.tandem(verb, '.', '--variant', 'other.ssd')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('second', done.stdout)
            self.assertNotIn('first', done.stdout)

    def test_pack_and_run_the_archive(self):
        done = self.tandem('pack', self.two_mass(), '-o', 't.ssp')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.tandem('run', 't.ssp', '--quiet', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_new_system_can_be_checked(self):
        self.assertEqual(self.tandem('new', 'system', 'crane').returncode, 0)
        done = self.tandem('check', 'crane')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('crane: ok, 1 component', done.stdout)
        done = self.tandem('run', 'crane', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('recorded     1 signal in', done.stdout)
        self.assertEqual(float(self.rows('o/results.csv')[-1]['drive.command']), 1)
        self.refused('exists|already', 'new', 'system', 'crane')

    def test_the_summary_prints_the_hyperperiod_of_several_rates(self):
        self.fmu('dahlquist.fmu')
        rate = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim">'
                '<t:Component xmlns:t="urn:tandem:cosim:1"><t:Rate step="{}"/></t:Component>'
                '</ssc:Annotation></ssd:Annotations>')
        self.write('a.ssd', system(component('a', 'dahlquist.fmu', rate.format('0.02')) +
                                   component('b', 'dahlquist.fmu', rate.format('0.05'))))
        done = self.tandem('run', 'a.ssd', '--stop', '0.2', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'algorithm .*, hyperperiod 0\.1 s')

    def test_stats_and_trace(self):
        done = self.tandem('run', self.two_mass(), '--out', 'o', '--stats', '--trace', 'trace.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout + done.stderr, r'left')
        with open(os.path.join(self.folder, 'trace.json')) as file:
            json.load(file)

    def test_help_has_an_example_for_every_verb(self):
        for verb in ('run', 'inspect', 'check', 'graph', 'converge', 'compare', 'new', 'new system', 'new fmu', 'pack'):
            done = self.tandem(*verb.split(), '--help')
            self.assertEqual(done.returncode, 0)
            self.assertIn('Example', done.stdout, verb)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
