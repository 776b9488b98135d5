"""npm's canopen, which shares no source with python-canopen, as a second master of our CANopen slaves.

usage: npm_canopen_test.py CANOPEN_SLAVES BUILD_FOLDER
"""
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from slaves import CONFIG, Slaves

if len(sys.argv) < 3:
    sys.exit(__doc__)
PROGRAM = sys.argv[1]
MODULES = pathlib.Path(sys.argv[2]).resolve().parent / 'npm/node_modules'
SCRIPT = pathlib.Path(__file__).with_name('npm_canopen.js')


@unittest.skipUnless(shutil.which('node') and MODULES.is_dir(), f'no node, or nothing in {MODULES}: ./test puts it there')
class NpmCanopen(unittest.TestCase):
    def play(self, slaves, part):
        node = subprocess.Popen(['node', SCRIPT, MODULES, str(slaves.port), part], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)
        for line in node.stdout:
            slaves.tell(*line.split())
        errors = node.stderr.read()
        node.stdout.close()
        node.stderr.close()
        self.assertEqual(node.wait(60), 0, errors)

    def test_it_reads_writes_starts_and_hears_the_sensors(self):
        with Slaves(PROGRAM) as slaves:
            slaves.tell('set', 'inclination.boom', 0.5)
            slaves.tell('set', 'jaw.pressure_a', 21.5e6)
            self.play(slaves, 'sensors')

    def test_its_fastscan_finds_two_equal_sensors(self):
        nodes = ''.join(f'<Node name="{name}" id="none" serial="{serial}" sheet="inclinometer_1d.eds"/>'
                        for name, serial in (('left', 4096), ('right', 4097)))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / 'nodes.xml'
            file.write_text(f'<CanOpen xmlns="urn:tandem:can:1">{nodes}</CanOpen>')
            shutil.copy(CONFIG / 'inclinometer_1d.eds', folder)
            with Slaves(PROGRAM, file) as slaves:
                self.play(slaves, 'delivered')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1], verbosity=2)
