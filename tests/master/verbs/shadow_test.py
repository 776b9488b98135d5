"""The shadow run beside a run: what its error bar says, when it speaks, and that it leaves nothing behind.

usage: shadow_test.py TANDEM FMUS TEST_FMUS EXAMPLES; TANDEM_LONG=1 adds steps between the largest and the smallest
"""
import csv
import glob
import json
import math
import os
import signal
import subprocess
import time
import unittest

from command_line import EXAMPLES, TANDEM, CommandLine, component, connection, system

FACTOR = 3  # between an estimate and the error
LONG = 'TANDEM_LONG' in os.environ
STEPS = ('1/100', '1/200', '1/400', '1/800') if LONG else ('1/100', '1/800')
MILLISECONDS = (8, 4, 2, 1) if LONG else (8, 1)
PARAMETERS = ('<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues>'
              '<ssv:ParameterSet version="1.0" name="p"><ssv:Parameters>{}</ssv:Parameters></ssv:ParameterSet>'
              '</ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings>')


def parameters(**values):
    return PARAMETERS.format(''.join(f'<ssv:Parameter name="{name}"><ssv:Real value="{value}"/></ssv:Parameter>'
                                     for name, value in values.items()))


def exact_masses(t):
    slow, fast = math.cos(2 * math.pi * t) / 2, math.cos(6 * math.pi * t) / 2
    return {'left.x': slow + fast, 'right.x': slow - fast}


def exact_dahlquist(t):
    return {'A.x': math.exp(-t) * math.cos(10 * t), 'B.x': -math.exp(-t) * math.sin(10 * t)}


