"""The boom with its hydraulics in three scripted moves, against reference trajectories (Radau, 1e-9) and against both
units integrated together by CVODE, that is without any coupling.

usage: trajectories_test.py TANDEM FMUS REPOSITORY
"""
import ctypes
import shutil
import unittest

import fmpy
import numpy
from fmpy.fmi2 import FMU2Model
from fmpy.sundials import CVodeSolver

from support import FMUS, REFERENCES, StagedTest, TANDEM, main, read_table, run

AGREES = 0.02             # of what a quantity moves over
PRESSURE_FLOOR = 5e4      # Pa: what a pressure moves over in the holding run is smaller than its ripple
PLANT_ENERGY = 1e-4       # of the pump's energy
COUPLING_ENERGY = 1e-3    # of the pump's energy, at 1 ms
REFERENCE_ANGLE = 1e-5    # rad
REFERENCE_PRESSURE = 5e3  # Pa
LOWERED = {'mechanics.boom.initial_position': 0.3702943488, 'hydraulics.boom.initial_force': 81976.89184}
COLUMNS = {'theta': 'mechanics.joint.boom.position', 'pA': 'hydraulics.boom.pressure_a',
           'pB': 'hydraulics.boom.pressure_b', 'pP': 'hydraulics.supply.pressure', 'x': 'mechanics.boom.position'}
MOVES = {'raise': ({}, 5, 0.4), 'lower': (LOWERED, 5, -0.35), 'hold': ({}, 10, 0.0)}
SAMPLE, STEP = 20, 1      # ms


def reference(move):
    file = {'raise': 'boom_raise.csv', 'lower': 'boom_lower.csv', 'hold': 'boom_hold.csv'}[move]
    return read_table(REFERENCES / file)


class Trajectories(StagedTest):
    def simulate(self, move):
        settings, stop, _ = MOVES[move]
        scenario = self.folder / f'examples/boom_coupling/{move}.xml'
        options = ['--scenario', scenario] if scenario.exists() else []
        return run(TANDEM, self.folder / 'examples/boom_coupling', '--stop', stop, '--record', '*.boom.*', '--record',
                   '*.joint.*', '--record', '*.energy.*', '--record', 'hydraulics.supply.pressure', *(f'--set={name}={value}' for name, value in settings.items()),
                   *options)

    def check(self, move):
        result, known = self.simulate(move), reference(move)
        for column, name in COLUMNS.items():
            expected, found = numpy.array(known[column]), numpy.array(result[name])[::SAMPLE]
            floor = PRESSURE_FLOOR if column.startswith('p') else 0
            span = max(numpy.ptp(expected), floor)
            self.assertLess(numpy.max(numpy.abs(found - expected)) / span, AGREES, f'{move}: {column}')

        energy = {name: result[f'hydraulics.energy.{name}'][-1] for name in
                  ('pump', 'throttle_in', 'throttle_out', 'leak', 'relief', 'compression', 'work')}
        rest = 2 * energy['pump'] - sum(energy.values())
        self.assertLess(abs(rest), PLANT_ENERGY * energy['pump'])
        # The force is held over a step, so that the mechanics receive exactly this; the hydraulics give what their own
        # ledger says. The difference is made by the coupling.
        force, position = (numpy.array(result[name]) for name in ('hydraulics.boom.force', 'mechanics.boom.position'))
        received = numpy.sum(force[:-1] * numpy.diff(position))
        error = received - energy['work']
        print(f'{move}: the hydraulics give {energy["work"]:.2f} J, the mechanics receive {received:.2f} J: the coupling '
              f'makes {error:+.3f} J, {abs(error) / energy["pump"]:.1e} of the pump energy')
        self.assertLess(abs(error), COUPLING_ENERGY * energy['pump'])

    def test_raising(self):
        self.check('raise')

    def test_lowering(self):
        self.check('lower')

    def test_holding(self):
        self.check('hold')


