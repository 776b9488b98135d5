"""`tandem pack --mapping`: the gateway for one bus becomes the gateway for another, without a compiler, and plays its
absent nodes (rest bus).

usage: mapping_pack_test.py TANDEM FMUS REPOSITORY
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import cantools
import fmpy
from fmpy.validation import validate_fmu

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])

DATABASE = '''VERSION ""
BS_:
BU_: Engine Gearbox
BO_ 291 EngineState: 8 Engine
 SG_ Speed : 7|16@0+ (0.25,0) [0|16000] "rpm" Gearbox
 SG_ Running : 16|1@1+ (1,0) [0|1] "" Gearbox
 SG_ Alive : 24|4@1+ (1,0) [0|15] "" Gearbox
 SG_ Sum : 56|8@1+ (1,0) [0|255] "" Gearbox
BO_ 2566834709 GearboxState: 2 Gearbox
 SG_ Gear : 0|4@1- (1,0) [-8|7] "" Engine
BA_DEF_ BO_ "GenMsgCycleTime" INT 0 65535;
BA_DEF_ SG_ "GenSigStartValue" FLOAT 0 65535;
BA_DEF_DEF_ "GenMsgCycleTime" 50;
BA_DEF_DEF_ "GenSigStartValue" 0;
BA_ "GenMsgCycleTime" BO_ 291 10;
BA_ "GenSigStartValue" SG_ 291 Speed 3200;
'''
MAPPING = '''<CanMapping xmlns="urn:tandem:can:1" database="drive.dbc">
  <Message name="EngineState" timeout="0.05">
    <Protection kind="sum" checksum="Sum" counter="Alive"/>
    <Signal name="Speed" connector="engine.speed" gain="0.10471975511965977"/>
  </Message>
</CanMapping>
'''
SYSTEM = '''<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="drive">
  <ssd:System name="drive"><ssd:Elements>{elements}</ssd:Elements><ssd:Connections>{wires}</ssd:Connections></ssd:System>
</ssd:SystemStructureDescription>'''


def component(name, unit, parameter, kind, value):
    return (f'<ssd:Component name="{name}" source="{unit}"><ssd:ParameterBindings><ssd:ParameterBinding>'
            f'<ssd:ParameterValues><ssv:ParameterSet version="1.0" name="{name}"><ssv:Parameters>'
            f'<ssv:Parameter name="{parameter}"><ssv:{kind} value="{value}"/></ssv:Parameter></ssv:Parameters>'
            '</ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>')


class MappingPack(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / 'drive.dbc').write_text(DATABASE)
        (self.folder / 'drive.xml').write_text(MAPPING)

    def tandem(self, *arguments):
        return subprocess.run([TANDEM, *arguments], capture_output=True, text=True, cwd=self.folder)

    def pack(self):
        done = self.tandem('pack', '--mapping', 'drive.xml', FMUS / 'can_gateway.fmu', '-o', 'drive.fmu')
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.folder / 'drive.fmu'

    def refused(self, pattern, unit='can_gateway.fmu'):
        done = self.tandem('pack', '--mapping', 'drive.xml', FMUS / unit, '-o', 'refused.fmu')
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, pattern)
        self.assertNotIn('/tmp/tandem-', done.stderr)
        self.assertFalse((self.folder / 'refused.fmu').exists())

    def test_variables_follow_from_the_files(self):
        unit = self.pack()
        self.assertEqual(validate_fmu(str(unit)), [])
        variables = {variable.name: variable for variable in fmpy.read_model_description(unit).modelVariables}
        self.assertEqual(variables['send.engine.speed'].causality, 'input')
        self.assertAlmostEqual(float(variables['send.engine.speed'].start), 800 * 0.10471975511965977)
        self.assertEqual(variables['received.GearboxState.Gear'].type, 'Int64')
        self.assertEqual(variables['send.EngineState.Running'].type, 'Boolean')
        self.assertNotIn('send.EngineState.Alive', variables)
        self.assertNotIn('send.boom.target', variables)
        with zipfile.ZipFile(unit) as archive:
            self.assertIn('resources/drive.dbc', archive.namelist())

    def test_no_input_is_replaced(self):
        (self.folder / 'unit.fmu').write_bytes((FMUS / 'can_gateway.fmu').read_bytes())
        for name in ('unit.fmu', 'drive.xml', 'drive.dbc'):
            before = (self.folder / name).read_bytes()
            done = self.tandem('pack', '--mapping', 'drive.xml', 'unit.fmu', '-o', name)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, rf'error\[overwrite\]: {name}: this file')
            self.assertEqual((self.folder / name).read_bytes(), before)

    def test_rest_bus(self):
        """The absent engine and gearbox on the bus, a listener and the other codec; the scenario overrides a signal."""
        unit = self.pack()
        elements = (component('rest', unit, 'nodes', 'String', 'Engine Gearbox') +
                    component('listener', FMUS / 'can_recorder.fmu', 'ids', 'Integer', '291 -1 -1 -1 -1 -1 -1 -1') +
                    component('bus', FMUS / 'can_bus.fmu', 'terminals', 'Integer', '2'))
        wires = ''.join(f'<ssd:Connection startElement="{a}" startConnector="{x}.Tx_{kind}" endElement="{b}" '
                        f'endConnector="{y}.Rx_{kind}"/>'
                        for kind in ('Data', 'Clock') for number, name in enumerate(('rest', 'listener'), 1)
                        for a, x, b, y in ((name, 'Bus', 'bus', f'Node{number}'), ('bus', f'Node{number}', name, 'Bus')))
        (self.folder / 'drive.ssd').write_text(SYSTEM.format(elements=elements, wires=wires))
        (self.folder / 'override.xml').write_text(
            '<Scenario xmlns="urn:tandem:scenario:1">'
            '<Signal name="rest.override.value.engine.speed"><At t="0" value="0"/><At t="0.2" value="50"/></Signal>'
            '<Signal name="rest.override.active.engine.speed"><At t="0" value="false"/><At t="0.2" value="true"/></Signal>'
            '</Scenario>')
        done = self.tandem('run', 'drive.ssd', '--step', '0.001', '--stop', '0.5', '--quiet', '--out', 'out', '--scenario',
                           'override.xml', '--record', 'listener.*', '--record', 'bus.frames')
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / 'out' / 'results.csv', newline='') as file:
            rows = [row for row in csv.DictReader(file)]
        self.assertEqual(int(rows[-1]['bus.frames']), 50 + 10)  # both at 0; those of 0.5 s are still on their way
        message = cantools.database.load_file(self.folder / 'drive.dbc').get_message_by_name('EngineState')
        seen = {}
        for row in rows:
            if int(row['listener.watched.count[1]']) > 0:
                seen[int(row['listener.watched.count[1]'])] = (float(row['listener.watched.time[1]']),
                                                               int(row['listener.watched.data[1]']).to_bytes(8, 'little'))
        self.assertEqual(sorted(seen), list(range(1, 51)))
        for count, (t, data) in seen.items():
            self.assertEqual(sum(data[:7]) % 256, data[7])
            values = message.decode(data)
            self.assertEqual(values['Alive'], (count - 1) % 16)
            sent = (count - 1) * 0.01  # what the scenario sets at 0.2 s is there after the step that begins then
            self.assertTrue(sent < t < sent + 0.0015, t)
            self.assertAlmostEqual(values['Speed'], 800 if sent < 0.205 else 50 / 0.10471975511965977, delta=0.126)

    def test_what_is_odd_in_the_database_is_told(self):
        """When the unit is made, and by the unit in a run."""
        (self.folder / 'drive.dbc').write_text(
            DATABASE.replace('SG_ Running : 16|1@1+ (1,0)', 'SG_ Running : 12|1@1+ (0,0)')
            .replace('BA_DEF_ BO_', 'BO_ 300 Twice: 8 Engine\n SG_ Wide : 0|64@1+ (1,0) [0|0] "" Gearbox\n'
                     'BO_ 301 Long: 65 Engine\n SG_ Last : 0|8@1+ (1,0) [0|0] "" Gearbox\nBA_DEF_ BO_', 1))
        done = self.tandem('pack', '--mapping', 'drive.xml', FMUS / 'can_gateway.fmu', '-o', 'drive.fmu')
        self.assertEqual(done.returncode, 0, done.stderr)
        odd = ("drive.dbc:6: signal 'Running' has the factor 0: taken as 1",
               "drive.dbc:6: signals 'Speed' and 'Running' of message 'EngineState' share bits")
        for text in odd:
            self.assertIn('warning: ' + text, done.stderr)
        self.assertRegex(done.stderr, r"warning: drive\.dbc:13: message 'Long' has 65 bytes")
        self.assertRegex(done.stderr, r"note: drive\.dbc:12: signal 'Wide' .* exact to 53 bits")
        done = self.tandem('run', 'drive.fmu', '--step', '0.001', '--stop', '0.01', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        for text in odd:
            self.assertIn(text, done.stderr)

    def test_wrong_files(self):
        self.refused(r'error\[bad-mapping\].*takes no mapping', 'kinematics.fmu')
        (self.folder / 'drive.xml').write_text(MAPPING.replace('"Speed"', '"Sped"'))
        self.refused(r"error\[bad-mapping\]: drive\.xml:4: .*'Sped'.*did you mean 'Speed'")
        (self.folder / 'drive.xml').write_text(MAPPING.replace('drive.dbc', 'none.dbc'))
        self.refused(r'error\[missing-file\].*none\.dbc')
        (self.folder / 'drive.xml').write_text(MAPPING)
        (self.folder / 'drive.dbc').write_text(DATABASE.replace('7|16@0+', '7|16@5+'))
        self.refused(r'drive\.dbc:5')
        (self.folder / 'drive.dbc').write_text(DATABASE.replace('EngineState: 8', 'EngineState: 9'))
        self.refused(r"error\[bad-mapping\]: drive\.xml:2: message 'EngineState' \(drive\.dbc:4\) has 9 bytes, expected")


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
