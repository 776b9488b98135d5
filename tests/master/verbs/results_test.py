"""What a run leaves behind: run.json, reports, tables, logs.

usage: results_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import hashlib
import json
import os
import re
import zipfile

from command_line import CommandLine, FMUS, TEST_FMUS, component, connector, main, system


class Results(CommandLine):
    def record(self, folder='o'):
        with open(os.path.join(self.folder, folder, 'run.json')) as file:
            return json.load(file)

    def report(self, folder='o'):
        with open(os.path.join(self.folder, folder, 'report.html')) as file:
            return file.read()

    def run_tandem(self, *arguments):
        done = self.tandem('run', *arguments, '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_units_and_descriptions_of_signals(self):
        self.fmu('heater_room.fmu')
        self.run_tandem('resources/heater_room.fmu', '--stop', '100', '--csv-units')
        self.assertEqual(self.record()['signals'], [{'name': 'T', 'unit': 'K', 'description': 'Temperature inside'}])
        with open(os.path.join(self.folder, 'o/results.csv')) as file:
            self.assertEqual([next(file), next(file)], ['time,T\n', 's,K\n'])
        self.assertEqual(self.tandem('compare', 'o/results.csv', 'o/results.csv').returncode, 0)

    def test_a_unit_that_only_the_system_states(self):
        self.fmu('dahlquist.fmu')
        ports = '<ssd:Connectors>' + connector('x', 'output', '<ssc:Real unit="mm"/>') + '</ssd:Connectors>'
        self.write('s.ssd', system(component('a', 'dahlquist.fmu', ports)))
        self.run_tandem('s.ssd')
        self.assertEqual(self.record()['signals'][0]['unit'], 'mm')
        self.assertIn('>mm<', self.report())

    def test_every_file_that_decides_is_hashed(self):
        self.fmu('heater_room.fmu')
        self.write('p.ssv', '<ParameterSet xmlns="http://ssp-standard.org/SSP1/SystemStructureParameterValues" '
                            'version="1.0" name="p"><Parameters><Parameter name="G"><Real value="90"/></Parameter>'
                            '</Parameters></ParameterSet>')
        self.write('s.ssd', system(component('room', 'heater_room.fmu', '<ssd:ParameterBindings>'
                                             '<ssd:ParameterBinding source="p.ssv"/></ssd:ParameterBindings>')))
        self.write('s.xml', '<Scenario xmlns="urn:tandem:scenario:1"><Signal name="room.P"><At t="0" value="500"/>'
                            '</Signal></Scenario>')
        self.write('in.csv', 'time,room.T_ambient\n0,280\n')
        self.run_tandem('s.ssd', '--scenario', 's.xml', '--input', 'in.csv', '--stop', '100', '--set', 'room.C=3e5')
        files = {file['role']: file for file in self.record()['inputs']}
        for role, name in (('parameters', 'p.ssv'), ('scenario', 's.xml'), ('input', 'in.csv'), ('system', 's.ssd')):
            with open(os.path.join(self.folder, name), 'rb') as file:
                self.assertEqual(files[role]['sha256'], hashlib.sha256(file.read()).hexdigest(), role)
        page = self.report()
        self.assertIn('tandem run s.ssd --scenario s.xml', page)
        self.assertIn('At t=&quot;0&quot; value=&quot;500&quot;', page)
        changed = page.split('Parameters that differ from their defaults')[1].split('</section>')[0]
        self.assertIn('room.G', changed)
        self.assertIn('room.C', changed)
        self.assertNotIn('room.T0', changed)

    def test_a_report_shows_the_units_that_an_fmu_wants_to_be_shown(self):
        source = os.path.join(FMUS, 'heater_room.fmu')
        with zipfile.ZipFile(source) as old, \
                zipfile.ZipFile(os.path.join(self.folder, 'resources/room.fmu'), 'w') as new:
            for name in old.namelist():
                data = old.read(name)
                if name == 'modelDescription.xml':
                    text = data.decode()
                    for variable in ('name="T"', 'name="T0"'):
                        self.assertIn(variable, text)
                        text = text.replace(variable, variable + ' displayUnit="degC"')
                    data = text.encode()
                new.writestr(name, data)
        self.run_tandem('resources/room.fmu', '--stop', '100', '--set', 'T0=300')
        self.assertEqual(self.rows('o/results.csv')[0]['T'], '300')  # the result stays in the FMU's unit
        page = self.report()
        self.assertIn('class="label">degC<', page)
        self.assertRegex(page, r'<code>room\.T0</code><td class="n">26\.8\d*<td class="n quiet">[^<]*<td>degC')

    def test_constants_are_a_table(self):
        self.fmu('dahlquist.fmu')
        self.run_tandem('resources/dahlquist.fmu', '--record', '*')
        table = self.report().split('Constant signals')[1].split('</section>')[0]
        self.assertIn('<code>k</code>', table)
        self.assertNotIn('<code>x</code>', table)

    def test_parameters_stand_in_a_mat_file(self):
        self.fmu('dahlquist.fmu')
        self.run_tandem('resources/dahlquist.fmu', '--format', 'mat', '--set', 'k=3')
        self.write('k.csv', 'time,k\n0,3\n1,3\n')
        self.assertEqual(self.tandem('compare', 'o/results.mat', 'k.csv', '--only', 'k').returncode, 0)

    def test_patterns_follow_each_other(self):
        two = self.two_mass()
        for arguments in ((two, '--record', 'left.x', 'right.*'), ('--record', 'left.x', 'right.*', two)):
            self.run_tandem(*arguments, '--quiet')
            names = list(self.rows('o/results.csv')[0])
            self.assertEqual(names[:2], ['time', 'left.x'])
            self.assertTrue(len(names) > 2 and all(name.startswith('right.') for name in names[2:]))
        done = self.tandem('run', '--repeat', 'o/run.json')
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.tandem('compare', 'o/results.csv', 'o/results.csv', '--only', 'left.x', 'right.x')
        self.assertIn('all 2 signals agree', done.stdout)

    def test_results_are_compared_in_their_units(self):
        self.write('a.csv', 'time,x\ns,m\n0,1\n1,2\n')
        self.write('b.csv', 'time,x\ns,mm\n0,1000\n1,2000\n')
        done = self.tandem('compare', 'a.csv', 'b.csv')
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("'x' is converted from m to mm", done.stdout)
        self.write('c.csv', 'time,position\n0,100\n1,200\n')
        self.write('names.csv', 'x,position\n')
        self.assertEqual(self.tandem('compare', 'a.csv', 'c.csv', '--map', 'names.csv').returncode, 3)
        self.write('names.csv', 'x,position,m,cm\n')
        self.assertEqual(self.tandem('compare', 'a.csv', 'c.csv', '--map', 'names.csv').returncode, 0)

    def test_equal_numbers_in_units_that_do_not_fit_do_not_agree(self):
        self.write('bar.csv', 'time,x,y\ns,bar,m\n0,1,3\n1,2,4\n')
        self.write('kg.csv', 'time,x,y\ns,kg,m\n0,1,3\n1,2,4\n')
        done = self.tandem('compare', 'bar.csv', 'kg.csv')
        self.assertEqual(done.returncode, 3, done.stdout)
        self.assertIn("'x' cannot agree: unit 'bar'", done.stdout)
        self.assertEqual(self.tandem('compare', 'bar.csv', 'kg.csv', '--only', 'y').returncode, 0)

    def test_a_system_may_say_how_often_it_records(self):
        two = self.two_mass()
        os.makedirs(os.path.join(two, 'extra/io.tandem.cosim'))
        self.write('two_mass/extra/io.tandem.cosim/report.xml',
                   '<Report xmlns="urn:tandem:report:1"><Record systems="two*" interval="0.1"/></Report>')
        self.run_tandem(two, '--stop', '1')
        self.assertEqual(len(self.rows('o/results.csv')), 11)
        for more in (('--record-interval', '0.5'), ('--record', '*')):
            self.run_tandem(two, '--stop', '1', *more)
            self.assertEqual(len(self.rows('o/results.csv')), 3 if more[1] == '0.5' else 101)

    def test_a_log_holds_every_message_with_its_level_and_category(self):
        self.fmu('misbehaving_fmi2.fmu', TEST_FMUS)
        done = self.run_tandem('resources/misbehaving_fmi2.fmu', '--step', '0.001', '--stop', '0.3', '--set',
                               'behaviour=10', '--log', 'log.txt')
        with open(os.path.join(self.folder, 'log.txt')) as file:
            lines = file.read().splitlines()
        self.assertGreater(len(lines), 250)
        self.assertRegex(lines[-1], r'^0\.\d+ misbehaving_fmi2 \w+ \[\w+\] ')
        self.assertLess(len(done.stderr.splitlines()), 130)

    def test_terminals_and_descriptions_are_inspected(self):
        self.fmu('heater_room.fmu')
        path = os.path.join(self.folder, 'resources/heater_room.fmu')
        with zipfile.ZipFile(path, 'a') as archive:
            archive.writestr('terminalsAndIcons/terminalsAndIcons.xml',
                             '<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="heat" matchingRule="plug" '
                             'terminalKind="thermal"><TerminalMemberVariable variableName="P" memberName="power" '
                             'variableKind="signal"/><Terminal name="inner"/></Terminal></Terminals>'
                             '</fmiTerminalsAndIcons>')
        done = self.tandem('inspect', 'resources/heater_room.fmu')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r'T_ambient .*Temperature outside')
        self.assertIn('  heat (thermal, plug)\n    power = P\n  heat.inner\n', done.stdout)
        self.assertNotIn('<-', done.stdout)
        self.assertIn('<-', self.tandem('inspect', 'resources/heater_room.fmu', '--dependencies').stdout)
        described = json.loads(self.tandem('inspect', 'resources/heater_room.fmu', '--json').stdout)
        self.assertEqual(described['terminals'][0]['members'], [{'name': 'power', 'variable': 'P'}])


class Goals(CommandLine):
    def test_a_goal_that_names_no_signal_of_the_system_is_told(self):
        folder = self.two_mass()
        extra = os.path.join(folder, 'extra', 'io.tandem.cosim')
        os.makedirs(extra)
        with open(os.path.join(extra, 'report.xml'), 'w') as file:
            file.write('<Report xmlns="urn:tandem:report:1"><Goal label="there" signal="lefft.x" min="-9"/>'
                       '<Goal label="here" signal="left.x" min="-9"/></Report>')
        told = r"the goal 'there' is not judged: this system has no signal 'lefft\.x', closest match 'left\.x'"
        done = self.tandem('check', folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r'note: .*' + told)
        done = self.tandem('run', folder, '--stop', '0.1', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(re.findall(told, done.stderr)), 1, done.stderr)
        self.assertRegex(done.stdout, r'\n  goal +' + told)
        self.assertNotIn("'here'", done.stdout + done.stderr)
        with open(os.path.join(self.folder, 'out', 'run.json')) as file:
            self.assertTrue(any(re.search(told, finding['text']) for finding in json.load(file)['findings']))


if __name__ == '__main__':
    main()
