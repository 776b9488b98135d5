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
