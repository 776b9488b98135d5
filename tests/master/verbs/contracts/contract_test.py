"""Runs that are watched: promises kept, broken and not exercised, and specifications that do not fit.

usage: contract_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import re

import interfaces as make
from command_line import CommandLine, EXAMPLES, FMUS, HEAD, TEST_FMUS, component, main

METRE = '<ssc:Unit name="m"><ssc:BaseUnit m="1"/></ssc:Unit><ssc:Unit name="mm"><ssc:BaseUnit m="1" factor="1e-3"/></ssc:Unit>' \
        '<ssc:Unit name="kg"><ssc:BaseUnit kg="1"/></ssc:Unit>'
EXCAVATOR = os.path.join(os.path.dirname(EXAMPLES), 'config/excavator')


class Watched(CommandLine):
    """The two masses swing by about a metre; `left.x1` begins at 1 m."""

    def spec(self, unit='m', name='x1', component='left', **values):
        return self.write('spec.ssd', make.ssd([make.connector(name, 'output', f'<ssc:Float64 unit="{unit}"/>', **values)],
                                               units=METRE, component=component))

    def watched(self, *options):
        return self.tandem('run', self.two_mass(), '--contract', 'spec.ssd', '--out', 'out', '--shadow', 'off', *options)

    def test_a_promise_that_is_kept(self):
        name, low, high = make.moving_signal(self)
        self.spec(name=name, min=low - 0.1, max=high + 0.1, requirement='TWO-1')
        done = self.watched()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('1 passed, 0 failed, 0 not exercised', done.stdout)
        with open(os.path.join(self.folder, 'out/report.html'), encoding='utf-8') as file:
            report = file.read()
        self.assertRegex(report, r'Requirements.*TWO-1.*left\.' + name + '.*passed')
        with open(os.path.join(self.folder, 'out/run.json'), encoding='utf-8') as file:
            self.assertIn('contract', [item['role'] for item in json.load(file)['inputs']])

    def test_watching_changes_no_bit(self):
        name, low, high = make.moving_signal(self)
        self.spec(name=name, min=low, max=high)
        self.assertEqual(self.watched().returncode, 0)
        contents = []
        for out in ('plain', 'out'):
            with open(os.path.join(self.folder, out, 'results.csv'), 'rb') as file:
                contents.append(file.read())
        self.assertEqual(*contents)

    def test_a_promise_that_is_broken(self):
        name, low, high = make.moving_signal(self)
        self.spec(unit='mm', name=name, min=1000 * low - 1, max=1000 * (low + high) / 2, requirement='TWO-2')
        done = self.watched()
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"error\[contract\]: spec\.ssd:\d+: 'left\." + name
                         + r"' outside its range, first at t = \S+ s, at \d+ points, worst .*; requirement TWO-2")
        done = self.watched('--warn')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"warning: spec\.ssd:\d+: 'left\." + name + "' outside its range")
        self.assertIn('0 passed, 1 failed', done.stdout)
        self.spec(name=name, min=low - 1, max=(low + high) / 2, severity='warning')
        self.assertEqual(self.watched().returncode, 0)

    def test_a_run_that_hardly_moves_passes_nothing(self):
        name, low, high = make.moving_signal(self)
        self.spec(name=name, min=low - 1e3, max=high + 1e3, rate=1e9)
        done = self.watched()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('0 passed, 0 failed, 1 not exercised', done.stdout)

    def test_specifications_that_do_not_fit(self):
        name, _, _ = make.moving_signal(self)
        for wrong, words in (({'component': 'centre'}, r"spec\.ssd:\d+: 'centre\.\w+' is no variable"),
                             ({'name': 'w1'}, r"spec\.ssd:\d+: 'left\.w1' is no variable"),
                             ({'unit': 'kg'}, r'spec\.ssd:\d+: .*cannot be held against it')):
            with self.subTest(words):
                self.spec(**{'name': name, 'min': 0, 'max': 1, **wrong})
                self.refused(words, 'run', self.two_mass(), '--contract', 'spec.ssd', '--shadow', 'off')
        self.spec(name=name)
        self.refused('promises nothing', 'run', self.two_mass(), '--contract', 'spec.ssd')

    def test_what_is_no_number_is_refused_not_skipped(self):
        self.write('spec.ssd', make.ssd([make.connector('String_output', 'output', '<ssc:Float64/>', max=1)], component='unit'))
        done = self.tandem('run', os.path.join(FMUS, 'feedthrough.fmu'), '--contract', 'spec.ssd', '--out', 'out', '--stop', '0.1')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("'String_output' of the system is no number", done.stderr)

    def test_a_specification_of_what_is_there(self):
        for system in (self.two_mass(), os.path.join(FMUS, 'hydraulics_simple.fmu'), os.path.join(FMUS, 'bouncing_ball.fmu')):
            with self.subTest(system):
                done = self.tandem('new', 'spec', system, '-o', os.path.basename(system) + '.ssd')
                self.assertEqual(done.returncode, 0, done.stderr)
                done = self.tandem('check', system, '--against', os.path.basename(system) + '.ssd')
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn(' 0 breaking, 0 compatible', done.stdout)
        self.refused('is there already', 'new', 'spec', self.two_mass(), '-o', 'two_mass.ssd')
        make.moving_signal(self)
        self.assertEqual(self.tandem('new', 'spec', 'plain/results.csv', '-o', 'spec.ssd').returncode, 0)
        done = self.watched()
        self.assertRegex(done.stdout, r'requirements [1-9]\d* passed, 0 failed, 0 not exercised')
        # Units are those of the record beside the result; ranges have as many digits as people read, rounded outward.
        with open(os.path.join(self.folder, 'spec.ssd'), encoding='utf-8') as file:
            text = file.read()
        self.assertIn('<ssc:Float64 unit="m"/>', text)
        self.assertIn('<ssc:Unit name="m">', text)
        for number in re.findall(r'(?:min|max)="([^"]*)"', text):
            self.assertLessEqual(len(number.strip('-').replace('.', '').lstrip('0')), 5, number)
        os.remove(os.path.join(self.folder, 'plain/run.json'))
        self.assertEqual(self.tandem('new', 'spec', 'plain/results.csv', '-o', 'bare.ssd').returncode, 0)
        with open(os.path.join(self.folder, 'bare.ssd'), encoding='utf-8') as file:
            self.assertNotIn('unit=', file.read())
        table = self.tandem('new', 'spec', self.two_mass(), '--markdown').stdout.splitlines()
        self.assertEqual(table[0], '| name | kind | type | unit | min | max | period | requirement |')
        self.assertIn('| left.m | parameter | Float64 | kg | 0 |  |  |  |', table)
        self.assertIn('left.m,parameter,Float64,kg,0,,,', self.tandem('new', 'spec', self.two_mass(), '--csv').stdout)

    def test_a_connector_of_the_system_is_watched_as_it_is_given(self):
        """An input of the system in mm that leads to one in m; a run that drives it by 100 mm."""
        self.fmu('oscillator.fmu')
        connectors = ('<ssd:Connectors><ssd:Connector name="push" kind="input"><ssc:Real unit="mm"/></ssd:Connector>'
                      '</ssd:Connectors>')
        self.write('system.ssd', HEAD + connectors + '<ssd:Elements>' + component(
            'left', 'oscillator.fmu', '<ssd:Connectors><ssd:Connector name="x_other" kind="input"><ssc:Real unit="m"/></ssd:Connector>'
            '</ssd:Connectors>') + '</ssd:Elements><ssd:Connections><ssd:Connection startConnector="push" endElement="left" '
            'endConnector="x_other"/></ssd:Connections></ssd:System><ssd:Units>' + METRE + '</ssd:Units>'
            '<ssd:DefaultExperiment startTime="0" stopTime="0.1"/></ssd:SystemStructureDescription>')
        self.write('push.xml', '<Scenario xmlns="urn:tandem:scenario:1"><Signal name="push" hold="linear"><At t="0" value="0"/>'
                   '<At t="0.1" value="100"/></Signal></Scenario>')
        for high, code in ((150, 0), (50, 3)):
            self.write('spec.ssb', make.ssb([make.entry('push', '<ssc:Float64 unit="mm"/>', min=0, max=high)]).replace(
                make.UNITS, METRE))
            done = self.tandem('run', 'system.ssd', '--scenario', 'push.xml', '--contract', 'spec.ssb', '--out', 'out', '--shadow', 'off',
                               '--step', '0.01')
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    def test_the_age_counts_over_the_variables_that_are_named(self):
        """What goes from `right.x` to `left.x_other` is given at once, and what `left` makes of it is a step old."""
        for name, kind, most, code in (('x_other', 'input', 0.004, 0), ('x', 'output', 0.02, 0), ('x', 'output', 0.004, 3)):
            with self.subTest(name=name, most=most):
                self.write('spec.ssd', make.ssd([make.connector(name, kind, '<ssc:Float64/>', maximalAge=most, ageFrom='right.x',
                                                                min=-9, max=9)], component='left'))
                done = self.watched('--algorithm', 'jacobi', '--step', '0.01')
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)

    def test_a_value_is_as_old_as_the_step_and_comes_no_sooner(self):
        name, low, high = make.moving_signal(self)
        for promise, words in (({'maximalAge': 0.01}, ''), ({'maximalAge': 0.004}, 'stands too long'),
                               ({'period': '0.01', 'jitter': '0.001'}, ''), ({'period': '0.02', 'jitter': '0.02'}, ''),
                               ({'period': '0.02', 'jitter': '0.001'}, 'comes too early')):
            with self.subTest(promise):
                self.spec(name=name, min=low - 1, max=high + 1, **promise)
                done = self.watched('--algorithm', 'jacobi', '--step', '0.01')
                self.assertEqual(done.returncode, 3 if words else 0, done.stdout + done.stderr)
                self.assertIn(words, done.stderr)

    def test_a_run_that_fails_passes_nothing(self):
        self.write('spec.ssd', make.ssd([make.connector('y', 'output', '<ssc:Float64/>', min=0, max=200)], component='unit'))
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        for more, counted in (((), '1 passed, 0 failed, 0 not exercised'),
                              (('--set', 'misbehaving_fmi2.behaviour=1', '--set', 'misbehaving_fmi2.when=0.5'), 'the run failed before its end')):
            done = self.tandem('run', 'resources/misbehaving_fmi2.fmu', '--contract', 'spec.ssd', '--out', 'out', '--stop', '1', '--step',
                               '0.01', '--shadow', 'off', '--overwrite', *more)
            with open(os.path.join(self.folder, 'out/report.html'), encoding='utf-8') as file:
                self.assertIn(counted, done.stdout + file.read(), done.stderr)

    def excavator(self, system, specifications, *options):
        folder = self.shipped(EXCAVATOR)
        machines = os.path.join(self.folder, 'machines')
        if not os.path.exists(machines):
            os.symlink(os.path.join(os.path.dirname(EXCAVATOR), 'machines'), machines)
            os.symlink(os.path.join(os.path.dirname(EXCAVATOR), 'can'), os.path.join(self.folder, 'can'))
        contracts = [word for name in specifications for word in ('--contract', os.path.join(folder, name + '.ssb'))]
        return self.tandem('run', os.path.join(folder, system + '.ssd'), *contracts, '--record', 'none', '--shadow', 'off', '--out',
                           'out_' + system, *options)

    def test_the_excavator_keeps_its_promises_in_every_fidelity(self):
        cycle = ('--scenario', os.path.join(EXCAVATOR, 'working_cycle.xml'))
        drive, motion, automated = ['signals', 'drive'], ['signals', 'motion'], ['automation']
        for system, specifications, options in (
                ('manual', drive, cycle), ('manual_simple', drive, cycle), ('manual_kinematic', motion, cycle),
                ('SystemStructure', drive + automated, ()), ('simple', drive + automated, ()),
                ('kinematic', motion + automated, ()), ('can', drive + automated + ['buses'], ())):
            with self.subTest(system):
                done = self.excavator(system, specifications, '--stop', '4', *options)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r'requirements \d\d+ passed, 0 failed, ')
                for name in specifications:
                    done = self.tandem('check', os.path.join('excavator', system + '.ssd'), '--against',
                                       os.path.join('excavator', name + '.ssb'))
                    self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                    self.assertIn(' 0 breaking, 0 compatible', done.stdout)

    def test_the_hydraulics_keep_the_interface_that_suppliers_are_given(self):
        self.shipped(EXCAVATOR)
        done = self.excavator('manual', [], '--stop', '8', '--scenario', os.path.join(EXCAVATOR, 'working_cycle.xml'), '--contract',
                              os.path.join(EXCAVATOR, 'hydraulics_interface.ssd'))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_frames_on_a_bus_are_held_against_a_dbc(self):
        with open(os.path.join(os.path.dirname(EXCAVATOR), 'can/control.dbc'), encoding='utf-8') as file:
            text = file.read()
        run = ('can', [], '--stop', '4', '--contract', 'control.dbc')
        self.write('control.dbc', text)
        done = self.excavator(*run)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r'requirements ([6-9]|\d\d) passed, 0 failed, ')
        # A narrower range, a message that has to come faster, and one that nobody sends.
        line = next(line for line in text.splitlines() if 'BoomTarget' in line)
        changed = text.replace(line, line.replace('[0|1.3107]', '[0|0.3]'))
        changed = changed.replace('BA_ "GenSigStartValue"', 'BA_ "GenMsgCycleTime" BO_ 384 5;\nBA_ "GenSigStartValue"', 1)
        self.write('control.dbc', changed.replace('BO_ 273 ', 'BO_ 1911 ').replace('BO_ 273 ', 'BO_ 1911 '))
        done = self.excavator(*run)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        number = changed.splitlines().index(line.replace('[0|1.3107]', '[0|0.3]')) + 1
        self.assertRegex(done.stderr, rf"control\.dbc:{number}: 'TrajectoryBoom\.BoomTarget' outside its range, first at t = ")
        self.assertRegex(done.stderr, r"control\.dbc:\d+: 'Status' comes too late, first at t = .* worst 0\.02")
        self.assertNotIn('TrajectoryTool', done.stderr)
        self.refused('has no CAN bus', 'run', self.two_mass(), '--contract', 'control.dbc')

    def test_a_standstill_passes_nothing(self):
        for system, specifications in (('manual', ['signals', 'drive']), ('manual_kinematic', ['signals', 'motion'])):
            with self.subTest(system):
                done = self.excavator(system, specifications, '--stop', '0.5')
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertRegex(done.stdout, r'requirements 0 passed, 0 failed, \d\d+ not exercised')


if __name__ == '__main__':
    main()
