"""Every example runs without a remark that --strict would refuse, and gives the numbers that its README promises.

usage: examples_test.py TANDEM FMUS REPOSITORY
"""
import csv
import importlib.util
import math
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TANDEM, FMUS, REPOSITORY = (pathlib.Path(argument).resolve() for argument in sys.argv[1:4])
QUOTED = 5e-4  # relative; numbers in the texts have four digits


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

    def assert_quoted(self, value, text):
        self.assertAlmostEqual(value / float(text), 1, delta=QUOTED)

    def test_two_mass(self):
        self.assert_quoted(self.error_of_two_masses('examples/two_mass'), '2.667e-2')
        self.assert_quoted(self.error_of_two_masses('examples/two_mass', '--step', '0.0025'), '1.659e-3')
        self.assert_quoted(self.error_of_two_masses('examples/two_mass', '--hold', 'constant'), '4.040e-1')

    def test_two_mass_split_at_the_force(self):
        force = 'examples/two_mass/force.ssd'
        self.assert_quoted(self.error_of_two_masses(force), '5.092e-2')
        self.assert_quoted(self.error_of_two_masses(force, '--step', '0.01'), '2.399e-1')
        self.assert_quoted(self.error_of_two_masses(force, '--hold', 'linear'), '4.897e-3')

    def test_quarter_car(self):
        signals = self.run_system('examples/quarter_car')
        self.assertAlmostEqual(self.at(signals, 'chassis.z_c', 0.5), 0.161436, delta=1e-6)
        self.assertAlmostEqual(self.at(signals, 'wheel.z_w', 0.5), 0.105321, delta=1e-6)
        signals = self.run_system('examples/quarter_car', '--hold', 'linear')
        self.assertAlmostEqual(self.at(signals, 'chassis.z_c', 0.5), 0.161468588, delta=1e-5)

    def test_water_tank(self):
        signals = self.run_system('examples/water_tank')
        self.assertEqual(self.changes(signals, 'controller.valve')[:3], [2.01, 4.39, 5.4])
        signals = self.run_system('examples/water_tank', '--step', '0.001')
        self.assertEqual(self.changes(signals, 'controller.valve')[:3], [2.001, 4.364, 5.365])

    def test_bouncing_ball(self):
        signals = self.run_system('examples/bouncing_ball')
        impact = 0.46 - (3.100612840 - self.at(signals, 'ball.v', 0.46)) / 9.81
        self.assertAlmostEqual(impact, 0.451523641, delta=1e-6)

    def test_thermostat(self):
        signals = self.run_system('examples/thermostat')
        self.assertEqual(self.changes(signals, 'thermostat.P')[0], 250)
        settled = [T for t, T in zip(signals['time'], signals['room.T']) if t >= 250]
        self.assertGreater(min(settled), 292.5)
        self.assertLess(max(settled), 293.8)

    def test_nested(self):
        signals = self.run_system('examples/nested')
        self.assertEqual(self.changes(signals, 'control.controller.valve')[0], 4.01)
        # The lower level comes from the mapped parameter set: 150 cm.
        closed = self.changes(signals, 'control.controller.valve')[1]
        self.assertAlmostEqual(self.at(signals, 'plant.tank.level', closed), 1.5, delta=0.02)
        signals = self.run_system('examples/nested', '--set', 'plant.tank.inflow=1')
        self.assertEqual(self.changes(signals, 'control.controller.valve')[0], 2.01)

    def test_boom_coupling(self):
        system = 'examples/boom_coupling'
        signals = self.run_system(system, '--scenario', f'{system}/raise.xml', '--record', '*.joint.boom.position')
        self.assertAlmostEqual(math.degrees(signals['mechanics.joint.boom.position'][-1]), 28.91, delta=0.005)
        put = re.findall(r'--set \S+?=[\d.]+', (REPOSITORY / system / 'README.md').read_text())
        signals = self.run_system(system, '--scenario', f'{system}/lower.xml', '--record', '*.joint.boom.position',
                                  *(word for option in put for word in option.split()))
        self.assertAlmostEqual(math.degrees(signals['mechanics.joint.boom.position'][0]), 40, delta=1e-5)
        self.assertAlmostEqual(math.degrees(signals['mechanics.joint.boom.position'][-1]), 31.64, delta=0.005)

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
        self.assert_quoted(self.at(signals, 'chassis.z_c', 2), '0.09119')

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
