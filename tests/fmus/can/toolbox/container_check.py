"""CAN units with triggered clocks in the container of the fmu-manipulation-toolbox (PyPI), which is run by FMPy: the same frames at the
same times as the units with countdown clocks in tandem.

usage: container_check.py TANDEM FMUS
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

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, FMUS = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
BIT = 1 / 250e3

SYSTEM = '''<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="s">
<System name="s"><Elements>{}</Elements><Connections>{}</Connections></System>
<DefaultExperiment startTime="0" stopTime="1"/></SystemStructureDescription>'''
LINE = '<Connection startElement="{}" startConnector="{}.Tx_{kind}" endElement="{}" endConnector="{}.Rx_{kind}"/>'

# The log in the player: identifier, and the bits of the frame with its stuff bits (ISO 11898-1). The first two are given to the bus
# together, the fourth is of 29 bits and on the bus when the fifth comes.
LOG = [(0x181, 0, 117), (0x123, 0, 117 + 3 + 77), (0x701, 0.001, 55), (0x181, 0.002, 145), (0x7FF, 0.002, 145 + 3 + 47),
       (0x181, 0.005, 123)]
ARRIVALS = [(start + bits * BIT, identifier) for identifier, start, bits in LOG]


class Container(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='tandem-toolbox-')
        self.folder = pathlib.Path(self.temporary.name)

    def tearDown(self):
        self.temporary.cleanup()

    def in_container(self, units, outputs, *, step, stop, start=()):
        """What a container of these units (name: FMU), all on the bus, puts out; `outputs` are (unit, variable)."""
        for name, unit in units.items():
            shutil.copy(FMUS / f'{unit}_triggered.fmu', self.folder / f'{name}.fmu')
        nodes = [name for name in units if name != 'bus']
        (self.folder / 'container.json').write_text(json.dumps({
            'name': 'container.fmu', 'fmu': [f'{name}.fmu' for name in units], 'step_size': step,
            'link': [[f'{name}.fmu', 'Bus', 'bus.fmu', f'Node{i + 1}'] for i, name in enumerate(nodes)],
            'output': [[f'{name}.fmu', variable, f'{name}.{variable}'] for name, variable in outputs],
            'start': [[f'{name}.fmu', variable, value] for name, variable, value in start],
            'auto_input': False, 'auto_output': False}))
        done = subprocess.run([pathlib.Path(sys.executable).parent / 'fmucontainer', '-container', 'container.json',
                               '-fmu-directory', self.folder, '-fmi', '3'], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        result = simulate_fmu(str(self.folder / 'container.fmu'), step_size=step, output_interval=step, stop_time=stop)
        return [dict(zip(result.dtype.names, row)) for row in result.tolist()]

    def in_tandem(self, units, *, step, stop, start=()):
        elements = ''.join(f'<Component name="{name}" source="{FMUS}/{unit}.fmu"/>' for name, unit in units.items())
        connections = ''
        for i, name in enumerate(name for name in units if name != 'bus'):
            for kind in 'Data', 'Clock':
                connections += LINE.format(name, 'Bus', 'bus', f'Node{i + 1}', kind=kind)
                connections += LINE.format('bus', f'Node{i + 1}', name, 'Bus', kind=kind)
        (self.folder / 'system.ssd').write_text(SYSTEM.format(elements, connections))
        values = [word for name, variable, value in start for word in ('--set', f'{name}.{variable}={value}')]
        done = subprocess.run([TANDEM, 'run', 'system.ssd', '--step', str(step), '--stop', str(stop), '--out', 'out', '--overwrite',
                               *values], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / 'out' / 'results.csv', newline='') as file:
            return list(csv.DictReader(file))

    def assert_arrivals(self, rows):
        """Each frame came once, at the time its last bit was over."""
        came = [(float(row['recorder.last.time']), int(row['recorder.last.id'])) for row in rows
                if int(row['recorder.frames.received']) > 0]
        came = list(dict.fromkeys(came))
        self.assertEqual([identifier for _, identifier in came], [identifier for _, identifier in ARRIVALS])
        for (time, _), (due, _) in zip(came, ARRIVALS):
            self.assertAlmostEqual(time, due, delta=1e-9)
        self.assertEqual(int(rows[-1]['recorder.frames.received']), len(ARRIVALS))
        self.assertEqual(int(rows[-1]['bus.frames']), len(ARRIVALS))
        self.assertEqual(int(rows[-1]['bus.format_errors']), 0)

    WATCHED = [('recorder', 'frames.received'), ('recorder', 'last.id'), ('recorder', 'last.time'), ('bus', 'frames'),
               ('bus', 'format_errors')]

    def test_frames_come_at_their_times_whatever_the_order_of_the_units(self):
        units = {'bus': 'can_bus', 'player': 'can_player', 'recorder': 'can_recorder'}
        for order in ('bus', 'player', 'recorder'), ('player', 'bus', 'recorder'), ('recorder', 'player', 'bus'):
            with self.subTest(order=order):
                ordered = {name: units[name] for name in order}
                self.assert_arrivals(self.in_container(ordered, self.WATCHED, step=1e-4, stop=0.006))

    def test_a_long_step_of_the_container_does_not_move_frames(self):
        units = {'bus': 'can_bus', 'player': 'can_player', 'recorder': 'can_recorder'}
        rows = self.in_container(units, self.WATCHED, step=0.003, stop=0.006)
        self.assertEqual([int(row['recorder.frames.received']) for row in rows], [0, 5, 6])
        for row, (due, identifier) in zip(rows[1:], ARRIVALS[4:]):
            self.assertEqual(int(row['recorder.last.id']), identifier)
            self.assertAlmostEqual(row['recorder.last.time'], due, delta=1e-9)

    def test_confirmed_frames_go_one_by_one(self):
        units = {'bus': 'can_bus', 'player': 'can_player', 'recorder': 'can_recorder'}
        rows = self.in_container(units, [*self.WATCHED, ('player', 'frames.sent')], step=1e-4, stop=0.006,
                                 start=[('player', 'Bus.BusNotifications', True)])
        self.assert_arrivals(rows)
        self.assertEqual(int(rows[-1]['player.frames.sent']), len(ARRIVALS))  # confirmed ones

    def test_frames_come_at_the_same_times_in_tandem(self):
        units = {'bus': 'can_bus', 'player': 'can_player', 'recorder': 'can_recorder'}
        self.assert_arrivals(self.in_tandem(units, step=1e-4, stop=0.006))

    def test_sensors_and_their_master(self):
        units = {'bus': 'can_bus', 'sensors': 'can_sensors', 'master': 'can_master'}
        outputs = [('bus', 'frames'), ('bus', 'format_errors'), ('bus', 'lost'), ('master', 'valid'), ('master', 'losses')]
        rows = self.in_container(units, outputs, step=0.01, stop=1)
        alone = self.in_tandem(units, step=0.01, stop=1)
        self.assertGreater(int(rows[-1]['bus.frames']), 100)
        self.assertEqual(int(rows[-1]['bus.frames']), int(alone[-1]['bus.frames']))
        self.assertEqual((rows[-1]['bus.format_errors'], rows[-1]['bus.lost'], rows[-1]['master.losses']), (0, 0, 0))
        self.assertTrue(rows[-1]['master.valid'])

    def test_both_ends_of_the_control_bus_and_a_gateway(self):
        units = {'bus': 'can_bus', 'computer': 'can_control', 'ecu': 'can_control', 'gateway': 'can_gateway'}
        start = [('computer', 'nodes', 'Computer'), ('ecu', 'nodes', 'Ecu'), ('gateway', 'nodes', '')]
        outputs = [('bus', 'frames'), ('bus', 'format_errors'), ('computer', 'frames.sent'), ('computer', 'frames.received'),
                   ('ecu', 'frames.sent'), ('ecu', 'frames.received'), ('ecu', 'faults'), ('ecu', 'stops'),
                   ('gateway', 'frames.received')]
        last = self.in_container(units, outputs, step=0.01, stop=0.5, start=start)[-1]
        alone = self.in_tandem(units, step=0.01, stop=0.5, start=start)[-1]
        for name, variable in outputs:
            with self.subTest(output=f'{name}.{variable}'):
                self.assertEqual(int(last[f'{name}.{variable}']), int(alone[f'{name}.{variable}']))
        self.assertGreater(last['ecu.frames.received'], 50)
        self.assertGreater(last['computer.frames.received'], 10)
        self.assertEqual(last['gateway.frames.received'], last['bus.frames'])
        self.assertEqual(last['ecu.faults'], 0)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