class Shadow(CommandLine):
    def setUp(self):
        super().setUp()
        self.temporary = os.path.join(self.folder, 'tmp')
        os.mkdir(self.temporary)

    def write(self, components, connections):
        for fmu in {fmu for _, fmu, _ in components}:
            self.fmu(fmu)
        path = os.path.join(self.folder, 'case.ssd')
        with open(path, 'w') as file:
            file.write(system(''.join(component(*each) for each in components),
                              ''.join(connection(*each) for each in connections)))
        return path

    def masses(self):
        return self.write([('left', 'oscillator.fmu', parameters(x0=1)), ('right', 'oscillator.fmu', parameters(x0=0))],
                          [('left.x', 'right.x_other'), ('right.x', 'left.x_other')])

    def force(self):
        return self.write([('left', 'mass_left.fmu', ''), ('right', 'mass_right.fmu', '')],
                          [('left.x', 'right.x_left'), ('right.F', 'left.F')])

    def car(self):
        return self.write([('chassis', 'quarter_car_chassis.fmu', ''), ('wheel', 'quarter_car_wheel.fmu', '')],
                          [('chassis.v_c', 'wheel.v_c'), ('wheel.F', 'chassis.F')])

    def dahlquist(self):
        return self.write([('A', 'dahlquist_coupled.fmu', parameters(g=10, x0=1)),
                           ('B', 'dahlquist_coupled.fmu', parameters(g=-10, x0=0))],
                          [('B.x', 'A.u'), ('A.x', 'B.u')])

    def environment(self):
        environment = dict(os.environ, TMPDIR=self.temporary)
        environment.pop('TANDEM_SHADOW', None)
        return environment

    def tandem(self, *arguments, code=0):
        done = subprocess.run([TANDEM, 'run', *arguments, '--out', 'out'], cwd=self.folder, capture_output=True,
                              text=True, timeout=120, env=self.environment())
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        self.assertEqual(os.listdir(self.temporary), [])
        self.output, self.messages = done.stdout, done.stderr
        with open(os.path.join(self.folder, 'out', 'run.json')) as file:
            return json.load(file)['error_bar']

    def rows(self):
        with open(os.path.join(self.folder, 'out', 'results.csv'), newline='') as file:
            return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]

    def check_estimates(self, bar, errors):
        """Of the largest error over these signals, as the coupling cases state it."""
        estimate = max(signal['error'] for signal in bar['signals'] if signal['name'] in errors)
        error = max(errors.values())
        self.assertLess(estimate, FACTOR * error)
        self.assertGreater(estimate, error / FACTOR)

    def test_estimates_where_the_solution_is_known(self):
        cases = [(make, algorithm, hold, step)
                 for make, algorithm, hold in ((self.masses, 'jacobi', 'constant'),
                                               (self.masses, 'gauss-seidel', 'constant'),
                                               (self.masses, 'gauss-seidel', 'compensated'),
                                               (self.masses, 'gauss-seidel', 'linear'),
                                               (self.masses, 'jacobi', 'compensated'),
                                               (self.masses, 'jacobi', 'linear'),
                                               (self.force, 'jacobi', 'constant'),
                                               (self.force, 'jacobi', 'compensated'),
                                               (self.force, 'jacobi', 'linear'),
                                               (self.force, 'gauss-seidel', 'constant'))
                 for step in STEPS]
        cases += [(self.dahlquist, 'jacobi', 'constant', '1/100'), (self.dahlquist, 'gauss-seidel', 'constant', '1/100')]
        for make, algorithm, hold, step in cases:
            with self.subTest(make=make.__name__, algorithm=algorithm, hold=hold, step=step):
                bar = self.tandem(make(), '--algorithm', algorithm, '--hold', hold, '--step', step, '--stop', '1',
                                  '--shadow', 'on')
                exact = exact_dahlquist if make == self.dahlquist else exact_masses
                errors = {}
                for row in self.rows():
                    for name, value in exact(row['time']).items():
                        errors[name] = max(errors.get(name, 0), abs(row[name] - value))
                self.check_estimates(bar, errors)

    def test_estimates_of_the_quarter_car(self):
        self.tandem(self.car(), '--hold', 'linear', '--step', '1/16000', '--record-interval', '0.001', '--stop', '2',
                    '--shadow', 'off')
        fine = self.rows()
        for algorithm, hold in (('jacobi', 'constant'), ('jacobi', 'compensated'), ('jacobi', 'linear'),
                                ('gauss-seidel', 'constant')):
            for milliseconds in MILLISECONDS:
                with self.subTest(algorithm=algorithm, hold=hold, milliseconds=milliseconds):
                    bar = self.tandem(self.car(), '--algorithm', algorithm, '--hold', hold, '--step',
                                      f'{milliseconds}/1000', '--stop', '2', '--shadow', 'on')
                    self.assertTrue(bar['converged'])
                    found = self.rows()
                    self.check_estimates(bar, {name: max(abs(a[name] - b[name])
                                                         for a, b in zip(found, fine[::milliseconds]))
                                               for name in ('chassis.z_c', 'wheel.z_w')})

    def test_estimates_of_an_error_between_the_points_of_the_shadow(self):
        # A motor whose current is there within the first step, by two first-order lags: i' = -2000 (i + w / 2) + 24000,
        # w' = -5 w + 25 i. The speed is off most after one step, and little after two.
        case = self.write([('i', 'heater_room.fmu', parameters(C=1, G=2000, T0=0, P=24000)),
                           ('w', 'heater_room.fmu', parameters(C=1, G=5, T0=0, P=0))],
                          [('i.T', 'w.T_ambient', '<ssd:LinearTransformation factor="5"/>'),
                           ('w.T', 'i.T_ambient', '<ssd:LinearTransformation factor="-0.5"/>')])
        root = math.sqrt(2005 ** 2 - 4 * 35000)
        slow, fast, end = (-2005 + root) / 2, (-2005 - root) / 2, 120 / 7
        for stop in ('1', '20', '100'):
            for algorithm in ('jacobi', 'gauss-seidel'):
                with self.subTest(stop=stop, algorithm=algorithm):
                    bar = self.tandem(case, '--algorithm', algorithm, '--step', '0.01', '--stop', stop, '--shadow', 'on')
                    error = max(abs(row['w.T'] - end - end * (fast * math.exp(slow * row['time']) -
                                                              slow * math.exp(fast * row['time'])) / (slow - fast))
                                for row in self.rows())
                    self.check_estimates(dict(bar, signals=[s for s in bar['signals'] if s['name'] == 'w.T']),
                                         {'w.T': error})
                    self.assertTrue(bar['converged'])
                    self.assertIn('its first ', bar['opening'])
                    self.assertIn(bar['opening'], self.output)

    def test_the_advice_is_no_smaller_step_where_that_is_worse(self):
        # Multiplied by -30 in every round of the loop, at any step.
        case = self.write([('p', 'affine.fmu', parameters(a=10, b=1)), ('q', 'affine.fmu', parameters(a=-3, b=4))],
                          [('p.y', 'q.u'), ('q.y', 'p.u')])
        self.assertFalse(self.tandem(case, '--step', '0.1', '--stop', '2', '--shadow', 'on')['converged'])
        self.assertIn('half the step makes it worse', self.output)
        self.assertNotIn('try --step', self.output)

    def test_speaks_where_the_coupling_is_unstable(self):
        for make, step, stop in ((self.dahlquist, '0.021', '2.1'), (self.car, '0.06', '6'), (self.masses, '0.01', '5')):
            with self.subTest(make=make.__name__):
                case = [make(), '--algorithm', 'jacobi', '--hold', 'constant', '--step', step, '--stop', stop,
                        '--shadow', 'on']
                bar = self.tandem(*case)
                self.assertFalse(bar['converged'])
                self.assertTrue(self.output.startswith('the coupling has not converged: '), self.output)
                self.assertIn('--algorithm gauss-seidel', self.output)
                self.assertIn(bar['worst_signal'], self.output)
                with open(os.path.join(self.folder, 'out', 'report.html'), encoding='utf-8') as file:
                    self.assertIn('the coupling has not converged', file.read())
                self.tandem(*case, '--strict', '--quiet', code=3)
                self.assertEqual(self.output, '')
                self.assertIn('error[converge]: test: the coupling has not converged', self.messages)

    def test_is_silent_where_it_has_converged(self):
        for arguments in ([self.masses(), '--step', '0.005', '--stop', '5'], [self.car(), '--step', '0.008', '--stop', '2']):
            bar = self.tandem(*arguments, '--shadow', 'on', '--strict')
            self.assertTrue(bar['converged'])
            self.assertNotIn('not converged', self.output)
            self.assertIn('  error bar    ', self.output)
            # The largest error at one instant is not what the verdict looks at: both are told, and which is which.
            worst = bar['signals'][0]
            self.assertLess(0, worst['rms_share'])
            self.assertLess(worst['rms_share'], worst['share'])
            self.assertRegex(self.output, rf'error bar    {worst["name"]} .* rms\).*: largest at one instant, and over the run')
            self.assertRegex(self.output, r' converged: coupled signals differ by \S+ % rms \(median\), '
                                          rf"'{bar['worst_signal']}' most, by \S+ % rms")

    def test_is_silent_on_the_examples(self):
        names = sorted({os.path.basename(os.path.dirname(path)) for path in glob.glob(os.path.join(EXAMPLES, '*', '*.ssd'))})
        for path in (path for name in names for path in sorted(glob.glob(os.path.join(self.example(name), '*.ssd')))):
            with self.subTest(path=path):
                bar = self.tandem(path, '--shadow', 'on')
                self.assertTrue(bar.get('converged', True), self.output)

    def test_the_shadow_changes_nothing_about_the_run(self):
        contents = []
        for shadow in ('off', 'on', 'on'):
            self.tandem(self.masses(), '--step', '0.01', '--stop', '2', '--shadow', shadow)
            with open(os.path.join(self.folder, 'out', 'results.csv')) as file:
                contents.append(file.read())
        self.assertEqual(contents[0], contents[1])
        with open(os.path.join(self.folder, 'out', 'run.json')) as file:
            first = file.read()
        self.tandem(self.masses(), '--step', '0.01', '--stop', '2', '--shadow', 'on')
        with open(os.path.join(self.folder, 'out', 'run.json')) as file:
            self.assertEqual(file.read(), first)
        done = subprocess.run([TANDEM, 'run', '--repeat', 'out/run.json'], cwd=self.folder, capture_output=True,
                              text=True, timeout=60, env=self.environment())
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('same bits', done.stdout)

    def test_one_line_says_why_there_is_no_bar(self):
        masses = self.masses()
        for arguments, reason in (([masses, '--shadow', 'off'], '--shadow off'),
                                  ([masses, '--record', 'none'], 'nothing is recorded'),
                                  ([masses, '--stop', '0.03', '--step', '0.01'], 'too short'),
                                  (['resources/oscillator.fmu'], 'a single unit')):
            self.assertIn(reason, self.tandem(*arguments)['missing'])
            self.assertIn(f'  error bar    none: ', self.output)
        self.assertEqual(self.tandem(masses, '--view=0', '--view-exit')['missing'],
                         'a shadow would not see what the page sets (--view)')
        done = subprocess.run(['taskset', '-c', '0', TANDEM, 'run', masses, '--out', 'out'], cwd=self.folder,
                              capture_output=True, text=True, timeout=60, env=self.environment())
        self.assertIn('error bar    none: there is one core only', done.stdout)

    def test_units_that_are_sampled_keep_their_rate(self):
        # The valve is a boolean of its own rate: only the tank gets another step, and no switch moves by more than that.
        self.write([('tank', 'tank.fmu', ''), ('controller', 'tank_controller.fmu', '')],
                   [('tank.level', 'controller.level'), ('controller.valve', 'tank.valve')])
        bar = self.tandem('case.ssd', '--step', '0.01', '--stop', '1.9', '--shadow', 'on')
        self.assertLess(bar['signals'][0]['error'], 1e-12)  # filling is linear in time: no step makes an error

    def test_a_step_that_is_taken_for_a_time_of_sampling_is_told(self):
        bar = self.tandem(os.path.join(EXAMPLES, 'water_tank'), '--step', '0.1', '--shadow', 'on')
        self.assertEqual(bar['sampled'], ['controller'])
        self.assertIn("without what comes late from 'controller'", self.output)

    def test_what_ends_a_chain_counts(self):
        """A mass that another drives and that drives nothing: what is wrong with it is on no wire."""
        path = self.write([('left', 'oscillator.fmu', parameters(x0=1)), ('right', 'oscillator.fmu', parameters(x0=0))],
                          [('left.x', 'right.x_other')])
        bar = self.tandem(path, '--hold', 'constant', '--step', '0.2', '--stop', '10', '--shadow', 'on')
        self.assertTrue(bar['worst_signal'].startswith('right.'), bar)
        self.assertFalse(bar['converged'])

    def test_an_interrupted_run_leaves_no_process_and_no_folder(self):
        process = subprocess.Popen([TANDEM, 'run', self.masses(), '--step', '0.0001', '--stop', '1000',
                                    '--record-interval', '1', '--out', 'out'], cwd=self.folder, text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                                   env=self.environment())
        deadline = time.time() + 30
        while not glob.glob(os.path.join(self.temporary, 'tandem-shadow-*')):
            self.assertLess(time.time(), deadline, 'no shadow')
            time.sleep(0.02)
        time.sleep(0.5)
        group = [int(pid) for pid in os.listdir('/proc') if pid.isdigit() and self.session(pid) == process.pid]
        self.assertEqual(len(group), 4, 'the supervisor, the run, what watches its shadow, and the shadow')
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        output, messages = process.communicate(timeout=30)
        self.assertEqual(process.returncode, 130, messages)
        self.assertIn('error bar', output)
        self.assertEqual(os.listdir(self.temporary), [])
        self.assertFalse([pid for pid in group if os.path.exists(f'/proc/{pid}')])

    @staticmethod
    def session(pid):
        try:
            return os.getsid(int(pid))
        except ProcessLookupError:
            return None


if __name__ == '__main__':
    unittest.main(argv=['shadow_test.py'], verbosity=2)
