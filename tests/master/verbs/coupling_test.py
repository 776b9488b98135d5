"""The coupling cases with real FMUs, FMI 2 and FMI 3: published errors, recurrences, switch times and loops.

usage: coupling_test.py TANDEM FMUS
"""
import csv
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

if len(sys.argv) < 3:
    sys.exit(__doc__)
TANDEM, FMUS = (os.path.abspath(argument) for argument in sys.argv[1:3])
FOUR_DIGITS, THREE_DIGITS = 6e-4, 6e-3
STEPS = ('1/100', '1/200', '1/400', '1/800')
VERSIONS = ('', '_fmi2')


def system(components, wires):
    text = ('<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" '
            'xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="1.0" name="case">'
            '<ssd:System name="case"><ssd:Elements>')
    for name, fmu, parameters in components:
        values = ''.join(f'<ssv:Parameter name="{key}"><ssv:Real value="{value}"/></ssv:Parameter>'
                         for key, value in parameters.items())
        text += (f'<ssd:Component name="{name}" source="resources/{fmu}.fmu"><ssd:ParameterBindings>'
                 '<ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p">'
                 f'<ssv:Parameters>{values}</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues>'
                 '</ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>')
    text += '</ssd:Elements><ssd:Connections>'
    for start, end in wires:
        (a, x), (b, y) = start.split('.', 1), end.split('.', 1)
        text += f'<ssd:Connection startElement="{a}" startConnector="{x}" endElement="{b}" endConnector="{y}"/>'
    return text + '</ssd:Connections></ssd:System></ssd:SystemStructureDescription>'


