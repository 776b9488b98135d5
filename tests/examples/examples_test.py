"""Every example runs without a remark that --strict would refuse, and gives the numbers that its README promises.

usage: examples_test.py TANDEM FMUS REPOSITORY
"""
import csv
import importlib.util
import json
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import readme

if len(sys.argv) < 4:
    sys.exit(__doc__)
TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])


class Examples(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix='tandem-examples-'))
        for system in REPOSITORY.glob('examples/*/*.ssd'):
            folder = self.folder / system.parent.relative_to(REPOSITORY)
            if not folder.exists():
                shutil.copytree(system.parent, folder, ignore=shutil.ignore_patterns('*.fmu'))
            (folder / 'resources').mkdir(exist_ok=True)
            for name in re.findall(r'source="resources/(\w+\.fmu)"', system.read_text()):
                shutil.copy(FMUS / name, folder / 'resources' / name)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def tandem(self, *arguments):
        return subprocess.run([TANDEM, *arguments], cwd=self.folder, capture_output=True, text=True, timeout=120)

    def run_system(self, system, *options):
        """The recorded signals by name, as lists of numbers."""
        done = self.tandem('run', system, '--strict', '--out', 'out', *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(self.folder / 'out' / 'results.csv', newline='') as file:
            rows = list(csv.DictReader(file))
        return {name: [float(row[name]) for row in rows] for name in rows[0]}

    def test_no_shipped_system_gets_a_warning(self):
        systems = sorted(REPOSITORY.glob('examples/*/*.ssd')) + sorted(REPOSITORY.glob('config/*/*.ssd'))
        self.assertGreater(len(systems), 15)
        for system in systems:
            # The unit of the Modelica systems is built on request.
            if 'modelica' in system.name and not (system.parent / 'resources/hydraulics_modelica.fmu').exists():
                continue
            if system.name == 'supplier.ssd':  # whose unit does not fit, which the example shows
                continue
            done = self.tandem('check', system)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertNotIn('warning', done.stderr)

    def at(self, signals, name, time):
        return signals[name][signals['time'].index(time)]

    def changes(self, signals, name):
        values = signals[name]
        return [signals['time'][i] for i in range(1, len(values)) if values[i] != values[i - 1]]

    def error_of_two_masses(self, *arguments):
        signals = self.run_system(*arguments, '--stop', '1')
        slow = [math.cos(2 * math.pi * t) / 2 for t in signals['time']]
        fast = [math.cos(6 * math.pi * t) / 2 for t in signals['time']]
        return max(max(abs(x1 - a - b), abs(x2 - a + b))
                   for x1, x2, a, b in zip(signals['left.x'], signals['right.x'], slow, fast))

    def says(self, example, pattern):
        """Numbers in a sentence of an example's text, as they are written."""
        return readme.quoted((REPOSITORY / 'examples' / example / 'README.md').read_text(), pattern)

    def assert_quoted(self, value, text):
        """The value is the written number to its last digit."""
        self.assertLessEqual(abs(value - float(text)), readme.last_digit(text), f'{value} is quoted as {text}')

    def parameters(self):
        """What the units had in the last run."""
        record = json.loads((self.folder / 'out' / 'run.json').read_text())
        return {parameter['name']: parameter['value'] for parameter in record['parameters']}

    def test_two_mass(self):
        step, coarse, smaller, fine, constant = self.says('two_mass', r'default step of ([\d.]+) s the largest error on '
            r'\[0, 1\] s is (\S+); `--step ([\d.]+)` makes it (\S+): a quarter of the step, a sixteenth of the error '
            r'\(order 2\)\. `--hold constant` is of order 1 and has an error of (\S+)\.')
        self.assertEqual(float(step), 4 * float(smaller))
        errors = [self.error_of_two_masses('examples/two_mass', '--step', h) for h in (step, smaller)]
        self.assert_quoted(self.error_of_two_masses('examples/two_mass'), coarse)
        self.assert_quoted(errors[0], coarse)
        self.assert_quoted(errors[1], fine)
        self.assertAlmostEqual(errors[0] / errors[1], 16, delta=0.5)
        self.assert_quoted(self.error_of_two_masses('examples/two_mass', '--hold', 'constant'), constant)

    def test_two_mass_split_at_the_force(self):
        coarse, error, step, own, linear = self.says('two_mass', r'with `--step ([\d.]+)` the error is (\S+), and after .* '
            r'own step of ([\d.]+) ms, with an error of (\S+); `--hold linear` brings it back to order 2 and (\S+)\.')
        force = 'examples/two_mass/force.ssd'
        self.assert_quoted(self.error_of_two_masses(force, '--step', coarse), error)
        self.assert_quoted(self.error_of_two_masses(force), own)
        self.assert_quoted(self.error_of_two_masses(force, '--step', str(float(step) / 1000)), own)
        self.assert_quoted(self.error_of_two_masses(force, '--hold', 'linear'), linear)

    def test_can_bus(self):
        bit, first, bits, second, more = self.says('can_bus', r'at (\d+) kbit/s\. .* over at (\d+) us: (\d+) bits of 4 us.* is over at '
                                                   r'(\d+) us after (\d+) bits')
        bit = 1e-3 / float(bit)
        self.assertAlmostEqual(int(bits) * bit, int(first) * 1e-6, delta=1e-12)
        self.assertAlmostEqual(int(first) * 1e-6 + (3 + int(more)) * bit, int(second) * 1e-6, delta=1e-12)
        for step in '0.001', '0.005':
            signals = self.run_system('examples/can_bus', '--step', step)
            last = len(signals['time']) - 1 - signals['time'][::-1].index(float(second) * 1e-6)  # the row after the event
            self.assertEqual(signals['listener.watched.time[1]'][last], float(first) * 1e-6)
            self.assertEqual(signals['listener.watched.time[2]'][last], float(second) * 1e-6)
            self.assertEqual(signals['listener.frames.received'][-1], 6)
        frames, = self.says('can_bus', r'gives the same (\d+) frames at the listener')
        signals = self.run_system('examples/can_bus', '--set', 'bus.error_share=0.5', '--stop', '0.1')
        self.assertEqual(signals['listener.frames.received'][-1], float(frames))
        self.assertGreater(signals['bus.errors'][-1], 0)

    def test_can_sensors(self):
        booted, ready, load = self.says('can_sensors', r'The sensors boot (\d+) ms after .*from t = (\d+) ms on `ecu.valid` is true.*'
                                        r'`bus.mean_load` is ([\d.]+) in the end')
        numbers = ['--record', 'ecu.*.*', 'ecu.pitch', 'ecu.roll', 'ecu.valid', 'ecu.sensor_lost', 'bus.mean_load', 'bus.lost',
                   'sensors.frames.*']
        signals = self.run_system('examples/can_sensors', *numbers)
        first = signals['time'][signals['sensors.frames.sent'].index(1)]
        self.assertTrue(int(booted) * 1e-3 < first < int(booted) * 1e-3 + 1e-3)  # the frame takes its time
        self.assertAlmostEqual(signals['time'][signals['ecu.valid'].index(1)], int(ready) * 1e-3, delta=0.5e-3)
        self.assert_quoted(signals['bus.mean_load'][-1], load)
        self.assertEqual((signals['bus.lost'][-1], signals['sensors.frames.lost'][-1], signals['ecu.sensor_lost'][-1]), (0, 0, 0))
        step = math.radians(0.01)
        for name, seen, resolution in (('inclination.boom', 0.9, step), ('inclination.coupler', -1.2, step), ('roll', -0.01, step),
                                       ('slew.length', 0.75, 1e-5), ('rotate.angle', 1, math.tau / 65536), ('jaw.pressure_a', 12e6, 1)):
            self.assertAlmostEqual(signals['ecu.' + name][-1], seen, delta=resolution / 2 * (1 + 1e-9), msg=name)
        self.assertTrue(self.says('can_sensors', r'`(sensor lost: node 3 \(arm\): no boot-up message within 1000 ms after the reset)`'))
        done = self.tandem('run', 'examples/can_sensors', '--set', 'sensors.silent=3', '--out', 'out', '--stop', '1.1')
        self.assertIn('sensor lost: node 3 (arm): no boot-up message within 1000 ms after the reset', done.stderr)

    def test_can_sensors_lose_one_that_runs_and_take_it_back(self):
        patience, = self.says('can_sensors', r'falls silent while it runs is missed within (\d+) ms')
        (self.folder / 'fault.xml').write_text(
            '<Scenario xmlns="urn:tandem:scenario:1"><Signal name="sensors.silent"><At t="0" value="0"/><At t="0.3" value="6"/>'
            '<At t="0.6" value="0"/></Signal></Scenario>')
        for period in '0', '0.02':  # by themselves, and with SYNC: missed after five of its periods
            done = self.tandem('run', 'examples/can_sensors', '--scenario', 'fault.xml', '--out', 'out', '--set',
                               f'ecu.sync_period={period}', '--record', 'ecu.valid', 'ecu.sensor_lost', 'ecu.losses')
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertRegex(done.stderr, r'sensor lost: node 6 \(slew\): (its PDO 0x186 no longer comes|no heartbeat for 150 ms)')
            with open(self.folder / 'out' / 'results.csv', newline='') as file:
                rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
            lost = next(row['time'] for row in rows if row['ecu.sensor_lost'])
            longest = 5 * float(period) if float(period) else int(patience) * 1e-3
            self.assertTrue(0.3 < lost <= 0.3 + longest + 2e-3, lost)
            self.assertEqual([row['ecu.valid'] for row in rows if lost + 0.01 < row['time'] < 0.6], [0] * len(
                [row for row in rows if lost + 0.01 < row['time'] < 0.6]))
            self.assertEqual((rows[-1]['ecu.valid'], rows[-1]['ecu.sensor_lost'], rows[-1]['ecu.losses']), (1, 6, 1))

    def test_quarter_car(self):
        chassis, wheel, ground = self.says('quarter_car', r'chassis of (\d+) kg and a wheel of (\d+) kg drive on a step '
                                                          r'of ([\d.]+) m')
        t, exact_c, exact_w, h, run_c, run_w = self.says('quarter_car', r'At t = ([\d.]+) s the exact positions are (\S+) '
            r'and (\S+) m; the run with its step of (\d+) ms gives (\S+) and (\S+)\.')
        signals = self.run_system('examples/quarter_car')
        found = self.parameters()
        self.assertEqual([found['chassis.m'], found['wheel.m'], found['wheel.ground']],
                         [float(chassis), float(wheel), float(ground)])
        self.assertAlmostEqual(signals['time'][1], 1e-3 * float(h))
        self.assert_quoted(self.at(signals, 'chassis.z_c', float(t)), run_c)
        self.assert_quoted(self.at(signals, 'wheel.z_w', float(t)), run_w)
        # Order 2: at a twentieth of the step 2e-8 are left.
        signals = self.run_system('examples/quarter_car', '--hold', 'linear', '--step', '0.00005', '--stop', t)
        self.assertAlmostEqual(signals['chassis.z_c'][-1], float(exact_c), delta=3e-8)
        self.assertAlmostEqual(signals['wheel.z_w'][-1], float(exact_w), delta=3e-8)

    def test_water_tank(self):
        inflow, opens, closes = map(float, self.says('water_tank', r'fills at ([\d.]+) m³/s; a controller opens its valve '
                                                     r'at a level of ([\d.]+) m and closes it at ([\d.]+) m'))
        *exact, step = self.says('water_tank', r'switches are at ([\d.]+), ([\d.]+) and ([\d.]+) s\. .* default step of '
                                               r'([\d.]+) s')
        *default, fine, first, second, third = self.says('water_tank', r'appear at ([\d.]+), ([\d.]+) and ([\d.]+) s, '
            r'with `--step ([\d.]+)` at ([\d.]+), ([\d.]+) and ([\d.]+) s')
        signals = self.run_system('examples/water_tank')
        found = self.parameters()
        self.assertEqual([found['tank.inflow'], found['controller.upper'], found['controller.lower']],
                         [inflow, opens, closes])
        outlet = found['tank.outlet']
        empty = math.log((outlet * opens - inflow) / (outlet * closes - inflow)) / outlet
        switches = [opens / inflow, opens / inflow + empty, opens / inflow + empty + (opens - closes) / inflow]
        for value, text in zip(switches, exact):
            self.assert_quoted(value, text)
        self.assertEqual(signals['time'][1], float(step))
        self.assertEqual(self.changes(signals, 'controller.valve')[:3], [float(text) for text in default])
        signals = self.run_system('examples/water_tank', '--step', fine)
        self.assertEqual(self.changes(signals, 'controller.valve')[:3], [float(text) for text in (first, second, third)])

    def test_bouncing_ball(self):
        height, rebound = map(float, self.says('bouncing_ball', r'falls from ([\d.]+) m and rebounds with ([\d.]+) of'))
        first, *others = self.says('bouncing_ball', r'impacts are at ([\d.]+), ([\d.]+) and ([\d.]+) s')
        leaves, row, again, v, same_row = self.says('bouncing_ball', r'floor with ([\d.]+) m/s, so it happened at ([\d.]+) '
            r'− \(([\d.]+) − v\)/9\.81 s with v = ([\d.]+) m/s from the row of t = ([\d.]+)\.')
        fall = math.sqrt(2 * height / 9.81)
        flights = [fall + 2 * fall * sum(rebound ** (k + 1) for k in range(n)) for n in range(3)]
        for value, text in zip(flights, (first, *others)):
            self.assert_quoted(value, text)
        self.assert_quoted(rebound * 9.81 * fall, leaves)
        self.assertEqual((again, same_row), (leaves, row))
        signals = self.run_system('examples/bouncing_ball')
        self.assertEqual(self.at(signals, 'ball.h', 0), height)
        self.assert_quoted(self.at(signals, 'ball.v', float(row)), v)
        impact = float(row) - (float(leaves) - self.at(signals, 'ball.v', float(row))) / 9.81
        self.assertAlmostEqual(impact, float(first), delta=1e-6)

    def test_thermostat(self):
        start, limit, kelvin, reached, period, off, low, high = self.says('thermostat', r'warms from ([\d.]+) K and reaches '
            r'the upper limit of ([\d.]+) degC = ([\d.]+) K at ([\d.]+) s; the thermostat looks every (\d+) s and switches '
            r'off at (\d+) s\. From then on the room stays between ([\d.]+) and ([\d.]+) K')
        signals = self.run_system('examples/thermostat')
        self.assertEqual(signals['room.T'][0], float(start))
        self.assertAlmostEqual(float(limit) + 273.15, float(kelvin))
        after = next(i for i, T in enumerate(signals['room.T']) if T >= float(kelvin))
        (t0, t1), (T0, T1) = (signals[name][after - 1:after + 1] for name in ('time', 'room.T'))
        self.assert_quoted(t0 + (t1 - t0) * (float(kelvin) - T0) / (T1 - T0), reached)
        self.assertEqual(self.changes(signals, 'thermostat.P')[0], float(off))
        self.assertTrue(all(t % float(period) == 0 for t in self.changes(signals, 'thermostat.P')))
        settled = [T for t, T in zip(signals['time'], signals['room.T']) if t >= float(off)]
        self.assertGreater(min(settled), float(low))
        self.assertLess(max(settled), float(high))

    def test_nested(self):
        start, full, rate, opens, seen, doubled, sooner = self.says('nested', r'fills from ([\d.]+) m to ([\d.]+) m at '
            r'([\d.]+) m/s, so the valve opens at ([\d.]+) s \(seen one step later, at ([\d.]+)\)\. .* '
            r'`--set plant\.tank\.inflow=(\d+)` makes it (\d+) s')
        signals = self.run_system('examples/nested')
        self.assertEqual(self.at(signals, 'plant.tank.level', 0), float(start))
        self.assertEqual((float(full) - float(start)) / float(rate), float(opens))
        self.assertEqual(self.changes(signals, 'control.controller.valve')[0], float(seen))
        found = self.parameters()
        for name, _, value in readme.table((REPOSITORY / 'examples/nested/README.md').read_text(), '| parameter |'):
            self.assertEqual(found[name.strip('`')], float(value.split()[0]), name)
        # The lower level comes from the mapped parameter set: 150 cm.
        closed = self.changes(signals, 'control.controller.valve')[1]
        self.assertAlmostEqual(self.at(signals, 'plant.tank.level', closed), 1.5, delta=0.02)
        signals = self.run_system('examples/nested', '--set', f'plant.tank.inflow={doubled}')
        self.assertEqual(self.changes(signals, 'control.controller.valve')[0], float(sooner) + 0.01)

    def test_boom_coupling(self):
        system = 'examples/boom_coupling'
        begin, end, stop = self.says('boom_coupling', r'raises the boom from (\d+) to ([\d.]+) degrees in (\d+) s')
        signals = self.run_system(system, '--scenario', f'{system}/raise.xml', '--record', '*.joint.boom.position')
        self.assertEqual(signals['time'][-1], float(stop))
        self.assertAlmostEqual(math.degrees(signals['mechanics.joint.boom.position'][0]), float(begin), delta=1e-5)
        self.assert_quoted(math.degrees(signals['mechanics.joint.boom.position'][-1]), end)
        begin, end = self.says('boom_coupling', r'lowers it from (\d+) to ([\d.]+) degrees')
        put = re.findall(r'--set \S+?=[\d.]+', (REPOSITORY / system / 'README.md').read_text())
        signals = self.run_system(system, '--scenario', f'{system}/lower.xml', '--record', '*.joint.boom.position',
                                  *(word for option in put for word in option.split()))
        self.assertAlmostEqual(math.degrees(signals['mechanics.joint.boom.position'][0]), float(begin), delta=1e-5)
        self.assert_quoted(math.degrees(signals['mechanics.joint.boom.position'][-1]), end)

    def test_boom_coupling_at_rest(self):
        stiffness, mass, frequency, = self.says('boom_coupling', r'stiff spring \((\S+) N/m under (\d+) t of reduced mass: '
                                                                 r'([\d.]+) Hz\)')
        (sinks,) = self.says('boom_coupling', r'lets the cylinder sink by (\d+) µm/s')
        (rate,) = self.says('boom_coupling', r'at a rate of ω²H/2, here (\d+) H 1/s')
        signals = self.run_system('examples/boom_coupling')
        self.assert_quoted(-1e6 * signals['mechanics.boom.velocity'][-1], sinks)
        self.assert_quoted(signals['mechanics.boom.inertia'][0] / 1e3, mass)
        square = float(stiffness) / (1e3 * float(mass))
        self.assert_quoted(math.sqrt(square) / (2 * math.pi), frequency)
        self.assert_quoted(square / 2, rate)

    def script(self, name, *arguments):
        return subprocess.run([sys.executable, REPOSITORY / 'examples' / name, *arguments], cwd=self.folder,
                              capture_output=True, text=True, timeout=600)

    def test_swap_hydraulics(self):
        # What it shows is tested with the excavator, where a compiler is at hand.
        done = self.script('swap_hydraulics/swap.py', TANDEM, 'dead_volum=3e-3')
        self.assertEqual(done.returncode, 1)
        self.assertIn("'dead_volum=3e-3' changes no parameter of the axes; there are: ", done.stderr)
        self.assertIn(' dead_volume, ', done.stderr)
        if importlib.util.find_spec('rumoca') is None and not (REPOSITORY / '.venv').exists():
            done = self.script('swap_hydraulics/swap.py', TANDEM)
            self.assertEqual(done.returncode, 1)
            self.assertIn('pip install rumoca==', done.stderr)

    def test_fidelities(self):
        """What it prints is tested with the excavator; here only that the table in the text is about its axes."""
        readme = (REPOSITORY / 'examples/fidelities/README.md').read_text()
        axes = re.search(r"AXES = \((.*)\)", (REPOSITORY / 'examples/fidelities/compare.py').read_text()).group(1)
        self.assertEqual(re.findall(r'^\| (\w+) \| \d+ ', readme, re.M), re.findall(r"'(\w+)'", axes))

    def test_interface_check(self):
        supplier = ('check', REPOSITORY / 'examples/interface_check/supplier.ssd', '--against',
                    REPOSITORY / 'config/excavator/hydraulics_interface.ssd')
        done = self.tandem(*supplier)
        self.assertEqual(done.returncode, 3, done.stderr)
        self.assertEqual((done.stdout.count('breaking['), done.stdout.count('compatible[')), (2, 3), done.stdout)
        done = self.tandem(*supplier, '--deviations', REPOSITORY / 'examples/interface_check/accepted.xml')
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_lidar_network(self):
        """The network is tested with the unit; here only that nothing is opened unless it is asked for."""
        signals = self.run_system('examples/lidar_network', '--stop', '1', '--record', 'lidar.points.*', 'client.p*')
        self.assertEqual(signals['lidar.points.count'][-1], 10_000)
        self.assertEqual(max(signals['client.points.count']), 0)

    def test_teleoperation(self):
        time, overshoot = self.says('teleoperation', r'\| 200 ms \| 0 % \| (\S+) s \| (\d+) mm \|')
        signals = self.run_system('examples/teleoperation', '--stop', '20', '--set',
                                  'teleop.link=delay=200ms,jitter=50ms,loss=0%,rate=100kbit/s,seed=1', '--record', 'person.*',
                                  'kinematics.tool.pose')
        self.assert_quoted(signals['person.finished'][-1], time)
        lowest = max(target - height for stage, target, height in zip(
            signals['person.stage'], signals['person.view.target'], signals['kinematics.tool.pose[3]']) if stage in (1, 2))
        self.assert_quoted(1000 * lowest, overshoot)

    def test_every_example_is_checked_here(self):
        tested = {name.removeprefix('test_') for name in dir(self) if name.startswith('test_')}
        for folder in {path.parent for path in (REPOSITORY / 'examples').glob('*/*')}:
            if folder.name == '__pycache__':
                continue
            self.assertIn(folder.name, tested)
            self.assertTrue((folder / 'README.md').exists(), folder)

    def test_the_first_system_in_the_readme(self):
        text = re.search(r'```xml\n(<SystemStructureDescription.*?)```', (REPOSITORY / 'README.md').read_text(), re.S)
        self.assertEqual(text.group(1).count('\n'), 10)
        (self.folder / 'first.ssd').write_text(text.group(1).replace('build/release/fmus', str(FMUS)))
        signals = self.run_system('first.ssd')
        t, position = readme.quoted((REPOSITORY / 'README.md').read_text(), r'at t = (\d+) s the chassis is at '
                                                                            r'`chassis.z_c` = ([\d.]+) m')
        self.assert_quoted(self.at(signals, 'chassis.z_c', float(t)), position)

    def test_the_lead_of_settling_in_the_readme(self):
        (lead,) = readme.quoted((REPOSITORY / 'README.md').read_text(), r'a lead of (\d+) s \(`--settle=SECONDS`\)')
        done = self.tandem('run', 'examples/boom_coupling', '--settle', '--out', 'out')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f'settled for {lead} s before the start', done.stderr)

    def test_the_table_in_the_readme(self):
        readme = (REPOSITORY / 'README.md').read_text()
        table = re.search(r'(    time,room.*?)\n\n', readme, re.S).group(1)
        (self.folder / 'weather.csv').write_text(table.replace('    ', ''))
        cold = self.run_system('examples/thermostat')
        mild = self.run_system('examples/thermostat', '--input', 'weather.csv')
        self.assertLess(sum(mild['thermostat.P']), sum(cold['thermostat.P']))

    def test_the_scenario_in_the_readme(self):
        readme = (REPOSITORY / 'README.md').read_text()
        scenario = re.search(r'```xml\n(<Scenario.*?)```', readme, re.S).group(1)
        (self.folder / 'scenario.xml').write_text(scenario)
        warmer = self.run_system('examples/thermostat', '--scenario', 'scenario.xml')
        self.assertGreater(max(warmer['room.T']), 295)
        (self.folder / 'scenario.xml').write_text(scenario.replace('max="300"', 'max="294"'))
        done = self.tandem('run', 'examples/thermostat', '--scenario', 'scenario.xml')
        self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
