"""Linearises systems: modes against closed forms, margins, stepped sines, what cannot be linearised, `swap --bode`.

usage: linearize_test.py TANDEM FMUS TEST_FMUS EXAMPLES
"""
import ctypes
import json
import math
import os
import pathlib
import shutil
import subprocess
import unittest

import fmpy
import numpy as np
import scipy.io
from fmpy.fmi2 import FMU2Model

from command_line import FMUS, TANDEM, TEST_FMUS, CommandLine, component, connection, main, system

# Friction and leaks off: the axis rings undamped.
RINGING = ['--set', 'mechanics.friction=false', '--set', 'hydraulics.oil.internal_leak=0',
           '--set', 'hydraulics.oil.external_leak=0']


def poles(modes):
    """With both of a conjugate pair, sorted by size and angle."""
    every = []
    for mode in modes:
        pole = complex(mode['real'], mode['imaginary'])
        every += [pole, pole.conjugate()] if pole.imag else [pole]
    return np.array(sorted(every, key=lambda pole: (abs(pole), pole.imag)))


def sorted_poles(values):
    return np.array(sorted(values, key=lambda pole: (round(abs(pole), 6), pole.imag)))


class ExchangeUnit:
    """A unit for model exchange, called by FMPy."""

    def __init__(self, name, **start):
        path = os.path.join(FMUS, name)
        described = fmpy.read_model_description(path)
        self.references = {variable.name: variable.valueReference for variable in described.modelVariables}
        self.folder = fmpy.extract(path)
        self.fmu = FMU2Model(guid=described.guid, unzipDirectory=self.folder, instanceName='unit',
                             modelIdentifier=described.modelExchange.modelIdentifier)
        self.count = described.numberOfContinuousStates
        self.numbers = (ctypes.c_double * self.count)()
        self.fmu.instantiate()
        self.fmu.setupExperiment()
        for variable, value in start.items():
            set_value = self.fmu.setBoolean if isinstance(value, bool) else self.fmu.setReal
            set_value([self.references[variable]], [value])
        self.fmu.enterInitializationMode()

    def __getitem__(self, name):
        return self.fmu.getReal([self.references[name]])[0]

    def __setitem__(self, name, value):
        self.fmu.setReal([self.references[name]], [value])

    def begin(self):
        self.fmu.exitInitializationMode()
        self.fmu.newDiscreteStates()
        self.fmu.enterContinuousTimeMode()
        self.fmu.getContinuousStates(self.numbers, self.count)
        return list(self.numbers)

    def move(self, states):
        self.fmu.setContinuousStates((ctypes.c_double * self.count)(*states), self.count)

    def rates(self):
        self.fmu.getDerivatives(self.numbers, self.count)
        return list(self.numbers)

    def end(self):
        self.fmu.terminate()
        self.fmu.freeInstance()
        shutil.rmtree(self.folder)


def coupled_by_fmpy():
    """The matrix of examples/boom_coupling at its start, with RINGING, by central differences of two widths."""
    mechanics = ExchangeUnit('mechanics_boom_fmi2.fmu', friction=False)
    hydraulics = ExchangeUnit('hydraulics_boom_fmi2.fmu', **{'boom.initial_force': 89853.77917, 'oil.internal_leak': 0.0,
                                                              'oil.external_leak': 0.0})

    def connect():
        for name in ('boom.position', 'boom.velocity'):
            hydraulics[name] = mechanics[name]
        mechanics['boom.force'] = hydraulics['boom.force']
    connect()
    start = np.array(mechanics.begin() + hydraulics.begin())

    def rates(states):
        mechanics.move(states[:mechanics.count])
        hydraulics.move(states[mechanics.count:])
        connect()
        return np.array(mechanics.rates() + hydraulics.rates())

    def slope(column, width):
        beside = width * np.eye(len(start))[column]
        return (rates(start + beside) - rates(start - beside)) / (2 * width)
    widths = 1e-3 * np.maximum(abs(start), 1e-2)
    columns = [(4 * slope(i, width / 2) - slope(i, width)) / 3 for i, width in enumerate(widths)]
    for unit in (mechanics, hydraulics):
        unit.end()
    return np.array(columns).T


