"""`run --settle` finds the same equilibrium from any start values, in every fidelity, and keeps the pose.

usage: settle_test.py TANDEM FMUS REPOSITORY MODELICA_UNIT
"""
import pathlib
import re
import sys

from support import AXES, REPOSITORY, StagedTest, TANDEM, main, run

SAME = 0.01       # of a pressure
FLOOR = 1e5       # Pa
POSE = 1e-5       # m or rad
FAR_OFF = ('--set=hydraulics.boom.initial_force=0', '--set=hydraulics.arm.initial_force=50000',
           '--set=hydraulics.adjust.initial_force=30000')


def start_of(parameters, quantity):
    text = (REPOSITORY / f'config/excavator/resources/{parameters}.ssv').read_text()
    return {axis: float(re.search(rf'{axis}\.{quantity}"><ssv:Real value="(.*?)"', text).group(1)) for axis in AXES}


class Settling(StagedTest):
    units = [pathlib.Path(sys.argv[4])]

    def settle(self, system, *options):
        patterns = ['*.position'] if 'kinematic' in system else ['*.position', '*.pressure_?', '*.force', '*.load']
        return run(TANDEM, self.systems / system, '--settle', '--stop', '0.01',
                   *(f'--record={pattern}' for pattern in patterns), *options)

    def check_pose(self, result, unit):
        for axis, start in start_of('pose', 'initial_position').items():
            self.assertAlmostEqual(result[f'{unit}.{axis}.position'][0], start, delta=POSE, msg=axis)

    def check(self, system):
        near, far = self.settle(system), self.settle(system, *FAR_OFF)
        for result in (near, far):
            self.check_pose(result, 'mechanics')
        for axis in AXES:
            for chamber in ('pressure_a', 'pressure_b'):
                name = f'hydraulics.{axis}.{chamber}'
                self.assertLess(abs(near[name][0] - far[name][0]), max(SAME * abs(near[name][0]), SAME * FLOOR), name)
        return near

    def test_full(self):
        result = self.check('manual.ssd')
        # Friction carries a little of the load while the axes creep.
        self.assertAlmostEqual(result['hydraulics.boom.force'][0] / result['mechanics.boom.load'][0], 1, delta=0.01)

    def test_simple(self):
        result = self.check('manual_simple.ssd')
        for axis in AXES:
            self.assertAlmostEqual(result[f'hydraulics.{axis}.force'][0], result[f'mechanics.{axis}.load'][0], delta=5)

    def test_kinematic(self):
        self.check_pose(self.settle('manual_kinematic.ssd'), 'motion')

    def test_modelica(self):
        modelica, full = self.check('manual_modelica.ssd'), self.settle('manual.ssd')
        for axis in AXES:
            name = f'hydraulics.{axis}.pressure_a'
            self.assertLess(abs(modelica[name][0] - full[name][0]), max(SAME * abs(full[name][0]), SAME * FLOOR), name)

    def test_the_forces_that_are_shipped_hold_the_pose(self):
        result = run(TANDEM, self.systems / 'manual.ssd', '--stop', '0.001', '--record', '*.load')
        loads = {axis: result[f'mechanics.{axis}.load'][0] for axis in AXES}
        for axis, force in start_of('holding', 'initial_force').items():
            self.assertAlmostEqual(force, loads[axis], delta=1e-3 * abs(loads[axis]) + 1, msg=axis)


if __name__ == '__main__':
    main()
