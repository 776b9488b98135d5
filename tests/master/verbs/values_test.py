"""Values, units and directions as a user's files give them; what --strict refuses.

usage: values_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import json
import os
import zipfile

from command_line import CommandLine, HEAD, TAIL, component, connection, connector, main, system

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