class Linearize(CommandLine):
    def linearize(self, *arguments):
        done = self.tandem('linearize', *arguments, '--json')
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def assert_poles(self, found, expected, tolerance=1e-5):
        found, expected = poles(found), sorted_poles(expected)
        self.assertEqual(len(found), len(expected), found)
        for one in expected:
            nearest = min(abs(found - one))
            self.assertLessEqual(nearest, tolerance * max(abs(one), 1e-3), (one, found))

    def unit(self, name, folder=FMUS):
        return os.path.join(folder, name)

    # ---- modes ----

    def test_two_masses_ring_at_one_and_three_hertz(self):
        found = self.linearize(self.two_mass(), '--at', '0.5')
        self.assertEqual(len(found['continuous']['modes']), 2)
        for mode, hertz in zip(found['continuous']['modes'], (1, 3)):
            self.assertAlmostEqual(mode['frequency'], hertz, delta=1e-6 * hertz)
            self.assertAlmostEqual(mode['damping'], 0, delta=1e-6)
        self.assertEqual([unit['model'] for unit in found['units']], ['directional derivatives'] * 2)
        for unit in found['units']:
            self.assertLess(unit['error'], 1e-6)  # what the units tell is what they do

    def test_two_masses_by_force(self):
        found = self.linearize(self.two_mass(), '--variant', 'force.ssd')
        self.assertTrue(np.allclose([mode['frequency'] for mode in found['continuous']['modes']], [1, 3], rtol=1e-6))

    def test_quarter_car_has_the_modes_of_its_matrix(self):
        # zc, vc, zw, vw, p: F = 15000 (p - zw) + 1000 (vc - vw)
        force = np.array([0, 1000, -15000, -1000, 15000.0])
        matrix = np.zeros((5, 5))
        matrix[0, 1] = matrix[2, 3] = matrix[4, 1] = 1
        matrix[1] = -force / 400
        matrix[3] = force / 40
        matrix[3, 2] -= 150000 / 40
        found = self.linearize(self.example('quarter_car'))
        expected = [pole if abs(pole) > 1e-6 else 0 for pole in np.linalg.eigvals(matrix)]
        self.assert_poles(found['continuous']['modes'], expected)

    def rotation(self, gain):
        self.fmu('dahlquist_coupled.fmu')
        set_gain = ('<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" '
                    'name="p"><ssv:Parameters><ssv:Parameter name="g"><ssv:Real value="{}"/></ssv:Parameter>'
                    '</ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding>'
                    '</ssd:ParameterBindings>')
        return self.write('rotation.ssd', system(
            component('a', 'dahlquist_coupled.fmu', set_gain.format(gain)) +
            component('b', 'dahlquist_coupled.fmu', set_gain.format(-gain)),
            connection('b.x', 'a.u') + connection('a.x', 'b.u')))

    def test_the_sampled_rotation_is_what_each_algorithm_makes_of_it(self):
        # Closed forms of the coupled Dahlquist rotation with constant hold.
        h, gain = 0.01, 10
        q, p = math.exp(-h), 1 - math.exp(-h)
        jacobi = np.array([[q, gain * p], [-gain * p, q]])
        seidel = np.array([[q, gain * p], [-gain * p * q, q - (gain * p) ** 2]])
        for algorithm, matrix in (('jacobi', jacobi), ('gauss-seidel', seidel)):
            found = self.linearize(self.rotation(gain), '--step', str(h), '--hold', 'constant', '--algorithm', algorithm)
            self.assert_poles(found['continuous']['modes'], [-1 + 10j, -1 - 10j], 1e-9)
            self.assert_poles(found['sampled']['modes'], np.log(np.linalg.eigvals(matrix)) / h, 1e-8)

    def test_the_compensated_hold_is_in_the_sampled_system(self):
        # x+ = q x + L p (1.5 y - 0.5 y_before), and the same for y.
        h, gain = 0.01, 10
        q, p = math.exp(-h), 1 - math.exp(-h)
        matrix = np.array([[q, 1.5 * gain * p, 0, -0.5 * gain * p], [-1.5 * gain * p, q, 0.5 * gain * p, 0],
                           [1, 0, 0, 0], [0, 1, 0, 0]])
        found = self.linearize(self.rotation(gain), '--step', str(h), '--hold', 'compensated', '--algorithm', 'jacobi')
        self.assert_poles(found['sampled']['modes'], np.log(np.linalg.eigvals(matrix)) / h, 1e-7)

    def test_a_nonlinear_unit_alone(self):
        # Van der Pol at its start, x0 = 2, x1 = 0, mu = 1: [[0, 1], [-1, mu (1 - x0^2)]]
        found = self.linearize(self.unit('van_der_pol.fmu'), '--at', '0')
        self.assert_poles(found['continuous']['modes'], np.linalg.eigvals(np.array([[0, 1], [-1, -3.0]])))

    def test_hydraulic_axis(self):
        found = self.linearize(self.example('boom_coupling'), *RINGING)
        pairs = [mode for mode in found['continuous']['modes'] if mode['imaginary'] > 1]
        spool = min(pairs, key=lambda mode: abs(mode['frequency'] - 10) + abs(mode['damping'] - 0.8))
        self.assertAlmostEqual(spool['frequency'], 10, delta=1e-4)
        self.assertAlmostEqual(spool['damping'], 0.8, delta=1e-5)
        cylinder = min(pairs, key=lambda mode: abs(mode['frequency'] - 5.7047))
        self.assertAlmostEqual(cylinder['frequency'], 5.7047, delta=1e-4)

    @unittest.skipIf(b'__asan_init' in pathlib.Path(TANDEM).read_bytes(), 'Python cannot load units with this sanitizer')
    def test_hydraulic_axis_has_the_modes_that_another_importer_finds(self):
        """All of them: FMPy's calls of the same units for model exchange, and differences of the coupled rates."""
        axis = coupled_by_fmpy()
        expected = [pole for pole in np.linalg.eigvals(axis) if abs(pole) > 1e-3]
        self.assertEqual(len(expected), 6)
        found = self.linearize(self.example('boom_coupling'), *RINGING)
        self.assert_poles([mode for mode in found['continuous']['modes'] if mode['frequency'] > 1e-3], expected)

    # ---- how models come about ----

    def test_model_exchange_without_derivatives_is_differentiated(self):
        found = self.linearize(self.unit('lag_fmi3.fmu', TEST_FMUS), '--step', '0.01', '--input', 'u', '--output', 'x')
        self.assertEqual(found['units'][0]['model'], 'finite differences')
        self.assertLess(found['units'][0]['doubt'], 1e-6)
        self.assert_poles(found['continuous']['modes'], [-1], 1e-8)

    def test_hidden_states_are_identified(self):
        found = self.linearize(self.unit('integrator_fmi2.fmu', TEST_FMUS), '--step', '0.01', '--input', 'u', '--output', 'y')
        self.assertEqual(found['units'][0]['model'], 'identified from pulses')
        self.assertEqual(found['units'][0]['states'], 1)
        self.assertLess(found['units'][0]['error'], 1e-8)
        self.assertIn('hides its states', found['no_continuous'])
        self.assert_poles(found['sampled']['modes'], [0], 1e-6)
        index = np.argmin(abs(np.array(found['frequencies']) - 1))
        z = np.exp(2j * math.pi * found['frequencies'][index] * 0.01)
        response = complex(found['sampled']['response']['real'][index], found['sampled']['response']['imaginary'][index])
        self.assertAlmostEqual(abs(response / (0.01 / (z - 1)) - 1), 0, delta=1e-6)

    # ---- loops ----

    def controlled(self):
        """A mass of 400 kg, F = 400 k (z + T v) against it: a double integrator with lead."""
        for name in ('quarter_car_chassis.fmu', 'sum.fmu'):
            self.fmu(name)
        return self.write('control.ssd', system(
            component('mass', 'quarter_car_chassis.fmu') + component('control', 'sum.fmu'),
            connection('mass.z_c', 'control.u1') + connection('mass.v_c', 'control.u2') +
            connection('control.y', 'mass.F')))

    def test_margins_of_a_double_integrator(self):
        k, lead, h = 4.0, 0.5, 0.002
        gains = ['--set', f'control.k1={400 * k}', '--set', f'control.k2={400 * k * lead}']
        found = self.linearize(self.controlled(), '--break', 'mass.F', '--step', str(h), '--hold', 'constant',
                               '--algorithm', 'jacobi', *gains)
        w = math.sqrt(((k * lead) ** 2 + math.sqrt((k * lead) ** 4 + 4 * k * k)) / 2)
        continuous = found['continuous']['margins']
        self.assertAlmostEqual(continuous['phase']['degrees'], math.degrees(math.atan(lead * w)), delta=1e-3)
        self.assertAlmostEqual(continuous['delay'], math.atan(lead * w) / w, delta=1e-3 * math.atan(lead * w) / w)
        # Sampled: the controller's output belongs to what it was given a step before.
        a = np.array([[1, h, 0], [0, 1, 0], [400 * k, 400 * k * lead, 0]])
        b = np.array([-h * h / 800, -h / 400, 0])

        def loop(f):
            return -np.linalg.solve(np.exp(2j * math.pi * f * h) * np.eye(3) - a, b)[2]
        phase = found['margins']['phase']
        self.assertAlmostEqual(abs(loop(phase['frequency'])), 1, delta=1e-6)
        self.assertAlmostEqual(math.degrees(np.angle(-loop(phase['frequency']))), phase['degrees'], delta=1e-3)
        gain = found['margins']['gain']
        self.assertAlmostEqual(loop(gain['frequency']).imag, 0, delta=1e-6)
        self.assertAlmostEqual(-1 / loop(gain['frequency']).real, gain['factor'], delta=1e-3 * gain['factor'])
        self.assertTrue(found['closed_loop']['stable'])
        # A gain beyond the margin is not stable.
        beyond = 1.02 * gain['factor']
        gains = ['--set', f'control.k1={400 * k * beyond}', '--set', f'control.k2={400 * k * lead * beyond}']
        found = self.linearize(self.controlled(), '--break', 'control.y -> mass.F', '--step', str(h), '--hold', 'constant',
                               '--algorithm', 'jacobi', *gains)
        self.assertFalse(found['closed_loop']['stable'])

    def test_a_slow_integrator_has_its_margins_below_the_usual_diagram(self):
        # The velocity alone is fed back: k / s, and sampled k h / (z (z - 1)).
        k, h = 1e-5, 0.002
        found = self.linearize(self.controlled(), '--break', 'mass.F', '--step', str(h), '--hold', 'constant', '--algorithm',
                               'jacobi', '--set', 'control.k1=0', '--set', f'control.k2={400 * k}')
        margins = found['continuous']['margins']
        self.assertAlmostEqual(margins['phase']['frequency'] * 2 * math.pi / k, 1, delta=1e-6)
        self.assertAlmostEqual(margins['phase']['degrees'], 90, delta=1e-6)
        self.assertAlmostEqual(margins['delay'] * k, math.pi / 2, delta=1e-6)
        sampled = found['margins']
        self.assertAlmostEqual(sampled['phase']['frequency'] * 2 * math.pi / k, 1, delta=1e-6)
        self.assertAlmostEqual(sampled['phase']['degrees'], 90 - math.degrees(1.5 * k * h), delta=1e-6)
        # arg = -pi at w h = pi / 3, where |z - 1| is one.
        self.assertAlmostEqual(sampled['gain']['factor'] * k * h, 1, delta=1e-6)
        self.assertAlmostEqual(sampled['gain']['frequency'] * 6 * h, 1, delta=1e-6)
        self.assertLess(found['frequencies'][0] * 2 * math.pi, k)

    def test_a_gain_without_memory_has_its_margin_at_rest(self):
        self.fmu('affine.fmu')
        self.write('gain.ssd', system(component('a', 'affine.fmu') + component('b', 'affine.fmu'),
                                      connection('a.y', 'b.u') + connection('b.y', 'a.u')))
        gains = ('--set', 'a.a=0.5', '--set', 'b.a=0.5', '--set', 'a.b=0', '--set', 'b.b=0', '--step', '0.01')
        found = self.linearize('gain.ssd', '--break', 'a.u', *gains)
        for margins in (found['margins'], found['continuous']['margins']):
            self.assertAlmostEqual(margins['gain']['factor'], 4, delta=1e-6)
        self.assertEqual(found['continuous']['margins']['gain']['frequency'], 0)

    def slow_control(self, more='', wires=''):
        """The same with a controller of 10 ms on a mass of 1 ms."""
        for name in ('quarter_car_chassis.fmu', 'sum.fmu', 'dahlquist_coupled.fmu'):
            self.fmu(name)
        slow = ('<ssd:Annotations><ssc:Annotation type="io.tandem.cosim"><t:Component xmlns:t="urn:tandem:cosim:1">'
                '<t:Rate step="0.01"/></t:Component></ssc:Annotation></ssd:Annotations>')
        return self.write('slow.ssd', system(
            component('mass', 'quarter_car_chassis.fmu') + component('control', 'sum.fmu', slow) + more,
            connection('mass.z_c', 'control.u1') + connection('mass.v_c', 'control.u2') +
            connection('control.y', 'mass.F') + wires))

    def test_a_slow_controller_opens_a_loop_of_its_own_rate(self):
        k, lead, h = 4.0, 0.5, 0.01
        found = self.linearize(self.slow_control(), '--break', 'control.y -> mass.F', '--step', '0.001', '--hold', 'constant',
                               '--algorithm', 'jacobi', '--set', f'control.k1={400 * k}', '--set', f'control.k2={400 * k * lead}')
        self.assertAlmostEqual(found['sampled']['period'], h)
        # The mass is integrated exactly under a force that is held for 10 ms and was made of what was there 10 ms before.
        a = np.array([[1, h, 0], [0, 1, 0], [400 * k, 400 * k * lead, 0]])
        b = np.array([-h * h / 800, -h / 400, 0])

        def loop(f):
            return -np.linalg.solve(np.exp(2j * math.pi * f * h) * np.eye(3) - a, b)[2]
        phase, gain = found['margins']['phase'], found['margins']['gain']
        self.assertAlmostEqual(abs(loop(phase['frequency'])), 1, delta=1e-6)
        self.assertAlmostEqual(math.degrees(np.angle(-loop(phase['frequency']))), phase['degrees'], delta=1e-3)
        self.assertAlmostEqual(-1 / loop(gain['frequency']).real, gain['factor'], delta=1e-3 * gain['factor'])

    def test_a_wire_that_is_passed_several_times_opens_no_single_loop(self):
        """Two lags of 1 ms turn round each other while the controller of 10 ms waits."""
        lags = component('a', 'dahlquist_coupled.fmu') + component('b', 'dahlquist_coupled.fmu')
        loop = self.slow_control(lags, connection('a.x', 'b.u') + connection('b.x', 'a.u'))
        self.refused(r"linearize\]: --break: 'a\.x -> b\.u' hands over more than one value in 0\.01 s.*expected", 'linearize', loop,
                     '--break', 'b.u', '--step', '0.001', '--set', 'a.g=3', '--set', 'b.g=3')

    # ---- measured ----

    def driven_masses(self):
        """A lag that is fed back by another, with a free input of its own at the sum."""
        for name in ('dahlquist_coupled.fmu', 'sum.fmu'):
            self.fmu(name)
        return self.write('loop.ssd', system(
            component('a', 'dahlquist_coupled.fmu') + component('b', 'dahlquist_coupled.fmu') + component('s', 'sum.fmu'),
            connection('a.x', 'b.u') + connection('b.x', 's.u2') + connection('s.y', 'a.u')))

    def test_stepped_sines_agree_with_the_sampled_model(self):
        h = 0.01
        found = self.linearize(self.driven_masses(), '--input', 's.u1', '--output', 'b.x', '--step', str(h), '--set',
                               'a.g=3', '--set', 'b.g=3', '--set', 's.k2=-4', '--sine', '0.2..10', '--points', '12')
        self.assertLess(found['sine_error'], 0.01)
        self.assertEqual(len(found['sine']), 2)
        self.assertAlmostEqual(found['sine'][0]['amplitude'], 2 * found['sine'][1]['amplitude'])
        for run in found['sine']:
            self.assertTrue(all(point['settled'] for point in run['points']))
            self.assertLess(max(point['distortion'] for point in run['points']), 1e-3)

    def test_stepped_sines_on_the_hydraulic_axis_see_what_is_not_linear(self):
        axis = (self.example('boom_coupling'), '--set', 'boom.command=0.4', '--input', 'boom.command', '--output',
                'mechanics.boom.velocity')
        f = 12.0
        found = self.linearize(*axis, '--at', '1.5', '--sine', f'{f}..13', '--points', '1', '--amplitude', '0.06')
        large, small = (run['points'][0] for run in found['sine'])
        self.assertGreater(large['distortion'], 1.5 * small['distortion'])
        # The boom rises meanwhile: the model is that of the time at which was measured.
        slowest = min(-mode['real'] for mode in found['sampled']['modes'] if mode['imaginary'] > 0)
        later = round(1.5 + 10 / slowest + 2 / f, 3)
        model = self.linearize(*axis, '--at', str(later))['sampled']
        z = np.exp(2j * math.pi * f * model['period'])
        a, b, c = (np.array(model[name]) for name in 'ABC')
        expected = (c @ np.linalg.solve(z * np.eye(len(a)) - a, b))[0, 0]
        self.assertLess(abs(complex(small['real'], small['imaginary']) / expected - 1), 0.01)

    def test_what_tells_nothing_is_measured_alone(self):
        unit = self.unit('integrator_fmi3.fmu', TEST_FMUS)
        found = self.linearize(unit, '--step', '0.01', '--input', 'u', '--output', 'y', '--sine', '1..5', '--points', '3')
        self.assertIn('tells no states', found['hidden'])
        for point in found['sine'][0]['points']:
            z = np.exp(2j * math.pi * point['frequency'] * 0.01)
            self.assertAlmostEqual(abs(complex(point['real'], point['imaginary']) / (0.01 / (z - 1)) - 1), 0, delta=0.01)

    # ---- files ----

    def test_a_pipe_gets_the_matrices_and_stays_one(self):
        pipe = pathlib.Path(self.folder, 'here', 'linear.mat')
        pipe.parent.mkdir()
        os.mkfifo(pipe)
        with open(os.path.join(self.folder, 'read.mat'), 'wb') as read:
            reader = subprocess.Popen(['cat', pipe], stdout=read)
        self.addCleanup(reader.kill)
        done = self.tandem('linearize', self.driven_masses(), '--input', 's.u1', '--output', 'b.x', '--out', 'here')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(pipe.is_fifo())
        self.assertEqual(reader.wait(), 0)
        self.assertIn('A', scipy.io.loadmat(os.path.join(self.folder, 'read.mat')))

    def test_report_and_matrices_are_written(self):
        done = self.tandem('linearize', self.driven_masses(), '--input', 's.u1', '--output', 'b.x', '--out', 'here')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('damping', done.stdout)
        mat = scipy.io.loadmat(os.path.join(self.folder, 'here', 'linear.mat'))
        with open(os.path.join(self.folder, 'here', 'linear.json')) as file:
            found = json.load(file)
        for name in 'ABCD':
            self.assertTrue(np.array_equal(mat[name], found['sampled'][name]))
            self.assertTrue(np.array_equal(mat[name + 'c'], found['continuous'][name]))
        self.assertEqual([str(cell[0][0]) for cell in mat['states']], found['sampled']['states'])
        self.assertTrue(np.allclose(mat['G'].ravel().real, found['sampled']['response']['real']))
        with open(os.path.join(self.folder, 'here', 'report.html')) as file:
            page = file.read()
        self.assertIn('<svg', page)
        self.assertIn('frequency in Hz', page)

    # ---- refusals ----

    def test_arrays_of_one_element_whose_sizes_are_given(self):
        """The unit has another description then. Pole -1 three times, so 1 / (s + 1)^3."""
        self.fmu('state_space.fmu')
        values = {'n': ('UInt64', 3), 'm': ('UInt64', 1), 'r': ('UInt64', 1), 'A': ('Float64', '-1 1 0 0 -1 1 0 0 -1'),
                  'B': ('Float64', '0 0 1'), 'C': ('Float64', '1 0 0'), 'D': ('Float64', 0), 'x0': ('Float64', '0 0 0'),
                  'u': ('Float64', 0)}
        parameters = ''.join(f'<ssv:Parameter name="{name}"><ssv:{kind} value="{value}"/></ssv:Parameter>'
                             for name, (kind, value) in values.items())
        self.write('jordan.ssd', f'''<SystemStructureDescription xmlns="http://ssp-standard.org/SSP1/SystemStructureDescription"
            xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" version="2.0" name="jordan"><System name="jordan">
            <Elements><Component name="j" source="resources/state_space.fmu" implementation="CoSimulation"><ParameterBindings>
            <ParameterBinding><ParameterValues><ssv:ParameterSet version="2.0" name="p"><ssv:Parameters>{parameters}</ssv:Parameters>
            </ssv:ParameterSet></ParameterValues></ParameterBinding></ParameterBindings></Component></Elements></System>
            <DefaultExperiment startTime="0" stopTime="1"/></SystemStructureDescription>''')
        model = self.linearize('jordan.ssd', '--input', 'j.u', '--output', 'j.y', '--step', '0.01')
        found = [complex(pole['real'], pole['imaginary']) for pole in model['sampled']['modes']]
        self.assertTrue(found and all(abs(pole + 1) < 1e-3 for pole in found), found)

    def test_unknown_signals(self):
        loop = self.driven_masses()
        self.refused(r"unknown-name.*'s\.u11'.*s\.u1", 'linearize', loop, '--input', 's.u11', '--output', 'b.x')
        self.refused(r"unknown-name.*'b\.y'", 'linearize', loop, '--input', 's.u1', '--output', 'b.y')
        self.refused(r"is driven by the connection", 'linearize', loop, '--input', 'a.u', '--output', 'b.x')
        self.refused(r"unknown-name.*--break.*'b\.v'.*b\.u", 'linearize', loop, '--break', 'b.v')
        self.refused(r"usage.*expected --input with --output", 'linearize', loop, '--input', 's.u1')
        self.refused(r"'s\.u1' is an input", 'linearize', loop, '--input', 's.u3', '--output', 's.u1')

    def test_times_and_frequencies_that_make_no_sense(self):
        loop = self.driven_masses()
        signals = ('--input', 's.u1', '--output', 'b.x')
        self.refused(r'--at.*0\.013 s.*0\.01 s and 0\.02 s', 'linearize', loop, *signals, '--step', '0.01', '--at', '0.013')
        self.refused(r"--at.*'soon'", 'linearize', loop, *signals, '--at', 'soon')
        self.refused(r'--sine.*F1\.\.F2', 'linearize', loop, *signals, '--sine', '5..1')
        self.refused(r'--sine.*too fast', 'linearize', loop, *signals, '--step', '0.01', '--sine', '1..60')

    def test_a_loop_of_gain_one_is_singular(self):
        self.fmu('affine.fmu')
        self.write('one.ssd', system(component('a', 'affine.fmu') + component('b', 'affine.fmu'),
                                     connection('a.y', 'b.u') + connection('b.y', 'a.u')))
        self.refused(r'singular\]: .*one\.ssd:\d+: .*no unique solution', 'linearize', 'one.ssd', '--set', 'a.a=1', '--set', 'b.a=1', '--set',
                     'a.b=0', '--set', 'b.b=0')

    def test_a_unit_that_neither_tells_nor_saves(self):
        self.refused(r"state.*tells no states.*--sine", 'linearize', self.unit('integrator_fmi3.fmu', TEST_FMUS), '--step',
                     '0.01', '--input', 'u', '--output', 'y')

    # ---- swap ----

    def test_swap_overlays_both_responses(self):
        loop = self.driven_masses()
        done = self.tandem('swap', loop, 'a', self.unit('dahlquist_coupled_fmi2.fmu'), '--bode', 's.u1', 'b.x', '--stop', '0.1',
                           '--step', '0.01', '--new-set', 'a.g=2', '--json', '--out', 'swapped')
        self.assertEqual(done.returncode, 0, done.stderr)
        bode = json.loads(done.stdout)['bode']
        before, after = (complex(bode[side]['sampled']['response']['real'][0],
                                 bode[side]['sampled']['response']['imaginary'][0]) for side in ('before', 'after'))
        self.assertNotAlmostEqual(abs(before), abs(after), delta=0.1 * abs(before))
        with open(os.path.join(self.folder, 'swapped', 'report.html')) as file:
            self.assertIn('Frequency responses', file.read())


if __name__ == '__main__':
    main()
