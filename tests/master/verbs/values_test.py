"""Values, units and directions as a user's files give them; what --strict refuses.

usage: values_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import zipfile

from command_line import CommandLine, HEAD, TAIL, TEST_FMUS, component, connection, connector, main, system

ROOM, THERMOSTAT = component('room', 'heater_room.fmu'), component('thermostat', 'thermostat.fmu')


def parameters(values):
    """A parameter set; values are (name, value) or (name, value, unit)."""
    texts = ''.join(f'<ssv:Parameter name="{name}"><ssv:Real value="{value}"'
                    + (f' unit="{unit[0]}"' if unit else '') + '/></ssv:Parameter>' for name, value, *unit in values)
    return ('<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" '
            f'name="p"><ssv:Parameters>{texts}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>'
            '</ssd:ParameterBinding></ssd:ParameterBindings>\n')


def root(connectors, bindings, components, connections):
    return (HEAD + f'<ssd:Connectors>{connectors}</ssd:Connectors>' + bindings + '<ssd:Elements>' + components
            + '</ssd:Elements><ssd:Connections>' + connections + '</ssd:Connections>' + TAIL)


def scenario(*signals, limits='', hold='constant'):
    """Signals are (name, [(time, value), ...]), one per line from line 2 on."""
    lines = ''.join(f'<Signal name="{name}" hold="{hold}">'
                    + ''.join(f'<At t="{t}" value="{value}"/>' for t, value in values) + '</Signal>\n'
                    for name, values in signals)
    return f'<Scenario xmlns="urn:tandem:scenario:1">\n{lines}{limits}</Scenario>\n'


class Values(CommandLine):
    def setUp(self):
        super().setUp()
        for name in ('heater_room.fmu', 'thermostat.fmu'):
            self.fmu(name)

    def parameter(self, name, *arguments):
        done = self.tandem('run', 's.ssd', '--stop', '20', '--out', 'o', *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.folder, 'o/run.json')) as file:
            found = [p['value'] for p in json.load(file)['parameters'] if p['name'] == name]
        return found[0], done

    def test_a_value_without_a_unit_is_in_the_unit_of_its_connector(self):
        target = connector('target', 'parameter', '<ssc:Real unit="K"/>')
        lead = '<ssd:Connection startConnector="target" endElement="thermostat" endConnector="T_set"/>'
        self.write('s.ssd', root(target, parameters([('target', 300)]), THERMOSTAT, lead))
        self.assertAlmostEqual(self.parameter('thermostat.T_set')[0], 26.85)
        self.assertAlmostEqual(self.parameter('thermostat.T_set', '--set', 'target=310')[0], 36.85)
        self.write('s.ssd', root(target, parameters([('target', 68, 'degF')]), THERMOSTAT, lead))
        value, done = self.parameter('thermostat.T_set')
        self.assertAlmostEqual(value, 20)
        self.assertRegex(done.stderr, "note: .*'degF' has no definition and is taken as the well-known unit")

    def test_a_column_is_in_the_unit_of_the_connector_it_drives(self):
        self.write('s.ssd', root(connector('T', 'input', '<ssc:Real unit="K"/>'), '', THERMOSTAT,
                                 '<ssd:Connection startConnector="T" endElement="thermostat" endConnector="T"/>'))
        self.write('t.csv', 'time,T\n0,290\n10,290\n')
        done = self.tandem('run', 's.ssd', '--input', 't.csv', '--record', 'thermostat.T', '--stop', '10', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(self.rows('o/results.csv')[-1]['thermostat.T']), 16.85)

    def test_a_column_with_a_unit_is_converted_to_what_it_drives(self):
        self.write('t.csv', 'time,thermostat.T\ns,K\n0,290\n10,290\n')
        arguments = ('--record', 'thermostat.T', '--stop', '10', '--out', 'o')
        self.write('s.ssd', system(THERMOSTAT))
        done = self.tandem('run', 's.ssd', '--input', 't.csv', *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(self.rows('o/results.csv')[-1]['thermostat.T']), 16.85)
        # Its own unit is above that of the connector.
        self.write('s.ssd', root(connector('T', 'input', '<ssc:Real unit="K"/>'), '', THERMOSTAT,
                                 '<ssd:Connection startConnector="T" endElement="thermostat" endConnector="T"/>'))
        self.write('t.csv', 'time,T\ns,degC\n0,21\n10,21\n')
        done = self.tandem('run', 's.ssd', '--input', 't.csv', *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(float(self.rows('o/results.csv')[-1]['thermostat.T']), 21)

    def test_a_value_of_the_command_line_that_a_scenario_drives_over_is_said_to_be_overruled(self):
        self.write('s.ssd', system(THERMOSTAT))
        arguments = ('run', 's.ssd', '--set', 'thermostat.T=9', '--scenario', 's.xml', '--stop', '10', '--out', 'o')
        self.write('s.xml', scenario(('thermostat.T', [(0, 20)])))
        self.assertRegex(self.tandem(*arguments).stderr,
                         r"warning: --set: the value 9 of 'thermostat\.T' is overruled by the scenario \(s\.xml:2\)")
        self.write('s.xml', scenario(('thermostat.T', [(5, 20)])))
        self.assertNotIn('overruled', self.tandem(*arguments).stderr)  # it holds until then

    def test_a_connection_is_above_a_value(self):
        for order in (1, -1):
            values = [('target', 30), ('thermostat.T_set', 10)][::order]
            self.write('s.ssd', root(
                connector('target', 'parameter', '<ssc:Real unit="degC"/>'), parameters(values), THERMOSTAT,
                '<ssd:Connection startConnector="target" endElement="thermostat" endConnector="T_set"/>'))
            value, done = self.parameter('thermostat.T_set')
            self.assertEqual(value, 30)
            self.assertRegex(done.stderr, r"note: s\.ssd:\d+: the value 10 of 'thermostat\.T_set' is overruled by 30, "
                                          r"which the connection from 'target' brings \(s\.ssd:\d+\)")

    def test_units_that_nobody_understands_are_a_warning_and_strict_refuses(self):
        target = connector('target', 'parameter', '<ssc:Real unit="newton degree"/>')
        lead = '<ssd:Connection startConnector="target" endElement="thermostat" endConnector="T_set"{}/>'
        self.write('s.ssd', root(target, parameters([('target', 30)]), THERMOSTAT, lead.format('')))
        value, done = self.parameter('thermostat.T_set')
        self.assertEqual(value, 30)
        self.assertRegex(done.stderr, "warning: .*'newton degree' to unit 'degC'")
        self.assertRegex(done.stdout, "warning .*'newton degree' to unit 'degC'.*suppressUnitConversion")
        with open(os.path.join(self.folder, 'o/report.html')) as file:
            self.assertIn('newton degree', file.read())
        for verb in ('check', 'run'):
            self.refused(r'error\[unit-mismatch\]: .*LinearTransformation', verb, 's.ssd', '--strict')
        self.write('s.ssd', root(target, parameters([('target', 30)]), THERMOSTAT,
                                 lead.format(' suppressUnitConversion="true"')))
        done = self.tandem('check', 's.ssd', '--stop', '20', '--strict')
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_run_says_what_a_unit_has_and_not_what_its_description_states(self):
        self.write('s.ssd', system(ROOM))
        done = self.tandem('run', 's.ssd', '--stop', '100', '--set', 'room.P=500', '--out', 'expected')
        self.assertEqual(done.returncode, 0, done.stderr)
        source = os.path.join(self.folder, 'resources/heater_room.fmu')
        with zipfile.ZipFile(source) as old, zipfile.ZipFile(source + '.new', 'w') as new:
            for name in old.namelist():
                data = old.read(name)
                if name == 'modelDescription.xml':
                    data = data.replace(b'unit="W/K" min="0" start="50"', b'unit="W/K" min="0" start="70"')
                    data = data.replace(b'unit="W" start="0"', b'unit="W" start="500"')
                    self.assertNotEqual(data, old.read(name))
                new.writestr(name, data)
        os.replace(source + '.new', source)
        for form in ('csv', 'mat'):
            done = self.tandem('run', 's.ssd', '--stop', '100', '--out', form, '--format', form)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("'G' = 50 (stated: 70)", done.stderr)
        with open(os.path.join(self.folder, 'csv/run.json')) as file:
            record = json.load(file)
        parameter = next(one for one in record['parameters'] if one['name'] == 'room.G')
        self.assertEqual((parameter['value'], parameter['origin']), (50, 'modelDescription, but the unit has its own'))
        self.write('constants.csv', 'time,room.G\n0,50\n100,50\n')
        for result, expected in (('csv/results.csv', 'expected/results.csv'), ('mat/results.mat', 'constants.csv')):
            done = self.tandem('compare', result, expected, '--tol', '0', '--absolute', '0')
            self.assertEqual(done.returncode, 0, done.stdout)

    def test_strict_refuses_what_prints_a_warning(self):
        self.write('s.ssd', system(component('room', 'heater_room.fmu', parameters([('G', -1)]))))
        done = self.tandem('check', 's.ssd', '--stop', '20')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('warning: ', done.stderr)
        self.refused(r'error\[out-of-range\]', 'check', 's.ssd', '--strict')

    def test_strict_tells_a_warning_of_the_run(self):
        self.write('s.ssd', system(ROOM))
        self.write('limit.xml', '<Scenario xmlns="urn:tandem:scenario:1"><Limit name="room.T" max="1" action="warn"/>'
                                '</Scenario>')
        arguments = ('run', 's.ssd', '--scenario', 'limit.xml', '--stop', '100', '--out', 'o')
        self.assertEqual(self.tandem(*arguments).returncode, 0)
        done = self.tandem(*arguments, '--strict')
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertIn('warning: ', done.stderr)

    def test_a_value_that_a_mapping_does_not_list_is_told_once(self):
        self.fmu('feedthrough.fmu')
        mapping = ('<ssd:IntegerMappingTransformation><ssc:MapEntry source="1" target="5"/>'
                   '</ssd:IntegerMappingTransformation>')
        self.write('mapped.ssd', system(component('a', 'feedthrough.fmu') + component('b', 'feedthrough.fmu'),
                                        connection('a.Int32_output', 'b.Int32_input', mapping)))
        run = ('run', 'mapped.ssd', '--step', '0.1', '--stop', '1', '--out', 'out', '--set')
        done = self.tandem(*run, 'a.Int32_input=7')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("'a.Int32_output -> b.Int32_input': the mapping does not list 7;"), 1,
                         done.stderr)
        self.assertEqual(self.rows('out/results.csv')[-1]['b.Int32_output'], '7')
        self.assertEqual(self.tandem(*run, 'a.Int32_input=7', '--strict').returncode, 3)
        done = self.tandem(*run, 'a.Int32_input=1', '--strict')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.rows('out/results.csv')[-1]['b.Int32_output'], '5')

    def test_a_parameter_that_a_unit_limits_while_it_runs_is_told_once(self):
        with zipfile.ZipFile(os.path.join(TEST_FMUS, 'misbehaving_fmi2.fmu')) as given, \
                zipfile.ZipFile(os.path.join(self.folder, 'resources', 'limits.fmu'), 'w') as tunable:
            for name in given.namelist():
                content = given.read(name)
                if name == 'modelDescription.xml':
                    content = content.replace(b'causality="parameter" variability="fixed"><Real',
                                              b'causality="parameter" variability="tunable"><Real')
                tunable.writestr(name, content)
        self.write('tune.xml', '<Scenario xmlns="urn:tandem:scenario:1"><Signal name="limits.when">'
                   '<At t="0" value="1"/><At t="0.3" value="50"/><At t="0.5" value="60"/></Signal></Scenario>')
        run = ('run', 'resources/limits.fmu', '--set', 'behaviour=18', '--scenario', 'tune.xml', '--step', '0.1',
               '--stop', '1', '--out', 'out')
        done = self.tandem(*run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("'limits.when' was set to 50, but the unit keeps 10"), 1, done.stderr)
        self.assertEqual(done.stderr.count('but the unit keeps'), 1, done.stderr)
        self.assertEqual(self.tandem(*run, '--strict').returncode, 3)
        done = self.tandem('run', 'resources/limits.fmu', *run[4:])
        self.assertNotIn('but the unit keeps', done.stderr)


class Numbers(CommandLine):
    """Numbers of every type arrive as they were written, or not at all."""

    def setUp(self):
        super().setUp()
        self.fmu('types_fmi3.fmu', TEST_FMUS)
        self.write('s.ssd', system(component('a', 'types_fmi3.fmu')))

    def arguments(self, *more):
        return ('run', 's.ssd', '--step', '0.1', '--stop', '0.3', '--record', '*_output', '--shadow', 'off', '--out', 'o',
                *more)

    def last(self, *more):
        done = self.tandem(*self.arguments(*more))
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.rows('o/results.csv')[-1]

    def test_a_scenario_gives_whole_numbers_exactly(self):
        given = {'UInt64': '9223372036854775813', 'Int64': '9007199254740993', 'Int8': '-128', 'UInt32': '4294967295'}
        self.write('s.xml', scenario(*((f'a.{kind}_input', [(0, value)]) for kind, value in given.items()),
                                     ('a.Int32_input', [(0, '1.0')]), ('a.Boolean_input', [(0, 'true')]),
                                     ('a.Enumeration_input', [(0, 2)])))
        last = self.last('--scenario', 's.xml')
        for kind, value in given.items():
            self.assertEqual(last[f'a.{kind}_output'], value)
        self.assertEqual((last['a.Int32_output'], last['a.Boolean_output'], last['a.Enumeration_output']), ('1', '1', '2'))

    def test_a_number_that_is_no_item_of_its_enumeration_is_refused(self):
        self.refused(r"error\[bad-value\]: --set a\.Enumeration_input=7: 7 is no item of enumeration '.*', which has .*\(2\)",
                     *self.arguments('--set', 'a.Enumeration_input=7'))
        self.assertEqual(self.last('--set', 'a.Enumeration_input=2')['a.Enumeration_output'], '2')

    def test_a_scenario_does_not_round(self):
        for kind, value in (('Int32', '1.5'), ('Enumeration', '0.7'), ('Boolean', '0.4'), ('Boolean', '7'), ('Int8', '300'),
                            ('UInt64', '-1'), ('Int64', '9223372036854775808'), ('Float32', '1e39')):
            self.write('s.xml', scenario((f'a.{kind}_input', [(0, 1), (0.1, value)])))
            self.refused(rf"error\[bad-value\]: s\.xml:2: 'a\.{kind}_input': .* is no {kind}",
                         *self.arguments('--scenario', 's.xml'))
        self.write('s.xml', scenario(('a.Int32_input', [(0, 0), (0.3, 3)]), hold='linear'))
        self.refused(r"error\[bad-value\]: s\.xml:2: hold is 'linear', 'a\.Int32_input' is Int32",
                     *self.arguments('--scenario', 's.xml'))

    def test_what_is_no_finite_number_drives_nothing(self):
        for value in ('NaN', 'INF', '-INF', '1e400'):
            self.write('s.xml', scenario(('a.Float64_input', [(0, 1), (0.1, value)])))
            self.refused(rf"error\[bad-value\]: s\.xml:2: .*value is '{value}', expected two finite numbers",
                         *self.arguments('--scenario', 's.xml'))
        self.write('s.xml', scenario(limits='<Limit name="a.Float64_output" max="NaN"/>'))
        self.refused(r'error\[bad-value\]: s\.xml:2: .*NaN', *self.arguments('--scenario', 's.xml'))
        for value, code in (('nan', 'nan'), ('inf', 'infinite'), ('1e400', 'infinite')):
            self.write('t.csv', f'time,a.Float64_input\n0,1\n0.1,{value}\n0.3,1\n')
            self.refused(rf'error\[{code}\]: t\.csv:3: ', *self.arguments('--input', 't.csv'))

    def test_a_limit_of_a_whole_number_is_exact(self):
        signal = ('a.UInt64_input', [(0, 9223372036854775813)])
        for bound, code in (('max="9223372036854775810"', 3), ('max="9223372036854775813"', 0), ('max="-1"', 3),
                            ('min="-2" max="1e30"', 0), ('max="9223372036854775807.5"', 3)):
            self.write('s.xml', scenario(signal, limits=f'<Limit name="a.UInt64_input" {bound}/>'))
            done = self.tandem(*self.arguments('--scenario', 's.xml'))
            self.assertEqual(done.returncode, code, bound + done.stderr)
            if code:
                self.assertIn("'a.UInt64_input' is 9223372036854775813 at t = ", done.stderr)

    def test_a_float_does_not_become_infinite(self):
        self.refused(r"error\[bad-value\]: --set .*'1e39' is no Float32", *self.arguments('--set', 'a.Float32_input=1e39'))
        self.write('s.ssd', system(component('a', 'types_fmi3.fmu', parameters([('Float32_input', '-1e39')]))))
        self.refused(r"error\[bad-value\]: s\.ssd:\d+: .*does not fit Float32", *self.arguments())
        self.write('s.ssd', system(
            component('a', 'types_fmi3.fmu') + component('b', 'types_fmi3.fmu'),
            connection('a.Float64_output', 'b.Float32_input', '<ssc:LinearTransformation factor="1e38"/>')))
        self.write('t.csv', 'time,a.Float64_input\n0,0\n0.1,0\n0.1,5\n0.3,5\n')
        self.refused(r"error\[range\]: unit 'b' at t = 0\.\d+: value .*e\+38 does not fit the type Float32, in "
                     r"fmi3SetFloat32 of 'Float32_input'", *self.arguments('--input', 't.csv'), code=1)

    def test_a_column_drives_a_float_within_its_range(self):
        self.write('t.csv', 'time,a.Float32_input\n0,0.5\n0.3,0.5\n')
        self.assertEqual(self.last('--input', 't.csv')['a.Float32_output'], '0.5')
        self.write('t.csv', 'time,a.Float32_input\n0,0\n0.3,1e39\n')
        self.refused(r"error\[bad-table\]: t\.csv:3: found '1e\+39' in column 'a\.Float32_input'",
                     *self.arguments('--input', 't.csv'))

    def test_a_number_that_changes_its_sign_on_a_wire_ends_the_run(self):
        source = os.path.join(self.folder, 'resources', 'types_fmi3.fmu')
        with zipfile.ZipFile(source) as original, zipfile.ZipFile(source.replace('types', 'signed'), 'w') as signed:
            for name in original.namelist():
                content = original.read(name)
                if name == 'modelDescription.xml':
                    content = content.replace(b'name="red" value="1"', b'name="red" value="-1"')
                    content = content.replace(b'name="green" value="2"', b'name="green" value="0"')
                    content = content.replace(b'start="1"', b'start="0"')
                signed.writestr(original.getinfo(name), content)
        units = component('a', 'signed_fmi3.fmu') + component('b', 'signed_fmi3.fmu')
        for kind in ('UInt64', 'UInt32'):
            self.write('s.ssd', system(units, connection('a.Enumeration_output', f'b.{kind}_input')))
            self.refused(rf"error\[range\]: a\.Enumeration_output -> b\.{kind}_input at t = 0\.1: value -1 does not fit an "
                         'unsigned integer', *self.arguments('--set', 'a.Enumeration_input=red'), code=1)
        self.write('s.ssd', system(units, connection('a.UInt64_output', 'b.Enumeration_input')))
        self.refused(r'error\[range\]: a\.UInt64_output -> b\.Enumeration_input at t = 0\.1: value 9223372036854775813 does '
                     'not fit a signed integer', *self.arguments('--set', 'a.UInt64_input=9223372036854775813'), code=1)

    def test_a_nested_connector_of_a_type_that_its_values_do_not_have_is_a_warning(self):
        inner = ('<ssd:System name="in"><ssd:Connectors>{}</ssd:Connectors><ssd:Elements>'
                 + component('b', 'types_fmi3.fmu') + '</ssd:Elements><ssd:Connections>'
                 '<ssd:Connection startConnector="U" endElement="b" endConnector="Int64_input"/></ssd:Connections>'
                 '</ssd:System>')
        for kind, told in (('Real', True), ('Int64', False)):
            self.write('s.ssd', system(component('a', 'types_fmi3.fmu')
                                       + inner.format(connector('U', 'input', f'<ssc:{kind}/>')),
                                       connection('a.Int64_output', 'in.U')).replace('version="1.0"', 'version="2.0"'))
            done = self.tandem('check', 's.ssd')
            self.assertEqual(done.returncode, 0, done.stderr)
            warned = "'U' is Real, unlike 'a.Int64_output -> in.b.Int64_input'" in done.stderr
            self.assertEqual(warned, told, done.stderr)


class Specifications(CommandLine):
    def test_a_system_without_components_or_sources_can_be_checked(self):
        self.write('empty.ssd', root(connector('u', 'input'), '', '', ''))
        done = self.tandem('check', 'empty.ssd')
        self.assertEqual((done.returncode, done.stdout), (0, 'test: ok, 1 connector and no components\n'), done.stderr)
        self.write('open.ssd', system('<ssd:Component name="plant"><ssd:Connectors>' + connector('u', 'input')
                                      + '</ssd:Connectors></ssd:Component>').replace('version="1.0"', 'version="2.0"'))
        done = self.tandem('check', 'open.ssd', '--strict')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"note: open\.ssd:\d+: component 'plant' has no source")
        for name in ('empty.ssd', 'open.ssd'):
            self.assertEqual(self.tandem('run', name).returncode, 2)

    def test_directions_at_a_dictionary_come_from_the_units(self):
        for name in ('heater_room.fmu', 'thermostat.fmu'):
            self.fmu(name)
        reference = '<ssd:SignalDictionaryReference name="bus" dictionary="signals"/>'
        entries = ''.join(f'<ssb:DictionaryEntry name="{name}"><ssc:Real unit="{unit}"/></ssb:DictionaryEntry>'
                          for name, unit in (('temperature', 'K'), ('power', 'W')))
        dictionary = ('<ssd:SignalDictionaries><ssd:SignalDictionary name="signals"><ssb:SignalDictionary version="1.0" '
                      'xmlns:ssb="http://ssp-standard.org/SSP1/SystemStructureSignalDictionary">' + entries
                      + '</ssb:SignalDictionary></ssd:SignalDictionary></ssd:SignalDictionaries>')
        connections = (connection('room.T', 'bus.temperature') + connection('bus.temperature', 'thermostat.T')
                       + connection('room.P', 'bus.power') + connection('thermostat.P', 'bus.power'))
        self.write('s.ssd', system(ROOM + THERMOSTAT + reference, connections).replace('</ssd:System>',
                                                                                    dictionary + '</ssd:System>'))
        done = self.tandem('run', 's.ssd', '--stop', '600', '--record', '*', '--out', 'o')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('(2 connections)', done.stdout)
        last = self.rows('o/results.csv')[-1]
        self.assertAlmostEqual(float(last['thermostat.T']) + 273.15, float(last['room.T']), delta=0.1)

    def test_a_value_for_a_connected_input_is_said_to_be_overruled(self):
        folder = self.two_mass()
        done = self.tandem('run', folder, '--set', 'right.x_other=9', '--out', 'driven')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, "warning: --set: the value 9 of 'right.x_other' is overruled by the connection left.x")
        with open(os.path.join(self.folder, 'driven', 'run.json'), encoding='utf-8') as file:
            self.assertNotIn('right.x_other', [parameter['name'] for parameter in json.load(file)['parameters']])
        self.assertEqual(self.tandem('run', folder, '--set', 'right.x_other=9', '--strict').returncode, 2)


if __name__ == '__main__':
    main()
