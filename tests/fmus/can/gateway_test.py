"""Gateways of both nodes of config/can/control.dbc on the simulated bus: what one is given, the other one gives, protected and
with the periods of the file; a unit of another role comes from other resources, without a compiler.

usage: gateway_test.py TANDEM FMUS
"""
import csv
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, FMUS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
GENERATOR = FMUS / 'units' / 'can_gateway' / 'fmu_can_gateway_generator'

SYSTEM = '''<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="s">
<System name="s"><Elements>{elements}</Elements><Connections>{connections}</Connections></System>
<DefaultExperiment startTime="0" stopTime="1"/></SystemStructureDescription>'''


def connected(node, terminal):
    """Both directions between a unit's terminal and one of the bus."""
    line = '<Connection startElement="{}" startConnector="{}.Tx_{}" endElement="{}" endConnector="{}.Rx_{}"/>'
    return ''.join(line.format(*pair) for kind in ('Data', 'Clock')
                   for pair in ((node, 'Bus', kind, 'bus', terminal, kind), ('bus', terminal, kind, node, 'Bus', kind)))


class Gateway(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='tandem-gateway-')
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def gateway(self, *nodes):
        """The unit that plays these nodes."""
        staged = self.folder / 'staged'
        with zipfile.ZipFile(FMUS / 'can_gateway.fmu') as archive:
            archive.extractall(staged)
        (staged / 'resources' / 'nodes.txt').write_text(' '.join(nodes))
        done = subprocess.run([GENERATOR, '3', staged], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        path = self.folder / f'{"_".join(nodes)}.fmu'
        with zipfile.ZipFile(path, 'w') as archive:
            for file in staged.rglob('*'):
                if file.is_file():
                    archive.write(file, file.relative_to(staged))
        return path

    def run_system(self, units, *options):
        elements = ''.join(f'<Component name="{name}" source="{path}"/>' for name, path in units.items())
        elements += f'<Component name="bus" source="{FMUS / "can_bus.fmu"}"/>'
        system = self.folder / 'system.ssd'
        system.write_text(SYSTEM.format(elements=elements, connections=''.join(
            connected(name, f'Node{i + 1}') for i, name in enumerate(units))))
        out = self.folder / 'out'
        done = subprocess.run([TANDEM, 'run', system, '--step', '0.01', '--out', out, *options], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / 'results.csv', newline='') as file:
            return list(csv.DictReader(file))

    def given(self):
        values = {'enable': 1, 'phase': 3, 'bite': 1234, 'progress': 0.5, 'boom.target': 0.25, 'rotate.target': -1.5,
                  'target.time': 0.75, 'travel.target': -12.5}
        return values, [word for name, value in values.items() for word in ('--set', f'computer.{name}={value}')]

    def test_what_one_is_given_the_other_gives(self):
        values, options = self.given()
        rows = self.run_system({'computer': FMUS / 'can_gateway.fmu', 'ecu': self.gateway('Ecu')}, *options)
        last = rows[-1]
        for name, value in values.items():
            self.assertAlmostEqual(float(last[f'ecu.{name}']), value, delta=1e-9, msg=name)
        self.assertEqual(int(last['ecu.frames.rejected']), 0)
        self.assertEqual(int(last['computer.frames.rejected']), 0)
        self.assertEqual(float(last['ecu.late']), 0)
        # Four messages of the computer and one of the ECU, every 20 ms from 0 to 1 s.
        self.assertEqual(int(last['computer.frames.sent']), 4 * 51)
        self.assertEqual(int(last['ecu.frames.sent']), 51)
        # The frames that are handed over at 1 s are not over yet.
        self.assertEqual(int(last['bus.frames']), 5 * 50)

    def test_errors_on_the_bus_cost_no_frame(self):
        values, options = self.given()
        rows = self.run_system({'computer': FMUS / 'can_gateway.fmu', 'ecu': self.gateway('Ecu')}, *options,
                               '--set', 'bus.error_share=0.2')
        last = rows[-1]
        self.assertGreater(int(last['bus.errors']), 20)
        self.assertEqual(int(last['ecu.frames.rejected']), 0)
        self.assertAlmostEqual(float(last['ecu.boom.target']), values['boom.target'], delta=1e-9)

    def test_a_node_that_is_missing_is_noticed(self):
        recorder = FMUS / 'can_recorder.fmu'
        rows = self.run_system({'computer': FMUS / 'can_gateway.fmu', 'listener': recorder}, '--stop', '0.2')
        late = {float(row['time']): row['computer.late'] in ('1', 'true') for row in rows}
        self.assertFalse(late[0.09])
        self.assertTrue(late[0.12])

    def test_a_node_that_is_unknown_is_named(self):
        with self.assertRaisesRegex(AssertionError, "no node 'Pump', only Computer, Ecu"):
            self.gateway('Pump')


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