class Joined:
    """Both units for model exchange as one system of ordinary differential equations."""

    def __init__(self, move):
        settings, self.stop, self.level = MOVES[move]
        self.units, self.folders, self.references = {}, [], {}
        # The force that holds the boom at 20 degrees is that of the example.
        settings = {'hydraulics.boom.initial_force': 89853.77917, **settings}
        for name in ('mechanics', 'hydraulics'):
            archive = FMUS / f'{name}_boom_fmi2.fmu'
            description = fmpy.read_model_description(str(archive))
            folder = fmpy.extract(str(archive))
            self.folders.append(folder)
            unit = FMU2Model(guid=description.guid, unzipDirectory=folder, instanceName=name,
                             modelIdentifier=description.modelExchange.modelIdentifier)
            unit.instantiate()
            unit.setupExperiment(startTime=0.0)
            self.references[name] = {v.name: v.valueReference for v in description.modelVariables}
            for key, value in settings.items():
                if key.startswith(name + '.'):
                    self.set(unit, name, key.removeprefix(name + '.'), value)
            unit.enterInitializationMode()
            unit.exitInitializationMode()
            unit.newDiscreteStates()
            unit.enterContinuousTimeMode()
            self.units[name] = (unit, description.numberOfContinuousStates)
        self.count = sum(count for _, count in self.units.values())

    def close(self):
        for unit, _ in self.units.values():
            unit.terminate()
            unit.freeInstance()
        for folder in self.folders:
            shutil.rmtree(folder)

    def set(self, unit, component, name, value):
        unit.setReal([self.references[component][name]], [value])

    def get(self, component, name):
        return self.units[component][0].getReal([self.references[component][name]])[0]

    def parts(self, pointer):
        """Each unit with its part of a joined vector."""
        address = ctypes.addressof(pointer.contents)
        for unit, count in self.units.values():
            yield unit, count, ctypes.cast(address, ctypes.POINTER(ctypes.c_double))
            address += count * ctypes.sizeof(ctypes.c_double)

    def states(self, x, _):
        for unit, count, part in self.parts(x):
            unit.getContinuousStates(part, count)

    def set_states(self, x, _):
        for unit, count, part in self.parts(x):
            unit.setContinuousStates(part, count)

    def nominals(self, x, _):
        for unit, count, part in self.parts(x):
            unit.getNominalsOfContinuousStates(part, count)

    def derivatives(self, dx, _):
        mechanics, hydraulics = self.units['mechanics'][0], self.units['hydraulics'][0]
        for name in ('boom.position', 'boom.velocity'):
            self.set(hydraulics, 'hydraulics', name, self.get('mechanics', name))
        self.set(mechanics, 'mechanics', 'boom.force', self.get('hydraulics', 'boom.force'))
        for unit, count, part in self.parts(dx):
            unit.getDerivatives(part, count)

    def set_time(self, t):
        for unit, _ in self.units.values():
            unit.setTime(t)

    def apply(self, t):
        """Asked for by the solver; inputs are set with the derivatives."""

    def command(self, unit, t):
        """The command changes at events only, here every millisecond of its ramps, to what it is half way."""
        t += STEP / 2000
        unit.enterEventMode()
        self.set(unit, 'hydraulics', 'boom.command',
                 self.level * (min(max((t - 0.5) / 0.3, 0), 1) - min(max((t - 3.0) / 0.3, 0), 1)))
        unit.newDiscreteStates()
        unit.enterContinuousTimeMode()

    def integrate(self):
        solver = CVodeSolver(self.count, 0, self.states, self.set_states, self.derivatives, lambda z, n: None,
                             self.nominals, self.set_time, self, 0.0, relativeTolerance=1e-8, maxNumSteps=100000)
        corners = sorted({*range(0, 1000 * self.stop + 1, SAMPLE), *range(500, 801, STEP), *range(3000, 3301, STEP)})
        rows = []
        for begin, end in zip(corners, [*corners[1:], None]):
            if begin % SAMPLE == 0:
                rows.append([self.get(*name.split('.', 1)) for name in COLUMNS.values()])
            if end is None:
                return dict(zip(COLUMNS, numpy.array(rows).T))
            if 500 <= begin <= 800 or 3000 <= begin <= 3300:
                self.command(self.units['hydraulics'][0], begin / 1000)
                solver.reset(begin / 1000)
            solver.step(begin / 1000, end / 1000)


class CouplingFree(unittest.TestCase):
    def test_both_units_together_give_the_reference(self):
        for move in ('raise', 'lower'):
            joined, known = Joined(move), reference(move)
            found = joined.integrate()
            joined.close()
            self.assertLess(numpy.max(numpy.abs(found['theta'] - known['theta'])), REFERENCE_ANGLE, move)
            for chamber in ('pA', 'pB', 'pP'):
                self.assertLess(numpy.max(numpy.abs(found[chamber] - known[chamber])), REFERENCE_PRESSURE, move)


if __name__ == '__main__':
    main()