class Coupling(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix='tandem-coupling-')
        os.symlink(FMUS, os.path.join(self.folder, 'resources'))

    def tearDown(self):
        shutil.rmtree(self.folder)

    def run_case(self, components, wires, *options, code=0):
        with open(os.path.join(self.folder, 'SystemStructure.ssd'), 'w') as file:
            file.write(system(components, wires))
        done = subprocess.run([TANDEM, 'run', '.', '--out', 'out', *options], cwd=self.folder, capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        self.messages = done.stderr
        if code != 0:
            return None
        with open(os.path.join(self.folder, 'out', 'results.csv'), newline='') as file:
            rows = list(csv.DictReader(file))
        return {name: [float(row[name]) for row in rows] for name in rows[0]}

    def two_mass_error(self, *case):
        signals = self.run_case(*case, '--stop', '1')
        worst = 0
        for t, x1, x2 in zip(signals['time'], signals['left.x'], signals['right.x']):
            slow, fast = math.cos(2 * math.pi * t) / 2, math.cos(6 * math.pi * t) / 2
            worst = max(worst, abs(x1 - slow - fast), abs(x2 - slow + fast))
        return worst

    def check_rows(self, rows, error, tolerance, steps):
        for version in VERSIONS:
            for (algorithm, hold), expected in rows.items():
                for step, value in zip(steps, expected):
                    with self.subTest(version=version, algorithm=algorithm, hold=hold, step=step):
                        found = error(version, '--algorithm', algorithm, '--hold', hold, '--step', step)
                        self.assertAlmostEqual(found / value, 1, delta=tolerance)

    def test_two_masses_displacement_split(self):
        def error(version, *options):
            return self.two_mass_error([('left', 'oscillator' + version, {'x0': 1}),
                                        ('right', 'oscillator' + version, {'x0': 0})],
                                       [('left.x', 'right.x_other'), ('right.x', 'left.x_other')], *options)
        self.check_rows({
            ('jacobi', 'constant'): (4.040e-1, 1.986e-1, 9.885e-2, 4.937e-2),
            ('gauss-seidel', 'constant'): (1.042e-1, 5.223e-2, 2.615e-2, 1.308e-2),
            ('gauss-seidel', 'compensated'): (8.807e-3, 2.247e-3, 5.673e-4, 1.425e-4),
            ('gauss-seidel', 'linear'): (1.540e-2, 3.889e-3, 9.750e-4, 2.441e-4),
            ('jacobi', 'compensated'): (2.667e-2, 6.639e-3, 1.659e-3, 4.147e-4),
            ('jacobi', 'linear'): (3.340e-2, 8.303e-3, 2.074e-3, 5.183e-4),
        }, error, FOUR_DIGITS, STEPS)

    def test_two_masses_force_split_with_held_outputs(self):
        def error(version, *options):
            return self.two_mass_error([('left', 'mass_left' + version, {}), ('right', 'mass_right' + version, {})],
                                       [('left.x', 'right.x_left'), ('right.F', 'left.F')], *options)
        self.check_rows({
            ('jacobi', 'constant'): (8.838e-1, 3.663e-1, 1.648e-1, 7.810e-2),
            ('jacobi', 'compensated'): (2.399e-1, 1.064e-1, 5.092e-2, 2.502e-2),
            ('jacobi', 'linear'): (8.014e-2, 1.966e-2, 4.897e-3, 1.223e-3),
            ('gauss-seidel', 'constant'): (2.638e-1, 1.250e-1, 6.086e-2, 3.004e-2),
        }, error, FOUR_DIGITS, STEPS)

    def test_quarter_car_with_held_outputs(self):
        def positions(version, *options):
            return self.run_case([('chassis', 'quarter_car_chassis' + version, {}),
                                  ('wheel', 'quarter_car_wheel' + version, {})],
                                 [('chassis.v_c', 'wheel.v_c'), ('wheel.F', 'chassis.F')], '--stop', '2', *options)
        fine = positions('', '--hold', 'linear', '--step', '1/16000', '--record-interval', '0.001')
        self.assertAlmostEqual(fine['chassis.z_c'][500], 0.161468588002, delta=1e-7)

        def error(version, *options):
            found = positions(version, *options)
            stride = round(1000 * (found['time'][1] - found['time'][0]))
            return max(max(abs(a - b) for a, b in zip(found[name], fine[name][::stride]))
                       for name in ('chassis.z_c', 'wheel.z_w'))
        self.check_rows({
            ('jacobi', 'constant'): (6.03e-3, 2.95e-3, 1.46e-3, 7.27e-4),
            ('jacobi', 'compensated'): (1.06e-3, 5.34e-4, 2.69e-4, 1.35e-4),
            ('jacobi', 'linear'): (5.37e-4, 1.34e-4, 3.34e-5, 8.34e-6),
        }, error, THREE_DIGITS, ('8/1000', '4/1000', '2/1000', '1/1000'))

    def test_dahlquist_recurrences(self):
        for version in VERSIONS:
            components = [('A', 'dahlquist_coupled' + version, {'g': 10, 'x0': 1}),
                          ('B', 'dahlquist_coupled' + version, {'g': -10, 'x0': 0})]
            wires = [('B.x', 'A.u'), ('A.x', 'B.u')]
            for algorithm, x, y in (('jacobi', -0.504655876375, 0.339179567917),
                                    ('gauss-seidel', -0.317915546394, 0.200679241250)):
                found = self.run_case(components, wires, '--hold', 'constant', '--algorithm', algorithm, '--step',
                                      '0.01', '--stop', '1')
                self.assertAlmostEqual(found['A.x'][-1], x, delta=1e-12)
                self.assertAlmostEqual(found['B.x'][-1], y, delta=1e-12)

    def test_water_tank_switches_at_most_two_steps_late(self):
        for version in VERSIONS:
            found = self.run_case([('tank', 'tank' + version, {}), ('controller', 'tank_controller' + version, {})],
                                  [('tank.level', 'controller.level'), ('controller.valve', 'tank.valve')],
                                  '--step', '0.001', '--stop', '10')
            valve = found['controller.valve']
            switches = [found['time'][i] for i in range(1, len(valve)) if valve[i] != valve[i - 1]]
            exact = (2.0, 4.360972520, 5.360972520, 7.721945040, 8.721945040)
            self.assertEqual(len(switches), len(exact))
            for number, (time, expected) in enumerate(zip(switches, exact), 1):
                # Each switch is late by at most two steps, and passes its own lateness on to the next.
                self.assertGreaterEqual(time - expected, -1e-9)
                self.assertLessEqual(time - expected, number * 0.002 + 1e-9)

    def test_linear_loop(self):
        for version in VERSIONS:
            found = self.run_case([('A', 'affine' + version, {'a': -1, 'b': 1}),
                                   ('B', 'affine' + version, {'a': -0.5, 'b': 0.5})],
                                  [('B.y', 'A.u'), ('A.y', 'B.u')], '--step', '0.1', '--stop', '0.1')
            self.assertAlmostEqual(found['A.y'][0], 1, delta=1e-10)
            self.assertAlmostEqual(found['B.y'][0], 0, delta=1e-10)
            self.assertIn('B.y -> A.u', self.messages)

    def test_divergent_loop(self):
        found = self.run_case([('A', 'affine', {'a': 2, 'b': 1}), ('B', 'affine', {'a': -3, 'b': 1})],
                              [('B.y', 'A.u'), ('A.y', 'B.u')], '--step', '0.1', '--stop', '0.1')
        self.assertAlmostEqual(found['A.y'][0], 3 / 7, delta=1e-10)
        self.assertAlmostEqual(found['B.y'][0], -2 / 7, delta=1e-10)

    def test_nonlinear_loop(self):
        wires = [('A.a', 'B.a'), ('A.b', 'B.b'), ('B.c', 'A.c')]
        found = self.run_case([('A', 'loop_a', {'c': 1}), ('B', 'loop_b', {})], wires, '--step', '0.1', '--stop', '0.1')
        self.assertAlmostEqual(found['B.c'][0], 1.1645751311, delta=1e-9)
        self.assertAlmostEqual(found['A.a'][0], 0.6354248689, delta=1e-9)
        self.run_case([('A', 'loop_a', {'c': 0}), ('B', 'loop_b', {})], wires, '--step', '0.1', '--stop', '0.1', code=2)
        self.assertRegex(self.messages, r'error\[[a-z-]+\]: .*B.*c')

    def test_clocks_tick_on_time_and_trigger_each_other(self):
        """A ticks at 0, 1, 2, ... s and half a second after every third tick; with every fifth its output clock."""
        found = self.run_case([('A', 'clocks', {}), ('B', 'clocks', {})], [('A.outClock', 'B.inClock2')],
                              '--step', '0.3', '--stop', '9.9')

        def changes(name):
            values = found[name]
            return [found['time'][i] for i in range(1, len(values)) if values[i] != values[i - 1]]
        self.assertEqual(changes('A.inClock1Ticks'), [float(t) for t in range(1, 10)])
        self.assertEqual(changes('A.inClock3Ticks'), [2.5, 5.5, 8.5])
        self.assertEqual(changes('B.inClock2Ticks'), [3.0, 7.0])
        self.assertEqual(found['B.totalInClockTicks'][-1], 10 + 3 + 2)

    def test_bouncing_ball_by_model_exchange(self):
        for version in VERSIONS:
            done = subprocess.run([TANDEM, 'run', f'resources/bouncing_ball{version}.fmu', '--implementation', 'me',
                                   '--tolerance', '1e-10', '--stop', '2', '--step', '0.001', '--out', 'out', '--stats'],
                                  cwd=self.folder, capture_output=True, text=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(os.path.join(self.folder, 'out', 'results.csv'), newline='') as file:
                rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
            impacts = []
            for before, after in zip(rows, rows[1:]):
                if after['v'] > before['v'] + 0.5:
                    # Free fall from the last point before the impact.
                    fall = (before['v'] + math.sqrt(before['v'] ** 2 + 2 * 9.81 * before['h'])) / 9.81
                    impacts.append(before['time'] + fall)
            for found, expected in zip(impacts, (0.451523641, 1.083656738, 1.526149907)):
                self.assertAlmostEqual(found, expected, delta=1e-6)
            self.assertGreaterEqual(len(impacts), 3)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
