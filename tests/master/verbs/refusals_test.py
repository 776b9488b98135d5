"""What is wrong with a system, a unit or the command itself ends with a clear line and the right exit code.

usage: refusals_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import re
import zipfile

from command_line import CommandLine, FMUS, HEAD, TAIL, TEST_FMUS, component, connection, connector, main, system


class Refusals(CommandLine):
    def test_malformed_xml(self):
        self.refused_system(r'SystemStructure\.ssd:\d+', HEAD + '<ssd:Elements><oops' + TAIL)

    def test_wrong_root(self):
        self.refused_system('SystemStructureDescription', '<?xml version="1.0"?><hello/>')

    def test_missing_system(self):
        self.refused('no such file', 'run', 'nowhere.ssp')

    def test_what_an_option_says_twice(self):
        two = self.two_mass()
        for text, *arguments in (("link: 'delay=2ms', expected 'delay' once", '--link', 'delay=1ms,loss=1%,delay=2ms'),
                                 (r'error\[usage\]: --replace .*: names two maps, expected one', '--replace',
                                  'left=x.fmu,map=a.csv,map=b.csv'),
                                 (r"error\[usage\]: --replace .*: component 'left' is replaced twice", '--replace', 'left=x.fmu',
                                  '--replace', 'left=y.fmu'),
                                 (r"error\[overwrite\]: a\.lvx: --record-points .* would both write", '--record-points', 'left.x=a.lvx',
                                  '--record-points', 'right.x=a.lvx')):
            with self.subTest(arguments=arguments):
                self.refused(text, 'run', two, *arguments)

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
        self.refused(r"a\.ssd:4: none of the connectors of component 'a' \(xx\) is a variable of its unit 'oscillator'",
                     'check', 'a.ssd')
        ports = ports.replace('<ssd:Connectors>', '<ssd:Connectors>' + connector('x', 'output'))
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

    def test_unknown_option_names_the_closest(self):
        self.refused(r"unknown option '--output', closest match '--out'", 'run', self.two_mass(), '--output', 'there')

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

    def test_an_option_without_a_value_is_not_ignored(self):
        two = self.two_mass()
        for option in ('start', 'stop', 'step', 'algorithm', 'hold', 'variant', 'input', 'scenario', 'log', 'trace', 'can-log',
                       'record-interval', 'record', 'out', 'set', 'repeat', 'map', 'write', 'contract', 'view-host'):
            with self.subTest(option):
                self.refused(fr'error\[usage\]: --{option}: found an empty text, expected .+: .+', 'run', two, f'--{option}', '')
        for option in ('realtime', 'settle', 'view', 'stop', 'log'):
            with self.subTest(option):
                self.refused(fr"error\[usage\]: --{option}: nothing stands behind the '=', expected a value", 'run', f'--{option}=', two)
        self.refused('--html: found an empty text', 'compare', 'a.csv', 'a.csv', '--html', '')
        self.refused('--out: found an empty text', 'new', 'spec', 'a.csv', '-o', '')
        self.refused('system: found an empty text', 'check', '')
        self.assertNotIn('found an empty text', self.tandem('run', two, '--set', 'left.x=', '--out', 'o').stderr)

    def test_a_number_of_an_option_is_finite(self):
        for value in ('nan', 'inf', '-nan', 'Infinity'):
            for option, *command in (('--unit-timeout', 'run', 'x.ssd'), ('--unit-timeout', 'converge', 'x.ssd'),
                                     ('--tolerance', 'run', 'x.ssd'), ('--tol', 'compare', 'a.csv', 'b.csv'),
                                     ('--absolute', 'compare', 'a.csv', 'b.csv'), ('--time', 'compare', 'a.csv', 'b.csv'),
                                     ('--transient', 'swap', 'x.ssd', 'a', 'b.fmu'), ('--amplitude', 'linearize', 'x.ssd'),
                                     ('--wait', 'linearize', 'x.ssd'), ('--time', 'can', 'a.log'), ('--bit-rate', 'can', 'a.log'),
                                     ('--data-rate', 'can', 'a.log'), ('--time', 'topics'), ('--margin', 'new', 'spec', 'a.csv')):
                with self.subTest(f'{option} {value}'):
                    self.refused(f'error.usage.: .*{option}', *command, f'{option}={value}')

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

    def test_an_infinite_output_is_blamed_on_its_sender(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        self.write('SystemStructure.ssd', system(component('a', 'misbehaving_fmi2.fmu') +
                                                 component('b', 'misbehaving_fmi2.fmu'), connection('a.y', 'b.u')))
        values = ('--set', 'a.behaviour=14', '--set', 'a.when=0.05')
        self.refused(r"error\[infinite\]: unit 'a' at t = 0\.0[5-7]\d*: output 'y' is infinite, and other units are given it",
                     'run', '.', '--step', '0.01', *values, code=1)
        # One that goes nowhere may stand for "none".
        done = self.tandem('run', 'resources/misbehaving_fmi2.fmu', '--set', 'behaviour=14', '--out', 'alone')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_an_error_in_initialisation_names_unit_call_and_message(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        self.refused(r"error\[fmu-error\]: unit 'misbehaving_fmi2' at t = 0: .*fmi2ExitInitializationMode.*"
                     'no equilibrium for 3 bodies', 'run', 'resources/misbehaving_fmi2.fmu', '--set', 'behaviour=17',
                     code=1)

    def test_a_warning_without_a_message_is_said_once(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        run = ('run', 'resources/misbehaving_fmi2.fmu', '--step', '0.01', '--set', 'behaviour=15', '--set', 'when=0.5')
        done = self.tandem(*run)
        self.assertEqual(done.returncode, 0, done.stderr)
        said = re.findall(r"warning: unit 'misbehaving_fmi2' at t = (\S+): fmi2DoStep returned the status Warning "
                          'without a message', done.stderr)
        self.assertEqual(len(said), 1, done.stderr)
        self.assertAlmostEqual(float(said[0]), 0.5, delta=0.011)
        self.assertEqual(self.tandem(*run, '--strict').returncode, 3)
        done = self.tandem(*run[:-3], 'behaviour=10', '--set', 'when=0.5')
        self.assertNotIn('without a message', done.stderr)

    def test_long_messages_are_cut_and_a_flood_of_them_costs_little(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        done = self.tandem('run', 'resources/misbehaving_fmi2.fmu', '--step', '0.01', '--set', 'behaviour=16')
        self.assertEqual(done.returncode, 0, done.stderr)
        longest = max(map(len, done.stderr.splitlines()))
        self.assertGreater(longest, 60_000)
        self.assertLess(longest, 66_000)
        self.assertIn('more messages of this unit not shown', done.stderr)

    def test_a_unit_that_calls_exit_is_no_success(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        done = self.tandem('run', 'resources/misbehaving_fmi2.fmu', '--set', 'behaviour=13', '--set', 'when=0.5')
        self.assertEqual(done.returncode, 1)
        self.assertIn('by calling exit', done.stderr)

    def test_an_unknown_format_leaves_earlier_results_alone(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        run = ('run', 'resources/misbehaving_fmi2.fmu', '--out', 'kept')
        self.assertEqual(self.tandem(*run).returncode, 0)
        self.assertEqual(self.tandem(*run, '--format', 'xls').returncode, 2)
        self.assertEqual(sorted(os.listdir(os.path.join(self.folder, 'kept'))), ['report.html', 'results.csv', 'run.json'])


if __name__ == '__main__':
    main()
