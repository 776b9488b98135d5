"""`tandem pack --mapping` with CANopen nodes: data sheets that other people published and a mapping become a unit, without
code, and answer in a run as their files say. The files come with the source of python-canopen, which ./test fetches.

usage: nodes_pack_test.py TANDEM FMUS REPOSITORY DATA_SHEETS
"""
import csv
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import can
import canopen
from fmpy.validation import validate_fmu

if len(sys.argv) < 5:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY, SHEETS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:5])
sys.path.insert(0, str(REPOSITORY / 'tests/support'))
import playback  # noqa: E402

TYPES, SAMPLE, DRIVE = 3, 4, 6   # node-ids
RPM = 0.10471975511965977        # rad/s
MAPPING = f'''<CanOpen xmlns="urn:tandem:can:1" bitRate="125000">
  <Node name="types" id="{TYPES}" sheet="datatypes.eds"><Signal name="length" object="0x2004:0" gain="0.01" unit="m"/></Node>
  <Node name="sample" id="{SAMPLE}" sheet="sample.eds">
    <Signal name="temperature" object="0x3010:0" gain="1" offset="273.15" unit="K"/>
  </Node>
  <Node name="drive" id="{DRIVE}" sheet="e35.eds">
    <Signal name="speed" object="0x606C:0" gain="{RPM}" unit="rad/s"/>
    <Signal name="status" object="0x6041:0"/>
    <Signal name="control" object="0x6040:0" direction="receive"/>
  </Node>
</CanOpen>
'''
GIVEN = {'length': 1.23, 'temperature': 300, 'speed': 100.0, 'status': 0x237}


def read(node, index):
    return f'{0x600 + node:03X}#40{index & 0xFF:02X}{index >> 8:02X}0000000000'


class NodesPack(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        found = {path.name: path for path in SHEETS.rglob('*.eds')}
        for name in ('datatypes.eds', 'sample.eds', 'e35.eds'):
            self.assertIn(name, found, f'{SHEETS} should hold it; ./test fetches it')
            shutil.copy(found[name], self.folder)
        (self.folder / 'nodes.xml').write_text(MAPPING)

    def tandem(self, *arguments):
        return subprocess.run([TANDEM, *map(str, arguments)], capture_output=True, text=True, cwd=self.folder)

    def pack(self, unit='can_sensors.fmu'):
        return self.tandem('pack', '--mapping', 'nodes.xml', FMUS / unit, '-o', 'nodes.fmu')

    def run_with(self, frames, stop):
        """Frames of a master, (time, text) each; gives what was on the bus, and the last values."""
        (self.folder / 'master.log').write_text(''.join(f'({t:.6f}) can0 {frame}\n' for t, frame in frames))
        text = playback.system(FMUS, self.folder / 'master.log', stop, start=frames[0][0])
        text = text.replace(f'{FMUS}/can_recorder.fmu', str(self.folder / 'nodes.fmu')).replace('listener', 'nodes')
        (self.folder / 'nodes.ssd').write_text(text)
        given = [word for name, value in GIVEN.items() for word in ('--set', f'nodes.{name}={value}')]
        done = self.tandem('run', 'nodes.ssd', '--quiet', '--shadow', 'off', '--step', '0.001', '--out', 'out', '--can-log',
                           'bus.log', '--record', 'nodes.control', '--record', 'nodes.frames.*', *given)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / 'out/results.csv', newline='') as file:
            *_, last = csv.DictReader(file)
        with can.CanutilsLogReader(self.folder / 'bus.log') as reader:
            return list(reader), last

    def test_public_data_sheets_are_driven_through_a_run(self):
        done = self.pack()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(validate_fmu(str(self.folder / 'nodes.fmu')), [])
        shown = self.tandem('inspect', 'nodes.fmu').stdout
        self.assertRegex(shown, r'speed +Float64 +input +continuous +rad/s')
        self.assertRegex(shown, r'control +Float64 +output')
        self.assertRegex(shown, r'bit_rate +UInt32 +parameter +fixed +125000')
        frames, last = self.run_with([(0.1, '000#0100'), (0.12, read(TYPES, 0x2004)), (0.13, read(SAMPLE, 0x3010)),
                                      (0.14, read(DRIVE, 0x1000)), (0.15, f'{0x600 + DRIVE:03X}#2B4060000F000000'),
                                      (0.16, read(DRIVE, 0x5FFF)), (0.2, '080#'), (0.35, '080#')], 0.5)
        by_id = {}
        for frame in frames:
            by_id.setdefault(frame.arbitration_id, []).append(bytes(frame.data))
        for node in (TYPES, SAMPLE, DRIVE):
            self.assertEqual(by_id[0x700 + node][0], b'\0', 'boot-up')
        answers = by_id[0x580 + TYPES] + by_id[0x580 + SAMPLE] + by_id[0x580 + DRIVE]
        self.assertEqual(answers[0][4:], struct.pack('<i', 123))                   # by the gain of the mapping
        self.assertAlmostEqual(struct.unpack('<f', answers[1][4:])[0], 26.85, places=4)  # and its offset
        drive = canopen.import_od(str(self.folder / 'e35.eds'), DRIVE)
        self.assertEqual(answers[2][4:], struct.pack('<I', drive[0x1000].default))
        self.assertEqual(answers[3][0], 0x60)
        self.assertEqual(answers[4], struct.pack('<BHBI', 0x80, 0x5FFF, 0, 0x06020000))
        self.assertEqual(float(last['nodes.control']), 15)
        # PDOs of the drive go with SYNC, as its data sheet says: the first maps speed and status word.
        self.assertEqual([drive[0x1A00][i].default for i in (1, 2)], [0x606C0020, 0x60410010])
        given = drive[0x1800][1]
        identifier = (given.value or given.default) & 0x7FF  # a value for the commissioned device is above the default
        self.assertEqual(by_id[identifier], [struct.pack('<iH', round(GIVEN['speed'] / RPM), GIVEN['status'])] * 2)

    def test_what_does_not_fit_is_refused(self):
        def refused(pattern, change, unit='can_sensors.fmu'):
            (self.folder / 'nodes.xml').write_text(MAPPING.replace(*change))
            done = self.pack(unit)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, pattern)
            self.assertFalse((self.folder / 'nodes.fmu').exists())
        refused(r'error\[missing-file\]: .*e36\.eds: no such file', ('e35.eds', 'e36.eds'))
        refused(r"error\[bad-mapping\]: nodes\.xml: names the file '\.\./e35\.eds'", ('e35.eds', '../e35.eds'))
        refused(r"error\[bad-mapping\]: nodes\.xml:2: 'datatypes\.eds' has no object 0x2FFF", ('0x2004', '0x2FFF'))
        refused(r"error\[bad-mapping\]: nodes\.xml:6: id 3 of 'drive' is that of 'types'", (f'id="{DRIVE}"', f'id="{TYPES}"'))
        refused(r"error\[bad-mapping\]: nodes\.xml:7: .*no attribute 'gian'; did you mean 'gain'", ('gain="0.1', 'gian="0.1'))
        refused(r'takes no mapping', ('', ''), 'can_bus.fmu')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
