"""The public demonstration units of FMI-LS-BUS (modelica/fmi-ls-bus-examples, built by hand) with ours: their nodes on our bus,
our nodes on their bus, both in tandem, and their nodes on our bus in the container of the fmu-manipulation-toolbox (PyPI).

usage: ls_bus_demos.py TANDEM FMUS FOLDER, which has DemoCanBusSimulation.fmu and DemoCanNodeTriggeredOutput.fmu
"""
import csv
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

from fmpy import simulate_fmu

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, DEMOS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
THEIR_NODE, THEIR_BUS = DEMOS / 'DemoCanNodeTriggeredOutput.fmu', DEMOS / 'DemoCanBusSimulation.fmu'
PLAYER, RECORDER, BUS = (FMUS / f'can_{name}.fmu' for name in ('player', 'recorder', 'bus'))
BIT = 1e-5  # their node sends at 100 kbit/s

SYSTEM = '''<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="s">
<System name="s"><Elements>{}</Elements><Connections>{}</Connections></System>
<DefaultExperiment startTime="0" stopTime="1"/></SystemStructureDescription>'''
LINE = '<Connection startElement="{}" startConnector="{}.Tx_{}" endElement="{}" endConnector="{}.Rx_{}"/>'


class Demos(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='tandem-ls-bus-')
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def run_system(self, bus, nodes, *options):
        elements = f'<Component name="bus" source="{bus}"/>'
        connections = ''
        for i, (name, path) in enumerate(nodes.items()):
            elements += f'<Component name="{name}" source="{path}"/>'
            own = 'CanChannel' if path == THEIR_NODE else 'Bus'
            for kind in 'Data', 'Clock':
                connections += LINE.format(name, own, kind, 'bus', f'Node{i + 1}', kind)
                connections += LINE.format('bus', f'Node{i + 1}', kind, name, own, kind)
        system = self.folder / 'system.ssd'
        system.write_text(SYSTEM.format(elements, connections))
        done = subprocess.run([TANDEM, 'run', system, '--step', '0.001', '--out', self.folder / 'out', *options],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / 'out' / 'results.csv', newline='') as file:
            return list(csv.DictReader(file))

    def arrivals(self, rows, name):
        """Time and identifier of each frame that the recorder got."""
        found = [(float(row[f'{name}.last.time']), int(row[f'{name}.last.id'])) for row in rows
                 if int(row[f'{name}.frames.received']) > 0]
        return list(dict.fromkeys(found))

    def test_their_nodes_on_our_bus(self):
        rows = self.run_system(BUS, {'one': THEIR_NODE, 'two': THEIR_NODE, 'listener': RECORDER},
                               '--set', 'listener.bit_rate=100000')
        # Identifier 1 and bytes 1 2 3 4: 83 bits. Both send every 0.3 s; the second waits for the first.
        expected = [(0.3 * k + shift * BIT, 1) for k in (1, 2, 3) for shift in (83, 83 + 3 + 83)]
        found = self.arrivals(rows, 'listener')
        self.assertEqual(len(found), len(expected))
        for (time, identifier), (due, one) in zip(found, expected):
            self.assertAlmostEqual(time, due, delta=1e-9)
            self.assertEqual(identifier, one)
        self.assertEqual(int(rows[-1]['bus.format_errors']), 0)

    def test_our_nodes_on_their_bus(self):
        rows = self.run_system(THEIR_BUS, {'player': PLAYER, 'listener': RECORDER}, '--stop', '0.05',
                               '--set', 'listener.bit_rate=100000', '--set', 'player.bit_rate=100000')
        # Their bus takes 44 bits and one for each byte; it keeps the order of a node.
        found = self.arrivals(rows, 'listener')
        self.assertEqual([identifier for _, identifier in found], [0x181, 0x123, 0x701, 0x181, 0x7FF, 0x181])
        self.assertAlmostEqual(found[0][0], (44 + 8) * BIT, delta=1e-9)

    def test_in_the_container_of_the_toolbox(self):
        for name, path in (('node1.fmu', THEIR_NODE), ('node2.fmu', THEIR_NODE), ('can_bus.fmu', BUS)):
            shutil.copy(path, self.folder / name)
        (self.folder / 'container.json').write_text(json.dumps({
            'name': 'container.fmu', 'fmu': ['can_bus.fmu', 'node1.fmu', 'node2.fmu'], 'step_size': 0.1,
            'link': [['node1.fmu', 'CanChannel', 'can_bus.fmu', 'Node1'], ['node2.fmu', 'CanChannel', 'can_bus.fmu', 'Node2']],
            'output': [['can_bus.fmu', 'frames', 'frames'], ['can_bus.fmu', 'format_errors', 'format_errors']],
            'auto_input': False, 'auto_output': False}))
        done = subprocess.run([pathlib.Path(sys.executable).parent / 'fmucontainer', '-container', 'container.json',
                               '-fmu-directory', self.folder, '-fmi', '3'], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = simulate_fmu(str(self.folder / 'container.fmu'), step_size=0.1, output_interval=0.1, stop_time=1)
        self.assertEqual(result['frames'][-1], 6)
        self.assertEqual(result['format_errors'][-1], 0)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
